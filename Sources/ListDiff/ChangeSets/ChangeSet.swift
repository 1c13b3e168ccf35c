public import ListModel

/// Where a row stands: the index of its section in the list, and its own among the section's rows in the view.
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
/// Deletions and the sources of moves are indexes in the old state; insertions, the targets of moves,
/// reconfigured and reloaded ones are indexes in the new state. Deletions are sorted descending, all else
/// ascending, moves by target. Applied to the old rows in the order delete and move out, sections, insert and
/// move in, content, it gives exactly the new rows.
///
/// Items of deleted sections are not listed, and items of inserted sections come inside them: an item that
/// leaves a deleted section is an insertion, one that enters an inserted section a deletion.
///
/// Source: docs/contract.md section 5; `performBatchUpdates(_:completion:)` of `UICollectionView`.
public struct ChangeSet: Sendable, Equatable {
    @usableFromInline let storage: Storage
    /// False if nothing that it is made of is to be shown moving; true if there is nothing in it.
    public var isAnimated = true

    /// What the change set holds, in one box: it is handed from hand to hand, and nearly all of it is empty.
    ///
    /// Constants, so that whoever reads a part need not copy it.
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

    /// Where the view's window is now.
    public struct WindowChange: Sendable, Equatable {
        public var place: WindowPlace
        /// Whether it is another place than before.
        public var hasMoved: Bool
    }

    /// How many rows it names, those inside inserted and reloaded sections counted.
    public var namedRowCount: Int {
        items.count + Self.rowCount(sections.inserted) + Self.rowCount(sections.reloaded)
    }

    private static func rowCount(_ sections: [PlacedSection]) -> Int {
        sections.reduce(0) { $0 + $1.section.items.count }
    }
}

// MARK: - Sections

extension ChangeSet {
    /// What happened to sections as such.
    public struct Sections: Sendable, Equatable {
        public var deleted: [DeletedSection] = []
        public var inserted: [PlacedSection] = []
        public var moved: [MovedSection] = []
        /// Those whose properties changed, without items; none that is in `reloaded`.
        public var reconfigured: [ChangedSection] = []
        /// Those that an operation asked to reload, with all their rows.
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
    /// What happened to items of sections that are in both states.
    public struct Items: Sendable, Equatable {
        public var deleted: [DeletedItem] = []
        public var inserted: [PlacedItem] = []
        public var moved: [MovedItem] = []
        /// Those whose row changed in anything but its kind, or that an operation asked for; none that is inserted.
        public var reconfigured: [PlacedItem] = []
        /// Those whose kind changed or that an operation asked to reload; none that is inserted or in `reconfigured`.
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
