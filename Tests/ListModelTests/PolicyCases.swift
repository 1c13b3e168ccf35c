import JSONValue
import ListModel
import TestSupport
import Testing

/// Cases 54 and 56 to 58 of docs/model.md section 15: items that may not move, and the values that an item keeps.
@Suite struct PolicyCases {
    static let fixed: ListOperation = {
        var changes = ItemChanges()
        changes.isReorderable = .set(false)
        return .updateItem("b", changes)
    }()

    static let fixedSection: ListOperation = {
        var changes = SectionChanges()
        changes.isReorderable = .set(false)
        return .updateSection("A", changes)
    }()

    static func header(of section: SectionID) -> ListOperation {
        var changes = SectionChanges()
        changes.layout = .set(JSONText(["kind": "list", "headerMode": "firstItemInSection"]))
        return .updateSection(section, changes)
    }

    static let headers: ListOperation = {
        var changes = ListChanges()
        changes.layout = .set(JSONText(["kind": "list", "headerMode": "firstItemInSection"]))
        return .updateList(changes)
    }()

    static let accepted = [
        Case(
            name: "case 54: others move past an item that is fixed", list: "A:a,b,c",
            operations: [fixed, .moveItem("a", .anchor(ItemAnchor(.after, "b")))], result: "A:b,a,c"),
        Case(
            name: "case 54: a fixed item can be deleted", list: "A:a,b,c", operations: [fixed, .deleteItems(["b"])],
            result: "A:a,c"),
        Case(
            name: "case 54: a fixed item travels with its parent", list: "A:p{b},c",
            operations: [fixed, .moveItem("p", .last(.section("A")))], result: "A:c,p{b}"),
        Case(
            name: "case 54: others move behind the header", list: "A:h,a,b B:x",
            operations: [header(of: "A"), .moveItem("x", .anchor(ItemAnchor(.after, "h")))], result: "A:h,x,a,b B:"),
        Case(
            name: "case 54: an empty section takes its header", list: "A: B:x",
            operations: [header(of: "A"), .moveItem("x", .first(.section("A")))], result: "A:x B:"),
        Case(
            name: "case 54: what moves to where it is, is no move", list: "A:h,b,c",
            operations: [header(of: "A"), fixed, .moveItem("b", .anchor(ItemAnchor(.before, "c")))], result: "A:h,b,c"),
    ]

    @Test(arguments: accepted)
    func accept(_ row: Case) throws { try row.check() }

    struct Forbidden: Sendable, CustomTestStringConvertible {
        var name: String
        var list: String
        /// The operation that forbids the move.
        var policy: ListOperation
        var operation: ListOperation
        var item: ItemID
        var testDescription: String { name }
    }

    static let forbidden = [
        Forbidden(
            name: "case 54: a fixed item", list: "A:a,b,c", policy: fixed,
            operation: .moveItem("b", .last(.section("A"))), item: "b"),
        Forbidden(
            name: "case 54: a fixed item, by append", list: "A:a,b,c B:x", policy: fixed,
            operation: .appendItems(bare("a", "b"), .section("B")), item: "b"),
        Forbidden(
            name: "case 54: an item of a fixed section", list: "A:a,b B:x", policy: fixedSection,
            operation: .moveItem("a", .anchor(ItemAnchor(.after, "x"))), item: "a"),
        Forbidden(
            name: "case 54: the header", list: "A:h,a B:x", policy: header(of: "A"),
            operation: .moveItem("h", .last(.section("B"))), item: "h"),
        Forbidden(
            name: "case 54: the header, by the list's layout", list: "A:h,a B:x", policy: headers,
            operation: .moveItem("h", .last(.section("A"))), item: "h"),
        Forbidden(
            name: "case 54: before the header", list: "A:h,a B:x", policy: header(of: "A"),
            operation: .moveItem("x", .anchor(ItemAnchor(.before, "h"))), item: "h"),
        Forbidden(
            name: "case 54: first in the header's section", list: "A:h,a", policy: header(of: "A"),
            operation: .moveItem("a", .first(.section("A"))), item: "h"),
        Forbidden(
            name: "case 54: a new item before the header", list: "A:h,a", policy: header(of: "A"),
            operation: .insertItems(new("n"), ItemAnchor(.before, "h")), item: "h"),
        Forbidden(
            name: "case 54: a child of the header before it", list: "A:h{c},a", policy: header(of: "A"),
            operation: .moveItem("c", .anchor(ItemAnchor(.before, "h"))), item: "h"),
        Forbidden(
            name: "case 54: fixed children in another order", list: "A:p{a,b},c", policy: fixed,
            operation: .replaceChildren("p", bare("b", "a")), item: "b"),
    ]

