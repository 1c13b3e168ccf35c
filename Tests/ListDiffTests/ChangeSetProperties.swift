import ListDiff
import ListModel
import TestSupport
import Testing

/// Checks a change set: its replay gives the new rows, and it names the same rows as the slow difference.
///
/// - Returns: The change set.
@discardableResult
private func requireNet(
    _ delta: Delta, from old: ListState, to new: ListState, view: View, _ context: @autoclosure () -> String
) throws -> ChangeSet {
    let change = ChangeSet(undoing: delta, to: new, view: view)
    let oldRows = Rows(of: old, view: view)
    let newRows = Rows(of: new, view: view)
    try #require(oldRows.applying(change, view: view) == newRows, "\(context()): \(change.text)")
    let least = SlowDiff(from: oldRows, to: newRows, view: view)
    let named = SlowDiff(change)
    try #require(named.deletedSections == least.deletedSections)
    try #require(named.insertedSections == least.insertedSections)
    try #require(named.sectionMoves == least.sectionMoves, "\(context()): \(change.text)")
    try #require(named.deletedItems == least.deletedItems)
    try #require(named.insertedItems == least.insertedItems)
    try #require(named.itemMoves == least.itemMoves, "\(context()): \(change.text)")
    let reloads = Set(delta.past.reloadedItems.map { new[$0].id })
    let marks = reloads.union(delta.past.reconfiguredItems.map { new[$0].id }).intersection(least.keptItems)
    let absorbed = Set(change.sections.reloaded.flatMap { $0.section.items.map(\.item.id) })
    try #require(named.changedItems == least.changedItems.union(marks).subtracting(absorbed))
    let reloaded = least.rekindledItems.union(marks.intersection(reloads)).subtracting(absorbed)
    try #require(named.rekindledItems == reloaded)
    try #require(change.isEmpty == (change == ChangeSet()))
    return change
}

@Suite struct ChangeSetProperties {
    /// The states of a random history, and the delta from each to the next.
    private func history(_ lists: inout RandomLists, transactions: Int) -> (states: [ListState], deltas: [Delta]) {
        var states = [lists.list()]
        var deltas: [Delta] = []
        for _ in 0..<transactions {
            var next = states[states.count - 1]
            let count = lists.random.below(3) + 1
            let operations = (0..<count).map { _ in lists.operation(on: next) }
            guard let delta = try? next.commit(operations) else { continue }
            states.append(next)
            deltas.append(delta)
        }
        return (states, deltas)
    }

    @Test("case 25: every transaction is replayed", arguments: Bias.allCases, UInt64(1)...15)
    func everyTransactionIsReplayed(bias: Bias, seed: UInt64) throws {
        var lists = RandomLists(seed: seed, itemIDs: [1, 3, 8, 20, 60][Int(seed % 5)], bias: bias)
        let (states, deltas) = history(&lists, transactions: 40)
        for (step, delta) in deltas.enumerated() {
            for view in [View.items, .visible] {
                try requireNet(delta, from: states[step], to: states[step + 1], view: view, "step \(step), \(view)")
            }
        }
    }

    @Test("case 25: every span of transactions is replayed", arguments: Bias.allCases, UInt64(1)...6)
    func everySpanIsReplayed(bias: Bias, seed: UInt64) throws {
        var lists = RandomLists(seed: seed &+ 1000, itemIDs: [3, 8, 20][Int(seed % 3)], bias: bias)
        let (states, deltas) = history(&lists, transactions: 16)
        for start in deltas.indices {
            for end in start..<deltas.count {
                let span = Delta(spanning: deltas[start...end])
                for view in [View.items, .visible] {
                    let context = "\(start)..\(end + 1), \(view)"
                    try requireNet(span, from: states[start], to: states[end + 1], view: view, context)
                }
            }
        }
    }

    @Test(arguments: Soak.seeds(40))
    func itDoesNotDependOnHowTheSpanWasComposed(seed: UInt64) throws {
        var lists = RandomLists(seed: seed, itemIDs: 20, bias: Bias.allCases[Int(seed) % Bias.allCases.count])
        let (states, deltas) = history(&lists, transactions: 12)
        let forwards = Delta(spanning: deltas)
        let backwards = deltas.reversed().reduce(into: Delta()) { newer, older in
            newer = Delta(spanning: [older, newer])
        }
        let last = states[states.count - 1]
        for view in [View.items, .visible] {
            let change = ChangeSet(undoing: forwards, to: last, view: view)
            #expect(change == ChangeSet(undoing: backwards, to: last, view: view))
        }
    }

