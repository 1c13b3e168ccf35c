package import Texts

/// A header or footer at an edge of each section (`NSCollectionLayoutBoundarySupplementaryItem`).
///
/// A header shows the section's header, or the section's title if it has none. A footer shows the section's footer.
package struct Supplementary: Sendable, Equatable {
    package enum Kind: String, CaseIterable, Sendable {
        case header, footer
    }

    /// The edge or corner at which the supplementary item stands (`NSRectAlignment`).
    package enum Alignment: String, CaseIterable, Sendable {
        case top, topLeading, topTrailing, leading, trailing, bottom, bottomLeading, bottomTrailing
    }

    package enum Accessory: String, CaseIterable, Sendable {
        /// A button with which the user adds an item to the section.
        case add
    }

    package var kind: Kind
    /// The name by which a client registers its view; nil stands for the name of its kind.
    package var elementKind: ByteText?
    package var alignment: Alignment
    package var width: Dimension
    package var height: Dimension
    /// Whether the supplementary item stays on the screen while its section is on the screen.
    package var isPinned: Bool
    package var zIndex: Int
    /// Whether the container of the supplementary item is the section inside its insets; false stands for the whole
    /// view (`supplementariesFollowContentInsets` of `NSCollectionLayoutSection`).
    package var followsInsets: Bool
    package var background: Background?
    /// The space between the edges of the background and what is shown in front of it.
    package var insets: Insets
    package var accessories: [Accessory]

    package init(
        _ kind: Kind, elementKind: ByteText? = nil, alignment: Alignment, width: Dimension = .fractionalWidth(1),
        height: Dimension = .estimated(44), isPinned: Bool = false, zIndex: Int = 0, followsInsets: Bool = true,
        background: Background? = nil, insets: Insets = .zero, accessories: [Accessory] = []
    ) {
        self.kind = kind
        self.elementKind = elementKind
        self.alignment = alignment
        self.width = width
        self.height = height
        self.isPinned = isPinned
        self.zIndex = zIndex
        self.followsInsets = followsInsets
        self.background = background
        self.insets = insets
        self.accessories = accessories
    }
}

/// A badge at an edge or a corner of an item, in front of it (`NSCollectionLayoutSupplementaryItem`).
package struct Badge: Sendable, Equatable {
    package enum Edge: String, CaseIterable, Sendable {
        case top, leading, bottom, trailing
    }

    /// The distance by which the badge is moved, to the right and down. Fractions are fractions of the badge's size.
    package enum Offset: Sendable, Equatable {
        case absolute(x: Double, y: Double)
        case fractional(x: Double, y: Double)
    }

    package var elementKind: ByteText?
    package var edges: [Edge]
    package var offset: Offset?
    package var width: Dimension
    package var height: Dimension
    package var zIndex: Int
    package var background: Background?
    /// The space between the edges of the background and what is shown in front of it.
    package var insets: Insets
    /// The member of the item's content that the badge shows. The badge is hidden if it is 0, empty or missing.
    package var field: ByteText

    package init(
        _ field: ByteText, elementKind: ByteText? = nil, edges: [Edge], offset: Offset? = nil, width: Dimension,
        height: Dimension, zIndex: Int = 0, background: Background? = nil, insets: Insets = .zero
    ) {
        self.elementKind = elementKind
        self.edges = edges
        self.offset = offset
        self.width = width
        self.height = height
        self.zIndex = zIndex
        self.background = background
        self.insets = insets
        self.field = field
    }
}

/// A view behind all items of a section (`NSCollectionLayoutDecorationItem`).
package struct Decoration: Sendable, Equatable {
    package enum Kind: String, CaseIterable, Sendable {
        case background
    }

    package var kind: Kind
    package var elementKind: ByteText?
    package var insets: Insets
    package var background: Background?
    package var zIndex: Int

    package init(
        _ kind: Kind, elementKind: ByteText? = nil, insets: Insets = .zero, background: Background? = nil,
        zIndex: Int = 0
    ) {
        self.kind = kind
        self.elementKind = elementKind
        self.insets = insets
        self.background = background
        self.zIndex = zIndex
    }
}
