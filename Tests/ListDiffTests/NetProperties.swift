import ListModel
import TestSupport
import Testing

@testable import ListDiff

/// Properties of net changes over random histories of lists with sections, outlines and changes of content.
@Suite struct NetProperties {
    /// The histories are divided into parts, which run on all cores.
    private static let parts = 1...20

    @Test(arguments: parts)
    func netChangesOfRandomHistories(part: Int) throws {
        for number in stride(from: part, through: Soak.histories, by: Self.parts.count) {
            let history = try RandomSpan(seed: UInt64(number))
            for view in [View.items, .visible] { try history.check(view, "history \(number), \(view)") }
            try history.checkTakenBack("history \(number)")
        }
    }
}

/// The states of a random history, and the deltas between them.
private struct RandomSpan {
    private let states: [ListState]
    private let deltas: [Delta]
    /// The number of a version between the first and the last.
    private let middle: Int
    private let seed: UInt64

    init(seed: UInt64) throws {
        self.seed = seed
        let (states, deltas) = try Self.history(seed)
        (self.states, self.deltas) = (states, deltas)
        middle = Int(seed / 7) % states.count
    }

    private static func history(_ seed: UInt64) throws -> (states: [ListState], deltas: [Delta]) {
        let bias = Bias.allCases[Int(seed) % Bias.allCases.count]
        var lists = RandomLists(seed: seed, itemIDs: [0, 1, 2, 3, 5, 8, 20, 40][Int(seed % 8)], bias: bias)
        var states = [lists.list()]
        var deltas: [Delta] = []
        for _ in 0..<(2 + lists.random.below(12)) {
            var next = states[states.count - 1]
            let operations = (0...lists.random.below(3)).map { _ in lists.operation(on: next) }
            guard let delta = try? next.commit(operations) else { continue }
            states.append(next)
            deltas.append(delta)
        }
        return (states, deltas)
    }

    private func net(_ range: Range<Int>, _ view: View) -> NetChange {
        deltas[range].reduce(into: NetChange(view: view)) { $0.append($1) }
    }

    private func change(_ range: Range<Int>, _ view: View) -> ChangeSet {
        net(range, view).changes(to: states[range.upperBound])
    }

    private func rows(_ version: Int, _ view: View) -> Rows { Rows(of: states[version], view: view) }

    func check(_ view: View, _ context: String) throws {
        let whole = change(0..<deltas.count, view)
        try #require(rows(0, view).applying(whole, view: view) == rows(deltas.count, view), "\(context): \(whole.text)")
        try checkLeast(whole, view, context)
        try checkHalves(view, context)
        try checkSame(whole, view, context)
    }

    /// The change set names the same rows as the slow difference, with the fewest moves.
    private func checkLeast(_ change: ChangeSet, _ view: View, _ context: String) throws {
        let least = SlowDiff(from: rows(0, view), to: rows(deltas.count, view), view: view)
        let named = SlowDiff(change)
        try #require(named.itemMoves == least.itemMoves, "\(context): \(change.text)")
        try #require(named.sectionMoves == least.sectionMoves, "\(context): \(change.text)")
        try #require(named.deletedItems == least.deletedItems, "\(context): \(change.text)")
        try #require(named.insertedItems == least.insertedItems, "\(context): \(change.text)")
        let absorbed = Set(change.sections.reloaded.flatMap { $0.section.items.map(\.item.id) })
        try #require(named.changedItems.isSuperset(of: least.changedItems.subtracting(absorbed)), "\(context)")
    }

    /// The changes from the first version to the middle and from there to the last equal those from the first to the
    /// last. This holds also if the first half was kept.
    private func checkHalves(_ view: View, _ context: String) throws {
        var half = net(0..<middle, view)
        let halfway = try #require(rows(0, view).applying(half.changes(to: states[middle]), view: view), "\(context)")
        try #require(halfway == rows(middle, view), "\(context)")
        let rest = change(middle..<deltas.count, view)
        try #require(halfway.applying(rest, view: view) == rows(deltas.count, view), "\(context)")
        for delta in deltas[middle...] { half.append(delta) }
        try #require(half.changes(to: states[deltas.count]) == change(0..<deltas.count, view), "\(context)")
    }

    /// The same changes come from composition, from a comparison row by row, and from a second list with the same
    /// history.
    private func checkSame(_ whole: ChangeSet, _ view: View, _ context: String) throws {
        let state = states[deltas.count]
        let span = Delta(spanning: deltas)
        let sections = SectionSpan(past: span.past, state: state)
        let compared = RowChanges(comparing: sections, steps: span.steps(in: view), view: view)
        var writer = ChangeSetWriter(past: span.past, of: WholeRows(state, view))
        writer.write(compared)
        try #require(writer.changes.items.moved == whole.items.moved, "\(context): \(whole.text)")
        try #require(writer.changes.items.deleted == whole.items.deleted, "\(context): \(whole.text)")
        try #require(writer.changes.items.inserted == whole.items.inserted, "\(context): \(whole.text)")
        let again = try Self.history(seed)
        let twin = again.deltas.reduce(into: NetChange(view: view)) { $0.append($1) }
        try #require(twin.changes(to: again.states[deltas.count]) == whole, "\(context)")
    }

    /// Operations followed by their inverses change nothing, except rows that were to be reloaded.
    func checkTakenBack(_ context: String) throws {
        var state = states[deltas.count]
        var all = deltas
        for delta in deltas.reversed() {
            var inverse = Delta()
            for edit in delta.inverse.reversed() { state.perform(edit, recording: &inverse) }
            all.append(inverse)
        }
        for view in [View.items, .visible] {
            try #require(Rows(of: state, view: view) == rows(0, view), "\(context)")
            let change = all.reduce(into: NetChange(view: view)) { $0.append($1) }.changes(to: state)
            let asked = Delta(spanning: deltas).past
            var (sections, items) = (change.sections, change.items)
            items.reconfigured.removeAll { asked.asksFor($0.row.item.id, in: state) }
            items.reloaded.removeAll { asked.asksFor($0.row.item.id, in: state) }
            sections.reloaded.removeAll()
            let unasked = ChangeSet(properties: change.properties, sections: sections, items: items)
            try #require(unasked.isEmpty, "\(context), \(view): \(change.text)")
        }
    }
}

extension Past {
    fileprivate func asksFor(_ id: ItemID, in state: ListState) -> Bool {
        guard let item = state.handle(of: id) else { return false }
        return reconfiguredItems.contains(item) || reloadedItems.contains(item)
    }
}
