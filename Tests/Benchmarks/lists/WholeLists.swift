import ListDiff
import ListModel
import OrderedCollections

/// Two orders of the same ids.
private struct Orders {
    let old: [ItemID]
    let new: [ItemID]
    let oldHandles: [ItemHandle]
    let newHandles: [ItemHandle]
    let least: Int

    init(count: Int, _ change: (inout [Int], inout SeededGenerator) -> Void) {
        let list = BenchList(count: count, isFlat: true)
        let state = list.snapshot().state
        oldHandles = state.sectionHandles.flatMap { state.rows(of: $0) }
        old = oldHandles.map { state[$0].id }
        var order = Array(old.indices)
        var random = SeededGenerator(seed: UInt64(count))
        change(&order, &random)
        new = order.map { [old] in old[$0] }
        newHandles = order.map { [oldHandles] in oldHandles[$0] }
        least = fewestMoves(old, new)
    }

    /// An order in which one id in a hundred has moved.
    static func moved(count: Int) -> Orders {
        Orders(count: count) { order, random in
            var places = Set<Int>()
            while places.count < count / 100 { places.insert(random.below(count)) }
            let taken = order.filter { places.contains($0) }.shuffled(using: &random)
            let rest = order.filter { !places.contains($0) }
            let targets = Dictionary(grouping: taken) { _ in random.below(rest.count) }
            order = rest.indices.flatMap { (targets[$0] ?? []) + [rest[$0]] }
        }
    }

    static func shuffled(count: Int) -> Orders {
        Orders(count: count) { order, random in order.shuffle(using: &random) }
    }
}

func measureWholeLists(_ sizes: Sizes, _ table: inout Table) {
    table.head("whole list", ["ours µs", "other µs", "ratio", "goal"])
    compare(
        .moved(count: sizes.small), "\(grouped(sizes.small)) ids, 1 % moved", rounds: sizes.rounds,
        goals: (4, 20), &table)
    compare(
        .moved(count: sizes.middle), "\(grouped(sizes.middle)) ids, 1 % moved", rounds: sizes.rounds / 3,
        goals: sizes.middle < 100_000 ? (7, 30) : (10, 40), &table)
    compare(.shuffled(count: 5_000), "5,000 ids shuffled", rounds: 3, goals: (800, 800), &table)
    compareSets(.moved(count: sizes.middle), "\(grouped(sizes.middle)) ids, 1 % moved", sizes, &table)
    compareSets(.moved(count: sizes.large), "\(grouped(sizes.large)) ids, 1 % moved", sizes, &table)
    shuffle(.shuffled(count: sizes.large), "\(grouped(sizes.large)) ids shuffled", &table)
}

private func note(_ moves: Int, _ orders: Orders, _ theirs: Int? = nil) -> String {
    "\(grouped(moves)) moves, least \(grouped(orders.least))" + (theirs.map { ", theirs \(grouped($0))" } ?? "")
}

/// Compares with the standard library, by ids and by handles.
private func compare(
    _ orders: Orders, _ what: String, rounds: Int, goals: (ids: Double, handles: Double), _ table: inout Table
) {
    var (ids, handles, standard) = (Samples(), Samples(), Samples())
    var (byID, byHandle) = (OrderDifference(from: [ItemID](), to: []), OrderDifference(from: [ItemID](), to: []))
    var theirs = 0
    // `String` compares fastest of the types that the standard library could get.
    let (oldTexts, newTexts) = (orders.old.map(\.rawValue.string), orders.new.map(\.rawValue.string))
    for _ in 0..<rounds {
        ids.measure { byID = OrderDifference(from: orders.old, to: orders.new) }
        handles.measure { byHandle = OrderDifference(from: orders.oldHandles, to: orders.newHandles) }
        standard.measure { theirs = movesOfStandardLibrary(from: oldTexts, to: newTexts) }
    }
    let name = what + ", to difference().inferringMoves()"
    table.row(
        name, costs: [ids.median, standard.median], ratio: standard.ratio(to: ids), goal: .atLeast(goals.ids),
        note: note(byID.moved.count, orders, theirs))
    table.row(
        "  the same from handles", costs: [handles.median, standard.median], ratio: standard.ratio(to: handles),
        goal: .atLeast(goals.handles), note: note(byHandle.moved.count, orders))
    table.check(byID.moved.count == orders.least && byHandle == byID, "\(what): not the fewest moves")
}

private func movesOfStandardLibrary(from old: [String], to new: [String]) -> Int {
    let difference = new.difference(from: old).inferringMoves()
    return difference.removals.count { removal in
        guard case .remove(_, _, .some) = removal else { return false }
        return true
    }
}

/// Compares with `OrderedSet`, which has its table of ids already.
private func compareSets(_ orders: Orders, _ what: String, _ sizes: Sizes, _ table: inout Table) {
    var (ids, sets) = (Samples(), Samples())
    let (old, new) = (OrderedSet(orders.old.map(\.rawValue)), OrderedSet(orders.new.map(\.rawValue)))
    var (moves, theirs) = (0, 0)
    for _ in 0..<max(3, sizes.rounds / 5) {
        ids.measure { moves = OrderDifference(from: orders.old, to: orders.new).moved.count }
        sets.measure { theirs = new.difference(from: old).removals.count }
    }
    table.row(
        what + ", to OrderedSet.difference", costs: [ids.median, sets.median], ratio: sets.ratio(to: ids),
        goal: .atLeast(5), note: note(moves, orders, theirs))
    table.check(moves == orders.least, "\(what): not the fewest moves")
}

private func shuffle(_ orders: Orders, _ what: String, _ table: inout Table) {
    var (ids, handles) = (Samples(), Samples())
    var (byID, byHandle) = (0, 0)
    for _ in 0..<3 {
        ids.measure { byID = OrderDifference(from: orders.old, to: orders.new).moved.count }
        handles.measure { byHandle = OrderDifference(from: orders.oldHandles, to: orders.newHandles).moved.count }
    }
    table.row(
        what + ", handles to ids", costs: [handles.median, ids.median], ratio: ids.ratio(to: handles), goal: nil,
        note: note(byHandle, orders))
    table.check(byID == orders.least && byHandle == orders.least, "\(what): not the fewest moves")
}
