import JSONValue
import ListModel
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Errors in the schema of a transaction, with the place that the answer must name.
@Suite struct WireRefusalTests {
    struct Row: Sendable, CustomTestStringConvertible {
        /// One operation.
        var text: String
        var pointer: String
        var code: String
        var testDescription: String { text }

        init(_ text: String, _ pointer: String, _ code: String) {
            self.text = text
            self.pointer = pointer
            self.code = code
        }
    }

    static let longID = String(repeating: "é", count: 128)

    static let operations = [
        Row("1", "", "wrong_type"),
        Row("[]", "", "wrong_type"),
        Row("null", "", "wrong_type"),
        Row("{}", "/op", "missing_member"),
        Row(#"{"op":null}"#, "/op", "wrong_type"),
        Row(#"{"op":"starItem"}"#, "/op", "unknown_op"),
        Row(#"{"op":"toggleStar","item":"a"}"#, "/op", "unknown_op"),
        Row(#"{"op":"deleteAllItems","items":[]}"#, "/items", "unknown_member"),
        Row(#"{"op":"updateItem","item":"a","starred":null}"#, "/starred", "wrong_type"),
        Row(#"{"op":"updateItem","item":"a","merge":true}"#, "/content", "missing_member"),
        Row(#"{"op":"updateItem","item":"a","content":null}"#, "/content", "wrong_type"),
        Row(#"{"op":"updateItem","item":"a","content":{},"merge":1}"#, "/merge", "wrong_type"),
        Row(#"{"op":"updateItem","content":{}}"#, "/item", "missing_member"),
        Row(#"{"op":"updateItem","item":"a","kind":""}"#, "/kind", "invalid_format"),
        Row(#"{"op":"updateItem","item":"a","kind":"a b"}"#, "/kind", "invalid_format"),
        Row(
            #"{"op":"updateItem","item":"a","kind":"\#(String(repeating: "k", count: 65))"}"#, "/kind", "invalid_format"
        ),
        Row(#"{"op":"updateList","title":null}"#, "/title", "wrong_type"),
        Row(#"{"op":"updateList","layout":[]}"#, "/layout", "wrong_type"),
        Row(#"{"op":"updateList","layout":{}}"#, "/layout/kind", "missing_member"),
        Row(#"{"op":"updateList","layout":{"kind":"spiral"}}"#, "/layout/kind", "unknown_value"),
        Row(#"{"op":"updateList","layout":{"kind":"list","group":{}}}"#, "/layout/group", "unknown_member"),
        Row(
            #"{"op":"updateSection","section":"a","layout":{"kind":"grid","a/b":1}}"#, "/layout/a~1b", "unknown_member"),
        Row(
            #"{"op":"updateSection","section":"a","layout":{"kind":"grid","insets":{"top":1e9}}}"#,
            "/layout/insets/top", "out_of_bounds"),
        Row(
            #"{"op":"appendSections","sections":["a",{"id":"b","layout":{"kind":"list","leadingSwipe":["star","star"]}}]}"#,
            "/sections/1/layout/leadingSwipe/1", "repeated_value"),
        Row(
            #"{"op":"applySnapshot","sections":[{"id":"b","layout":{"kind":"list","cells":{"a":{"style":"x"}}}}]}"#,
            "/sections/0/layout/cells/a/style", "unknown_member"),
        Row(
            #"{"op":"applySectionSnapshot","id":"b","layout":{"kind":"list","cells":{"a b":{}}}}"#,
            "/layout/cells/a b", "invalid_format"),
        Row(#"{"op":"updateSection","section":"a","reorderable":null}"#, "/reorderable", "wrong_type"),
        Row(#"{"op":"updateSection","section":"a","header":1}"#, "/header", "wrong_type"),
        Row(
            #"{"op":"updateSection","section":"a","title":"\#(String(repeating: "t", count: 4097))"}"#, "/title",
            "out_of_bounds"),
    ]

    static let ids = [
        Row(#"{"op":"starItems","items":"a"}"#, "/items", "wrong_type"),
        Row(#"{"op":"starItems","items":null}"#, "/items", "wrong_type"),
        Row(#"{"op":"starItems","items":["a",1]}"#, "/items/1", "wrong_type"),
        Row(#"{"op":"starItems","items":[{"id":"a"}]}"#, "/items/0", "wrong_type"),
        Row(#"{"op":"starItems","items":["a","b","a"]}"#, "/items/2", "repeated_id"),
        Row(#"{"op":"starItems","items":["a",""]}"#, "/items/1", "out_of_bounds"),
        Row(#"{"op":"starItems","items":["\u0000"]}"#, "/items/0", "out_of_bounds"),
        Row(#"{"op":"starItems","items":["a\nb"]}"#, "/items/0", "out_of_bounds"),
        Row(#"{"op":"starItems","items":["\u0085"]}"#, "/items/0", "out_of_bounds"),
        Row(#"{"op":"starItems","items":["\#(longID)"]}"#, "/items/0", "out_of_bounds"),
        Row(#"{"op":"deleteSections","sections":["a","a"]}"#, "/sections/1", "repeated_id"),
        Row(#"{"op":"moveSection","section":"","before":"b"}"#, "/section", "out_of_bounds"),
    ]

    static let places = [
        Row(#"{"op":"moveSection","section":"a"}"#, "", "missing_member"),
        Row(#"{"op":"moveSection","section":"a","before":"b","after":"c"}"#, "/after", "conflicting_members"),
        Row(#"{"op":"insertItems","items":["a"]}"#, "", "missing_member"),
        Row(#"{"op":"insertItems","items":["a"],"section":"s"}"#, "", "missing_member"),
        Row(#"{"op":"insertItems","items":["a"],"before":"b","after":"b"}"#, "/after", "conflicting_members"),
        Row(
            #"{"op":"insertItems","items":["a"],"before":"b","section":"s","parent":"p"}"#, "/parent",
            "conflicting_members"),
        Row(#"{"op":"appendItems","items":["a"],"section":"s","parent":"p"}"#, "/parent", "conflicting_members"),
        Row(#"{"op":"appendItems","items":["a"],"before":"b"}"#, "/before", "unknown_member"),
        Row(#"{"op":"appendItems","items":["a"],"section":null}"#, "/section", "wrong_type"),
        Row(#"{"op":"moveItem","item":"a"}"#, "", "missing_member"),
        Row(#"{"op":"moveItem","item":"a","at":"first"}"#, "", "missing_member"),
        Row(#"{"op":"moveItem","item":"a","section":"s","at":"middle"}"#, "/at", "unknown_value"),
        Row(#"{"op":"moveItem","item":"a","section":"s","at":0}"#, "/at", "wrong_type"),
        Row(#"{"op":"moveItem","item":"a","before":"b","at":"first"}"#, "/at", "conflicting_members"),
        Row(#"{"op":"moveItem","item":"a","before":"b","section":"s","at":"last"}"#, "/at", "conflicting_members"),
        Row(#"{"op":"moveItem","item":"a","section":"s","parent":"p"}"#, "/parent", "conflicting_members"),
    ]

    static let arguments = [
        Row(#"{"op":"appendItems"}"#, "/items", "missing_member"),
        Row(#"{"op":"appendItems","items":[{"id":null}]}"#, "/items/0/id", "wrong_type"),
        Row(#"{"op":"replaceChildren","parent":"p","items":[{}]}"#, "/items/0/id", "missing_member"),
        Row(#"{"op":"appendItems","items":[1]}"#, "/items/0", "wrong_type"),
        Row(#"{"op":"appendItems","items":["a",{"id":"a"}]}"#, "/items/1", "repeated_id"),
        Row(#"{"op":"appendItems","items":[{"id":"a","level":0}]}"#, "/items/0/level", "unknown_member"),
        Row(#"{"op":"appendItems","items":[{"id":"a","kind":null}]}"#, "/items/0/kind", "wrong_type"),
        Row(#"{"op":"appendItems","items":[{"id":"a","parent":null}]}"#, "/items/0/parent", "wrong_type"),
        Row(#"{"op":"appendItems","items":[{"id":"a","starred":null}]}"#, "/items/0/starred", "wrong_type"),
        Row(#"{"op":"appendItems","items":[{"id":"a","content":[]}]}"#, "/items/0/content", "wrong_type"),
        Row(
            #"{"op":"appendItems","items":[{"id":"a","content":{"t":"\#(String(repeating: "t", count: 57))"}}]}"#,
            "/items/0/content", "content_too_large"),
        Row(#"{"op":"appendSections","sections":[{"id":"a","title":null}]}"#, "/sections/0/title", "wrong_type"),
        Row(#"{"op":"appendSections","sections":["a",{"id":"a"}]}"#, "/sections/1", "repeated_id"),
        Row(
            #"{"op":"appendSections","sections":[{"id":"a","items":["i"]},{"id":"b","items":["j","i"]}]}"#,
            "/sections/1/items/1", "repeated_id"),
        Row(
            #"{"op":"replaceChildren","parent":"p","items":[{"id":"a","id2":1}]}"#, "/items/0/id2", "unknown_member"),
        Row(#"{"op":"replaceChildren","items":[]}"#, "/parent", "missing_member"),
        Row(#"{"op":"applySnapshot","partial":true}"#, "/partial", "partial_snapshot"),
        Row(#"{"op":"applySnapshot","snapshot":{"partial":true}}"#, "/snapshot/partial", "partial_snapshot"),
        Row(#"{"op":"applySnapshot","snapshot":{},"title":"T"}"#, "/title", "unknown_member"),
        Row(#"{"op":"applySnapshot","sections":["a"]}"#, "/sections/0", "wrong_type"),
        Row(#"{"op":"applySnapshot","sections":[{"items":[]}]}"#, "/sections/0/id", "missing_member"),
        Row(
            #"{"op":"applySnapshot","sections":[{"id":"a","items":["i"]},{"id":"b","items":["i"]}]}"#,
            "/sections/1/items/0", "repeated_id"),
        Row(#"{"op":"applySnapshot","sections":[{"id":"a"},{"id":"a"}]}"#, "/sections/1", "repeated_id"),
        Row(#"{"op":"applySectionSnapshot","items":[]}"#, "", "missing_member"),
        Row(#"{"op":"applySectionSnapshot","id":"s","section":"s"}"#, "/id", "conflicting_members"),
        Row(#"{"op":"applySectionSnapshot","section":{"id":"s"},"items":[]}"#, "/items", "unknown_member"),
        Row(#"{"op":"applySectionSnapshot","section":{"id":"s","x":1}}"#, "/section/x", "unknown_member"),
        Row(#"{"op":"applySectionSnapshot","id":"s","partial":true}"#, "/partial", "partial_snapshot"),
    ]

    /// The operation is the second of two, so that its index is tested too.
    @Test(arguments: operations + ids + places + arguments)
    func refuses(_ row: Row) throws {
        let body: JSONSlice = try json(#"{"operations":[{"op":"deleteAllItems"},\#(row.text)]}"#)
        let error = try #require(wireError { _ = try decoder.transactionBody(body) })
        #expect(error.pointer.string == "/operations/1" + row.pointer)
        #expect(error.code == row.code)
        #expect(error.operation == 1)
        #expect(!error.detail.isEmpty)
    }

    @Test func contentIsMeasuredMinified() throws {
        let filler = String(repeating: "t", count: 56)
        let fits: JSONSlice = try json(#"{"op":"updateItem","item":"a","content":{  "t" : "\#(filler)"  }}"#)
        guard case .updateItem(_, let changes) = try decoder.operation(fits),
            case .replace(let content) = changes.content
        else {
            Issue.record("no content in \(fits)")
            return
        }
        #expect(content.bytes.count == 64)
        let error = wireError {
            _ = try decoder.operation(json(#"{"op":"updateItem","item":"a","content":{"t":"\#(filler)t"}}"#))
        }
        #expect(error?.kind == .tooLarge(limit: .contentBytes, max: 64))
        #expect(error?.pointer == "/content")
    }

    @Test func operationsAreCounted() throws {
        let three = Array(repeating: #"{"op":"deleteAllItems"}"#, count: 3).joined(separator: ",")
        #expect(try decoder.transactionBody(json(#"{"operations":[\#(three)]}"#)).value.count == 3)
        let error = wireError { _ = try decoder.transactionBody(json(#"{"operations":[\#(three),1]}"#)) }
        #expect(error?.kind == .tooLarge(limit: .operations, max: 3))
        #expect(error?.pointer == "/operations")
        #expect(error?.operation == nil)
    }

    /// Canonically equal names are not the same name, in members or ids.
    @Test func comparesBytes() throws {
        let ids: JSONSlice = try json(#"{"op":"starItems","items":["\u00e9","e\u0301","😶🌫️","😶‍🌫️"]}"#)
        guard case .setStarred(let items, true) = try decoder.operation(ids) else {
            Issue.record("no ids in \(ids)")
            return
        }
        #expect(items.map { $0.rawValue.utf8.count } == [2, 3, 11, 14])
        #expect(Set(items).count == 4)
    }

    @Test func longNamesAreNotRepeated() throws {
        let name = String(repeating: "n", count: 256)
        let error = wireError { _ = try decoder.operation(json(#"{"op":"deleteAllItems","\#(name)":1}"#)) }
        #expect(error?.pointer == "")
        #expect(error?.code == "unknown_member")
    }
}
