/// A group of items that a layout repeats (`NSCollectionLayoutGroup`).
package struct Group: Sendable, Equatable {
    package enum Direction: String, CaseIterable, Sendable {
        case horizontal, vertical
    }

    package enum Content: Sendable, Equatable {
        /// One item, repeated in the direction of the group: `count` times in equal shares, whatever its own length, or
        /// as often as it fits if `count` is nil.
        case repeated(GroupItem, count: Int? = nil)
        /// The given items and groups in order, each once.
        case sequence([Subitem])
    }

    /// An item or a group within a group (`subitems` of `NSCollectionLayoutGroup`).
    package indirect enum Subitem: Sendable, Equatable {
        case item(GroupItem)
        case group(Group)
    }

    package var direction: Direction
    package var width: Dimension
    package var height: Dimension
    package var insets: Insets
    package var interItem: Spacing?
    package var content: Content

    package init(
        _ direction: Direction, width: Dimension, height: Dimension, insets: Insets = .zero, interItem: Spacing? = nil,
        _ content: Content
    ) {
        self.direction = direction
        self.width = width
        self.height = height
        self.insets = insets
        self.interItem = interItem
        self.content = content
    }
}

/// The size of one item within a group (`NSCollectionLayoutItem`). Fractions are fractions of the group.
package struct GroupItem: Sendable, Equatable {
    package var width: Dimension
    package var height: Dimension
    package var insets: Insets
    package var badges: [Badge]

    package init(width: Dimension, height: Dimension, insets: Insets = .zero, badges: [Badge] = []) {
        self.width = width
        self.height = height
        self.insets = insets
        self.badges = badges
    }

    /// An item that fills its group.
    package static func whole(insets: Insets = .zero) -> GroupItem {
        GroupItem(width: .fractionalWidth(1), height: .fractionalHeight(1), insets: insets)
    }
}

/// A width or a height (`NSCollectionLayoutDimension`).
package enum Dimension: Sendable, Equatable {
    case absolute(Double)
    /// A first guess in points, which the client replaces by the measured length.
    case estimated(Double)
    case fractionalWidth(Double)
    case fractionalHeight(Double)
}

/// The space between two neighbours (`NSCollectionLayoutSpacing`).
package enum Spacing: Sendable, Equatable {
    case fixed(Double)
    /// At least this length, in points.
    case flexible(Double)
}

/// Distances from the edges, in points (`NSDirectionalEdgeInsets`).
package struct Insets: Sendable, Equatable {
    package var top: Double
    package var leading: Double
    package var bottom: Double
    package var trailing: Double

    package init(top: Double = 0, leading: Double = 0, bottom: Double = 0, trailing: Double = 0) {
        self.top = top
        self.leading = leading
        self.bottom = bottom
        self.trailing = trailing
    }

    package static let zero = Insets()

    package static func all(_ length: Double) -> Insets {
        Insets(top: length, leading: length, bottom: length, trailing: length)
    }

    package static func sides(_ length: Double) -> Insets { Insets(leading: length, trailing: length) }
}
