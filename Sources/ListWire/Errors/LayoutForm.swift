/// The forms of the values in a layout. Each has an example, which error messages show.
enum LayoutForm: CaseIterable, Sendable {
    case layout, list, grid, orthogonal
    case group, groupItem, variant, condition, dimension, spacing, insets
    case supplementary, badge, offset, point, decoration
    case cells, cell, accessory, swipeAction, swipeFace, background
    case length, fraction, coordinate, count, zIndex

    /// A valid value of this form, as JSON.
    var example: StaticString {
        switch self {
        case .layout: #"{"kind":"list","appearance":"insetGrouped"}"#
        case .list: #"{"kind":"list","appearance":"insetGrouped","headerMode":"supplementary"}"#
        case .grid:
            #"""
            {"kind":"grid","group":{"direction":"horizontal","width":{"fractionalWidth":1},\#
            "height":{"absolute":44},"count":2,"item":{"width":{"fractionalWidth":1},\#
            "height":{"fractionalHeight":1}}}}
            """#
        case .orthogonal:
            #"""
            {"kind":"orthogonal","behavior":"groupPaging","group":{"direction":"horizontal",\#
            "width":{"absolute":200},"height":{"absolute":120},"item":{"width":{"fractionalWidth":1},\#
            "height":{"fractionalHeight":1}}}}
            """#
        case .group:
            #"""
            {"direction":"horizontal","width":{"fractionalWidth":1},"height":{"absolute":44},"count":2,\#
            "item":{"width":{"fractionalWidth":1},"height":{"fractionalHeight":1}}}
            """#
        case .groupItem: #"{"width":{"fractionalWidth":0.5},"height":{"absolute":44}}"#
        case .variant:
            #"""
            {"when":{"widthAbove":600},"group":{"direction":"horizontal","width":{"fractionalWidth":1},\#
            "height":{"absolute":44},"count":3,"item":{"width":{"fractionalWidth":1},\#
            "height":{"fractionalHeight":1}}}}
            """#
        case .condition: #"{"widthAbove":600}"#
        case .dimension: #"{"fractionalWidth":0.5}"#
        case .spacing: #"{"fixed":8}"#
        case .insets: #"{"top":8,"leading":16,"bottom":8,"trailing":16}"#
        case .supplementary:
            #"{"kind":"header","alignment":"top","width":{"fractionalWidth":1},"height":{"estimated":44}}"#
        case .badge: #"{"field":"count","edges":["top","trailing"],"width":{"absolute":20},"height":{"absolute":20}}"#
        case .offset: #"{"fractional":{"x":0.3,"y":-0.3}}"#
        case .point: #"{"x":4,"y":-4}"#
        case .decoration: #"{"kind":"background","background":{"color":"systemGray6","corner":12}}"#
        case .cells: #"{"item":{"configuration":"subtitleCell","text":"name","secondaryText":"note"}}"#
        case .cell: #"{"configuration":"subtitleCell","text":"name","secondaryText":"note"}"#
        case .accessory: #"{"accessory":"label","field":"count","displayed":"always","appearances":["plain"]}"#
        case .swipeAction: #"{"action":"star","symbol":"star.fill","color":"systemBlue"}"#
        case .swipeFace: #"{"title":"Unstar","symbol":"star.slash"}"#
        case .background: #"{"color":"systemGray6","corner":12}"#
        case .length: "8"
        case .fraction: "0.5"
        case .coordinate: "-4"
        case .count: "2"
        case .zIndex: "1"
        }
    }
}

extension LayoutForm {
    /// A sentence with an example of a value of this form.
    var advice: String { "\(words) \(example)." }

    private var words: StaticString {
        switch self {
        case .layout: #"Its kind is "list", "grid" or "orthogonal":"#
        case .list: "A layout of rows:"
        case .grid: #"A grid of two columns, as "count" says, with rows 44 points high:"#
        case .orthogonal: "Cards beside each other:"
        case .group: #"A group of two columns; its direction is "horizontal" or "vertical":"#
        case .groupItem: "An item that takes half of its group's width:"
        case .variant: "Three columns where there is room:"
        case .condition: #"{"sectionEmpty":true}, or a width in points:"#
        case .dimension:
            #"Points, {"absolute":44} or {"estimated":44}; or a fraction of the container, {"fractionalHeight":1} or"#
        case .spacing: "Points between neighbours:"
        case .insets: "Points at each edge:"
        case .supplementary: "A header above its section:"
        case .badge: "A badge that shows a member of the content:"
        case .offset: "How far to the right and down, in parts of the badge or as \"absolute\" in points:"
        case .point: "To the right and down:"
        case .decoration: "A background behind the items of a section:"
        case .cells: "A cell for each kind of item:"
        case .cell: "A cell with two texts:"
        case .accessory: "The name alone, or with what it shows, when, and in which appearances:"
        case .swipeAction: "The name alone, or with what its button shows:"
        case .swipeFace: "What the button shows while the item is starred:"
        case .background: "A colour and round corners:"
        case .length: "In points, for example"
        case .fraction: "It is a fraction of the container: 1 is all of it, half of it is"
        case .coordinate: "In points, or in parts of the badge, to the right or down, for example"
        case .count: "It is how many items share the group evenly, such as"
        case .zIndex: "The part with the greater one is in front, such as"
        }
    }
}
