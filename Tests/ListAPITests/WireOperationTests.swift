import JSONValue
import ListModel
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// The value that each operation of docs/contract.md section 4 is decoded to.
@Suite struct WireOperationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var text: String
        var operation: Operation
        var testDescription: String { text }

        init(_ text: String, _ operation: Operation) {
            self.text = text
            self.operation = operation
        }
    }

    static let sections = [
        Row(#"{"op":"appendSections","sections":[]}"#, .appendSections([])),
        Row(
            #"{"op":"appendSections","sections":["a",{"id":"b","title":"B","reorderable":false}]}"#,
            .appendSections([
                NewSection(SectionProperties(id: "a")),
                NewSection(SectionProperties(id: "b", title: "B", isReorderable: false)),
            ])),
        Row(
            #"{"op":"appendSections","sections":[{"id":"a","layout":{"kind":"grid"},"header":"H","footer":{},"items":["i"]}]}"#,
            .appendSections([
                NewSection(
                    SectionProperties(
                        id: "a", layout: JSONText(["kind": "grid"]), header: JSONText("H"), footer: .emptyObject),
                    items: [NewItem("i")])
            ])),
        Row(
            #"{"op":"insertSections","sections":[{"id":"a"}],"before":"b"}"#,
            .insertSections([NewSection(SectionProperties(id: "a"))], .before("b"))),
        Row(
            #"{"after":"b","sections":[{"id":"a"}],"op":"insertSections"}"#,
            .insertSections([NewSection(SectionProperties(id: "a"))], .after("b"))),
        Row(#"{"op":"deleteSections","sections":["a","b"]}"#, .deleteSections(["a", "b"])),
        Row(#"{"op":"reloadSections","sections":["a"]}"#, .reloadSections(["a"])),
        Row(#"{"op":"moveSection","section":"a","before":"b"}"#, .moveSection("a", .before("b"))),
        Row(#"{"op":"moveSection","section":"a","after":"a"}"#, .moveSection("a", .after("a"))),
        Row(#"{"op":"updateSection","section":"a"}"#, .updateSection("a", SectionChanges())),
        Row(
            #"{"op":"updateSection","section":"a","title":null,"layout":null,"header":{"t":1},"reorderable":false}"#,
            .updateSection(
                "a",
                {
                    var changes = SectionChanges()
                    changes.title = .set(nil)
                    changes.layout = .set(nil)
                    changes.header = .set(JSONText(["t": 1]))
                    changes.isReorderable = .set(false)
                    return changes
                }())),
        Row(
            #"{"op":"updateList","title":"T","layout":null}"#,
            .updateList(
                {
                    var changes = ListChanges()
                    changes.title = .set("T")
                    changes.layout = .set(nil)
                    return changes
                }())),
    ]

    static let items = [
        Row(#"{"op":"appendItems","items":["a"]}"#, .appendItems([NewItem("a")], nil)),
        Row(#"{"op":"appendItems","items":["a"],"section":"s"}"#, .appendItems([NewItem("a")], .section("s"))),
        Row(
            #"{"op":"appendItems","items":[{"id":"a","kind":"k","content":{"n":1.10},"expanded":true},{"id":"b","parent":"a"}],"parent":"p"}"#,
            .appendItems(
                [
                    NewItem(
                        "a",
                        value: ItemChanges {
                            $0.kind = .set("k")
                            $0.content = .replace(JSONText(unchecked: Array(#"{"n":1.10}"#.utf8)))
                            $0.isExpanded = .set(true)
                        }),
                    NewItem("b", parent: "a", value: ItemChanges()),
                ], .parent("p"))),
        Row(
            #"{"op":"insertItems","items":["a"],"before":"b"}"#,
            .insertItems([NewItem("a")], ItemAnchor(.before, "b"))),
        Row(
            #"{"op":"insertItems","items":["a"],"after":"b","section":"s"}"#,
            .insertItems([NewItem("a")], ItemAnchor(.after, "b", guardedBy: .section("s")))),
        Row(
            #"{"op":"insertItems","items":["a"],"before":"b","parent":"p"}"#,
            .insertItems([NewItem("a")], ItemAnchor(.before, "b", guardedBy: .parent("p")))),
        Row(#"{"op":"deleteItems","items":["a","b"]}"#, .deleteItems(["a", "b"])),
        Row(#"{"op":"deleteAllItems"}"#, .deleteAllItems),
        Row(#"{"op":"moveItem","item":"a","before":"b"}"#, .moveItem("a", .anchor(ItemAnchor(.before, "b")))),
        Row(
            #"{"op":"moveItem","item":"a","after":"b","parent":"p"}"#,
            .moveItem("a", .anchor(ItemAnchor(.after, "b", guardedBy: .parent("p"))))),
        Row(#"{"op":"moveItem","item":"a","section":"s"}"#, .moveItem("a", .last(.section("s")))),
        Row(#"{"op":"moveItem","item":"a","section":"s","at":"first"}"#, .moveItem("a", .first(.section("s")))),
        Row(#"{"op":"moveItem","item":"a","parent":"p","at":"last"}"#, .moveItem("a", .last(.parent("p")))),
        Row(
            #"{"op":"updateItem","item":"a","content":{"x":null}}"#,
            .updateItem("a", ItemChanges { $0.content = .replace(JSONText(["x": .null])) })),
        Row(
            #"{"op":"updateItem","item":"a","content":{"x":null},"merge":true,"kind":"k","reorderable":false}"#,
            .updateItem(
                "a",
                ItemChanges {
                    $0.content = .merge(JSONText(["x": .null]))
                    $0.kind = .set("k")
                    $0.isReorderable = .set(false)
                })),
        Row(#"{"op":"updateItem","item":"a","kind":"k"}"#, .updateItem("a", ItemChanges { $0.kind = .set("k") })),
        Row(#"{"op":"reconfigureItems","items":["a"]}"#, .reconfigureItems(["a"])),
        Row(#"{"op":"reloadItems","items":["a"]}"#, .reloadItems(["a"])),
        Row(#"{"op":"starItems","items":["a"]}"#, .setStarred(["a"], true)),
        Row(#"{"op":"unstarItems","items":["a"]}"#, .setStarred(["a"], false)),
        Row(#"{"op":"expandItems","items":["a"]}"#, .setExpanded(["a"], true)),
        Row(#"{"op":"collapseItems","items":[]}"#, .setExpanded([], false)),
    ]

    static let reset = ItemChanges {
        $0.kind = .set(Item.defaultKind)
        $0.content = .replace(.emptyObject)
        $0.isStarred = .set(false)
        $0.isExpanded = .set(false)
        $0.isReorderable = .set(true)
    }

    static let wantedSection = WantedSection(
        "s", items: [NewItem("a"), NewItem("b", parent: "a", value: ItemChanges { $0.isStarred = .set(true) })])

    static let wholeStates = [
        Row(
            #"{"op":"replaceChildren","parent":"p","items":["a",{"id":"b","parent":"a","level":1,"childCount":2}]}"#,
            .replaceChildren("p", [NewItem("a"), NewItem("b", parent: "a", value: ItemChanges())])),
        Row(
            #"{"op":"replaceChildren","parent":"p","items":[{"id":"a","parent":null,"kind":null,"content":null,"starred":null,"expanded":null,"reorderable":null}]}"#,
            .replaceChildren("p", [NewItem("a", value: reset)])),
        Row(#"{"op":"applySnapshot"}"#, .applySnapshot(WantedSnapshot(sections: []))),
        Row(
            #"{"op":"applySnapshot","id":"l","counts":{},"version":"e-1","partial":false,"title":"T","sections":[{"id":"s","items":["a",{"id":"b","parent":"a","starred":true}]}]}"#,
            .applySnapshot(
                WantedSnapshot(
                    changes: {
                        var changes = ListChanges()
                        changes.title = .set("T")
                        return changes
                    }(), sections: [wantedSection]))),
        Row(
            #"{"op":"applySnapshot","snapshot":{"sections":[{"id":"s","items":["a",{"id":"b","parent":"a","starred":true}]}]}}"#,
            .applySnapshot(WantedSnapshot(sections: [wantedSection]))),
        Row(
            #"{"op":"applySectionSnapshot","id":"s","items":["a",{"id":"b","parent":"a","starred":true}]}"#,
            .applySectionSnapshot(wantedSection)),
        Row(
            #"{"op":"applySectionSnapshot","section":"s","items":["a",{"id":"b","parent":"a","starred":true}]}"#,
            .applySectionSnapshot(wantedSection)),
        Row(
            #"{"op":"applySectionSnapshot","section":{"id":"s","list":"l","version":"e-1","items":["a",{"id":"b","parent":"a","starred":true}]}}"#,
            .applySectionSnapshot(wantedSection)),
        Row(
            #"{"op":"applySectionSnapshot","id":"s","reorderable":null,"title":null}"#,
            .applySectionSnapshot(
                WantedSection(
                    "s",
                    changes: {
                        var changes = SectionChanges()
                        changes.isReorderable = .set(true)
                        changes.title = .set(nil)
                        return changes
                    }(), items: []))),
    ]

    @Test(arguments: sections + items + wholeStates)
    func accepts(_ row: Row) throws {
        #expect(try decoder.operation(json(row.text)) == row.operation)
    }

    @Test func everyOperationIsInATable() throws {
        let named = try (Self.sections + Self.items + Self.wholeStates).map { row -> String in
            guard case .object(let object) = try json(row.text) as JSONValue, case .string(let op)? = object["op"]
            else { return "" }
            return op.string
        }
        #expect(Set(named) == Set(OperationName.sent.map(\.rawValue)))
    }

    /// An operation that needs members refuses an object without them. Every operation refuses an unknown member.
    @Test(arguments: OperationName.sent)
    func refusesStrangers(_ name: OperationName) throws {
        let error = wireError { _ = try decoder.operation(json(#"{"op":"\#(name)","x/~y":1}"#)) }
        #expect(error?.code == "unknown_member")
        #expect(error?.pointer == "/x~1~0y")
    }
}
