import ClientState
import ListDiff
import ListModel
import TestSupport
import Testing
import Texts

/// A window shows edits as far as its rows tell.
@Suite struct LocalPartTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let operations: [ListModel.Operation]
        let shown: String

        init(_ description: String, _ operations: [ListModel.Operation], _ shown: String) {
            (testDescription, self.operations, self.shown) = (description, operations, shown)
        }
    }

    private static func new(_ id: ItemID) -> [NewItem] { [NewItem(id, value: ItemChanges())] }

    /// The list is A: a b c(d(e f)) g; B: h i j; C. The window has e, f, g, h and i. A dot is a level.
    static let cases = [
        Case("nothing", [], "A: ..e ..f g B: h i C:"),
        Case("a move within", [.moveItem("i", .anchor(ItemAnchor(.before, "g")))], "A: ..e ..f i g B: h C:"),
        Case(
            "a move beside a row below others", [.moveItem("h", .anchor(ItemAnchor(.after, "e")))],
            "A: ..e ..h ..f g B: i C:"),
        Case("out of what is above", [.moveItem("f", .anchor(ItemAnchor(.after, "g")))], "A: ..e g f B: h i C:"),
        Case("beside a row above", [.moveItem("g", .anchor(ItemAnchor(.before, "b")))], "A: ..e ..f g B: h i C:"),
        Case("beside a row below", [.moveItem("g", .anchor(ItemAnchor(.after, "j")))], "A: ..e ..f g B: h i C:"),
        Case("to an end that is held", [.moveItem("i", .last(.section("A")))], "A: ..e ..f g i B: h C:"),
        Case("to a beginning that is held", [.moveItem("g", .first(.section("B")))], "A: ..e ..f B: g h i C:"),
        Case("to an end below", [.moveItem("g", .last(.section("B")))], "A: ..e ..f g B: h i C:"),
        Case("to a beginning above", [.moveItem("i", .first(.section("A")))], "A: ..e ..f g B: h i C:"),
        Case("to a section below", [.moveItem("i", .first(.section("C")))], "A: ..e ..f g B: h i C:"),
        Case(
            "below a row", [.moveItem("i", .last(.parent("g"))), .setExpanded(["g"], true)], "A: ..e ..f g .i B: h C:"),
        Case("new beside a row", [.insertItems(new("x"), ItemAnchor(.after, "e"))], "A: ..e ..x ..f g B: h i C:"),
        Case("new at an end below", [.appendItems(new("x"), .section("B"))], "A: ..e ..f g B: h i C:"),
        Case("new at the end of the list", [.appendItems(new("x"), nil)], "A: ..e ..f g B: h i C:"),
        Case(
            "new beside a row that is not held", [.insertItems(new("x"), ItemAnchor(.after, "a"))],
            "A: ..e ..f g B: h i C:"),
        Case(
            "guarded by a parent above", [.moveItem("g", .anchor(ItemAnchor(.before, "f", guardedBy: .parent("d"))))],
            "A: ..e ..g ..f B: h i C:"),
        Case(
            "rows of both kinds", [.deleteItems(["a", "h", "j"]), .setStarred(["i", "b"], true)],
            "A: ..e ..f g B: i* C:"),
        Case("a row above", [.updateItem("a", ItemChanges())], "A: ..e ..f g B: h i C:"),
        Case(
            "a section", [.deleteSections(["B"]), .appendSections([NewSection(SectionProperties(id: "D"))])],
            "A: ..e ..f g C: D:"),
        Case(
            "a whole state", [.applySnapshot(WantedSnapshot(changes: ListChanges(), sections: []))],
            "A: ..e ..f g B: h i C:"),
        Case(
            "then another", [.moveItem("g", .anchor(ItemAnchor(.before, "b"))), .deleteItems(["h"])],
            "A: ..e ..f g B: i C:"),
    ]

    private static func list() throws -> ListState {
        var list = ListState(ListProperties(title: "T"))
        try list.commit([
            .appendSections(["A", "B", "C"].map { NewSection(SectionProperties(id: $0)) }),
            .appendItems(["a", "b", "c"].flatMap(new), .section("A")), .appendItems(new("d"), .parent("c")),
            .appendItems(["e", "f"].flatMap(new), .parent("d")), .appendItems(new("g"), .section("A")),
            .appendItems(["h", "i", "j"].flatMap(new), .section("B")), .setExpanded(["c", "d"], true),
        ])
        return list
    }

    private static func window(of server: ServerDouble) throws -> LocalPart {
        var query = RowQuery(.visible)
        query.window = Window(around: "g", before: 2, after: 2)
        var part = LocalPart(query)
        _ = try part.take(told(server.event(since: nil, query)))
        return part
    }

    private static func told(_ event: (name: ByteText, data: [UInt8])) throws -> ToldRows {
        guard case .rows(_, let told)? = try StreamEvent(name: event.name, data: event.data, isPart: true) else {
            throw Nothing()
        }
        return told
    }

    private struct Nothing: Error {}

    private static func shown(_ part: LocalPart) -> String {
        part.sectionHandles.map { section in
            let rows = part.items(of: section).compactMap { part.row(of: $0) }
            let words = rows.map {
                String(repeating: ".", count: $0.level) + "\($0.item.id)" + ($0.item.isStarred ? "*" : "")
            }
            return (["\(part.state[section].id):"] + words).joined(separator: " ")
        }.joined(separator: " ")
    }

    @Test("An edit shows as far as the rows tell", arguments: cases)
    func edit(_ row: Case) throws {
        var part = try Self.window(of: ServerDouble(Self.list()))
        _ = part.show(PendingEdit(id: 1, operations: row.operations))
        #expect(Self.shown(part) == row.shown)
        _ = part.refuse([1])
        #expect(Self.shown(part) == Self.cases[0].shown && part.pending.isEmpty)
    }

    /// The holders of rows, which guard the anchors of edits.
    @Test func knowsTheHoldersOfRows() throws {
        let part = try Self.window(of: ServerDouble(Self.list()))
        #expect(part.container(around: "e") == .parent("d") && part.container(around: "g") == .section("A"))
        #expect(part.container(around: "a") == nil && part.row(of: "e")?.parent == "d")
        #expect(part.window == WindowPlace(start: 4, total: 10) && part.counts.items == 10)
        // To the front of what is held, which is not the front of the list.
        let removal = Reorder.Change(offset: 1, element: "i", associatedOffset: 0)
        let insertion = Reorder.Change(offset: 0, element: "i", associatedOffset: 1)
        let order = Reorder.SectionOrder("B", .difference(insertions: [insertion], removals: [removal]))
        #expect(try part.moves(for: [order]) == [.moveItem("i", .anchor(ItemAnchor(.before, "h")))])
    }

    /// A pending edit shows until the version of its answer is held, also if nothing else tells of that version.
    @Test func anEditEndsWithTheVersionOfItsAnswer() throws {
        var server = ServerDouble(try Self.list())
        var part = try Self.window(of: server)
        _ = part.show(PendingEdit(id: 1, operations: [.deleteItems(["a"])]))
        try server.write([.deleteItems(["a"])])
        _ = part.settle([1], at: server.version)
        #expect(part.pending.count == 1)
        _ = part.advance(to: server.version)
        #expect(part.pending.isEmpty && part.version == server.version)
        #expect(throws: Mismatch.self) { try part.take(.list(server.catchup(since: nil))) }
    }
}
