import JSONValue
import TestSupport
import Testing
import Texts

@testable import ListAPI

/// All errors of a body at once.
@Suite struct ManyErrorsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var method: String
        var target: String
        var body: String
        /// Pointer and code of each error, in order.
        var errors: [String]
        var testDescription: String { "\(method) \(target) \(body)" }

        init(_ method: String, _ target: String, _ body: String, _ errors: [String]) {
            self.method = method
            self.target = "/v1/lists/l" + target
            self.body = body
            self.errors = errors
        }
    }

    static let rows = [
        Row(
            "POST", "/items", #"{"items":[{"id":"n","a":1,"b":2,"kind":""}]}"#,
            [
                "/items/0/a unknown_member", "/items/0/b unknown_member", "/items/0/kind invalid_format",
            ]),
        Row(
            "POST", "/items", #"{"itms":[],"sectoin":"s"}"#,
            [
                "/itms unknown_member", "/sectoin unknown_member", "/items missing_member",
            ]),
        Row(
            "POST", "/items", #"{"base":1,"label":2,"items":[1,{"id":"n"},{"id":""}]}"#,
            [
                "/base wrong_type", "/label wrong_type", "/items/0 wrong_type", "/items/2/id out_of_bounds",
            ]),
        // A place that is wrong is one error, and not also one that is missing.
        Row(
            "POST", "/transactions", #"{"operations":[{"op":"insertItems","items":["a"],"before":1}]}"#,
            [
                "/operations/0/before wrong_type"
            ]),
        Row(
            "POST", "/transactions", #"{"operations":[{"op":"fly"},{"op":"moveItem","item":1},{}]}"#,
            [
                "/operations/0/op unknown_op", "/operations/1/item wrong_type", "/operations/2/op missing_member",
            ]),
        Row(
            "POST", "/transactions", #"{"operations":[{"op":"starItems","items":["a","a",1]},1],"x":1}"#,
            [
                "/x unknown_member", "/operations/0/items/1 repeated_id", "/operations/0/items/2 wrong_type",
                "/operations/1 wrong_type",
            ]),
        Row(
            "PUT", "", #"{"title":1,"sections":[{"id":"s","items":[{"id":"a","x":1}],"layout":{}},{"items":7}]}"#,
            [
                "/title wrong_type", "/sections/0/layout/kind missing_member", "/sections/0/items/0/x unknown_member",
                "/sections/1/id missing_member",
            ]),
        Row(
            "POST", "/reorders", #"{"base":"e1-1","sections":{"s":{"final":[1]},"t":{},"":{"final":[]}}}"#,
            [
                "/sections/s/final/0 wrong_type", "/sections/t missing_member", "/sections/ out_of_bounds",
            ]),
        Row(
            "PATCH", "/sections/s", #"{"title":1,"header":2,"layout":3,"colour":4}"#,
            [
                "/colour unknown_member", "/title wrong_type", "/layout wrong_type", "/header wrong_type",
            ]),
    ]

    @Test(arguments: rows)
    func allAreTold(_ row: Row) throws {
        let harness = try Harness()
        let before = try harness.ask("GET", "/v1/lists/l").text
        let reply = try harness.ask(row.method, row.target, Harness.json, row.body)
        #expect(reply.status == 422)
        #expect(Set(Self.errors(reply)) == Set(row.errors), "\(reply.text)")
        #expect(Self.errors(reply).count == row.errors.count)
        #expect(try harness.ask("GET", "/v1/lists/l").text == before)
    }

    private static func errors(_ reply: Reply) -> [String] {
        (reply.json["errors"]?.elements ?? []).map { "\($0["pointer"]?.string ?? "") \($0["code"]?.string ?? "")" }
    }

    @Test func atMostTwenty() throws {
        let items = Array(repeating: "1", count: 300).joined(separator: ",")
        let reply = try Harness().ask("POST", "/v1/lists/l/items", Harness.json, #"{"items":[\#(items)]}"#)
        #expect(Self.errors(reply) == (0..<20).map { "/items/\($0) wrong_type" })
        #expect(reply.json["detail"]?.string?.hasSuffix("There are 19 more errors: see errors.") == true)
    }

    /// The first error decides the status, also of one that is not about the schema.
    @Test func theFirstDecides() throws {
        let long = String(repeating: "x", count: 100)
        let tooLarge = #"{"id":"n","content":{"x":"\#(long)"}}"#
        let first = try Harness().ask("POST", "/v1/lists/l/items", Harness.json, #"{"items":[\#(tooLarge),1]}"#)
        #expect(first.status == 413)
        #expect(Self.errors(first) == ["/items/0/content content_too_large", "/items/1 wrong_type"])
        let second = try Harness().ask("POST", "/v1/lists/l/items", Harness.json, #"{"items":[1,\#(tooLarge)]}"#)
        #expect(second.status == 422)
        #expect(Self.errors(second) == ["/items/0 wrong_type", "/items/1/content content_too_large"])
    }

    @Test func theFirstOperationIsNamed() throws {
        let body = #"{"operations":[{"op":"deleteAllItems"},{"op":"fly"},{"op":"swim"}]}"#
        let reply = try Harness().ask("POST", "/v1/lists/l/transactions", Harness.json, body)
        #expect(reply.json["op"] == 1)
        #expect(Self.errors(reply).count == 2)
    }

    static let names: [(sent: ByteText, known: [ByteText], nearest: ByteText?)] = [
        ("contnet", ["id", "content", "kind"], "content"), ("conten", ["id", "content"], "content"),
        ("Content", ["id", "content"], "content"), ("text", ["id", "content"], nil),
        ("operation", ["op", "items"], "op"), ("item", ["op", "items"], "items"), ("item", ["item", "items"], "item"),
        ("move", ["moveSection", "moveItem"], "moveItem"), ("xy", ["ab", "cd"], nil), ("", ["a"], nil),
        ("deleteItem", ["deleteItems", "deleteSections"], "deleteItems"), ("stared", ["starred"], "starred"),
        (ByteText(String(repeating: "content", count: 10)), ["content"], nil),
    ]

    @Test func theNearestIsTold() {
        for (sent, known, nearest) in Self.names {
            #expect(KnownNames(sent, among: known).nearest == nearest, "\(sent)")
        }
    }

    /// A name is told only if it is short, and never at the cost of its length.
    @Test func longNamesAreNotTold() throws {
        let name = String(repeating: "n", count: 1_500)
        let reply = try Harness().ask("POST", "/v1/lists/l/items", Harness.json, #"{"items":[],"\#(name)":1}"#)
        #expect(reply.status == 422)
        #expect(!reply.text.contains("nnnn"))
        #expect(reply.json["errors"]?[0]?["known"]?.elements.isEmpty == false)
    }
}