    @Test(arguments: forbidden)
    func forbid(_ row: Forbidden) throws {
        var list = try ListState(notation: row.list)
        try list.run(row.policy)
        let before = ListImage(list)
        var log = TransactionLog()
        #expect(throws: ModelError.notReorderable(row.item)) {
            try list.apply(row.operation, rules: .lenient, into: &log)
        }
        list.forget(log.delta)
        #expect(ListImage(list) == before)
    }

    @Test("case 56: an item that moves to another section keeps id, content and star")
    func moveKeepsTheItem() throws {
        var list = try ListState(notation: "smileys:*happy nature:fox")
        var changes = ItemChanges()
        changes.content = .replace(JSONText(["text": "😀", "category": "smileys"]))
        changes.kind = .set("emoji")
        try list.run(.updateItem("happy", changes))
        let before = try list.item("happy")
        let handle = list.handle(of: "happy" as ItemID)
        try list.run(.moveItem("happy", .anchor(ItemAnchor(.before, "fox"))))
        #expect(try list.item("happy") == before)
        #expect(list.handle(of: "happy" as ItemID) == handle)
        #expect(list.notation == "smileys: nature:*happy,fox")
        try list.run(.appendItems(bare("happy"), .section("smileys")))
        #expect(try list.item("happy") == before)
    }

    @Test(
        "case 57: twins go their own ways, and may sit in one section",
        arguments: [
            (.setStarred(["smileys.rofl"], true), "recents:recents.rofl smileys:*smileys.rofl"),
            (.deleteItems(["recents.rofl"]), "recents: smileys:smileys.rofl"),
            (.moveItem("recents.rofl", .last(.section("smileys"))), "recents: smileys:smileys.rofl,recents.rofl"),
        ] as [(ListOperation, String)])
    func twins(operation: ListOperation, result: String) throws {
        var list = try ListState(notation: "recents:recents.rofl smileys:smileys.rofl")
        var text = ItemChanges()
        text.content = .replace(JSONText(["text": "🤣"]))
        try list.run(.updateItem("recents.rofl", text), .updateItem("smileys.rofl", text))
        try list.run(operation)
        #expect(list.notation == result)
        #expect(try list.item("smileys.rofl").content == JSONText(["text": "🤣"]))
    }

    @Test("case 58: a star that is set, or gone, already is no change")
    func starTwice() throws {
        var list = try ListState(notation: "L:a,h{c}")
        #expect(try list.run(.setStarred(["a"], true)).edits.count == 1)
        #expect(try list.run(.setStarred(["a"], true)).edits.isEmpty)
        try list.run(.setStarred(["a"], false))
        #expect(try list.run(.setStarred(["a"], false)).edits.isEmpty)
        #expect(list.notation == "L:a,h{c}")
    }

    @Test("case 58: a star touches its row only")
    func starOneRow() throws {
        var list = try ListState(notation: "L:a,+h{c},b")
        let log = try list.run(.setStarred(["h"], true))
        #expect(list.notation == "L:a,+*h{c},b")
        #expect(log.delta.past.items.map(\.item) == [try #require(list.handle(of: "h" as ItemID))])
        #expect(log.delta.past.sections.isEmpty && log.delta.steps.isEmpty)
        try list.run(.toggleStar("h"), .toggleStar("c"))
        #expect(list.notation == "L:a,+h{*c},b")
    }

    @Test(arguments: [
        Refusal(
            name: "case 58: a star for what is not there", list: "L:a", operations: [.setStarred(["a", "zz"], true)],
            error: .unknownItem("zz")),
        Refusal(
            name: "case 58: a toggle of what is not there", list: "L:a", operations: [.toggleStar("zz")],
            error: .unknownItem("zz")),
    ])
    func refuse(_ row: Refusal) throws { try row.check() }
}
