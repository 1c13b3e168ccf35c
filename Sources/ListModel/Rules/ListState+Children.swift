extension ListState {
    /// Gives an item exactly the wanted children: new ones are inserted, and children that are not wanted are deleted.
    ///
    /// - Complexity: O(*o* + *n*), *o* = rows below the item, *n* = `new.count`, however many other rows its section
    ///   has.
    mutating func replaceChildren(
        of id: ItemID, with new: [NewItem], rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        let parent = try known(id)
        try Self.requireDistinct(new.map(\.id))
        try Self.requireEarlierParents(new)
        let kept = try children(new, of: parent)
        try requireReorderable(kept, under: parent)
        if kept.isEmpty {
            try deleteLast(descendantCount(of: parent), below: parent, &log)
            try append(Self.tree(of: new).map { (new[$0.index], $0.level) }, below: parent, &log)
        } else {
            let missing = new.filter { !contains($0.id) }
            try append(missing.map { ($0, 0) }, below: parent, &log)
            for item in new {
                guard let value = item.value, let handle = handle(of: item.id) else { continue }
                try set(handle, value, rules: rules, &log)
            }
            try deleteLast(arrange(new, below: parent, &log), below: parent, &log)
        }
        guard itemCount <= rules.itemsMax else { throw .tooManyItems(limit: rules.itemsMax) }
    }

    /// The wanted items that the list has already; all of them are below the parent.
    private func children(_ wanted: [NewItem], of parent: ItemHandle) throws(ModelError) -> [ItemHandle] {
        var kept: [ItemHandle] = []
        for item in wanted {
            guard let handle = handle(of: item.id) else { continue }
            guard handle != parent else { throw .cycle(item.id) }
            guard isWithin(handle, subtreeOf: parent) else { throw .itemExists(item.id) }
            kept.append(handle)
        }
        for item in wanted where item.value == nil && !contains(item.id) { throw .unknownItem(item.id) }
        return kept
    }

    /// Children that stay and may not be moved keep their rank among those that stay.
    private func requireReorderable(_ kept: [ItemHandle], under parent: ItemHandle) throws(ModelError) {
        guard !kept.isEmpty else { return }
        let wanted = Set(kept)
        let (section, rows) = place(of: parent)
        let before = self.rows(rows, of: section).filter(wanted.contains)
        for (old, new) in zip(before, kept) where old != new {
            guard self[section].isReorderable, self[new].isReorderable else { throw .notReorderable(self[new].id) }
            guard self[old].isReorderable else { throw .notReorderable(self[old].id) }
        }
    }

    /// Puts new items behind all rows below the parent.
    private mutating func append(
        _ new: [(item: NewItem, depth: Int)], below parent: ItemHandle, _ log: inout TransactionLog
    ) throws(ModelError) {
        guard !new.isEmpty else { return }
        let (section, rows) = place(of: parent)
        let added = new.map { Edit.NewRow(Self.item($0.item), depth: $0.depth) }
        try perform(
            .insertItems(added, section: index(section), at: rows.upperBound, parent: id(of: parent)), &log)
    }

    /// Puts the rows below the parent in the wanted order, with the rows that are not wanted behind them.
    ///
    /// - Returns: The number of rows that are not wanted.
    private mutating func arrange(
        _ wanted: [NewItem], below parent: ItemHandle, _ log: inout TransactionLog
    ) throws(ModelError) -> Int {
        let named = Set(wanted.map(\.id))
        let (section, rows) = place(of: parent)
        let current = self.rows(rows.dropFirst(), of: section).map { (item: id(of: $0), level: level(of: $0)) }
        let unwanted = current.filter { !named.contains($0.item) }
        let base = level(of: parent) + 1
        let target =
            Self.tree(of: wanted).map { (item: wanted[$0.index].id, level: $0.level) }
            + unwanted.map { (item: $0.item, level: 0) }
        let isInPlace = zip(current, target).allSatisfy { $0.item == $1.item && $0.level == $1.level + base }
        if !isInPlace {
            let run = Edit.Arrangement(section: index(section), rows: target)
            try perform(.arrangeRun(run, at: rows.lowerBound + 1), &log)
        }
        return unwanted.count
    }

    /// Deletes the last rows below the parent.
    private mutating func deleteLast(
        _ count: Int, below parent: ItemHandle, _ log: inout TransactionLog
    ) throws(ModelError) {
        guard count > 0 else { return }
        let (section, rows) = place(of: parent)
        try perform(
            .deleteItems(section: index(section), rows: rows.upperBound - count..<rows.upperBound), &log)
    }
}
