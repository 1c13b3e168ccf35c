package import Texts

/// How a client lays out a list or a section: a word of the closed vocabulary (docs/model.md section 14).
///
/// A layout of a section takes the place of its list's. Lengths are in points; fractions are of the container, and
/// `fractionalWidth` given as a height is of its width. Each value has one JSON form, which leaves out what is at its
/// default: `json` writes it, `init(_:)` reads it, and openapi.yaml describes it.
package struct Layout: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// Rows as wide as the container.
        case list(ListStyle)
        /// Groups below each other.
        case grid(Groups)
        /// Groups in a row that scrolls across the others.
        case orthogonal(OrthogonalBehavior, Groups)
    }

    package var kind: Kind
    package var insets: Insets
    /// Between two sections; only that of a list's layout counts.
    package var interSectionSpacing: Double
    /// What stands at the edges of each section.
    package var supplementaries: [Supplementary]
    /// What stands behind the items of each section.
    package var decorations: [Decoration]
    package var leadingSwipe: [SwipeAction]
    package var trailingSwipe: [SwipeAction]
    /// The cell registration of each item kind.
    package var cells: [ByteText: Cell]

    package init(
        _ kind: Kind, insets: Insets = .zero, interSectionSpacing: Double = 0, supplementaries: [Supplementary] = [],
        decorations: [Decoration] = [], leadingSwipe: [SwipeAction] = [], trailingSwipe: [SwipeAction] = [],
        cells: [ByteText: Cell] = [:]
    ) {
        self.kind = kind
        self.insets = insets
        self.interSectionSpacing = interSectionSpacing
        self.supplementaries = supplementaries
        self.decorations = decorations
        self.leadingSwipe = leadingSwipe
        self.trailingSwipe = trailingSwipe
        self.cells = cells
    }
}

/// `UICollectionLayoutListConfiguration`.
package struct ListStyle: Sendable, Equatable {
    package var appearance: ListAppearance
    /// Those among which a client lets its user choose.
    package var appearances: [ListAppearance]
    package var headerMode: HeaderMode
    package var footerMode: FooterMode

    package init(
        _ appearance: ListAppearance, appearances: [ListAppearance] = [], headerMode: HeaderMode = .none,
        footerMode: FooterMode = .none
    ) {
        self.appearance = appearance
        self.appearances = appearances
        self.headerMode = headerMode
        self.footerMode = footerMode
    }
}

/// `UICollectionLayoutListConfiguration.Appearance`.
package enum ListAppearance: String, CaseIterable, Sendable {
    case plain, grouped, insetGrouped, sidebar, sidebarPlain
}

/// `UICollectionLayoutListConfiguration.HeaderMode`.
package enum HeaderMode: String, CaseIterable, Sendable {
    case none, supplementary, firstItemInSection
}

/// `UICollectionLayoutListConfiguration.FooterMode`.
package enum FooterMode: String, CaseIterable, Sendable {
    case none, supplementary
}

/// `UICollectionLayoutSectionOrthogonalScrollingBehavior`.
package enum OrthogonalBehavior: String, CaseIterable, Sendable {
    case none, continuous, continuousGroupLeadingBoundary, paging, groupPaging, groupPagingCentered
}

/// What a swipe offers.
package enum SwipeAction: String, CaseIterable, Sendable {
    /// Star or unstar, decided when it is shown.
    case star
    case delete
}

/// What a section repeats until all its items have a place.
package struct Groups: Sendable, Equatable {
    /// Nil leaves the choice to the client.
    package var group: Group?
    /// The group of the first one whose condition holds takes the place of `group`.
    package var variants: [GroupVariant]
    package var interGroupSpacing: Double

    package init(_ group: Group? = nil, variants: [GroupVariant] = [], interGroupSpacing: Double = 0) {
        self.group = group
        self.variants = variants
        self.interGroupSpacing = interGroupSpacing
    }
}

/// A group that takes the place of the layout's while a condition holds.
package struct GroupVariant: Sendable, Equatable {
    package enum Condition: Sendable, Equatable {
        /// The container is wider than this; at this width it is not.
        case widthAbove(Double)
        case sectionEmpty
    }

    package var when: Condition
    package var group: Group

    package init(when: Condition, _ group: Group) {
        self.when = when
        self.group = group
    }
}
