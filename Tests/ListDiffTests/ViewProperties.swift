import JSONValue
import ListModel
import TestSupport
import Testing

@testable import ListDiff

/// Properties of views and their change sets over random histories and queries.
@Suite struct ViewProperties {
    private static let parts = 1...20

    @Test(arguments: parts)
    func changesOfRandomViews(part: Int) throws {
        for number in stride(from: part, through: Soak.histories, by: Self.parts.count) {
            var history = try RandomViews(seed: UInt64(number))
            for turn in 0..<6 { try history.check("history \(number), turn \(turn)") }
        }
    }
}

/// A random history of items with names and heights, and random queries.
private struct RandomViews {
    private var lists: RandomLists
    private var states: [ListState] = []
    private var deltas: [Delta] = []

    init(seed: UInt64) throws {
        let bias = Bias.allCases[Int(seed) % Bias.allCases.count]
        lists = RandomLists(seed: seed, itemIDs: [1, 3, 8, 20, 40][Int(seed % 5)], bias: bias)
        var state = lists.list()
        for item in lists.itemIDs where state.contains(item) { _ = try? state.commit(rename(item)) }
        states = [state]
        for _ in 0..<(1 + lists.random.below(10)) {
            var next = states[states.count - 1]
            let operations = (0...lists.random.below(3)).map { _ in operation(on: next) }
            guard let delta = try? next.commit(operations) else { continue }
            states.append(next)
            deltas.append(delta)
        }
    }

    private mutating func operation(on list: ListState) -> Operation {
        switch lists.random.below(4) {
        case 0: lists.operation(on: list)
        case 1: rename(lists.item(of: list))
        case 2: arrange(lists.item(of: list), on: list)
        default:
            lists.random.once(in: 2)
                ? .setStarred([lists.item(of: list)], !lists.random.once(in: 3))
                : .setExpanded([lists.item(of: list)], !lists.random.once(in: 3))
        }
    }

    /// Another order of children. No operation names the place of one.
    private mutating func arrange(_ parent: ItemID, on list: ListState) -> Operation {
        let children = list.handle(of: parent).map { list.children(of: $0).map { list.id(of: $0) } } ?? []
        return .replaceChildren(parent, children.shuffled(using: &lists.random).map { NewItem($0) })
    }

    private static let names = ["Mont Blanc", "mount Fuji", "MOUNT Etna", "Ém", "E\u{301}m", "em", "a\\\"b", "", "Zoé"]

    private mutating func rename(_ item: ItemID) -> Operation {
        let height: JSONValue = [1, 2, 10, -3, .null, "tall"][lists.random.below(6)]
        let name = JSONValue.string(Self.names[lists.random.below(Self.names.count)])
        let content: JSONValue = ["name": name, "size": ["height": height], "tags": ["x", name]]
        var changes = ItemChanges()
        changes.content = .replace(JSONText(content))
        return .updateItem(item, changes)
    }

    // MARK: Queries

    private mutating func query(of states: [ListState]) -> RowQuery {
        var query = RowQuery(lists.random.once(in: 2) ? .items : .visible)
        if query.view == .visible, lists.random.once(in: 3) {
            query.expanded = NamedIDs(Set(lists.itemIDs.filter { _ in lists.random.once(in: 2) }))
        }
        if lists.random.once(in: 4) { query.sections = ["s0", "s2", "s9"] }
        if lists.random.once(in: 3) { query.filter = filter() }
        if lists.random.once(in: 5) { query.isStarred = !lists.random.once(in: 3) }
        if lists.random.once(in: 4) { query.values = values() }
        if lists.random.once(in: 6) { query.kind = ["item", "cell", "emoji"][lists.random.below(3)] }
        if lists.random.once(in: 3) {
            let path = ContentPath(lists.random.once(in: 2) ? "size.height" : "name")
            query.sort = path.map { SortOrder($0, isDescending: lists.random.once(in: 2)) }
        }
        if lists.random.once(in: 4) {
            query.window = Window(
                around: lists.item(of: states[0]), before: lists.random.below(4), after: lists.random.below(6))
        }
        return query
    }

    private mutating func values() -> [ValueFilter] {
        let wanted: [(String, JSONValue)] = [
            ("size.height", 1), ("size.height", .null), ("size.height", "tall"),
            ("size.height", .number(JSONNumber(10))),
            ("name", "em"), ("name", "a\\\"b"), ("name", .string(ByteText("E\u{301}m"))),
        ]
        return (0...lists.random.below(2)).compactMap { _ in
            let (path, value) = wanted[lists.random.below(wanted.count)]
            guard let path = ContentPath(ByteText(path)), let value = ContentValue(value) else { return nil }
            return ValueFilter(path, is: value)
        }
    }

    private mutating func filter() -> TextFilter? {
        let text = ["m", "MO", "mount", "é", "e", "\"", "x", ""][lists.random.below(8)]
        return TextFilter(ByteText(text), in: lists.random.once(in: 2) ? ContentPath("name") : nil)
    }

    // MARK: Checks

