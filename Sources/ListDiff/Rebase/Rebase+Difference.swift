public import ListModel

// Whole-state operations on a stale base become the difference from the base to the wanted state.

extension Rebase {
    /// The operations that lead from the base to the state that a whole-state operation wants; nil for other
    /// operations.
    ///
    /// A section that others have added since is taken for the section of the same id that the operation adds.
    ///
    /// - Throws: The error with which the base refuses the operation.
    public func difference(
        of operation: Operation, on head: ListState, rules: Rules
    ) throws(ModelError) -> [Operation]? {
        switch operation {
        case .replaceChildren, .applySnapshot, .applySectionSnapshot, .deleteAllItems: break
        case .appendSections, .insertSections, .deleteSections, .reloadSections, .moveSection, .updateSection,
            .updateList, .appendItems, .insertItems, .deleteItems, .moveItem, .updateItem, .reconfigureItems,
            .reloadItems, .setStarred, .toggleStar, .setExpanded:
            return nil
        }
        var wanted = base
        var log = TransactionLog()
        try wanted.apply(operation, rules: rules, into: &log)
        wanted.settle(&log)
        return StateDifference(from: base, to: wanted, head: head).operations
    }
}

/// The operations, by identity, that lead from one state of a list to another.
private struct StateDifference {
    let old: ListState
    let new: ListState
    let head: ListState
    private(set) var operations: [Operation] = []

    init(from old: ListState, to new: ListState, head: ListState) {
        self.old = old
        self.new = new
        self.head = head
        compareProperties()
        placeSections()
        for section in new.sectionHandles { placeItems(of: section) }
        updateItems()
        deleteItems()
        deleteSections()
    }

    private mutating func compareProperties() {
        let changes = ListChanges(from: old.properties, to: new.properties)
        if changes != ListChanges() { operations.append(.updateList(changes)) }
    }

    private mutating func placeSections() {
        let order = new.sectionHandles.map { new[$0].id }
        let staying = staying(order, old: old.sectionHandles.map { old[$0].id })
        var left: SectionID?
        let first = old.sectionHandles.first.map { old[$0].id }
        for (id, section) in zip(order, new.sectionHandles) {
            defer { left = id }
            let anchor = left.map { SectionAnchor.after($0) } ?? first.map { .before($0) }
            guard let before = old.handle(of: id) else {
                guard !head.contains(id) else {
                    update(SectionProperties(id: id), to: new[section])
                    continue
                }
                let added = [NewSection(new[section])]
                operations.append(anchor.map { .insertSections(added, $0) } ?? .appendSections(added))
                continue
            }
            update(old[before], to: new[section])
            guard !staying.contains(id), let anchor, anchor.section != id else { continue }
            operations.append(.moveSection(id, anchor))
        }
    }

    private mutating func update(_ old: SectionProperties, to new: SectionProperties) {
        let changes = SectionChanges(from: old, to: new)
        if changes != SectionChanges() { operations.append(.updateSection(new.id, changes)) }
    }

    /// Walks the wanted rows depth first; each that is new or stands elsewhere goes behind its left sibling.
    private mutating func placeItems(of section: SectionHandle) {
        let id = new[section].id
        var lastChild: [ItemHandle?: ItemID] = [:]
        let staying = stayingRows(of: section)
        for row in new.rows(of: section) {
            let parent = new.parent(of: row)
            let container = parent.map { Container.parent(new[$0].id) } ?? .section(id)
            let item = new[row].id
            place(item, behind: lastChild[parent], in: container, isStaying: staying.contains(item))
            lastChild[parent] = item
        }
    }

    private mutating func place(_ item: ItemID, behind left: ItemID?, in container: Container, isStaying: Bool) {
        guard !isStaying else { return }
        if let handle = new.handle(of: item), !old.contains(item) {
            let added = [NewItem(item, value: ItemChanges(new: new[handle]))]
            guard let left else {
                operations += [.appendItems(added, container), .moveItem(item, .first(container))]
                return
            }
            operations.append(.insertItems(added, ItemAnchor(.after, left)))
        } else {
            operations.append(.moveItem(item, left.map { .anchor(ItemAnchor(.after, $0)) } ?? .first(container)))
        }
    }

    /// Rows that need not be placed: they keep their section, their parent and their relative order.
    private func stayingRows(of section: SectionHandle) -> Set<ItemID> {
        guard let before = old.handle(of: new[section].id) else { return [] }
        var groups: [ItemID?: [ItemID]] = [:]
        for row in new.rows(of: section) {
            groups[new.parent(of: row).map { new[$0].id }, default: []].append(new[row].id)
        }
        var oldGroups: [ItemID?: [ItemID]] = [:]
        for row in old.rows(of: before) {
            oldGroups[old.parent(of: row).map { old[$0].id }, default: []].append(old[row].id)
        }
        var staying: Set<ItemID> = []
        for (parent, siblings) in groups {
            staying.formUnion(self.staying(siblings, old: oldGroups[parent] ?? []))
        }
        return staying
    }

    private func staying<ID: Hashable>(_ ids: [ID], old: [ID]) -> Set<ID> {
        let difference = OrderDifference(of: old, to: ids)
        var staying = Set(ids)
        for index in difference.arrived { staying.remove(ids[index]) }
        for move in difference.moved { staying.remove(ids[move.to]) }
        return staying
    }

    private mutating func updateItems() {
        for section in new.sectionHandles {
            for row in new.rows(of: section) {
                guard let before = old.handle(of: new[row].id), old[before] != new[row] else { continue }
                operations.append(.updateItem(new[row].id, ItemChanges(from: old[before], to: new[row])))
            }
        }
    }

    private mutating func deleteItems() {
        var deleted: [ItemID] = []
        for section in old.sectionHandles where new.contains(old[section].id) {
            for row in old.rows(of: section) where !new.contains(old[row].id) { deleted.append(old[row].id) }
        }
        if !deleted.isEmpty { operations.append(.deleteItems(deleted)) }
    }

    private mutating func deleteSections() {
        let deleted = old.sectionHandles.map { old[$0].id }.filter { !new.contains($0) }
        if !deleted.isEmpty { operations.append(.deleteSections(deleted)) }
    }
}
