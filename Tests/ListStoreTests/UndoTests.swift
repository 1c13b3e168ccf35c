import JSONValue
import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore

/// Undo and redo by identity (docs/model.md section 11), with one case in each row.
@Suite struct UndoTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var start: String
        var undone: [ListModel.Operation]
        /// The operations of other clients since then.
        var meanwhile: [ListModel.Operation] = []
        var result: String
        var outcomes: [Outcome] = [.applied]
        var testDescription: String { name }
    }

    static func new(_ id: ItemID, under parent: ItemID? = nil) -> NewItem {
        NewItem(id, parent: parent, value: ItemChanges())
    }

    private static func titled(_ title: String) -> SectionChanges {
        var changes = SectionChanges()
        changes.title = .set(ByteText(title))
        return changes
    }

    private static func kind(_ kind: String) -> ItemChanges {
        var changes = ItemChanges()
        changes.kind = .set(ByteText(kind))
        return changes
    }

    private static func fixed() -> ItemChanges {
        var changes = ItemChanges()
        changes.isReorderable = .set(false)
        return changes
    }

    static let moves = [
        Row(
            name: "an insert between stays", start: "A:a,b,c,d",
            undone: [.moveItem("d", .anchor(ItemAnchor(.before, "a")))],
            meanwhile: [.insertItems([new("n")], ItemAnchor(.after, "c"))], result: "A:a,b,c,d,n"),
        Row(
            name: "moved again: skipped", start: "A:a,b,c",
            undone: [.moveItem("c", .anchor(ItemAnchor(.before, "a")))],
            meanwhile: [.moveItem("c", .anchor(ItemAnchor(.after, "a")))], result: "A:a,c,b",
            outcomes: [.dropped(.overwritten)]),
        Row(
            name: "two moves, one overwritten", start: "A:a,b,c,d",
            undone: [.moveItem("c", .first(.section("A"))), .moveItem("d", .first(.section("A")))],
            meanwhile: [.moveItem("c", .last(.section("A")))], result: "A:a,b,c,d",
            outcomes: [.partial(["c"], .overwritten)]),
        Row(
            name: "moved item deleted", start: "A:a,b,c", undone: [.moveItem("c", .first(.section("A")))],
            meanwhile: [.deleteItems(["c"])], result: "A:a,b", outcomes: [.dropped(.itemDeleted)]),
        Row(
            name: "its section is gone", start: "A:a B:b,c", undone: [.moveItem("c", .last(.section("A")))],
            meanwhile: [.deleteSections(["B"])], result: "A:a,c", outcomes: [.dropped(.sectionDeleted)]),
        Row(
            name: "its left sibling is gone", start: "A:a,b,c,d", undone: [.moveItem("c", .last(.section("A")))],
            meanwhile: [.deleteItems(["b"])], result: "A:a,c,d", outcomes: [.adjusted(.anchorDeleted)]),
        Row(
            name: "others have fixed it there", start: "A:a,b,c", undone: [.moveItem("c", .first(.section("A")))],
            meanwhile: [.updateItem("c", fixed())], result: "A:c,a,b", outcomes: [.dropped(.overwritten)]),
        Row(
            name: "out of where it was", start: "A:a,p", undone: [.moveItem("a", .last(.parent("p")))],
            meanwhile: [.moveItem("p", .last(.section("A"))), .setStarred(["p"], true)], result: "A:a,p*"),
        Row(
            name: "into its own subtree", start: "A:a,p",
            undone: [.moveItem("a", .last(.parent("p"))), .moveItem("a", .last(.section("A")))],
            meanwhile: [.moveItem("p", .last(.parent("a")))], result: "A:a,p"),
        Row(
            name: "sections", start: "A:a B:b C:c", undone: [.moveSection("C", .before("A"))],
            meanwhile: [.updateSection("A", titled("T"))], result: "A:a B:b C:c"),
        Row(
            name: "a section that was moved again", start: "A:a B:b C:c", undone: [.moveSection("C", .before("A"))],
            meanwhile: [.moveSection("C", .after("A"))], result: "A:a C:c B:b", outcomes: [.dropped(.overwritten)]),
    ]

    static let arrivals = [
        Row(
            name: "insert", start: "A:a,b", undone: [.appendItems([new("x"), new("y", under: "x")], .section("A"))],
            meanwhile: [.moveItem("b", .first(.section("A")))], result: "A:b,a"),
        Row(
            name: "others starred what came", start: "A:a,b", undone: [.appendItems([new("x"), new("y")], nil)],
            meanwhile: [.setStarred(["x"], true)], result: "A:a,b,x*", outcomes: [.partial(["x"], .overwritten)]),
        Row(
            name: "others moved what came", start: "A:a,b", undone: [.appendItems([new("x")], nil)],
            meanwhile: [.moveItem("x", .first(.section("A")))], result: "A:x,a,b", outcomes: [.dropped(.overwritten)]),
        Row(
            name: "others' children below what came", start: "A:a,b",
            undone: [.appendItems([new("x"), new("y", under: "x")], nil)],
            meanwhile: [.appendItems([new("z")], .parent("y"))], result: "A:a,b,x,y,z", outcomes: [.dropped(.inUse)]),
        Row(
            name: "what came is gone", start: "A:a,b", undone: [.appendItems([new("x")], nil)],
            meanwhile: [.deleteItems(["x"])], result: "A:a,b", outcomes: [.dropped(.itemDeleted)]),
        Row(
            name: "delete", start: "A:a,b,c", undone: [.deleteItems(["b"])],
            meanwhile: [.appendItems([new("n")], nil)], result: "A:a,b,c,n"),
        Row(
            name: "the left sibling of what went is gone", start: "A:a,b,c", undone: [.deleteItems(["c"])],
            meanwhile: [.deleteItems(["b"])], result: "A:a,c", outcomes: [.adjusted(.anchorDeleted)]),
        Row(
            name: "the section of what went is gone", start: "A:a B:b,c", undone: [.deleteItems(["c"])],
            meanwhile: [.deleteSections(["B"])], result: "A:a", outcomes: [.dropped(.sectionDeleted)]),
        Row(
            name: "the id has been made anew", start: "A:a,b,c", undone: [.deleteItems(["b", "c"])],
            meanwhile: [.insertItems([new("b")], ItemAnchor(.before, "a"))], result: "A:b,c,a",
            outcomes: [.partial(["b"], .overwritten)]),
        Row(
            name: "made anew and deleted again", start: "A:a,b", undone: [.deleteItems(["b"])],
            meanwhile: [.appendItems([new("b")], nil), .deleteItems(["b"])], result: "A:a",
            outcomes: [.dropped(.itemDeleted)]),
        Row(
            name: "a section comes back with its items", start: "A:a B:b,c C:", undone: [.deleteSections(["B"])],
            meanwhile: [.appendItems([new("n")], .section("A"))], result: "A:a,n B:b,c C:"),
        Row(
            name: "a section that came holds what is others'", start: "A:a",
            undone: [.appendSections([NewSection(SectionProperties(id: "N"), items: [new("x")])])],
            meanwhile: [.appendItems([new("n")], .section("N"))], result: "A:a N:n",
            outcomes: [.partial([], sections: ["N"], .inUse)]),
        Row(
            name: "a section that came goes", start: "A:a",
            undone: [.appendSections([NewSection(SectionProperties(id: "N"), items: [new("x")])])],
            meanwhile: [.appendItems([new("n")], .section("A"))], result: "A:a,n"),
    ]

    static let wholeStates = [
        Row(
            name: "PUT", start: "A:a,b,c B:d",
            undone: [.applySnapshot(WantedSnapshot(sections: StoreFixture.sections("B:c,d,x A:b,a")))],
            meanwhile: [.appendItems([new("n")], .section("A"))], result: "A:a,b,c,n B:d"),
        Row(
            name: "deleteAllItems", start: "A:a,b B:c", undone: [.deleteAllItems],
            meanwhile: [.appendSections([NewSection(SectionProperties(id: "N"), items: [new("n")])])],
            result: "A:a,b B:c N:n"),
        Row(
            name: "replaceChildren", start: "A:a,b", undone: [.replaceChildren("a", [new("x"), new("y", under: "x")])],
            meanwhile: [.appendItems([new("n")], nil)], result: "A:a,b,n"),
    ]

    static let values = [
        Row(
            name: "stars", start: "A:a,b,c", undone: [.setStarred(["a", "b"], true)],
            meanwhile: [.setStarred(["b"], false), .setStarred(["b"], true)], result: "A:a,b*,c",
            outcomes: [.partial(["b"], .overwritten)]),
        Row(
            name: "place and star overwritten: told once", start: "A:a,b,c",
            undone: [
                .setStarred(["a", "b", "c"], true), .moveItem("b", .first(.section("A"))),
                .moveItem("c", .first(.section("A"))),
            ],
            meanwhile: [
                .moveItem("b", .last(.section("A"))), .moveItem("c", .last(.section("A"))),
                .setStarred(["b", "c"], false),
            ],
            result: "A:a,b,c", outcomes: [.partial(["b", "c"], .overwritten)]),
        Row(
            name: "place and title of sections overwritten: told once", start: "A:a B: C:",
            undone: [
                .setStarred(["a"], true), .moveSection("B", .before("A")), .moveSection("C", .before("A")),
                .updateSection("B", titled("T")), .updateSection("C", titled("T")),
            ],
            meanwhile: [.deleteSections(["B", "C"])],
            result: "A:a", outcomes: [.partial([], sections: ["B", "C"], .sectionDeleted)]),
        Row(
            name: "another member of the same item", start: "A:a", undone: [.updateItem("a", kind("k"))],
            meanwhile: [.setStarred(["a"], true)], result: "A:a*"),
        Row(
            name: "the same member", start: "A:a", undone: [.updateItem("a", kind("k"))],
            meanwhile: [.updateItem("a", kind("l"))], result: "A:a/l", outcomes: [.dropped(.overwritten)]),
        Row(
            name: "expanded", start: "A:a", undone: [.setExpanded(["a"], true)], meanwhile: [.toggleStar("a")],
            result: "A:a*"),
        Row(
            name: "the item is gone", start: "A:a,b", undone: [.setStarred(["a"], true)],
            meanwhile: [.deleteItems(["a"])], result: "A:b", outcomes: [.dropped(.itemDeleted)]),
        Row(
            name: "the title of a section", start: "A:", undone: [.updateSection("A", titled("T"))],
            meanwhile: [.updateSection("A", titled("U"))], result: "A:", outcomes: [.dropped(.overwritten)]),
        Row(
            name: "a section that is gone", start: "A: B:", undone: [.updateSection("A", titled("T"))],
            meanwhile: [.deleteSections(["A"])], result: "B:", outcomes: [.dropped(.sectionDeleted)]),
        Row(
            name: "marks are nothing", start: "A:a,b",
            undone: [.reloadItems(["a"]), .setStarred(["b"], true)], meanwhile: [.setStarred(["a"], true)],
            result: "A:a*,b"),
    ]

    @Test(arguments: moves + arrivals + wholeStates + values)
    func undo(_ row: Row) throws {
        let fixture = try StoreFixture(row.start)
        let undone = try fixture.write(row.undone)
        for operation in row.meanwhile { _ = try fixture.write(operation) }
        let before = try #require(fixture.head)
        let result = try fixture.undo(undone.version)
        #expect(Self.marked(try #require(fixture.head).state) == row.result)
        #expect(result.outcomes == row.outcomes)
        let changes = try #require(result.changes)
        let after = try #require(fixture.head)
        #expect(result.kind == (ListImage(before.state) == ListImage(after.state) ? .unchanged : .changed))
        #expect(
            Rows(of: before.state, view: .items).applying(changes, view: .items) == Rows(of: after.state, view: .items))
    }

    /// Rows that come back in front of other rows are inserted as one edit, not row by row. Otherwise the log could get
    /// a million moves.
    @Test func whatComesBackIsOneEdit() throws {
        let journal = TestJournal()
        let rows = (0..<100).map { "r\($0)" }.joined(separator: ",")
        let fixture = try StoreFixture("A:\(rows) B:b", journal: journal)
        let deletion = try fixture.write([.deleteItems((0..<100).map { ItemID(unchecked: "r\($0)") })]).version
        _ = try fixture.write([.appendItems([Self.new("n")], .section("A"))])
        _ = try fixture.undo(deletion)
        fixture.store.stop()
        #expect(Self.marked(try #require(fixture.head).state) == "A:\(rows),n B:b")
        let last = try #require(journal.entries.last)
        guard case .append(let transaction) = try Record(last.bytes) else {
            Issue.record("\(last)")
            return
        }
        #expect(transaction.edits.count == 1)
    }

    /// The rows with a `*` behind starred items, and with kinds that are not the default.
    private static func marked(_ state: ListState) -> String {
        state.sectionHandles.map { section in
            let rows = state.rows(of: section).map { row in
                let kind = state[row].kind == Item.defaultKind ? "" : "/\(state[row].kind)"
                return "\(state[row].id)\(state[row].isStarred ? "*" : "")\(kind)"
            }
            return "\(state[section].id):" + rows.joined(separator: ",")
        }.joined(separator: " ")
    }

    /// No other client has written in between. An undo gives exactly the old state, and a redo the new one.
    @Test(arguments: moves + arrivals + wholeStates + values)
    func exactly(_ row: Row) throws {
        let fixture = try StoreFixture(row.start)
        let before = ListImage(try #require(fixture.head).state)
        let version = try fixture.write(row.undone).version
        let after = ListImage(try #require(fixture.head).state)
        for _ in 0..<2 {
            #expect(try fixture.undo(version).outcomes == [.applied])
            #expect(ListImage(try #require(fixture.head).state) == before)
            #expect(try fixture.redo(version).outcomes == [.applied])
            #expect(ListImage(try #require(fixture.head).state) == after)
        }
    }
}
