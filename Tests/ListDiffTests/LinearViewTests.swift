import JSONValue
import TestSupport
import Testing

@testable import ListDiff
@testable import ListModel

/// The cost of a change for the followers of a query, in steps. It depends on the rows that are touched and not on the
/// length of the list.
@Suite struct LinearViewTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var query: @Sendable (inout RowQuery) -> Void
        var view = View.items
        var testDescription: String { name }
    }

    static let queries = [
        Case(name: "a filter that everything matches", query: { $0.filter = TextFilter("a") }),
        Case(name: "a filter that some match", query: { $0.filter = TextFilter("77") }),
        Case(name: "a kind", query: { $0.kind = "item" }),
        Case(name: "starred", query: { $0.isStarred = true }),
        Case(name: "a sort", query: { $0.sort = ContentPath("number").map { SortOrder($0, isDescending: true) } }),
        Case(name: "a section", query: { $0.sections = [SectionID(unchecked: "s1")] }),
        Case(name: "a disclosure", query: { $0.expanded = [ItemID(unchecked: "i0")] }, view: .visible),
        Case(name: "a window", query: { $0.window = around("i77") }),
        Case(
            name: "a window of a filter",
            query: {
                $0.filter = TextFilter("a")
                $0.window = around("i77")
            }),
        Case(
            name: "a sorted filter of shown rows",
            query: {
                $0.filter = TextFilter("a")
                $0.sort = ContentPath("number").map { SortOrder($0) }
            }, view: .visible),
    ]

    private static func around(_ id: String) -> Window { Window(around: ItemID(unchecked: id), before: 5, after: 5) }
    private static func id(_ number: Int) -> ItemID { ItemID(unchecked: "i\(number)") }

    /// A list of two sections. Every tenth item is the parent of the nine items behind it.
    private static func list(_ count: Int) throws -> ListState {
        var list = ListState(ListProperties(title: ""))
        try list.commit([
            .appendSections(["s0", "s1"].map { NewSection(SectionProperties(id: SectionID(unchecked: $0))) })
        ])
        for section in 0..<2 {
            let numbers = section * count / 2..<(section + 1) * count / 2
            let items = numbers.map { number in
                let content: JSONValue = ["name": .string("a\(number)"), "number": .number(JSONNumber(number % 1000))]
                var value = ItemChanges()
                value.content = .replace(JSONText(content))
                value.isStarred = .set(number % 3 == 0)
                return NewItem(id(number), parent: number % 10 == 0 ? nil : id(number / 10 * 10), value: value)
            }
            try list.commit([.appendItems(items, .section(SectionID(unchecked: "s\(section)")))])
        }
        return list
    }

    private static let changes: [[ListModel.Operation]] = [
        [.moveItem(id(70), .anchor(ItemAnchor(.after, id(10))))],
        [.moveItem(id(70), .last(.section(SectionID(unchecked: "s1"))))],
        [.setStarred([id(5), id(90)], true)],
        [.deleteItems([id(20)])],
        [.appendItems([NewItem(ItemID(unchecked: "n77"), value: ItemChanges())], .parent(id(30)))],
        [.setExpanded([id(40)], true), .moveItem(id(5), .first(.section(SectionID(unchecked: "s1"))))],
    ]

    @Test(arguments: queries)
    func aChangeCostsWhatItTouches(_ row: Case) throws {
        let (few, many) = (try steps(row, 4_000), try steps(row, 16_000))
        // The count includes chunks, of which each has some hundreds of rows.
        #expect(many * 10 <= few * 15 + 2_000, "\(few) steps on 4,000 items, \(many) on 16,000")
        #expect(many < 8_000, "\(many) steps")
    }

    /// Follows the query through all changes, and then takes all changes at once.
    private func steps(_ row: Case, _ count: Int) throws -> Int {
        var query = RowQuery(row.view)
        row.query(&query)
        var states = [try Self.list(count)]
        var deltas: [Delta] = []
        for operations in Self.changes {
            var next = states[states.count - 1]
            deltas.append(try next.commit(operations))
            states.append(next)
        }
        let head = states[states.count - 1]
        // The old states are computed from the new ones, so that a handle is the same item in both.
        var spans = deltas.indices.map { version in
            ViewSpan(
                from: states[version + 1].reverted(deltas[version]), query, to: states[version + 1], query,
                [deltas[version]])
        }
        spans.append(ViewSpan(from: head.reverted(deltas[...]), query, to: head, query, deltas))
        var known = query.isIndexed ? nil : SelectedRows(query.withoutWindow, of: states[0])
        var outcomes: [ChangeSet] = []
        let taken = Steps.taken {
            for span in spans {
                let isLast = outcomes.count == deltas.count
                let outcome = span.outcome(knowing: known.map { isLast ? .new($0) : .old($0) } ?? .nothing)
                outcomes.append(outcome.changes)
                known = outcome.selected
            }
        }
        // The result equals that of a search through all rows.
        for (number, span) in spans.enumerated() {
            #expect(span.outcome(knowing: .nothing).changes == outcomes[number], "change \(number)")
        }
        return taken
    }
}
