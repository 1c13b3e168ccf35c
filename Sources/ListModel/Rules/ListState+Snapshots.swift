// Whole-state operations: the argument is the wanted state, and everything that it does not name is deleted.

/// The rows that a section is to have, depth first.
private struct WantedRows {
    var section: SectionHandle
    var rows: [(item: NewItem, level: Int)]

    init(_ section: SectionHandle, _ items: [NewItem]) {
        self.section = section
        rows = ListState.tree(of: items).map { (items[$0.index], $0.level) }
    }
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
            WantedRows(try known(section.id), section.items)
        }
        try rearrange(wanted + unwanted.map { WantedRows($0, []) }, rules: rules, &log)
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
        try rearrange([WantedRows(handle, items)], rules: rules, &log)
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
        _ wanted: [WantedRows], rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        for section in wanted {
            for (item, _) in section.rows where item.value == nil && !contains(item.id) { throw .unknownItem(item.id) }
        }
        for section in wanted { try insertMissing(section, &log) }
        for (item, _) in wanted.lazy.flatMap(\.rows) {
            guard let value = item.value, let handle = handle(of: item.id) else { continue }
            try set(handle, value, rules: rules, &log)
        }
        let leftovers = try arrange(wanted, &log)
        for (section, count) in leftovers where count > 0 {
            let end = rowCount(of: section)
            try perform(.deleteItems(section: index(section), rows: (end - count)..<end), &log)
        }
        guard itemCount <= rules.itemsMax else { throw .tooManyItems(limit: rules.itemsMax) }
    }

    private mutating func insertMissing(_ wanted: WantedRows, _ log: inout TransactionLog) throws(ModelError) {
        let isAllNew = rowCount(of: wanted.section) == 0 && !wanted.rows.contains { contains($0.item.id) }
        let missing = wanted.rows.filter { !contains($0.item.id) }
        guard !missing.isEmpty else { return }
        let rows = missing.map { Edit.NewRow(Self.item($0.item), depth: isAllNew ? $0.level : 0) }
        let end = rowCount(of: wanted.section)
        try perform(.insertItems(rows, section: index(wanted.section), at: end, parent: nil), &log)
    }

    /// Puts the wanted rows in order, with the rows that are not wanted behind them as roots.
    ///
    /// - Returns: For each section, the number of rows that are not wanted.
    private mutating func arrange(
        _ wanted: [WantedRows], _ log: inout TransactionLog
    ) throws(ModelError) -> [(section: SectionHandle, count: Int)] {
        var targets: [(section: SectionHandle, rows: [(item: ItemID, level: Int)])] = wanted.map { section in
            (section.section, section.rows.map { ($0.item.id, $0.level) })
        }
        let named = Set(wanted.flatMap { $0.rows.map(\.item.id) })
        var leftovers: [(section: SectionHandle, count: Int)] = []
        for (position, target) in targets.enumerated() {
            let unwanted = rows(of: target.section).map { self[$0].id }.filter { !named.contains($0) }
            targets[position].rows += unwanted.map { ($0, 0) }
            leftovers.append((target.section, unwanted.count))
        }
        targets += sourcesElsewhere(of: named, besides: Set(wanted.map(\.section)))
        let changed = targets.filter { differs($0.section, from: $0.rows) }
        if !changed.isEmpty {
            try perform(.arrange(changed.map { Edit.Arrangement(section: index($0.section), rows: $0.rows) }), &log)
        }
        return leftovers
    }

    /// The rows that remain in other sections from which named items move.
    private func sourcesElsewhere(
        of named: Set<ItemID>, besides sections: Set<SectionHandle>
    ) -> [(section: SectionHandle, rows: [(item: ItemID, level: Int)])] {
        let sources = Set(named.compactMap { handle(of: $0).flatMap { section(of: $0) } }).subtracting(sections)
        return sources.sorted { index($0) < index($1) }.map { section in
            let rows = rows(of: section).filter { !named.contains(self[$0].id) }
            return (section, rows.map { (self[$0].id, level(of: $0)) })
        }
    }

    private func differs(_ section: SectionHandle, from rows: [(item: ItemID, level: Int)]) -> Bool {
        let current = self.rows(of: section)
        guard current.count == rows.count else { return true }
        return !zip(current, rows).allSatisfy { self[$0].id == $1.item && level(of: $0) == $1.level }
    }
}
