/// The weight of rows that stay. Weights are compared by the number of rows, then by the number of rows that may not be
/// moved, then by the number of rows that the client's difference does not name.
struct StayWeight: Comparable {
    var rows = 0
    var locked = 0
    var unnamed = 0

    static func < (left: Self, right: Self) -> Bool {
        (left.rows, left.locked, left.unnamed) < (right.rows, right.locked, right.unnamed)
    }

    static func + (left: Self, right: Self) -> Self {
        StayWeight(
            rows: left.rows + right.rows, locked: left.locked + right.locked, unnamed: left.unnamed + right.unnamed)
    }

    static func - (left: Self, right: Self) -> Self {
        StayWeight(
            rows: left.rows - right.rows, locked: left.locked - right.locked, unnamed: left.unnamed - right.unnamed)
    }
}

/// Tells which rows stay when rows are put into another order: the heaviest increasing subsequence, and among equally
/// heavy ones the one whose rows are earlier in the old order.
///
/// - Parameters:
///   - positions: The new position of each row, in the old order; a permutation of `0..<count`.
///   - weight: The weight of the row at an index of `positions`.
/// - Returns: For each row whether it stays.
/// - Complexity: O(*n* log *n*); O(*n*) if the order is the old one.
func staying(_ positions: [Int], weight: (Int) -> StayWeight) -> [Bool] {
    let isSorted = zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 }
    guard !isSorted else { return positions.map { _ in true } }
    var heaviestBehind = PrefixMaximum(count: positions.count, least: StayWeight())
    var heaviest = Array(repeating: StayWeight(), count: positions.count)
    for index in positions.indices.reversed() {
        let mirrored = positions.count - 1 - positions[index]
        heaviest[index] = weight(index) + heaviestBehind.maximum(before: mirrored)
        heaviestBehind.raise(at: mirrored, to: heaviest[index])
    }
    var stays = positions.map { _ in false }
    var wanted = heaviest.max() ?? StayWeight()
    var last = -1
    for index in positions.indices where positions[index] > last && heaviest[index] == wanted {
        stays[index] = true
        last = positions[index]
        wanted = heaviest[index] - weight(index)
    }
    return stays
}
