// The layout vocabulary: these types are all that the samples say of layouts, and each has one JSON form.
//
//     layout      {"kind":"list", "appearance", "headerMode"?, "leadingSwipe"?, "insets"?, "cells"?}
//                 {"kind":"orthogonal", "behavior", "group", "interGroupSpacing"?, "insets"?, "cells"?}
//     group       {"direction", "width", "height", "item"}
//     item        {"width", "height", "insets"?}
//     dimension   {"absolute":44} {"estimated":44} {"fractionalWidth":0.2} {"fractionalHeight":1}
//     insets      {"top", "leading", "bottom", "trailing"}
//     cells       {"<item kind>":{"style", "accessories"?}}
//
// Lengths are in points. Fractions are of the container; `fractionalWidth` given as a height is of its width.
// Members at their default (no insets, no spacing, no header, no accessories) are left out.

/// How a list or a section is laid out.
struct Layout {
    enum Kind {
        case list(ListAppearance, headerMode: HeaderMode = .none, leadingSwipe: [SwipeAction] = [])
        case orthogonal(OrthogonalBehavior, Group, interGroupSpacing: Double = 0)
    }

    var kind: Kind
    var insets: Insets = .zero
    /// The cell of each item kind.
    var cells: KeyValuePairs<String, Cell> = [:]
}

/// `UICollectionLayoutListConfiguration.Appearance`.
enum ListAppearance: String {
    case plain, grouped, insetGrouped, sidebar, sidebarPlain
}

/// `UICollectionLayoutListConfiguration.HeaderMode`.
enum HeaderMode: String {
    case none, supplementary, firstItemInSection
}

/// What a swipe offers.
enum SwipeAction: String {
    case star
}

/// `UICollectionLayoutSectionOrthogonalScrollingBehavior`.
enum OrthogonalBehavior: String {
    case none, continuous, continuousGroupLeadingBoundary, paging, groupPaging, groupPagingCentered
}

/// `NSCollectionLayoutDimension`.
enum Dimension {
    case absolute(Double)
    case estimated(Double)
    case fractionalWidth(Double)
    case fractionalHeight(Double)
}

/// `NSDirectionalEdgeInsets`.
struct Insets: Equatable {
    var top: Double
    var leading: Double
    var bottom: Double
    var trailing: Double

    static let zero = Insets.all(0)

    static func all(_ length: Double) -> Insets {
        Insets(top: length, leading: length, bottom: length, trailing: length)
    }
}

/// `NSCollectionLayoutGroup` of one repeated item.
struct Group {
    enum Direction: String {
        case horizontal, vertical
    }

    var direction: Direction
    var width: Dimension
    var height: Dimension
    var item: GroupItem
}

/// `NSCollectionLayoutItem`.
struct GroupItem {
    var width: Dimension
    var height: Dimension
    var insets: Insets = .zero
}

/// What shows an item of one kind.
struct Cell {
    enum Style: String {
        /// One large text in a rounded frame.
        case grid
        /// Text alone.
        case text
        /// Text with a secondary text at the trailing edge.
        case value
        /// The text of a header.
        case header
    }

    enum Accessory: String {
        case disclosure
        case outlineDisclosure
        case reorder
        /// Shown while the item is starred.
        case star
    }

    var style: Style
    var accessories: [Accessory] = []
}
