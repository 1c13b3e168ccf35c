import ListModel

/// The rows that a reorder places, each with the parent that it gets.
struct WantedForest {
    let table: ReorderRows
    /// The wanted rows of each section of the request, depth first.
    let orders: [[Int]]
    /// Nil for roots.
    private(set) var parents: [Int?]

    init(_ wanted: WantedOrder, base: ListState) throws(ReorderError) {
        table = ReorderRows(wanted, base: base)
        let flat = try FlatOrder(table, base: base)
        orders = flat.orders
        parents = table.rows.map { _ in nil }
        var pending = flat.pending
        for order in orders {
            var branch = Branch()
            for row in order {
                let parent = branch.parent(
                    keeping: table.rows[row].oldParent, isRoot: base.parent(of: table.rows[row].item) == nil, pending)
                if flat.isAwaited[row], let old = table.rows[row].oldParent { pending[old] -= 1 }
                parents[row] = parent
                branch.append(row, below: parent)
            }
        }
    }
}

/// The possible ancestors of the next row in a depth-first order: the row above it, and the ancestors of that.
private struct Branch {
    private var rows: [Int] = []
    private var depths: [Int: Int] = [:]
    /// For each depth, the nearest smaller depth whose row may still await children. The chains grow shorter as
    /// children come.
    private var links: [Int] = []

    /// The parent of the next row: its old parent if that splits no subtree, else the parent of the row above. A row
    /// right behind one that awaits children becomes its child.
    mutating func parent(keeping old: Int?, isRoot: Bool, _ pending: [Int]) -> Int? {
        guard let above = rows.last else { return nil }
        let awaited = deepestAwaited(pending)
        guard awaited < rows.count - 1 else { return above }
        if isRoot, awaited < 0 { return nil }
        if let old, let depth = depths[old], depth >= awaited { return old }
        return rows.count > 1 ? rows[rows.count - 2] : nil
    }

    mutating func append(_ row: Int, below parent: Int?) {
        let depth = parent.flatMap { depths[$0] }.map { $0 + 1 } ?? 0
        for closed in rows[depth...] { depths[closed] = nil }
        rows.removeSubrange(depth...)
        links.removeSubrange(depth...)
        rows.append(row)
        depths[row] = depth
        links.append(depth - 1)
    }

    /// The depth of the deepest row that awaits children, or -1.
    private mutating func deepestAwaited(_ pending: [Int]) -> Int {
        let top = rows.count - 1
        var depth = top
        while depth >= 0, pending[rows[depth]] == 0 { depth = links[depth] }
        if pending[rows[top]] == 0 { links[top] = depth }
        return depth
    }
}
