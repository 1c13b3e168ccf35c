// The layout vocabulary: these types are all that the samples say of layouts, and each has one JSON form.
//
//     layout      {"kind":"list", "appearance", "headerMode"?, "footerMode"?, "leadingSwipe"?, "trailingSwipe"?, …}
//                 {"kind":"grid", "group", "variants"?, "interGroupSpacing"?, …}
//                 {"kind":"orthogonal", "behavior", "group", "variants"?, "interGroupSpacing"?, "trailingSwipe"?, …}
//                 and each with "insets"?, "supplementaries"?, "cells"?
//     group       {"direction", "width", "height", "item", "count"?, "interItem"?}
//     item        {"width", "height", "insets"?}
//     variants    [{"when":{"widthAbove":800}, "group"}, {"when":{"sectionEmpty":true}, "group"}]
//     interItem   {"fixed":10}
//     supplement  {"kind", "alignment", "width", "height", "pinned"?, "zIndex"?, "followsInsets"?, "accessories"?}
//     dimension   {"absolute":44} {"estimated":44} {"fractionalWidth":0.2} {"fractionalHeight":1}
//     insets      {"top", "leading", "bottom", "trailing"}
//     cells       {"<item kind>":{"style", "accessories"?}}
//
// Lengths are in points. Fractions are of the container; `fractionalWidth` given as a height is of its width.
// The group of the first variant whose condition holds takes the place of the layout's own.
// Members at their default (no insets, no spacing, no header, no accessories, in the order of the section, not pinned,
// following the insets) are left out.

/// How a list or a section is laid out.
struct Layout {
    enum Kind {
        case list(
            ListAppearance, headerMode: HeaderMode = .none, footerMode: FooterMode = .none,
            leadingSwipe: [SwipeAction] = [], trailingSwipe: [SwipeAction] = [])
        /// Groups below each other.
        case grid(Group, variants: [GroupVariant] = [], interGroupSpacing: Double = 0)
        /// Groups in a row that scrolls across the others.
        case orthogonal(
            OrthogonalBehavior, Group, variants: [GroupVariant] = [], interGroupSpacing: Double = 0,
            trailingSwipe: [SwipeAction] = [])
    }

    var kind: Kind
    var insets: Insets = .zero
    /// What stands at the edges of each section.
    var supplementaries: [Supplementary] = []
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

/// `UICollectionLayoutListConfiguration.FooterMode`.
enum FooterMode: String {
    case none, supplementary
}

/// What a swipe offers.
enum SwipeAction: String {
    case star, delete
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
    /// How many items share the group evenly; the width that each asks for does not count then.
    var count: Int?
    var interItem: Spacing?
}

/// `NSCollectionLayoutSpacing`.
enum Spacing {
    case fixed(Double)
}

/// A group that takes the place of the layout's while a condition holds.
struct GroupVariant {
    enum Condition {
        /// The container is wider than this; at this width it is not.
        case widthAbove(Double)
        case sectionEmpty
    }

    var when: Condition
    var group: Group
}

/// `NSCollectionLayoutItem`.
struct GroupItem {
    var width: Dimension
    var height: Dimension
    var insets: Insets = .zero
}

/// `NSCollectionLayoutBoundarySupplementaryItem`.
///
/// A header shows that of the section, or the section's title where it has none.
struct Supplementary {
    enum Kind: String {
        case header
    }

    enum Alignment: String {
        case top
    }

    enum Accessory: String {
        /// Offers to add an item to the section.
        case add
    }

    var kind: Kind
    var alignment: Alignment
    var width: Dimension
    var height: Dimension
    /// Whether it stays in sight while the section is.
    var isPinned = false
    var zIndex = 0
    /// Whether its container is the section inside its insets, not the view
    /// (`supplementariesFollowContentInsets` of `NSCollectionLayoutSection`).
    var followsInsets = true
    var accessories: [Accessory] = []
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
