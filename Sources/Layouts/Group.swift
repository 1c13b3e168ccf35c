/// `NSCollectionLayoutGroup`.
package struct Group: Sendable, Equatable {
    package enum Direction: String, CaseIterable, Sendable {
        case horizontal, vertical
    }

    package enum Content: Sendable, Equatable {
        /// One item over and over: as often as fits, or `count` times in equal shares, whatever its own length.
        case repeated(GroupItem, count: Int? = nil)
        /// These in order, once.
        case sequence([Subitem])
    }

    /// `subitems` of `NSCollectionLayoutGroup`.
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

/// `NSCollectionLayoutItem`; its fractions are of its group.
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

    /// All of its group.
    package static func whole(insets: Insets = .zero) -> GroupItem {
        GroupItem(width: .fractionalWidth(1), height: .fractionalHeight(1), insets: insets)
    }
}

/// `NSCollectionLayoutDimension`.
package enum Dimension: Sendable, Equatable {
    case absolute(Double)
    /// Where a measured length begins.
    case estimated(Double)
    case fractionalWidth(Double)
    case fractionalHeight(Double)
}

/// `NSCollectionLayoutSpacing`.
package enum Spacing: Sendable, Equatable {
    case fixed(Double)
    /// At least this.
    case flexible(Double)
}

/// `NSDirectionalEdgeInsets`.
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
