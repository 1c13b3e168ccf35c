import ListModel

/// The first store that most people would write: an array for the order, and dictionaries for positions and items.
private struct ArrayAndDictionary {
    private(set) var order: [ItemID]
    private var positions: [ItemID: Int]
    private var items: [ItemID: Item]

    init(_ ids: [ItemID]) {
        order = ids
        positions = Dictionary(uniqueKeysWithValues: zip(ids, ids.indices))
        items = Dictionary(uniqueKeysWithValues: ids.map { ($0, Item(id: $0)) })
    }

    mutating func move(_ id: ItemID, after anchor: ItemID) {
        guard items[id] != nil, let from = positions[id], let other = positions[anchor] else { return }
        order.remove(at: from)
        let to = other < from ? other + 1 : other
        order.insert(id, at: to)
        for index in min(from, to)...max(from, to) { positions[order[index]] = index }
    }
}

/// The goals for each length of the list: of a move alone, and of a move while readers hold the version before.
private let goals: [Int: (alone: Double, read: Double)] = [
    1_000: (2, 2), 10_000: (10, 8), 100_000: (200, 8), 1_000_000: (2_000, 15),
]

func measureMoves(_ sizes: Sizes, _ table: inout Table) {
    // Our figure includes the other work of the store, such as history and the change set of the answer.
    table.head("one move in the store, to an array and a dictionary", ["ours µs", "other µs", "ratio", "goal"])
    for count in [sizes.small, sizes.middle, sizes.large] {
        guard let goal = goals[count] else { continue }
        let list = BenchList(count: count, isFlat: true)
        let other = ArrayAndDictionary(list.ids())
        compare(list, other, sizes, .atLeast(goal.alone), "\(grouped(count)) items", isRead: false, &table)
        compare(
            list, other, sizes, .atLeast(goal.read), "  while readers hold the version before", isRead: true, &table)
    }
}

private func compare(
    _ list: BenchList, _ start: ArrayAndDictionary, _ sizes: Sizes, _ goal: Goal, _ what: String, isRead: Bool,
    _ table: inout Table
) {
    var other = start
    var (ours, theirs) = (Samples(), Samples())
    // The first move of each copies the storage that it shares with others.
    if case .moveItem(let id, .anchor(let anchor)) = list.move() { other.move(id, after: anchor.item) }
    for _ in 0..<sizes.rounds {
        let moves = (0..<20).map { _ in list.move() }
        // Each of these moves takes as long as thousands of ours.
        let theirMoves = list.count > 10_000 ? moves.prefix(2) : moves[...]
        var held: [Any] = []
        ours.measure(count: moves.count) {
            for move in moves {
                if isRead { held = [list.snapshot()] }
                list.submit(move)
            }
        }
        theirs.measure(count: theirMoves.count) {
            for case .moveItem(let id, .anchor(let anchor)) in theirMoves {
                if isRead { held = [other] }
                other.move(id, after: anchor.item)
            }
        }
        withExtendedLifetime(held) {}
    }
    table.row(what, costs: [ours.median, theirs.median], ratio: theirs.ratio(to: ours), goal: goal)
}