    mutating func check(_ context: String) throws {
        let (first, second) = (lists.random.below(states.count), lists.random.below(states.count))
        let range = min(first, second)..<max(first, second)
        let new = query(of: states)
        var old = new
        if lists.random.once(in: 3) { old.filter = filter() }
        let context = "\(context), \(range), \(old) to \(new)"
        let past = states[range.upperBound].reverted(deltas[range])
        let span = ViewSpan(from: past, old, to: states[range.upperBound], new, deltas[range])
        let change = span.outcome(knowing: .nothing).changes
        try checkKnowing(span, old, new, past, states[range.upperBound], change, context)
        let (before, after) = (rows(old, range.lowerBound), rows(new, range.upperBound))
        let replayed = before.applying(change, view: .visible)
        let isSame = replayed.map(shown) == shown(after)
        try #require(isSame, "\(context): \(change.text): \(before.text) to \(after.text), not \(replayed?.text ?? "")")
        try checkLeast(change, before, after, new, context)
        if old.filter != new.filter, range.isEmpty { try #require(change.items.moved.isEmpty, "\(context)") }
        if range.isEmpty, old == new { try #require(change.isEmpty, "\(context)") }
        try checkMoves(change, new, range, context)
    }

    /// A follower whose rows are known gets the same changes, and its rows are up to date afterwards.
    private func checkKnowing(
        _ span: ViewSpan, _ old: RowQuery, _ new: RowQuery, _ before: ListState, _ after: ListState,
        _ change: ChangeSet, _ context: String
    ) throws {
        guard !new.isIndexed, old == new else { return }
        let query = new.withoutWindow
        for known in [
            ViewSpan.Knowledge.old(SelectedRows(query, of: before)), .new(SelectedRows(query, of: after)),
        ] {
            let outcome = span.outcome(knowing: known)
            try #require(outcome.changes == change, "\(context): \(outcome.changes.text), not \(change.text)")
            let selected = try #require(outcome.selected, "\(context)")
            let all = SelectedRows(query, of: after)
            for section in query.sectionHandles(of: after) {
                let count = all.rowCount(of: section)
                try #require(selected.rowCount(of: section) == count, "\(context)")
                try #require(selected.rows(0..<count, of: section) == all.rows(0..<count, of: section), "\(context)")
            }
            try #require(selected.count == all.count, "\(context)")
        }
    }

    private func rows(_ query: RowQuery, _ version: Int) -> Rows {
        let viewed = ViewedRows(query, of: states[version])
        let rows = Rows(
            properties: states[version].properties,
            sections: viewed.sectionHandles.map { viewed.sectionRows(of: $0) })
        let expected = ReferenceView(query, of: states[version])
        #expect(rows.sections.map { $0.items.map(\.item.id) } == expected.rows.map { $0.map(\.id) })
        #expect(rows.sections.map { $0.items.map(\.parent) } == expected.rows.map { $0.map(\.parent) })
        #expect(rows.sections.map { $0.items.map(\.item.isExpanded) } == expected.rows.map { $0.map(\.isExpanded) })
        #expect(viewed.window.map { [$0.start, $0.total] } == expected.window)
        return rows
    }

    /// In the view of all items a change set does not tell levels and numbers of children, so they are left out.
    private func shown(_ rows: Rows) -> Rows {
        var rows = rows
        for section in rows.sections.indices {
            for index in rows.sections[section].items.indices {
                rows.sections[section].items[index].level = 0
                rows.sections[section].items[index].childCount = 0
            }
        }
        return rows
    }

    private func checkLeast(
        _ change: ChangeSet, _ before: Rows, _ after: Rows, _ query: RowQuery, _ context: String
    ) throws {
        let least = SlowDiff(from: before, to: after, view: .items)
        let named = SlowDiff(change)
        try #require(named.deletedItems == least.deletedItems, "\(context): \(change.text)")
        try #require(named.insertedItems == least.insertedItems, "\(context): \(change.text)")
        if query.sort == nil { try #require(named.itemMoves == least.itemMoves, "\(context): \(change.text)") }
        if query.sections == nil { try #require(named.sectionMoves == least.sectionMoves, "\(context)") }
    }

    /// In a sorted view a row moves only if its key or its section has changed, or if it was placed among equal rows.
    private func checkMoves(_ change: ChangeSet, _ query: RowQuery, _ range: Range<Int>, _ context: String) throws {
        guard let path = query.sort?.path else { return }
        let (old, new) = (states[range.lowerBound], states[range.upperBound])
        let steps = deltas[range].flatMap(\.steps)
        // A whole order does not say which rows it placed, and may put any row behind another.
        guard !steps.contains(where: { if case .arrangeRows = $0 { true } else { false } }) else { return }
        var placed = new.itemsPlaced(by: steps)
        // An order of children does not say either which of them it placed.
        for case .insertRows(let rows, _, _, isPlaced: false) in steps { placed.formUnion(rows) }
        for move in change.items.moved where move.from.section == move.to.section {
            let item = try #require(new.handle(of: move.id))
            let keys = [old, new].map { $0.content(of: item).sortKey(at: path) }
            try #require(keys[0] != keys[1] || placed.contains(item), "\(context): \(change.text)")
        }
    }
}

extension Rows {
    /// The rows as a text for messages.
    fileprivate var text: String {
        sections.map { section in
            let items = section.items.map { row in
                "\(row.item.id.rawValue)\(row.parent.map { "^\($0.rawValue)" } ?? "")\(row.item.isExpanded ? "+" : "")"
            }
            return "\(section.properties.id.rawValue)[\(items.joined(separator: " "))]"
        }
        .joined(separator: " ")
    }
}
