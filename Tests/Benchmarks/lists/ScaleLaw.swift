import ListDiff
import ListModel
import ListStore

/// One kind of work on a short list and on a long one.
private struct ScaledWork {
    let name: String
    /// Does the work several times on a list, and returns its costs.
    let round: (BenchList) -> Samples
    var small = Samples()
    var large = Samples()
}

/// Compares the costs on a million items with those on a thousand, and returns the line of the summary.
func measureScaleLaw(_ sizes: Sizes, _ table: inout Table) -> String {
    let lists = [BenchList(count: sizes.small), BenchList(count: sizes.large)]
    var summary: [String] = []
    var isKept = true
    table.head(
        "scale law, in the store", [grouped(sizes.small) + " µs", grouped(sizes.large) + " µs", "ratio", "goal"])
    func row(_ name: String, _ costs: [Samples]) {
        let ratio = costs[1].ratio(to: costs[0])
        let goal = Goal.atMost(4)
        table.row(name, costs: costs.map(\.median), ratio: ratio, goal: goal)
        summary.append("\(name) \(decimal(ratio))")
        isKept = isKept && goal.isReached(by: ratio)
    }
    row(
        "move",
        inTurns(lists, sizes) { list, samples in
            time((0..<batch).map { _ in list.move() }, in: list, &samples)
        })
    row(
        "insert",
        inTurns(lists, sizes) { list, samples in
            time((0..<batch).map { _ in list.insertion() }, in: list, &samples)
            list.deleteAdded()
        })
    row(
        "undo of a move",
        inTurns(lists, sizes) { list, samples in
            for _ in 0..<5 {
                list.submit(list.move())
                let version = list.version
                // A later write of another client, which the undo must leave in effect.
                list.submit(.toggleStar(list.randomLone()))
                samples.measure { list.submit(Write(.undo(version))) }
            }
        })
    row(
        "star",
        inTurns(lists, sizes) { list, samples in
            time((0..<batch).map { _ in .toggleStar(list.randomLone()) }, in: list, &samples)
        })
    row(
        "expand",
        inTurns(lists, sizes) { list, samples in
            let parents = Array(Set((0..<batch).map { _ in list.randomParent() }))
            time(parents.map { .setExpanded([$0], true) }, in: list, &samples)
            for parent in parents { list.submit(.setExpanded([parent], false)) }
        })
    measureWindows(lists, sizes, row)
    measureFilters(lists, sizes, row)
    row(
        "remove many sections",
        inTurns(lists, sizes) { list, samples in
            let sections = list.emptySections
            list.submit(.appendSections(sections.map { NewSection(SectionProperties(id: $0)) }))
            samples.measure(count: sections.count) { list.submit(.deleteSections(sections)) }
        })
    for list in lists { for step in 0..<behind { list.submit(list.change(step)) } }
    for (name, view) in [("net change of 100", View.items), ("the same among visible rows", .visible)] {
        row(
            name,
            inTurns(lists, sizes) { list, samples in
                for step in 0..<5 {
                    list.submit(list.change(step))
                    samples.measure { _ = list.catchup(behind: behind, view: view) }
                }
            })
    }
    return "scale law, \(grouped(sizes.large)) items to \(grouped(sizes.small)): "
        + summary.joined(separator: ", ") + "; goal ≤ 4: " + (isKept ? "ok" : "MISSED")
}

/// The costs of a client that sees 80 of the visible rows: of its first answer, and of each change.
private func measureWindows(_ lists: [BenchList], _ sizes: Sizes, _ row: (String, [Samples]) -> Void) {
    row(
        "first window",
        inTurns(lists, sizes) { list, samples in
            let window = list.window()
            samples.measure(count: batch) { for _ in 0..<batch { list.rows(of: window) } }
        })
    row(
        "change near a window",
        inTurns(lists, sizes) { list, samples in
            let window = list.window()
            for _ in 0..<5 {
                list.submit(list.change(near: window))
                samples.measure { list.catchup(behind: 1, window) }
            }
        })
    row(
        "change far from a window",
        inTurns(lists, sizes) { list, samples in
            let window = list.window()
            for _ in 0..<5 {
                list.submit(list.move())
                samples.measure { list.catchup(behind: 1, window) }
            }
        })
}

/// The cost of a change for all followers of a filter that every item matches.
private func measureFilters(_ lists: [BenchList], _ sizes: Sizes, _ row: (String, [Samples]) -> Void) {
    let filters = lists.map { $0.followedFilter() }
    row(
        "change of a followed filter",
        inTurns(lists, sizes) { list, samples in
            for _ in 0..<5 {
                list.submit(list.move())
                samples.measure { list.catchup(behind: 1, filters[0]) }
            }
        })
}

private let batch = 20
private let behind = 100

private func time(_ operations: [Operation], in list: BenchList, _ samples: inout Samples) {
    samples.measure(count: operations.count) {
        for operation in operations { list.submit(operation) }
    }
}

/// Rounds in which both lists have a turn, after three rounds that warm up.
private func inTurns(_ lists: [BenchList], _ sizes: Sizes, _ body: (BenchList, inout Samples) -> Void) -> [Samples] {
    var samples = lists.map { _ in Samples() }
    for round in 0..<(sizes.rounds + 3) {
        if round == 3 { samples = lists.map { _ in Samples() } }
        for index in round % 2 == 0 ? [0, 1] : [1, 0] { body(lists[index], &samples[index]) }
    }
    return samples
}
