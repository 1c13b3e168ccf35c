public import ListModel

/// The place of a row: the index of its section in the list, and its own index among the section's rows in the view.
public struct RowPath: Sendable, Hashable, Comparable {
    public var section: Int
    public var index: Int

    public init(section: Int, index: Int) {
        self.section = section
        self.index = index
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.section == right.section ? left.index < right.index : left.section < right.section
    }
}

/// The net difference between two states of a list in one view, as the indexes of a batch update.
///
/// Deletions and the sources of moves are indexes in the old state. Insertions, the targets of moves, reconfigured and
/// reloaded rows are indexes in the new state. Deletions are sorted descending, all else ascending, moves by target. A
/// client that applies the change set to the old rows gets exactly the new rows. It deletes and moves out, changes
/// sections, inserts and moves in, and changes contents, in this order.
///
/// Items of deleted sections are not listed, and items of inserted sections come inside them. So an item that leaves a
/// deleted section is an insertion, and one that enters an inserted section is a deletion.
///
/// Source: docs/contract.md section 5; `performBatchUpdates(_:completion:)` of `UICollectionView`.
public struct ChangeSet: Sendable, Equatable {
    @usableFromInline let storage: Storage
    /// Whether a client may animate the change set. The value is false if no transaction in the change set is to be
    /// animated, and true if the change set is empty.
    public var isAnimated = true

    /// The parts of the change set in one box, because a change set is passed on often and most of its parts are empty.
    ///
    /// The members are constants, so that reading one needs no copy.
    @usableFromInline final class Storage: Sendable {
        @usableFromInline let properties: ListChanges
        @usableFromInline let sections: Sections
        @usableFromInline let items: Items
        @usableFromInline let window: WindowChange?

        init(_ properties: ListChanges, _ sections: Sections, _ items: Items, _ window: WindowChange?) {
            self.properties = properties
            self.sections = sections
            self.items = items
            self.window = window
        }
    }

    /// The list's own members that changed.
    @inlinable public var properties: ListChanges { storage.properties }
    @inlinable public var sections: Sections { storage.sections }
    @inlinable public var items: Items { storage.items }
    /// Nil if the view has no window.
    @inlinable public var window: WindowChange? { storage.window }

    /// No change unless one is given.
    public init(
        properties: ListChanges = ListChanges(), sections: Sections = Sections(), items: Items = Items(),
        window: WindowChange? = nil
    ) {
        storage = Storage(properties, sections, items, window)
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.properties == right.properties && left.sections == right.sections && left.items == right.items
            && left.window == right.window && left.isAnimated == right.isAnimated
    }

    /// Whether nothing changed.
    public var isEmpty: Bool {
        properties == ListChanges() && sections.isEmpty && items.isEmpty && window?.hasMoved != true
    }

    /// The place of the view's window now.
    public struct WindowChange: Sendable, Equatable {
        public var place: WindowPlace
        /// Whether `place` is another place than before.
        public var hasMoved: Bool
    }

    /// The number of rows that the change set names, with those inside inserted and reloaded sections.
    public var namedRowCount: Int {
        items.count + Self.rowCount(sections.inserted) + Self.rowCount(sections.reloaded)
    }

    private static func rowCount(_ sections: [PlacedSection]) -> Int {
        sections.reduce(0) { $0 + $1.section.items.count }
    }
}

// MARK: - Sections

extension ChangeSet {
    /// The changes of sections.
    public struct Sections: Sendable, Equatable {
        public var deleted: [DeletedSection] = []
        public var inserted: [PlacedSection] = []
        public var moved: [MovedSection] = []
        /// Sections whose properties changed, without their items. None of them is in `reloaded`.
        public var reconfigured: [ChangedSection] = []
        /// Sections that an operation asked to reload, with all their rows.
        public var reloaded: [PlacedSection] = []

        public init() {}

        public var isEmpty: Bool {
            deleted.isEmpty && inserted.isEmpty && moved.isEmpty && reconfigured.isEmpty && reloaded.isEmpty
        }
    }

    /// A section that has gone; `index` is one of the old list.
    public struct DeletedSection: Sendable, Equatable {
        public var id: SectionID
        public var index: Int
    }

    /// A section with its rows; `index` is one of the new list.
    public struct PlacedSection: Sendable, Equatable {
        public var index: Int
        public var section: SectionRows
    }

    /// A section that stands elsewhere; `from` is an index of the old list, `to` one of the new.
    public struct MovedSection: Sendable, Equatable {
        public var id: SectionID
        public var from: Int
        public var to: Int
    }

    /// A section without its rows; `index` is one of the new list.
    public struct ChangedSection: Sendable, Equatable {
        public var index: Int
        public var properties: SectionProperties
    }
}

// MARK: - Items

extension ChangeSet {
    /// The changes of items in sections that both states have.
    public struct Items: Sendable, Equatable {
        public var deleted: [DeletedItem] = []
        public var inserted: [PlacedItem] = []
        public var moved: [MovedItem] = []
        /// Items whose row changed in anything but the kind, or that an operation asked to reconfigure. None of them is
        /// inserted.
        public var reconfigured: [PlacedItem] = []
        /// Items whose kind changed, or that an operation asked to reload. None of them is inserted or in
        /// `reconfigured`.
        public var reloaded: [PlacedItem] = []

        public init() {}

        init(reconfigured: [PlacedItem], reloaded: [PlacedItem]) {
            self.reconfigured = reconfigured
            self.reloaded = reloaded
        }

        public var isEmpty: Bool { count == 0 }

        /// How many entries there are.
        public var count: Int {
            deleted.count + inserted.count + moved.count + reconfigured.count + reloaded.count
        }
    }

    /// An item that has gone; `path` is one of the old rows.
    public struct DeletedItem: Sendable, Equatable {
        public var id: ItemID
        public var path: RowPath
    }

    /// An item as a row; `path` is one of the new rows.
    public struct PlacedItem: Sendable, Equatable {
        public var path: RowPath
        public var row: ItemRow
    }

    /// An item that stands elsewhere; `from` is a path of the old rows, `to` one of the new.
    public struct MovedItem: Sendable, Equatable {
        public var id: ItemID
        public var from: RowPath
        public var to: RowPath
    }
}
