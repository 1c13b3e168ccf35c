import ListDiff
import ListModel

/// What a client is told that is some versions behind, to a comparison of the whole lists.
func measureNetChanges(_ sizes: Sizes, _ table: inout Table) {
    for count in [sizes.small, sizes.middle, sizes.large] {
        let list = BenchList(count: count)
        table.head("net change set, \(grouped(count)) items", ["ours µs", "whole µs", "ratio", "goal"])
        // History keeps 10,000 versions, and each round adds one.
        for behind in [1, 100, 9_999] { compare(list, behind: behind, sizes, &table) }
    }
}

private func compare(_ list: BenchList, behind: Int, _ sizes: Sizes, _ table: inout Table) {
    var (net, whole) = (Samples(), Samples())
    let base = list.version.revision
    let old = list.ids()
    var step = 0
    while list.version.revision < base + behind {
        list.submit(list.change(step))
        step += 1
    }
    let new = list.ids()
    let difference = OrderDifference(from: old, to: new)
    let changes = list.catchup(behind: behind, view: .items)
    table.check(
        changes.map { $0.items.moved.count } == difference.moved.count, "\(behind) behind: not the fewest moves")
    table.check(difference.moved.count == fewestMoves(old, new), "\(behind) behind: not the fewest moves")
    for round in 0..<max(5, sizes.rounds / 3) {
        list.submit(list.change(step + round))
        net.measure { _ = list.catchup(behind: behind, view: .items) }
        whole.measure { _ = OrderDifference(from: old, to: new) }
    }
    table.row(
        "\(grouped(behind)) versions behind, to the whole lists' difference", costs: [net.median, whole.median],
        ratio: whole.ratio(to: net), goal: nil, note: "\(grouped(difference.moved.count)) moves")
}
