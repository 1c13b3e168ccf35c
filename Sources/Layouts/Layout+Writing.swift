package import JSONValue
internal import Texts

extension Layout {
    /// The JSON form. Equal layouts have the same form.
    package var json: JSONValue {
        var json = kind.json
        if insets != .zero { json.set(insets.json, for: "insets") }
        json.setUnlessZero(interSectionSpacing, for: "interSectionSpacing")
        json.setUnlessEmpty(supplementaries.map(\.json), for: "supplementaries")
        json.setUnlessEmpty(decorations.map(\.json), for: "decorations")
        json.setUnlessEmpty(leadingSwipe.map(\.json), for: "leadingSwipe")
        json.setUnlessEmpty(trailingSwipe.map(\.json), for: "trailingSwipe")
        if !cells.isEmpty {
            let sorted = cells.sorted { $0.key < $1.key }
            json.set(.object(JSONObject(sorted.map { ($0.key, $0.value.json) })), for: "cells")
        }
        return .object(json)
    }
}

extension Layout.Kind {
    fileprivate var json: JSONObject {
        switch self {
        case .list(let style):
            var json: JSONObject = ["kind": "list", "appearance": .name(style.appearance)]
            json.setUnlessEmpty(style.appearances.map(JSONValue.name), for: "appearances")
            if style.headerMode != .none { json.set(.name(style.headerMode), for: "headerMode") }
            if style.footerMode != .none { json.set(.name(style.footerMode), for: "footerMode") }
            return json
        case .grid(let groups):
            var json: JSONObject = ["kind": "grid"]
            json.set(groups)
            return json
        case .orthogonal(let behavior, let groups):
            var json: JSONObject = ["kind": "orthogonal", "behavior": .name(behavior)]
            json.set(groups)
            return json
        }
    }
}

// MARK: - Groups

extension JSONObject {
    fileprivate mutating func set(_ groups: Groups) {
        if let group = groups.group { set(group.json, for: "group") }
        setUnlessEmpty(groups.variants.map(\.json), for: "variants")
        setUnlessZero(groups.interGroupSpacing, for: "interGroupSpacing")
    }
}

extension GroupVariant {
    fileprivate var json: JSONValue { ["when": when.json, "group": group.json] }
}

extension GroupVariant.Condition {
    fileprivate var json: JSONValue {
        switch self {
        case .widthAbove(let points): ["widthAbove": .decimal(points)]
        case .sectionEmpty: ["sectionEmpty": true]
        }
    }
}

extension Group {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["direction": .name(direction), "width": width.json, "height": height.json]
        if insets != .zero { json.set(insets.json, for: "insets") }
        switch content {
        case .repeated(let item, let count):
            json.set(item.json, for: "item")
            if let count { json.set(.integer(count), for: "count") }
        case .sequence(let subitems):
            json.set(.array(subitems.map(\.json)), for: "items")
        }
        if let interItem { json.set(interItem.json, for: "interItem") }
        return .object(json)
    }
}

extension Group.Subitem {
    fileprivate var json: JSONValue {
        switch self {
        case .item(let item): item.json
        case .group(let group): group.json
        }
    }
}

extension GroupItem {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["width": width.json, "height": height.json]
        if insets != .zero { json.set(insets.json, for: "insets") }
        json.setUnlessEmpty(badges.map(\.json), for: "badges")
        return .object(json)
    }
}

extension Dimension {
    fileprivate var json: JSONValue {
        switch self {
        case .absolute(let points): ["absolute": .decimal(points)]
        case .estimated(let points): ["estimated": .decimal(points)]
        case .fractionalWidth(let fraction): ["fractionalWidth": .decimal(fraction)]
        case .fractionalHeight(let fraction): ["fractionalHeight": .decimal(fraction)]
        }
    }
}

extension Spacing {
    fileprivate var json: JSONValue {
        switch self {
        case .fixed(let points): ["fixed": .decimal(points)]
        case .flexible(let points): ["flexible": .decimal(points)]
        }
    }
}

extension Insets {
    fileprivate var json: JSONValue {
        var json = JSONObject()
        json.setUnlessZero(top, for: "top")
        json.setUnlessZero(leading, for: "leading")
        json.setUnlessZero(bottom, for: "bottom")
        json.setUnlessZero(trailing, for: "trailing")
        return .object(json)
    }
}

// MARK: - Supplementary items

extension Supplementary {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["kind": .name(kind)]
        if let elementKind { json.set(.string(elementKind), for: "elementKind") }
        json.set(.name(alignment), for: "alignment")
        json.set(width.json, for: "width")
        json.set(height.json, for: "height")
        if isPinned { json.set(true, for: "pinned") }
        if zIndex != 0 { json.set(.integer(zIndex), for: "zIndex") }
        if !followsInsets { json.set(false, for: "followsInsets") }
        if let background { json.set(background.json, for: "background") }
        if insets != .zero { json.set(insets.json, for: "insets") }
        json.setUnlessEmpty(accessories.map(JSONValue.name), for: "accessories")
        return .object(json)
    }
}

