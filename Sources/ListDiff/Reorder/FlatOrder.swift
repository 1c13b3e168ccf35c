import ListModel

/// The wanted order of the rows of each section. A row that goes along with a moved ancestor stands behind it.
///
/// A row with `isMoved == false` stays. The staying rows of an order divide it, and the moved rows stand in the gaps
/// between them. The block of a moved row has the staying rows whose nearest moved ancestor it is, and the moved rows
/// that were put into a gap between these, or between the moved row itself and the first of these. The block goes where
/// the moved row goes. All other rows are in the block of their section.
struct FlatOrder {
    /// The rows of each section of the request, depth first once the rows have their parents.
    private(set) var orders: [[Int]] = []
    /// For each row, the number of rows that come after it and stay below it or travel with it.
    private(set) var pending: [Int]
    /// Whether `pending` of its parent counts a row.
    private(set) var isAwaited: [Bool]

    private let table: ReorderRows
    private let base: ListState
    private var owners: Owners
    /// The block of each row, followed by the block of each section.
    private var blocks: [[Int]]
    /// The row into whose block each moved row was put; nil for the block of a section.
    private var homes: [Int: Int] = [:]

    init(_ table: ReorderRows, base: ListState) throws(ReorderError) {
        self.table = table
        self.base = base
        owners = Owners(table)
        pending = table.rows.map { _ in 0 }
        isAwaited = table.rows.map { _ in false }
        blocks = Array(repeating: [], count: table.rows.count + table.orders.count)
        for target in table.orders.indices { cut(target) }
        try expand()
    }

    private mutating func cut(_ target: Int) {
        var left: Int?
        var run: [Int] = []
        for row in table.orders[target] {
            guard !table.rows[row].isMoved else {
                run.append(row)
                continue
            }
            place(run, between: left, and: row, target)
            run.removeAll(keepingCapacity: true)
            blocks[owners[row] ?? section(target)].append(row)
            expect(row)
            left = row
        }
        place(run, between: left, and: nil, target)
    }

    private func section(_ target: Int) -> Int { table.rows.count + target }

    /// Puts moved rows into the block to which the gap belongs.
    private mutating func place(_ run: [Int], between left: Int?, and right: Int?, _ target: Int) {
        guard !run.isEmpty else { return }
        var home = left.flatMap { left in right.flatMap { right in owners.common(left, right) } }
        var mates: Set<Int> = []
        for row in run {
            blocks[home ?? section(target)].append(row)
            homes[row] = home
            if let parent = table.rows[row].oldParent, mates.contains(parent) { expect(row) }
            mates.insert(row)
            // The row to the right stays below this row, so the rest of the run belongs to the block of this row.
            if let right, table.isBelow(right, row) { home = row }
        }
    }

    private mutating func expect(_ row: Int) {
        guard let parent = table.rows[row].oldParent else { return }
        pending[parent] += 1
        isAwaited[row] = true
    }

    private mutating func expand() throws(ReorderError) {
        var isReached = table.rows.map { _ in false }
        for target in table.orders.indices {
            var order: [Int] = []
            var open = [blocks[section(target)][...]]
            while var block = open.popLast() {
                guard let row = block.popFirst() else { continue }
                open.append(block)
                order.append(row)
                isReached[row] = true
                if !blocks[row].isEmpty { open.append(blocks[row][...]) }
            }
            orders.append(order)
        }
        if let lost = table.rows.indices.first(where: { !isReached[$0] && table.rows[$0].isMoved }) {
            throw refusal(lost)
        }
    }

    /// The error for rows that no section reaches: one was put into its own subtree, or two into each other's.
    private func refusal(_ lost: Int) -> ReorderError {
        var seen: Set<Int> = []
        var row = lost
        while seen.insert(row).inserted, let home = homes[row] { row = home }
        var current = row
        repeat {
            guard let home = homes[current] else { break }
            if home == current || table.isBelow(home, current) {
                return .model(.cycle(base[table.rows[current].item].id))
            }
            current = home
        } while current != row
        return .model(.notATree(base[table.rows[row].item].id))
    }
}

/// The owner of each row: its nearest moved ancestor at the base. A row that stays goes where its owner goes.
private struct Owners {
    private var owners: [Int?]
    private var depths: [Int]

    init(_ table: ReorderRows) {
        owners = table.rows.map { _ in nil }
        depths = table.rows.map { _ in 0 }
        for rows in table.sources.values {
            for row in rows {
                guard let parent = table.rows[row].oldParent else { continue }
                owners[row] = table.rows[parent].isMoved ? parent : owners[parent]
                if let owner = owners[row] { depths[row] = depths[owner] + 1 }
            }
        }
    }

    subscript(row: Int) -> Int? { owners[row] }

    /// The nearest owner that two rows share.
    ///
    /// Between neighbors in depth-first order this climbs out of each owner once, so all calls together are O(*n*).
    func common(_ left: Int, _ right: Int) -> Int? {
        var left = owners[left]
        var right = owners[right]
        while let one = left, let other = right, one != other {
            if depths[one] >= depths[other] { left = owners[one] }
            if depths[other] >= depths[one] { right = owners[other] }
        }
        return left == right ? left : nil
    }
}
