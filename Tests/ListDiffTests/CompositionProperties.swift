import ListModel
import TestSupport
import Testing

@testable import ListDiff

@Suite struct CompositionProperties {
    /// The number of rows in the first state, the number of changes, and the number of histories for each bias.
    static let sizes = [
        (0, 6, 12), (1, 4, 12), (2, 4, 40), (3, 5, 40), (5, 8, 60), (8, 12, 60), (20, 25, 40), (60, 60, 12),
        (400, 40, 3), (400, 400, 1),
    ]

    private func forEachHistory(
        _ bias: HistoryBias, _ body: (_ history: RowHistory, inout SeededGenerator) throws -> Void
    ) rethrows {
        for (rows, changes, count) in Self.sizes {
            for number in 0..<count {
                let seed = UInt64(rows * 1_000_000 + changes * 1000 + number)
                var random = SeededGenerator(seed: ~seed)
                try body(RandomHistory(bias, rowCount: rows, changes: changes, seed: seed).history, &random)
            }
        }
    }

    /// All parts are compared, so the number of moves and the moved rows too.
    @Test(arguments: HistoryBias.allCases)
    func saysTheNetDifference(bias: HistoryBias) throws {
        try forEachHistory(bias) { history, _ in
            let changes = try #require(history.changes(0..<history.steps.count))
            try #require(changes == history.difference(0..<history.steps.count), "\(history)")
        }
    }

    @Test(arguments: HistoryBias.allCases)
    func leadsFromEachStateToEachLaterOne(bias: HistoryBias) throws {
        try forEachHistory(bias) { history, random in
            let end = history.steps.count
            let middle = random.below(end + 1)
            let start = random.below(middle + 1)
            for (from, to) in [(0, end), (start, middle), (middle, end), (start, end)] {
                let changes = try #require(history.changes(from..<to))
                let last = changes.replayed(on: history.states[from], with: history.states[to])
                try #require(last == history.states[to], "\(from)..<\(to) of \(history)")
            }
        }
    }

    /// Reading the changes does not change a composition, and neither do steps that are added to a copy.
    @Test(arguments: HistoryBias.allCases)
    func aKeptOneTakesFurtherSteps(bias: HistoryBias) throws {
        try forEachHistory(bias) { history, random in
            let end = history.steps.count
            let middle = random.below(end + 1)
            var kept = Composition()
            for step in history.steps[..<middle] { kept.append(step) }
            let before = history.changes(kept, 0..<middle)
            var extended = kept
            for index in middle..<end {
                extended.append(history.steps[index])
                if random.once(in: 8) { _ = history.changes(extended, 0..<(index + 1)) }
            }
            try #require(history.changes(extended, 0..<end) == history.changes(0..<end), "\(history)")
            try #require(history.changes(kept, 0..<middle) == before, "\(history)")
            try #require(before == history.changes(0..<middle), "\(history)")
        }
    }

    @Test(arguments: HistoryBias.allCases)
    func stepsAndTheirInversesAreNothing(bias: HistoryBias) throws {
        try forEachHistory(bias) { history, random in
            let start = random.below(history.steps.count + 1)
            var there = Composition()
            for step in history.steps[start...] + history.inverse(of: start..<history.steps.count) {
                there.append(step)
            }
            try #require(history.changes(there, start..<start) == RowChanges(), "\(start)... of \(history)")
        }
    }

    /// This includes neighbours that change places, for which either could be said to have moved.
    @Test(arguments: 0...12)
    func aMoveIsReportedAsItWas(rowCount: Int) throws {
        let section = SectionHandle(7)
        let first = RowModel(sections: [section: (0..<rowCount).map { ItemHandle($0) }])
        for count in 0...rowCount {
            let rest = 0...(rowCount - count)
            // A run that is longer than the rows that it passes would rather stay, so these are left out.
            for (from, to) in rest.flatMap({ from in rest.map { (from, $0) } }) where abs(from - to) >= count {
                var history = RowHistory(first)
                history.append(.moveRows(count: count, section, from: from, section, to: to))
                let moves = (0..<count).map { offset in
                    RowChanges.Move(
                        from: RowPlace(section: section, index: from + offset),
                        to: RowPlace(section: section, index: to + offset))
                }
                try #require(history.changes(0..<1) == RowChanges(moved: moves), "\(count) rows from \(from) to \(to)")
            }
        }
    }

    @Test func namesNoMoreRowsThanItsSteps() throws {
        try forEachHistory(.everything) { history, _ in
            var composition = Composition()
            for step in history.steps { composition.append(step) }
            let named = Set(
                history.steps.enumerated().flatMap { index, step in
                    switch step {
                    case .insertRows(let rows, _, _, _), .deleteRows(let rows, _, _): rows
                    default: history.placed[index]
                    }
                })
            let changes = try #require(history.changes(0..<history.steps.count))
            let count =
                changes.removed.count + changes.entered.count + changes.arrived.count + changes.moved.count
            try #require(count <= named.count, "\(history)")
        }
    }
}
