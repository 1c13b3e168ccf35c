/// One row of a section, shown or hidden: what a cell registration of its kind needs.
///
/// Where the item stands (section, parent, level) is not part of it: that is the list's to know.
public struct Item: Sendable, Equatable {
    public var id: ItemID
    /// The name of the cell registration that a client uses: `[A-Za-z0-9._-]{1,64}`.
    public var kind: String
    /// A JSON object, opaque to the server.
    public var content: JSONText
    /// A mark that any item can have.
    public var isStarred: Bool
    /// Whether the children are shown. Needs no children, and is kept while the item lives
    /// (`expand(_:)` of `NSDiffableDataSourceSectionSnapshot`).
    public var isExpanded: Bool
    /// Whether the item may be moved by a reorder (`reorderingHandlers.canReorderItem`).
    public var isReorderable: Bool

    public init(
        id: ItemID, kind: String = Item.defaultKind, content: JSONText = .emptyObject, isStarred: Bool = false,
        isExpanded: Bool = false, isReorderable: Bool = true
    ) {
        self.id = id
        self.kind = kind
        self.content = content
        self.isStarred = isStarred
        self.isExpanded = isExpanded
        self.isReorderable = isReorderable
    }

    /// The kind of an item that names none.
    public static let defaultKind = "item"
}

/// What a section carries besides its items.
public struct SectionProperties: Sendable, Equatable {
    public var id: SectionID
    public var title: String?
    /// A JSON object for the client; nil if the list's layout holds.
    public var layout: JSONText?
    /// A JSON string or object, as is the footer.
    public var header: JSONText?
    public var footer: JSONText?
    /// Whether the section's items may be moved by a reorder.
    public var isReorderable: Bool

    public init(
        id: SectionID, title: String? = nil, layout: JSONText? = nil, header: JSONText? = nil, footer: JSONText? = nil,
        isReorderable: Bool = true
    ) {
        self.id = id
        self.title = title
        self.layout = layout
        self.header = header
        self.footer = footer
        self.isReorderable = isReorderable
    }
}

/// What a list carries besides its sections.
public struct ListProperties: Sendable, Equatable {
    public var title: String
    public var layout: JSONText?

    public init(title: String, layout: JSONText? = nil) {
        self.title = title
        self.layout = layout
    }
}
