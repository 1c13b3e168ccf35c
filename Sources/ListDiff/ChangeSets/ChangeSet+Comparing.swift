public import ListModel

extension ChangeSet {
    /// The difference between two lists of rows of which nothing else is known.
    ///
    /// An example: the old rows are a b c, and the new ones are c a d. Then b is deleted at 1, d inserted at 2, and c
    /// moved from 2 to 0.
    ///
    /// - Parameters:
    ///   - old: The old sections. They are distinct, and so are all their items; the same holds for `new`.
    ///   - properties: The list's own members that changed.
    ///   - asked: What is to be shown anew although it is the same. Items that are inserted are passed over.
    /// - Complexity: O(*n* + *m* log *m*), *n* = rows, *m* = runs of neighbours that broke apart.
    public init(
        from old: [SectionRows], to new: [SectionRows], properties: ListChanges, asked: AskedRows
    ) {
        var difference = RowDifference(old, new)
        difference.findItems()
        difference.findContents(asked)
        self.init(properties: properties, sections: difference.sections, items: difference.items)
    }

    /// The items and sections that somebody wants to be shown anew.
    public struct AskedRows: Sendable {
        /// The items whose cells stay.
        public var reconfigured: Set<ItemID> = []
        /// The items that get new cells.
        public var reloaded: Set<ItemID> = []
        /// The sections that are shown anew as a whole.
        public var sections: Set<SectionID> = []

        /// Nothing.
        public init() {}
    }
}

/// A difference of rows on its way.
private struct RowDifference {
    private(set) var sections = ChangeSet.Sections()
    private(set) var items = ChangeSet.Items()
    private let old: [SectionRows]
    private let new: [SectionRows]
    /// The indexes of the sections that both have.
    private let survivors: [(old: Int, new: Int)]
    private var inserted: Set<ItemID> = []

    init(_ old: [SectionRows], _ new: [SectionRows]) {
        (self.old, self.new) = (old, new)
        let difference = OrderDifference(of: old.map(\.properties.id), to: new.map(\.properties.id))
        sections.deleted = difference.removed.reversed().map { .init(old[$0].properties.id, at: $0) }
        sections.inserted = difference.arrived.map { .init(new[$0], at: $0) }
        sections.moved = difference.moved.map { .init(new[$0.to].properties.id, from: $0.from, to: $0.to) }
        let indexes = Dictionary(uniqueKeysWithValues: old.indices.map { (old[$0].properties.id, $0) })
        survivors = new.indices.compactMap { index in indexes[new[index].properties.id].map { ($0, index) } }
    }

    mutating func findItems() {
        var leaving: [ItemID: RowPath] = [:]
        var coming: [RowPath] = []
        for (oldIndex, newIndex) in survivors {
            let difference = OrderDifference(
                from: old[oldIndex].items.map(\.item.id), to: new[newIndex].items.map(\.item.id))
            for index in difference.removed {
                leaving[old[oldIndex].items[index].item.id] = RowPath(section: oldIndex, index: index)
            }
            coming += difference.arrived.map { RowPath(section: newIndex, index: $0) }
            items.moved += difference.moved.map { move in
                .init(
                    new[newIndex].items[move.to].item.id, from: RowPath(section: oldIndex, index: move.from),
                    to: RowPath(section: newIndex, index: move.to))
            }
        }
        for path in coming {
            let row = new[path.section].items[path.index]
            if let source = leaving.removeValue(forKey: row.item.id) {
                items.moved.append(.init(row.item.id, from: source, to: path))
            } else {
                items.inserted.append(.init(row, at: path))
                inserted.insert(row.item.id)
            }
        }
        items.deleted = leaving.map { .init($0.key, at: $0.value) }
        items.deleted.putInOrder { $0.path > $1.path }
        items.inserted.putInOrder { $0.path < $1.path }
        items.moved.putInOrder { $0.to < $1.to }
    }

    mutating func findContents(_ asked: ChangeSet.AskedRows) {
        var known: [ItemID: ItemRow] = [:]
        for (index, _) in survivors { for row in old[index].items { known[row.item.id] = row } }
        for (oldIndex, newIndex) in survivors {
            let section = new[newIndex]
            guard !asked.sections.contains(section.properties.id) else {
                sections.reloaded.append(.init(section, at: newIndex))
                continue
            }
            if old[oldIndex].properties != section.properties {
                sections.reconfigured.append(.init(section.properties, at: newIndex))
            }
            for (index, row) in section.items.enumerated() where !inserted.contains(row.item.id) {
                let entry = ChangeSet.PlacedItem(row, at: RowPath(section: newIndex, index: index))
                guard let before = known[row.item.id] else { continue }
                if before.item.kind != row.item.kind || asked.reloaded.contains(row.item.id) {
                    items.reloaded.append(entry)
                } else if before != row || asked.reconfigured.contains(row.item.id) {
                    items.reconfigured.append(entry)
                }
            }
        }
    }
}
