/// A row of the tree that an argument describes: the index of its entry in the argument, and its level.
struct TreeRow {
    var index: Int
    var level: Int
}

extension ListState {
    /// Checks that each parent is named earlier in the same argument.
    static func requireEarlierParents(_ items: [NewItem]) throws(ModelError) {
        guard items.contains(where: { $0.parent != nil }) else { return }
        var earlier = Set<ItemID>(minimumCapacity: items.count)
        for item in items {
            if let parent = item.parent, !earlier.contains(parent) { throw .notATree(item.id) }
            earlier.insert(item.id)
        }
    }

    /// As `tree(of:)`, but checks first that each parent is named earlier.
    static func checkedTree(of items: [NewItem]) throws(ModelError) -> [TreeRow] {
        if let tree = treeAsGiven(items) { return tree }
        try requireEarlierParents(items)
        return tree(of: items)
    }

    /// The order of an argument that is depth-first already; nil if it is not.
    ///
    /// - Complexity: O(*n*). No id is hashed.
    private static func treeAsGiven(_ items: [NewItem]) -> [TreeRow]? {
        var rows: [TreeRow] = []
        rows.reserveCapacity(items.count)
        var ancestors: [Int] = []
        for (index, item) in items.enumerated() {
            while let last = ancestors.last, items[last].id != item.parent { ancestors.removeLast() }
            guard item.parent == nil || !ancestors.isEmpty else { return nil }
            rows.append(TreeRow(index: index, level: ancestors.count))
            ancestors.append(index)
        }
        return rows
    }

    /// The depth-first order of an argument whose parents stand earlier; siblings keep their order.
    static func tree(of items: [NewItem]) -> [TreeRow] {
        if let tree = treeAsGiven(items) { return tree }
        var positions: [ItemID: Int] = [:]
        var children: [[Int]] = Array(repeating: [], count: items.count)
        var roots: [Int] = []
        for (index, item) in items.enumerated() {
            positions[item.id] = index
            if let parent = item.parent.flatMap({ positions[$0] }) {
                children[parent].append(index)
            } else {
                roots.append(index)
            }
        }
        var rows: [TreeRow] = []
        rows.reserveCapacity(items.count)
        var pending = roots.reversed().map { TreeRow(index: $0, level: 0) }
        while let row = pending.popLast() {
            rows.append(row)
            pending += children[row.index].reversed().map { TreeRow(index: $0, level: row.level + 1) }
        }
        return rows
    }
}