    @Test("case 18: the item that was moved is the one reported", arguments: Soak.seeds(300))
    func theItemThatWasMovedIsTheOneReported(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = [2, 3, 5, 8, 60][random.below(5)]
        let ids = (0..<count).map { ItemID(unchecked: "i\($0)") }
        var state = try ListState(notation: "A:" + ids.map(\.rawValue.string).joined(separator: ",") + " B:b")
        let item = random.pick(ids)
        let anchor = ItemAnchor(random.once(in: 2) ? .before : .after, random.pick(ids.filter { $0 != item } + ["b"]))
        let old = state
        let delta = try state.commit(.moveItem(item, .anchor(anchor)))
        let change = try requireNet(delta, from: old, to: state, view: .items, "\(item) \(anchor)")
        #expect(change.items.moved.map(\.id) == (change.isEmpty ? [] : [item]))
        #expect(change.items.count <= 1)
    }

    @Test(arguments: Soak.seeds(60))
    func theSectionThatWasMovedIsTheOneReported(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = random.below(6) + 2
        let ids = (0..<count).map { SectionID(unchecked: "s\($0)") }
        var state = try ListState(notation: ids.map { "\($0):x\($0)" }.joined(separator: " "))
        let section = random.pick(ids)
        let other = random.pick(ids.filter { $0 != section })
        let old = state
        let delta = try state.commit(.moveSection(section, random.once(in: 2) ? .before(other) : .after(other)))
        let change = try requireNet(delta, from: old, to: state, view: .items, "\(section) near \(other)")
        #expect(change.sections.moved.map(\.id) == (change.isEmpty ? [] : [section]))
        #expect(change.items.isEmpty)
    }

    @Test(arguments: UInt64(1)...20)
    func aSpanThatIsTakenBackNamesOnlyWhatWasAskedFor(seed: UInt64) throws {
        var lists = RandomLists(seed: seed, itemIDs: 12, bias: .everything)
        var (states, deltas) = history(&lists, transactions: 6)
        var back = states[states.count - 1]
        let wanted = Rows(of: states[0], view: .items)
        deltas.append(try back.commit(.applySnapshot(WantedSnapshot(restoring: wanted))))
        let span = Delta(spanning: deltas)
        for view in [View.items, .visible] {
            let change = try requireNet(span, from: states[0], to: back, view: view, "\(view)")
            #expect(change.sections.moved.isEmpty && change.items.moved.isEmpty)
            #expect(change.items.deleted.isEmpty && change.items.inserted.isEmpty)
            #expect(change.sections.reconfigured.isEmpty && change.properties == ListChanges())
        }
    }
}

extension WantedSnapshot {
    /// The snapshot that a client puts to restore these rows. It names every member.
    fileprivate init(restoring rows: Rows) {
        var changes = ListChanges()
        changes.title = .set(rows.properties.title)
        changes.layout = .set(rows.properties.layout)
        let sections = rows.sections.map { section in
            let items = section.items.map {
                NewItem($0.item.id, parent: $0.parent, value: ItemChanges(restoring: $0.item))
            }
            return WantedSection(
                section.properties.id, changes: SectionChanges(restoring: section.properties), items: items)
        }
        self.init(changes: changes, sections: sections)
    }
}

extension SectionChanges {
    fileprivate init(restoring properties: SectionProperties) {
        self.init()
        title = .set(properties.title)
        layout = .set(properties.layout)
        header = .set(properties.header)
        footer = .set(properties.footer)
        isReorderable = .set(properties.isReorderable)
    }
}

extension ItemChanges {
    fileprivate init(restoring item: Item) {
        self.init()
        kind = .set(item.kind)
        content = .replace(item.content)
        isStarred = .set(item.isStarred)
        isExpanded = .set(item.isExpanded)
        isReorderable = .set(item.isReorderable)
    }
}
