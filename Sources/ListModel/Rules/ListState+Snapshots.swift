// Whole-state operations: the argument is the wanted state, and everything that it does not name is deleted.

/// The rows that a section is to have.
private struct WantedRows {
    let section: SectionHandle
    let items: [NewItem]
    /// The rows, depth first.
    let tree: [TreeRow]
    /// The handle of each row; nil if the list does not have the item.
    var handles: [ItemHandle?]

    init(_ section: SectionHandle, _ items: [NewItem], in state: ListState) {
        self.section = section
        self.items = items
        tree = ListState.tree(of: items)
        handles = tree.map { state.handle(of: items[$0.index].id) }
    }

    /// The rows that the list has.
    var known: [(item: ItemHandle, level: Int)] {
        zip(handles, tree).compactMap { handle, row in handle.map { ($0, row.level) } }
    }

    func item(at row: Int) -> NewItem { items[tree[row].index] }
}

extension ListState {
    mutating func apply(
        _ snapshot: WantedSnapshot, rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        let ids = snapshot.sections.map(\.id)
        try Self.requireDistinct(ids)
        if snapshot.itemTable == nil { try Self.requireDistinct(snapshot.sections.flatMap { $0.items.map(\.id) }) }
        for section in snapshot.sections { try Self.requireEarlierParents(section.items) }
        try requireRoom(for: ids.count { !contains($0) }, in: ids.count, rules: rules)
        try update(snapshot.changes, &log)
        for section in snapshot.sections { try prepare(section, &log) }
        let named = Set(ids)
        let unwanted = order.handles.filter { !named.contains(self[$0].id) }
        let wanted = try snapshot.sections.map { section throws(ModelError) in
            WantedRows(try known(section.id), section.items, in: self)
        }
        try rearrange(wanted + unwanted.map { WantedRows($0, [], in: self) }, rules: rules, &log)
        for section in unwanted.reversed() { try perform(.deleteSection(at: index(section)), &log) }
        if !hasOrder(ids) { try perform(.arrangeSections(ids), &log) }
    }

    private func hasOrder(_ ids: [SectionID]) -> Bool {
        ids.count == order.count && zip(ids, order.handles).allSatisfy { self[$1].id == $0 }
    }

    mutating func apply(
        _ section: WantedSection, rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        try Self.requireDistinct(section.items.map(\.id))
        try Self.requireEarlierParents(section.items)
        try requireRoom(for: contains(section.id) ? 0 : 1, in: sectionCount + 1, rules: rules)
        try prepare(section, &log)
        let handle = try known(section.id)
        let items = withFollowers(section.items) { self.items[$0.index].section != handle }
        try rearrange([WantedRows(handle, items, in: self)], rules: rules, &log)
    }

    /// Makes the section if it is missing, and sets the given properties.
    private mutating func prepare(_ section: WantedSection, _ log: inout TransactionLog) throws(ModelError) {
        if let handle = handle(of: section.id) {
            try update(handle, section.changes, &log)
        } else {
            let new = section.changes.applied(to: SectionProperties(id: section.id))
            try perform(.insertSection(new, at: sectionCount), &log)
        }
    }

    /// Adds the descendants that the argument leaves out below items for which `moves` holds, because a subtree moves
    /// whole. They stand behind the named children.
    ///
    /// - Complexity: O(*r* log *n*), *r* = rows of the subtrees, each walked once however many of its rows are named.
    private func withFollowers(_ named: [NewItem], where moves: (ItemHandle) -> Bool) -> [NewItem] {
        var known = Set(named.map(\.id))
        var all = named
        var walked: Set<ItemHandle> = []
        for item in named {
            guard let handle = handle(of: item.id), moves(handle), childCount(of: handle) > 0,
                walked.insert(handle).inserted
            else { continue }
            let (section, rows) = place(of: handle)
            var next = rows.lowerBound + 1
            while next < rows.upperBound {
                let follower = row(at: next, of: section)
                let isWalked = childCount(of: follower) > 0 && !walked.insert(follower).inserted
                next += isWalked ? 1 + descendantCount(of: follower) : 1
                guard let parent = parent(of: follower), known.insert(self[follower].id).inserted else { continue }
                all.append(NewItem(self[follower].id, parent: self[parent].id))
            }
        }
        return all
    }

