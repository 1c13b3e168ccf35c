import JSONValue
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Refusals: each has its status and code, and nothing changes.
@Suite struct ProblemTests {
    private static let l = "/v1/lists/l"
    private static func transaction(_ operation: String, _ status: Int, _ code: String) -> Row {
        .json("POST", l + "/transactions", #"{"operations":[\#(operation)]}"#, status, code)
    }

    static let paths = [
        Row("GET", "/v1", 404, "not_found"),
        Row("GET", "/v1/lists/", 404, "not_found"),
        Row("GET", "/v1/lists/l/", 404, "not_found"),
        Row("GET", "/v1/lists/none", 404, "not_found"),
        Row("GET", "/v1/lists/UPPER", 422, "invalid_id"),
        Row("GET", "/v1/lists/%2e%2e", 422, "invalid_id"),
        Row("GET", "/v1/lists/l/items/none", 404, "not_found"),
        Row("GET", "/v1/lists/l/items/%01", 422, "invalid_id"),
        Row("GET", "/v1/lists/l/sections/%7F", 422, "invalid_id"),
        Row("PUT", "/v1/lists/l/items/%01/star", 422, "invalid_id"),
        Row("GET", "/v1/lists/UPPER/changes", 422, "invalid_id"),
        Row("DELETE", "/v1/lists/A%20b", 422, "invalid_id"),
        Row("GET", "/v1/lists/l/sections/none", 404, "not_found"),
        Row("GET", "/v1/lists/l/items/%FF", 400, "bad_path"),
        Row("GET", "/v1/lists/%zz", 400, "bad_path"),
        Row("POST", "/v1/samples/none", 404, "not_found"),
        Row("PUT", "/v1/lists/l/items/none/star", 404, "not_found"),
        Row("POST", "/v1/lists/l/items/none/expand", 404, "not_found"),
        Row("DELETE", "/v1/lists/l/items/none", 404, "not_found"),
        Row("DELETE", "/v1/lists/l/sections/none", 404, "not_found"),
        Row("DELETE", "/v1/lists/none", 404, "not_found"),
        .json("PATCH", "/v1/lists/none", "{}", 404, "not_found"),
        .json("PATCH", "/v1/lists/l/items/none", "{}", 404, "not_found"),
        .json("PATCH", "/v1/lists/l/sections/none", "{}", 404, "not_found"),
        .json("PUT", "/v1/lists/UPPER", "{}", 422, "invalid_id"),
        Row("GET", "/v1/lists/none/changes", 404, "not_found"),
        Row("PUT", "/v1/lists", 405, "method_not_allowed"),
        Row("POST", "/v1/lists/l", 405, "method_not_allowed"),
        Row("GET", "/v1/lists/l/reorders", 405, "method_not_allowed"),
        Row("DELETE", "/healthz", 405, "method_not_allowed"),
    ]

    static let fields = [
        Row("GET", l, ["Accept": "text/csv"], "", 406, "not_acceptable"),
        Row("GET", l, ["Accept": "application/json;q=0, */*"], "", 406, "not_acceptable"),
        Row("GET", l + "/changes", ["Accept": "text/html"], "", 406, "not_acceptable"),
        Row("PUT", l, [:], "{}", 415, "unsupported_media_type"),
        Row("PUT", l, ["Content-Type": "text/plain"], "{}", 415, "unsupported_media_type"),
        Row("PUT", l, ["Content-Type": "application/json; charset=utf-16"], "{}", 415, "unsupported_media_type"),
        Row("PUT", l, ["Content-Type": "application/merge-patch+json"], "{}", 415, "unsupported_media_type"),
        Row(
            "PUT", l, ["Content-Type": "application/json", "Content-Encoding": "gzip"], "{}", 415,
            "unsupported_media_type"),
        Row(
            "PUT", l, ["Content-Type": "application/json", "Content-Encoding": "identity, gzip"], "{}", 415,
            "unsupported_media_type"),
        Row(
            "PUT", l, ["Content-Type": "application/json", "Content-Encoding": "gzip\nidentity"], "{}", 415,
            "unsupported_media_type"),
        Row(
            "PUT", l, ["Content-Type": "application/json", "Content-Encoding": "identity\ngzip"], "{}", 415,
            "unsupported_media_type"),
        Row("PUT", l + "/items/a/star", ["Content-Type": "text/plain"], "x", 415, "unsupported_media_type"),
        Row("PUT", l + "/items/a/star", ["Idempotency-Key": ""], "", 400, "bad_idempotency_key"),
        Row("PUT", l + "/items/a/star", ["Idempotency-Key": "\"\""], "", 400, "bad_idempotency_key"),
        Row("PUT", l + "/items/a/star", ["Idempotency-Key": "\""], "", 400, "bad_idempotency_key"),
        Row("PUT", l + "/items/a/star", ["Idempotency-Key": "\"k"], "", 400, "bad_idempotency_key"),
        Row("PUT", l + "/items/a/star", ["Idempotency-Key": "k\""], "", 400, "bad_idempotency_key"),
        Row("PUT", l + "/items/a/star", ["Idempotency-Key": "é"], "", 400, "bad_idempotency_key"),
        Row(
            "PUT", l + "/items/a/star", ["Idempotency-Key": String(repeating: "k", count: 256)], "", 400,
            "bad_idempotency_key"),
        Row("PUT", l + "/items/a/star", ["If-Match": "e1-1"], "", 400, "bad_request"),
        Row("PUT", l + "/items/a/star", ["If-Match": "\"e1-7\""], "", 412, "precondition_failed"),
        Row("PUT", l + "/items/a/star", ["If-Match": "\"no version\""], "", 412, "precondition_failed"),
        Row("PUT", l + "/items/a/star", ["If-None-Match": "*"], "", 400, "bad_request"),
        Row(
            "PUT", l, ["Content-Type": "application/json", "If-None-Match": "\"e1-1\""], "{}", 400, "bad_request"),
        Row(
            "PUT", l, ["Content-Type": "application/json", "If-None-Match": "*"], "{}", 412, "precondition_failed"),
        Row(
            "PUT", "/v1/lists/new", ["Content-Type": "application/json", "If-Match": "*"], "{}", 412,
            "precondition_failed"),
        Row(
            "PATCH", l + "/sections/s", ["Content-Type": "application/json", "If-None-Match": "*"], "{}", 400,
            "bad_request"),
        Row("DELETE", l + "/sections/s", ["If-None-Match": "*"], "", 400, "bad_request"),
        Row("GET", l + "/changes?since=e9-1", ["Prefer": "handling=strict"], "", 410, "version_gone"),
    ]

    static let queries = [
        Row("GET", l + "?viev=items", 422, "invalid"),
        Row("GET", l + "?view=all", 422, "invalid"),
        Row("GET", l + "?view=items&view=items", 422, "invalid"),
        Row("GET", l + "?view", 422, "invalid"),
        Row("GET", l + "?view=%zz", 400, "bad_request"),
        Row("GET", "/v1/lists?limit=0", 422, "invalid"),
        Row("GET", "/v1/lists?limit=1001", 422, "invalid"),
        Row("GET", "/v1/lists?limit=-1", 422, "invalid"),
        Row("GET", "/v1/lists?limit=", 422, "invalid"),
        Row("GET", "/v1/lists?cursor=NO", 422, "invalid"),
        Row("GET", l + "/changes?since=42", 422, "invalid"),
        Row("GET", l + "/changes?mode=full", 422, "invalid"),
        Row("PUT", l + "/items/a/star?strict=yes", 422, "invalid"),
        Row("PUT", l + "/items/a/star?dryRun=yes", 422, "invalid"),
        Row("GET", l + "?dryRun=true", 422, "invalid"),
        .json("PUT", l + "?dryRun", "{}", 422, "invalid"),
        Row("GET", "/v1/emoji?category=none", 422, "invalid"),
        Row("GET", "/healthz?verbose=true", 422, "invalid"),
    ]

    static let bodies = [
        Row("PUT", l, 422, "invalid"),
        .json("PUT", l, "", 400, "not_json"),
        .json("PUT", l, " ", 400, "not_json"),
        .json("PUT", l, "{", 400, "not_json"),
        .json("PUT", l, "{}{}", 400, "not_json"),
        .json("PUT", l, "{,}", 400, "not_json"),
        .json("PUT", l, #"{"title":"a","title":"b"}"#, 400, "not_json"),
        .json("PUT", l, #"{"title":"\ud800"}"#, 400, "not_json"),
        .json("PUT", l, String(repeating: "[", count: 33), 400, "not_json"),
        .json("PUT", l, "[]", 422, "invalid"),
        .json("PUT", l, #"{"titel":"a"}"#, 422, "invalid"),
        .json("PUT", l, #"{"title":1}"#, 422, "invalid"),
        .json("PUT", l, #"{"id":"m"}"#, 422, "invalid"),
        .json("PUT", l, #"{"partial":true}"#, 422, "partial_snapshot"),
        .json("PUT", l, #"{"base":42}"#, 422, "invalid"),
        .json("PUT", l, #"{"base":"e1-7"}"#, 409, "unknown_base"),
        .json("PUT", l, #"{"base":"e9-1"}"#, 409, "unknown_base"),
        .json("POST", "/v1/samples/reorderable", #"{"seed":-1}"#, 422, "invalid"),
        .json("POST", "/v1/samples/reorderable", #"{"seed":1.5}"#, 422, "invalid"),
        .json("PATCH", l + "/items/a", #"{"content":[]}"#, 422, "invalid"),
        .json("POST", l + "/items", #"{"items":[{"id":""}]}"#, 422, "invalid"),
        .json("POST", l + "/items", #"{"items":[{"id":"n"},{"id":"n"}]}"#, 422, "invalid"),
        .json("POST", l + "/items", #"{"items":[{"id":"n"}],"before":"a","after":"b"}"#, 422, "invalid"),
    ]

    private static let tooMany = Array(repeating: #"{"op":"deleteAllItems"}"#, count: 4).joined(separator: ",")
    private static let tooLong = #"{"id":"n","content":{"x":"\#(String(repeating: "x", count: 100))"}}"#
    private static let crowd = (0..<20).map { #"{"id":"n\#($0)"}"# }.joined(separator: ",")

    private static let heavy = (0..<12).map { number in
        #"{"id":"n\#(number)","content":{"x":"\#(String(repeating: "x", count: 80))"}}"#
    }.joined(separator: ",")

    static let operations = [
        transaction(#"{"op":"fly"}"#, 422, "invalid"),
        transaction(tooMany, 413, "too_many_operations"),
        .json("POST", l + "/items", #"{"items":[\#(tooLong)]}"#, 413, "content_too_large"),
        .json("POST", l + "/items", #"{"items":[\#(crowd)]}"#, 413, "too_many_items"),
        transaction(#"{"op":"appendSections","sections":["u","v","w","x","y","z"]}"#, 413, "too_many_sections"),
        .json("POST", l + "/items", #"{"items":[\#(heavy)]}"#, 413, "transaction_too_large"),
        transaction(#"{"op":"starItems","items":["none"]}"#, 409, "unknown_item"),
        transaction(#"{"op":"reloadSections","sections":["none"]}"#, 409, "unknown_section"),
        transaction(#"{"op":"appendSections","sections":["s"]}"#, 409, "section_exists"),
        transaction(#"{"op":"insertItems","items":["a"],"before":"a"}"#, 409, "destination_in_list"),
        transaction(#"{"op":"moveItem","item":"a","before":"b","section":"t"}"#, 409, "anchor_elsewhere"),
        transaction(#"{"op":"moveItem","item":"a","before":"a"}"#, 409, "self_move"),
        transaction(#"{"op":"moveItem","item":"p","parent":"c"}"#, 409, "cycle"),
        .json("PUT", l + "/sections/s", #"{"items":[{"id":"c","parent":"p"},"p"]}"#, 409, "not_a_tree"),
        transaction(#"{"op":"deleteAllItems"},{"op":"appendItems","items":[{"id":"n"}]}"#, 409, "no_sections"),
        .json(
            "POST", l + "/transactions?strict=true", #"{"operations":[{"op":"deleteItems","items":["x"]}]}"#, 409,
            "unknown_item"),
        .json(
            "POST", l + "/transactions?strict=true", #"{"operations":[{"op":"appendItems","items":["a"]}]}"#, 409,
            "item_exists"),
        transaction(
            #"{"op":"updateItem","item":"a","reorderable":false},{"op":"moveItem","item":"a","section":"t"}"#, 403,
            "not_reorderable"),
    ]

    static let reorders = [
        .json("POST", l + "/reorders", #"{"sections":{"s":{"final":["a","a"]}}}"#, 422, "invalid"),
        .json("POST", l + "/reorders", #"{"sections":{"none":{"final":[]}}}"#, 409, "unknown_section"),
        .json("POST", l + "/reorders", #"{"sections":{"s":{"final":["a"]}},"base":"e1-1"}"#, 409, "invalid_final"),
        .json("POST", l + "/reorders", #"{"sections":{"s":{"difference":{}}}}"#, 422, "invalid"),
        .json(
            "POST", l + "/reorders",
            #"{"base":"e1-1","sections":{"s":{"difference":{"removals":[{"offset":0,"element":"b"}],"insertions":[]}}}}"#,
            409,
            "invalid_difference"),
        .json(
            "POST", l + "/reorders",
            #"{"base":"e1-1","sections":{"s":{"difference":{"removals":[{"offset":9,"element":"b"}],"insertions":[]}}}}"#,
            409,
            "invalid_difference"),
        Row.json(
            "POST", l + "/reorders",
            #"{"base":"e1-1","sections":{"s":{"difference":{"removals":[{"offset":-1,"element":"a"}],"insertions":[]}}}}"#,
            422,
            "invalid"),
    ]

    @Test(arguments: [paths, fields, queries, bodies, operations, reorders].flatMap { $0 })
    func refuses(_ row: Row) throws {
        let harness = try Harness(transactionBytesMax: 900)
        let before = try harness.ask("GET", Self.l).text

        let reply = try harness.ask(row.method, row.target, row.fields, row.body)

        #expect(reply.status == row.status, "\(reply.text)")
        #expect(reply.code == row.code, "\(reply.text)")
        #expect(reply["Content-Type"] == "application/problem+json")
        #expect(reply["X-Request-Id"] == "made")
        #expect(reply.json["requestId"] == "made")
        #expect(reply.json["status"] == .integer(row.status))
        #expect(try harness.ask("GET", Self.l).text == before)
        #expect(try harness.ask("GET", "/v1/lists").json["lists"]?[1] == nil)
    }

    @Test func methodNotAllowedSaysWhatIs() throws {
        let harness = try Harness()
        #expect(try harness.ask("POST", Self.l)["Allow"] == "GET, HEAD, PUT, PATCH, DELETE, OPTIONS")
        #expect(try harness.ask("OPTIONS", Self.l)["Allow"] == "GET, HEAD, PUT, PATCH, DELETE, OPTIONS")
        #expect(try harness.ask("GET", Self.l + "/reorders")["Allow"] == "POST, OPTIONS")
    }

    /// The calls in a detail have the ids of the path, so they can be pasted. An id that would need an encoding stays a
    /// name in braces.
    @Test func callsHaveTheIDsOfThePath() throws {
        let harness = try Harness()
        let detail = { (path: String) in try harness.ask("PUT", path).json["detail"]?.string ?? "" }
        #expect(try detail(Self.l + "/items/none/star").contains("GET /v1/lists/l returns"))
        #expect(try detail("/v1/lists/l/sections/s/items/a").contains("DELETE /v1/lists/l/items/a."))
        #expect(try detail(Self.l + "/items/a/unstar").contains("DELETE /v1/lists/l/items/a/star"))
        #expect(try detail(Self.l + "/items/%C3%A9/unstar").contains("DELETE /v1/lists/l/items/{item}/star"))
    }

    /// The detail proposes a base only if the list knows that version.
    @Test func aFailedPreconditionOffersABaseThatIsKnown() throws {
        let harness = try Harness()
        #expect(try harness.ask("PUT", Self.l + "/items/a/star").status == 200)
        for (version, isKnown) in [("e1-1", true), ("e9-1", false)] {
            let reply = try harness.ask("PUT", Self.l + "/items/b/star", ["If-Match": "\"\(version)\""])
            #expect(reply.status == 412)
            #expect(reply.json["detail"]?.string?.contains("\"base\"") == isKnown, "\(reply.text)")
        }
    }

    @Test func limitsAreNamed() throws {
        let reply = try Harness().ask("POST", Self.l + "/items", Harness.json, #"{"items":[\#(Self.crowd)]}"#)
        #expect(reply.json["limit"] == ["name": "itemsMax", "value": 20])
    }

    @Test func faultsHaveTheirPlace() throws {
        let body = #"{"operations":[{"op":"deleteAllItems"},{"op":"moveItem","item":7,"before":"a"}]}"#
        let reply = try Harness().ask("POST", Self.l + "/transactions", Harness.json, body)
        #expect(reply.json["op"] == 1)
        #expect(reply.json["errors"]?[0]?["pointer"] == "/operations/1/item")
        #expect(reply.json["instance"] == "/v1/lists/l/transactions")
    }

    @Test func theFailedOperationIsNamed() throws {
        let body = #"{"operations":[{"op":"starItems","items":["a"]},{"op":"starItems","items":["none"]}]}"#
        let reply = try Harness().ask("POST", Self.l + "/transactions", Harness.json, body)
        #expect(reply.json["op"] == 1)
        #expect(try Harness().ask("PUT", Self.l + "/items/none/star").json["op"] == nil)
    }
}