extension Badge {
    fileprivate var json: JSONValue {
        var json = JSONObject()
        if let elementKind { json.set(.string(elementKind), for: "elementKind") }
        json.set(.array(edges.map(JSONValue.name)), for: "edges")
        if let offset { json.set(offset.json, for: "offset") }
        json.set(width.json, for: "width")
        json.set(height.json, for: "height")
        if zIndex != 0 { json.set(.integer(zIndex), for: "zIndex") }
        if let background { json.set(background.json, for: "background") }
        if insets != .zero { json.set(insets.json, for: "insets") }
        json.set(.string(field), for: "field")
        return .object(json)
    }
}

extension Badge.Offset {
    fileprivate var json: JSONValue {
        switch self {
        case .absolute(let x, let y): ["absolute": ["x": .decimal(x), "y": .decimal(y)]]
        case .fractional(let x, let y): ["fractional": ["x": .decimal(x), "y": .decimal(y)]]
        }
    }
}

extension Decoration {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["kind": .name(kind)]
        if let elementKind { json.set(.string(elementKind), for: "elementKind") }
        if insets != .zero { json.set(insets.json, for: "insets") }
        if let background { json.set(background.json, for: "background") }
        if zIndex != 0 { json.set(.integer(zIndex), for: "zIndex") }
        return .object(json)
    }
}

// MARK: - Cells

extension Cell {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["configuration": .name(configuration.word)]
        if case .custom(let name) = configuration { json.set(.string(name), for: "name") }
        if let text { json.set(.string(text), for: "text") }
        if let secondaryText { json.set(.string(secondaryText), for: "secondaryText") }
        if let image { json.set(.string(image), for: "image") }
        if let opens { json.set(.string(opens), for: "opens") }
        if alignment != .leading { json.set(.name(alignment), for: "alignment") }
        if let background { json.set(background.json, for: "background") }
        if let separators { json.set(.name(separators), for: "separators") }
        json.setUnlessEmpty(accessories.map(\.json), for: "accessories")
        return .object(json)
    }
}

extension Accessory {
    fileprivate var json: JSONValue {
        guard self != Accessory(name) else { return .name(name) }
        var json: JSONObject = ["accessory": .name(name)]
        if let registration { json.set(.string(registration), for: "name") }
        if let field { json.set(.string(field), for: "field") }
        json.setUnlessEmpty(options.map { .string($0) }, for: "options")
        if displayed != .always { json.set(.name(displayed), for: "displayed") }
        json.setUnlessEmpty(appearances.map(JSONValue.name), for: "appearances")
        return .object(json)
    }
}

extension SwipeAction {
    fileprivate var json: JSONValue {
        guard self != SwipeAction(name) else { return .name(name) }
        var json: JSONObject = ["action": .name(name)]
        if let registration { json.set(.string(registration), for: "name") }
        json.set(face)
        if let whenStarred {
            var starred = JSONObject()
            starred.set(whenStarred)
            json.set(.object(starred), for: "whenStarred")
        }
        return .object(json)
    }
}

extension JSONObject {
    fileprivate mutating func set(_ face: SwipeAction.Face) {
        if let title = face.title { set(.string(title), for: "title") }
        if let symbol = face.symbol { set(.string(symbol), for: "symbol") }
        if let color = face.color { set(.name(color), for: "color") }
    }
}

extension Background {
    fileprivate var json: JSONValue {
        var json = JSONObject()
        if let color { json.set(.name(color), for: "color") }
        if let hue { json.set(.string(hue), for: "hue") }
        json.setUnlessZero(corner, for: "corner")
        if let stroke { json.set(.name(stroke), for: "stroke") }
        if let strokeWidth { json.set(.decimal(strokeWidth), for: "strokeWidth") }
        return .object(json)
    }
}

// MARK: - Plain values

extension JSONValue {
    fileprivate static func name(_ name: some RawRepresentable<String>) -> JSONValue {
        .string(ByteText(name.rawValue))
    }

    /// A number in JSON. A whole number has no decimal point.
    fileprivate static func decimal(_ value: Double) -> JSONValue {
        if let whole = Int(exactly: value) { return .integer(whole) }
        // Only infinity and NaN have no JSON form, and no layout that was read has them.
        return JSONNumber(literal: value.description).map(JSONValue.number) ?? .null
    }
}

extension JSONObject {
    fileprivate mutating func setUnlessZero(_ value: Double, for key: ByteText) {
        if value != 0 { set(.decimal(value), for: key) }
    }

    fileprivate mutating func setUnlessEmpty(_ values: [JSONValue], for key: ByteText) {
        if !values.isEmpty { set(.array(values), for: key) }
    }
}