    /// Gives sections exactly the wanted rows: new items are inserted, items of other sections move in, and items of
    /// these sections that are not wanted are deleted.
    private mutating func rearrange(
        _ given: [WantedRows], rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        var wanted = given
        for rows in wanted {
            for (index, handle) in rows.handles.enumerated() where handle == nil && rows.item(at: index).value == nil {
                throw .unknownItem(rows.item(at: index).id)
            }
        }
        log.sealsItems = !changesMost(wanted)
        defer { log.sealsItems = true }
        for index in wanted.indices { try insertMissing(&wanted[index], &log) }
        for rows in wanted {
            for (index, handle) in rows.handles.enumerated() {
                guard let handle, let value = rows.item(at: index).value else { continue }
                try set(handle, value, rules: rules, &log)
            }
        }
        let leftovers = try arrange(wanted, &log)
        for (section, count) in leftovers where count > 0 {
            let end = rowCount(of: section)
            try perform(.deleteItems(section: index(section), rows: (end - count)..<end), &log)
        }
        guard itemCount <= rules.itemsMax else { throw .tooManyItems(limit: rules.itemsMax) }
    }

    /// Whether so many items of a long list are new or get another content that these may stay in the buffers in which
    /// the contents came. If few of them did, each would keep a whole buffer in memory.
    private func changesMost(_ wanted: [WantedRows]) -> Bool {
        let count = wanted.reduce(0) { $0 + $1.items.count }
        guard count > Self.sealedItemsMax else { return false }
        var changed = 0
        for rows in wanted {
            for (index, handle) in rows.handles.enumerated() {
                guard case .replace(let text)? = rows.item(at: index).value?.content else { continue }
                // A content that is only spelled in another way leaves the old one, so it does not count.
                if handle.map({ text != items[$0.index].item.content }) ?? true { changed += 1 }
            }
        }
        return 2 * changed > count
    }

    private mutating func insertMissing(
        _ wanted: inout WantedRows, _ log: inout TransactionLog
    ) throws(ModelError) {
        let missing = wanted.handles.indices.filter { wanted.handles[$0] == nil }
        guard !missing.isEmpty else { return }
        let end = rowCount(of: wanted.section)
        let isAllNew = end == 0 && missing.count == wanted.handles.count
        let rows = missing.map { row in
            Edit.NewRow(Self.item(wanted.item(at: row)), depth: isAllNew ? wanted.tree[row].level : 0)
        }
        try perform(.insertItems(rows, section: index(wanted.section), at: end, parent: nil), &log)
        let inserted = self.rows(end..<end + rows.count, of: wanted.section)
        for (row, handle) in zip(missing, inserted) { wanted.handles[row] = handle }
    }

    /// Puts the wanted rows in order, with the rows that are not wanted behind them as roots.
    ///
    /// - Returns: For each section, the number of rows that are not wanted.
    private mutating func arrange(
        _ wanted: [WantedRows], _ log: inout TransactionLog
    ) throws(ModelError) -> [(section: SectionHandle, count: Int)] {
        var targets = wanted.map { (section: $0.section, rows: $0.known) }
        // Most snapshots leave most sections as they are, and many leave all of them.
        guard targets.contains(where: { differs($0.section, from: $0.rows) }) else { return [] }
        let named = Set(targets.lazy.flatMap { $0.rows.lazy.map(\.item) })
        var leftovers: [(section: SectionHandle, count: Int)] = []
        for (position, target) in targets.enumerated() {
            let unwanted = rows(of: target.section).filter { !named.contains($0) }
            targets[position].rows += unwanted.map { ($0, 0) }
            leftovers.append((target.section, unwanted.count))
        }
        targets += sourcesElsewhere(of: named, besides: Set(wanted.map(\.section)))
        let changed = targets.filter { differs($0.section, from: $0.rows) }
        if !changed.isEmpty {
            let arrangements = changed.map { section, rows in
                Edit.Arrangement(section: index(section), rows: rows.map { (id(of: $0.item), $0.level) })
            }
            try perform(.arrange(arrangements), &log)
        }
        return leftovers
    }

    /// The rows that remain in other sections from which named items move.
    private func sourcesElsewhere(
        of named: Set<ItemHandle>, besides sections: Set<SectionHandle>
    ) -> [(section: SectionHandle, rows: [(item: ItemHandle, level: Int)])] {
        let sources = Set(named.lazy.compactMap { section(of: $0) }).subtracting(sections)
        return sources.sorted { index($0) < index($1) }.map { section in
            (section, rows(of: section).filter { !named.contains($0) }.map { ($0, level(of: $0)) })
        }
    }

    private func differs(_ section: SectionHandle, from rows: [(item: ItemHandle, level: Int)]) -> Bool {
        let current = self.rows(of: section)
        guard current.count == rows.count else { return true }
        return !zip(current, rows).allSatisfy { $0 == $1.item && level(of: $0) == $1.level }
    }
}
