public import Texts

/// One intended edit of a list, naming ids and never indexes (docs/contract.md section 4).
///
/// Each operation is one reference, because operations are passed on and kept more often than they are read.
public indirect enum Operation: Sendable, Equatable {
    case appendSections([NewSection])
    case insertSections([NewSection], SectionAnchor)
    case deleteSections([SectionID])
    case reloadSections([SectionID])
    case moveSection(SectionID, SectionAnchor)
    case updateSection(SectionID, SectionChanges)
    case updateList(ListChanges)
    /// Without a container, the items go to the end of the last section.
    case appendItems([NewItem], Container?)
    case insertItems([NewItem], ItemAnchor)
    case deleteItems([ItemID])
    /// Deletes all items and all sections.
    case deleteAllItems
    case moveItem(ItemID, Destination)
    case updateItem(ItemID, ItemChanges)
    case reconfigureItems([ItemID])
    case reloadItems([ItemID])
    case setStarred([ItemID], Bool)
    /// Stars an item that has no star, and takes the star from one that has.
    case toggleStar(ItemID)
    case setExpanded([ItemID], Bool)
    case replaceChildren(ItemID, [NewItem])
    case applySnapshot(WantedSnapshot)
    case applySectionSnapshot(WantedSection)
}

/// A place for a section, beside another section.
public enum SectionAnchor: Sendable, Equatable {
    case before(SectionID)
    case after(SectionID)

    /// The section that the place is beside.
    public var section: SectionID {
        switch self {
        case .before(let section), .after(let section): section
        }
    }
}

/// The direct holder of items: a section holds its roots, an item its children.
public enum Container: Sendable, Equatable {
    case section(SectionID)
    case parent(ItemID)
}

/// A place for an item beside another one, in the section and under the parent of that one.
public struct ItemAnchor: Sendable, Equatable {
    /// The side of the anchor.
    public enum Side: Sendable, Equatable {
        case before
        /// The place behind the whole subtree of the anchor, at the level of the anchor.
        case after
    }

    public var side: Side
    public var item: ItemID
    /// The operation is valid only while the anchor is in this container; nil binds nothing.
    public var guardedBy: Container?

    public init(_ side: Side, _ item: ItemID, guardedBy container: Container? = nil) {
        self.side = side
        self.item = item
        self.guardedBy = container
    }
}

/// The place to which an item is to be moved.
public enum Destination: Sendable, Equatable {
    case anchor(ItemAnchor)
    case first(Container)
    case last(Container)
}

/// A new value, or `keep` for the stored one.
public enum Change<Value: Sendable & Equatable>: Sendable, Equatable {
    case keep
    case set(Value)

    func applied(to old: Value) -> Value {
        switch self {
        case .keep: old
        case .set(let new): new
        }
    }
}

/// An item of an argument: a new one, or one that exists and is to be placed there, with the members that are given.
public struct NewItem: Sendable, Equatable {
    public var id: ItemID
    /// An item of the same argument that stands before this one.
    public var parent: ItemID?
    /// Nil for a bare id.
    public var value: ItemChanges?
    /// Whether the server made the id, because the client gave none.
    public private(set) var isMade = false

    public init(_ id: ItemID, parent: ItemID? = nil, value: ItemChanges? = nil) {
        self.id = id
        self.parent = parent
        self.value = value
    }

    /// An item that the client has not named.
    public init(made id: ItemID, parent: ItemID?, value: ItemChanges) {
        self.init(id, parent: parent, value: value)
        isMade = true
    }
}

/// The members of an item that an argument gives. A member that it leaves out keeps its stored value.
public struct ItemChanges: Sendable, Equatable {
    /// The change of the content.
    public enum ContentChange: Sendable, Equatable {
        case keep
        case replace(JSONText)
        /// An RFC 7396 merge patch.
        case merge(JSONText)
    }

    public var kind: Change<ByteText> = .keep
    public var content: ContentChange = .keep
    public var isStarred: Change<Bool> = .keep
    public var isExpanded: Change<Bool> = .keep
    public var isReorderable: Change<Bool> = .keep

    public init() {}
}

/// A section of an argument.
public struct NewSection: Sendable, Equatable {
    public var properties: SectionProperties
    public var items: [NewItem]

    public init(_ properties: SectionProperties, items: [NewItem] = []) {
        self.properties = properties
        self.items = items
    }
}

/// The members of a section that an argument gives. A member that it leaves out keeps its stored value.
public struct SectionChanges: Sendable, Equatable {
    public var title: Change<ByteText?> = .keep
    public var layout: Change<JSONText?> = .keep
    public var header: Change<JSONText?> = .keep
    public var footer: Change<JSONText?> = .keep
    public var isReorderable: Change<Bool> = .keep

    public init() {}

    /// The properties with these changes.
    public func applied(to old: SectionProperties) -> SectionProperties {
        SectionProperties(
            id: old.id, title: title.applied(to: old.title), layout: layout.applied(to: old.layout),
            header: header.applied(to: old.header), footer: footer.applied(to: old.footer),
            isReorderable: isReorderable.applied(to: old.isReorderable))
    }
}

/// The list's own members that an argument gives.
public struct ListChanges: Sendable, Equatable {
    public var title: Change<ByteText> = .keep
    public var layout: Change<JSONText?> = .keep

    public init() {}

    /// The properties with these changes.
    public func applied(to old: ListProperties) -> ListProperties {
        ListProperties(title: title.applied(to: old.title), layout: layout.applied(to: old.layout))
    }
}

/// The whole state that a list is to have. Sections and items that it does not name are deleted.
public struct WantedSnapshot: Sendable, Equatable {
    public var changes: ListChanges
    public var sections: [WantedSection] {
        didSet { itemTable = nil }
    }
    /// Finds the items in the order in which the sections have them. If there is a table, no item is there twice; nil as
    /// long as nobody has looked.
    private(set) var itemTable: HandleTable?

    public init(changes: ListChanges = ListChanges(), sections: [WantedSection]) {
        self.changes = changes
        self.sections = sections
    }

    /// Looks whether each item is there once, so that nobody has to look again.
    ///
    /// - Returns: Nil if an item is there twice.
    package init?(changes: ListChanges, distinct sections: [WantedSection]) {
        guard let table = HandleTable(of: sections) else { return nil }
        self.init(changes: changes, sections: sections)
        itemTable = table
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.changes == right.changes && left.sections == right.sections
    }
}

/// The whole state that a section is to have: its items in depth-first order, each naming its parent.
public struct WantedSection: Sendable, Equatable {
    public var id: SectionID
    public var changes: SectionChanges
    public var items: [NewItem]

    public init(_ id: SectionID, changes: SectionChanges = SectionChanges(), items: [NewItem]) {
        self.id = id
        self.changes = changes
        self.items = items
    }
}
