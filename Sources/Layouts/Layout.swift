package import Texts

/// The layout of a list or a section, in the words of a closed vocabulary (docs/model.md section 14).
///
/// The layout of a section replaces that of its list. Lengths are in points. Fractions are fractions of the container;
/// `fractionalWidth` given as a height is a fraction of the container's width. Each layout has one JSON form, which
/// leaves out members that have their default. `json` writes it, `init(_:)` reads it, and openapi.yaml describes it.
package struct Layout: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// Rows that are as wide as the container.
        case list(ListStyle)
        /// Groups one below the other.
        case grid(Groups)
        /// Groups in a row that scrolls at a right angle to the list.
        case orthogonal(OrthogonalBehavior, Groups)
    }

    package var kind: Kind
    package var insets: Insets
    /// The space between two sections, in points. Clients use only the value in a list's layout.
    package var interSectionSpacing: Double
    /// Headers and footers at the edges of each section.
    package var supplementaries: [Supplementary]
    /// Views behind the items of each section.
    package var decorations: [Decoration]
    package var leadingSwipe: [SwipeAction]
    package var trailingSwipe: [SwipeAction]
    /// The cell of each item kind, by the name of the kind.
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

/// A list configuration (`UICollectionLayoutListConfiguration`).
package struct ListStyle: Sendable, Equatable {
    package var appearance: ListAppearance
    /// The appearances among which a client lets its user choose.
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

/// The look of a list (`UICollectionLayoutListConfiguration.Appearance`).
package enum ListAppearance: String, CaseIterable, Sendable {
    case plain, grouped, insetGrouped, sidebar, sidebarPlain
}

/// The view that is the header of a section (`UICollectionLayoutListConfiguration.HeaderMode`).
package enum HeaderMode: String, CaseIterable, Sendable {
    case none, supplementary, firstItemInSection
}

/// The view that is the footer of a section (`UICollectionLayoutListConfiguration.FooterMode`).
package enum FooterMode: String, CaseIterable, Sendable {
    case none, supplementary
}

/// The way in which a section scrolls (`UICollectionLayoutSectionOrthogonalScrollingBehavior`).
package enum OrthogonalBehavior: String, CaseIterable, Sendable {
    case none, continuous, continuousGroupLeadingBoundary, paging, groupPaging, groupPagingCentered
}

/// An action that a swipe over a row offers (`UIContextualAction`).
package struct SwipeAction: Sendable, Equatable {
    package enum Name: String, CaseIterable, Sendable {
        /// Stars the item, or removes its star, by the state at the time when the swipe is shown.
        case star
        case delete
        /// An action that the client has registered by a name.
        case custom
    }

    /// What the button of an action shows. The client has a choice of its own for what is nil.
    package struct Face: Sendable, Equatable {
        package var title: ByteText?
        package var symbol: ByteText?
        package var color: Color?

        package init(title: ByteText? = nil, symbol: ByteText? = nil, color: Color? = nil) {
            self.title = title
            self.symbol = symbol
            self.color = color
        }
    }

    package var name: Name
    /// The name of a custom action.
    package var registration: ByteText?
    package var face: Face
    /// What is shown in the place of `face` while the item is starred; members that are nil are those of `face`.
    package var whenStarred: Face?

    package init(_ name: Name, registration: ByteText? = nil, face: Face = Face(), whenStarred: Face? = nil) {
        self.name = name
        self.registration = registration
        self.face = face
        self.whenStarred = whenStarred
    }

    package static let star = SwipeAction(.star)
    package static let delete = SwipeAction(.delete)
}

/// The group that a section repeats until all its items have a place.
package struct Groups: Sendable, Equatable {
    /// The group to repeat; nil leaves the choice to the client.
    package var group: Group?
    /// Alternatives to `group`. The first one whose condition is true replaces it.
    package var variants: [GroupVariant]
    package var interGroupSpacing: Double

    package init(_ group: Group? = nil, variants: [GroupVariant] = [], interGroupSpacing: Double = 0) {
        self.group = group
        self.variants = variants
        self.interGroupSpacing = interGroupSpacing
    }
}

/// A group that replaces that of the layout while a condition is true.
package struct GroupVariant: Sendable, Equatable {
    package enum Condition: Sendable, Equatable {
        /// The condition that the container is wider than this, in points.
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
