import ListDiff
import ListModel

/// The goals for each length of the list: for one version behind, for a hundred, and for nearly all that history keeps.
private let goals: [Int: [Double]] = [
    1_000: [3, 5, 2], 10_000: [15, 7, 50], 100_000: [100, 20, 100], 1_000_000: [500, 100, 100],
]

/// Compares the changes for a client that is behind with comparisons of the whole lists.
func measureNetChanges(_ sizes: Sizes, _ table: inout Table) {
    for count in [sizes.small, sizes.middle, sizes.large] {
        let list = BenchList(count: count)
        table.head(
            "net change set, \(grouped(count)) items, to difference()", ["ours µs", "other µs", "ratio", "goal"])
        // Each round adds versions. History keeps 10,000.
        for (behind, goal) in zip([1, 100, 9_900], goals[count] ?? []) {
            compare(list, behind: behind, .atLeast(goal), sizes, &table)
        }
    }
}

private func compare(_ list: BenchList, behind: Int, _ goal: Goal, _ sizes: Sizes, _ table: inout Table) {
    var (net, whole, standard) = (Samples(), Samples(), Samples())
    let base = list.version.revision
    let old = list.ids()
    var step = 0
    while list.version.revision < base + behind {
        list.submit(list.change(step))
        step += 1
    }
    let new = list.ids()
    let difference = OrderDifference(from: old, to: new)
    let isLeast = list.catchup(behind: behind, view: .items)?.items.moved.count == fewestMoves(old, new)
    table.check(isLeast && difference.moved.count == fewestMoves(old, new), "\(behind) behind: not the fewest moves")
    let (oldTexts, newTexts) = (old.map(\.rawValue), new.map(\.rawValue))
    // The standard library takes seconds if thousands of items have moved.
    for round in 0..<(behind < 1_000 ? max(5, sizes.rounds / 3) : 1) {
        for step in step + 5 * round..<step + 5 * round + 5 { list.submit(list.change(step)) }
        net.measure { _ = list.catchup(behind: behind, view: .items) }
        whole.measure { _ = OrderDifference(from: old, to: new) }
        standard.measure { _ = newTexts.difference(from: oldTexts).inferringMoves() }
    }
    table.row(
        "\(grouped(behind)) versions behind", costs: [net.median, standard.median], ratio: standard.ratio(to: net),
        goal: goal,
        note: "\(grouped(difference.moved.count)) moves, OrderDifference of the whole lists "
            + "\(microseconds(whole.median)) µs")
}
