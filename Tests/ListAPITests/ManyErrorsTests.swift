import JSONValue
import TestSupport
import Testing
import Texts

@testable import ListAPI
@testable import ListWire

/// An answer tells all errors of a body at once.
@Suite struct ManyErrorsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var method: String
        var target: String
        var body: String
        /// The pointer and the code of each error, in order.
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
        // A place with an error is not also reported as missing.
        Row(
            "POST", "/transactions", #"{"operations":[{"op":"insertItems","items":["a"],"before":1}]}"#,
            [
                "/operations/0/before wrong_type"
            ]),
        Row(
            "POST", "/transactions", #"{"operations":[{"op":"fly"},{"op":"moveItem","item":1},{}]}"#,
            [
                "/operations/0/op unknown_op", "/operations/1/item wrong_type", "/operations/1 missing_member",
                "/operations/2/op missing_member",
            ]),
        // One error of an operation does not hide its other errors.
        Row(
            "POST", "/transactions",
            #"""
            {"operations":[{"op":"moveItem"},\#
            {"op":"moveItem","before":"a","after":"b","section":"s","parent":"p"}]}
            """#,
            [
                "/operations/0/item missing_member", "/operations/0 missing_member",
                "/operations/1/item missing_member", "/operations/1/after conflicting_members",
                "/operations/1/parent conflicting_members",
            ]),
        Row(
            "POST", "/transactions",
            #"{"operations":[{"op":"insertItems"},{"op":"insertSections"},{"op":"moveSection"}]}"#,
            [
                "/operations/0/items missing_member", "/operations/0 missing_member",
                "/operations/1/sections missing_member", "/operations/1 missing_member",
                "/operations/2/section missing_member", "/operations/2 missing_member",
            ]),
        Row(
            "POST", "/transactions",
            #"""
            {"operations":[{"op":"updateItem","kind":1,"merge":true},{"op":"replaceChildren","items":[{"content":1}]},\#
            {"op":"applySectionSnapshot","title":1,"items":[{"starred":1}]}]}
            """#,
            [
                "/operations/0/item missing_member", "/operations/0/kind wrong_type",
                "/operations/1/parent missing_member", "/operations/1/items/0/id missing_member",
                "/operations/1/items/0/content wrong_type", "/operations/2 missing_member",
                "/operations/2/title wrong_type", "/operations/2/items/0/starred wrong_type",
                "/operations/2/items/0/id missing_member",
            ]),
        Row(
            "POST", "/transactions", #"{"operations":[{"op":"appendSections","sections":[{"title":1,"items":1}]}]}"#,
            [
                "/operations/0/sections/0/title wrong_type", "/operations/0/sections/0/items wrong_type",
                "/operations/0/sections/0/id missing_member",
            ]),
        Row(
            "POST", "/reorders",
            #"{"sections":{"s":{"difference":{"removals":[{"isRemove":false,"offset":-1}]}},"t":1}}"#,
            [
                "/sections/s/difference/insertions missing_member",
                "/sections/s/difference/removals/0/isRemove unknown_value",
                "/sections/s/difference/removals/0/offset out_of_bounds",
                "/sections/s/difference/removals/0/element missing_member", "/sections/t wrong_type",
                "/base missing_member",
            ]),
        // The decoder reads on behind an error in a layout.
        Row(
            "PATCH", "", #"{"title":1,"layout":{"kind":"grid","columns":2,"group":{"item":{},"count":0}}}"#,
            [
                "/title wrong_type", "/layout/columns unknown_member", "/layout/group/direction missing_member",
                "/layout/group/width missing_member", "/layout/group/height missing_member",
                "/layout/group/item/width missing_member", "/layout/group/item/height missing_member",
                "/layout/group/count out_of_bounds",
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
                "/sections/1/id missing_member", "/sections/1/items wrong_type",
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

    static let queries = [
        ("/v1/lists/l?viev=items&done=1", "?viev ?done"), ("/v1/lists/l?viev=items&view=all", "?viev ?view"),
        ("/v1/lists/l?view=items&view=all", "?view ?view"),
        (
            "/v1/lists/l?view=all&expanded=%01&starred=1&kind=&where=x&where=a:1&sort=x&section=&before=x&at=1&limit=0",
            "?view ?starred ?kind ?where ?sort ?section ?before ?at ?limit"
        ),
        ("/v1/lists/l?cursor=x&limit=0", "?limit"), ("/v1/lists/l?cursor=x&view=all", "?view ?cursor"),
        ("/v1/lists?limit=0&cursor=NO&deleted=x", "?limit ?cursor ?deleted"),
        ("/v1/lists/l/transactions?limit=x&cursor=x", "?limit ?cursor"),
        (
            "/v1/lists/l/changes?since=1&until=2&mode=x&wait=x&view=x&around=%00",
            "?since ?view ?around ?until ?mode ?wait"
        ),
        ("/v1/lists/l/changes?since=e1-3&until=e1-2&mode=x", "?until ?mode"),
        ("/v1/changes?view=x&list=L", "?view ?list"),
    ]

    @Test(arguments: queries)
    func allParametersAreTold(_ target: String, _ pointers: String) throws {
        let accept = ["Accept": target.hasPrefix("/v1/changes") ? "text/event-stream" : "*/*"]
        let reply = try Harness().ask("GET", target, accept)
        #expect(reply.status == 422)
        let told = Self.errors(reply).map { $0.replacing(" parameter", with: "") }
        #expect(Set(told) == Set(pointers.split(separator: " ").map(String.init)), "\(reply.text)")
        #expect(told.count == pointers.split(separator: " ").count, "\(reply.text)")
    }

    @Test func atMostTwentyParameters() throws {
        let reply = try Harness().ask("GET", "/v1/lists/l?" + (0..<300).map { "x\($0)=1" }.joined(separator: "&"))
        #expect(Self.errors(reply).count == 20)
        #expect(reply.json["detail"]?.string?.hasSuffix("There are 19 more errors: see errors.") == true)
    }

    static let streams = [
        (
            #"{"lists":[1,{"list":"L","since":1,"x":1},{"list":"l"},{"list":"l"}],"view":"all","kind":7,"wait":1}"#,
            """
            /lists/0 wrong_type /lists/1/x unknown_member /lists/1/list invalid_format /lists/1/since wrong_type \
            /lists/3/list repeated_id /view parameter /kind wrong_type /wait unknown_member
            """
        ),
        (
            #"{"list":[],"expanded":[1]}"#,
            "/list unknown_member /lists missing_member /expanded parameter /expanded/0 wrong_type"
        ),
    ]

    @Test(arguments: streams)
    func allOfAStreamAreTold(_ body: String, _ errors: String) throws {
        let fields = Harness.json.merging(["Accept": "text/event-stream"]) { $1 }
        let reply = try Harness().ask("POST", "/v1/changes", fields, body)
        #expect(reply.status == 422)
        #expect(
            Self.errors(reply).sorted().joined(separator: ", ") == Self.pairs(errors).sorted().joined(separator: ", "))
    }

    private static func pairs(_ text: String) -> [String] {
        let words = text.split(separator: " ").map(String.init)
        return stride(from: 0, to: words.count, by: 2).map { "\(words[$0]) \(words[$0 + 1])" }
    }

    @Test func atMostTwenty() throws {
        let items = Array(repeating: "1", count: 300).joined(separator: ",")
        let reply = try Harness().ask("POST", "/v1/lists/l/items", Harness.json, #"{"items":[\#(items)]}"#)
        #expect(Self.errors(reply) == (0..<20).map { "/items/\($0) wrong_type" })
        #expect(reply.json["detail"]?.string?.hasSuffix("There are 19 more errors: see errors.") == true)
    }

    /// Bodies with long errors, of which up to twenty are told.
    static let longAnswers: [(target: String, body: String)] = [
        ("/transactions", #"{"operations":[\#(many(#"{"op":"moveitem"}"#))]}"#),
        ("/transactions", #"{"operations":[\#(many(#"{"op":7}"#))]}"#),
        ("/transactions", #"{"operations":[\#(many(#"{"op":"moveItem","item":{},"to":0}"#))]}"#),
        ("/items", #"{"items":[\#(many(#"{"id":"n","\#(String(repeating: "x", count: 60))":1}"#))]}"#),
        (
            "/transactions",
            #"{"operations":[{"op":"appendSections","sections":[\#(many(#"{"id":"n","layout":{"columns":2}}"#))]}]}"#
        ),
        (
            "/transactions",
            #"{"operations":[{"op":"appendSections","sections":[\#(many(#"{"layout":{"kind":"grid","x":2}}"#))]}]}"#
        ),
        (
            "/reorders",
            "{\"sections\":{"
                + (0..<300).map { "\"\(String(repeating: "s", count: 250))\($0)\":{}" }.joined(separator: ",") + "}}"
        ),
    ]

    private static func many(_ text: String) -> String { Array(repeating: text, count: 300).joined(separator: ",") }

    @Test("No answer is long", arguments: longAnswers.indices)
    func noAnswerIsLong(_ index: Int) throws {
        let (target, text) = Self.longAnswers[index]
        // The body is decoded as the API does it, with the default limit of operations.
        let decoder = WireDecoder(
            limits: WireDecoder.Limits(contentBytesMax: 65_536, operationsMax: 10_000), identifier: { "n" })
        let errors = WireErrors()
        let body: JSONSlice = try json(text)
        errors.collect { () throws(WireError) in
            switch target {
            case "/transactions": _ = try decoder.telling(errors).transactionBody(body)
            case "/items": _ = try decoder.telling(errors).itemsBody(body)
            default: _ = try decoder.telling(errors).reorderBody(body)
            }
        }
        let all = errors.errors
        #expect(all.count == 20 || target == "/items")
        let answer = Problem(try #require(all.first), all: all).body(path: "", requestID: "")
        #expect(answer.count < 16_384, "\(answer.count)")
    }

    /// The first error decides the status, also if it is not about the schema.
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

    /// A long name is not repeated in the answer.
    @Test func longNamesAreNotTold() throws {
        let name = String(repeating: "n", count: 1_500)
        let reply = try Harness().ask("POST", "/v1/lists/l/items", Harness.json, #"{"items":[],"\#(name)":1}"#)
        #expect(reply.status == 422)
        #expect(!reply.text.contains("nnnn"))
        #expect(reply.json["errors"]?[0]?["known"]?.elements.isEmpty == false)
    }
}
