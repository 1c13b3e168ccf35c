import JSONValue
import ListModel
import ListStore
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// The history of a list, undo and redo over HTTP.
@Suite struct HistoryTests {
    private let harness: Harness

    init() throws {
        harness = try Harness(keepingIntents: 400)
    }

    private func history(_ query: String = "") throws -> [JSONValue] {
        parts(try harness.ask("GET", "/v1/lists/l/transactions" + query).json["transactions"])
    }

    private func undo(_ version: String, _ query: String = "") throws -> Reply {
        try harness.post("/v1/lists/l/undo" + query, #"{"transaction":"\#(version)"}"#)
    }

    /// Writes of every kind, and the operation that history tells for each.
    private static let writes: [(method: String, path: String, body: String, operation: String)] = [
        ("PUT", "/items/a/star", "", #"{"op":"starItems","items":["a"]}"#),
        ("POST", "/items/a/star", "", #"{"op":"toggleStar","item":"a"}"#),
        ("POST", "/items/p/expand", "", #"{"op":"expandItems","items":["p"]}"#),
        (
            "PATCH", "/items/a", #"{"content":{"n":2},"kind":"x"}"#,
            #"{"op":"updateItem","item":"a","kind":"x","content":{"n":2},"merge":true}"#
        ),
        (
            "PATCH", "/items/p", #"{"expanded":true,"starred":true,"reorderable":false}"#,
            #"{"op":"updateItem","item":"p","expanded":true,"starred":true,"reorderable":false}"#
        ),
        ("DELETE", "/items/p", "", #"{"op":"deleteItems","items":["p"]}"#),
        (
            "POST", "/items", #"{"items":[{"id":"é\"","starred":true},{"id":"c","parent":"é\""}],"section":"s"}"#,
            #"{"op":"appendItems","items":[{"id":"é\"","starred":true},{"id":"c","parent":"é\""}],"section":"s"}"#
        ),
        (
            "PATCH", "", #"{"title":"T","layout":{"kind":"list"}}"#,
            #"{"op":"updateList","title":"T","layout":{"kind":"list"}}"#
        ),
        (
            "PATCH", "/sections/s", #"{"title":"S","header":"h","footer":null,"layout":{"kind":"list"}}"#,
            #"{"op":"updateSection","section":"s","title":"S","layout":{"kind":"list"},"header":"h","footer":null}"#
        ),
        ("DELETE", "/sections/t", "", #"{"op":"deleteSections","sections":["t"]}"#),
        (
            "PUT", "/sections/n", #"{"items":["a",{"id":"d","parent":"a","starred":true}]}"#,
            #"{"op":"applySectionSnapshot","section":"n","items":["a",{"id":"d","parent":"a","starred":true}]}"#
        ),
        (
            "POST", "/reorders", #"{"sections":{"s":{"final":["b","a"]}}}"#,
            #"{"op":"reorder","view":"items","sections":{"s":{"final":["b","a"]}}}"#
        ),
        (
            "PUT", "", #"{"sections":[{"id":"s","items":["b",{"id":"a","parent":"b"}]}]}"#,
            #"{"op":"applySnapshot","sections":[{"id":"s","items":["b",{"id":"a","parent":"b"}]}]}"#
        ),
    ]

    @Test(arguments: writes.indices) func operationsAsSent(_ index: Int) throws {
        let write = Self.writes[index]
        let reply = try harness.ask(write.method, "/v1/lists/l" + write.path, Harness.json, write.body)
        try #require(reply.status == 200, "\(reply.text)")
        let told = try #require(history().first)
        #expect(told["operations"] == .array([try json(write.operation)]))
        #expect(told["version"] == "e1-2")
        #expect(told["time"] == "1970-01-01T00:00:00Z")
        #expect(told["actor"] == "anonymous")
        #expect(told["truncated"] == nil && told["undone"] == nil)
    }

    /// The operations of a transaction come back from history in their own words, and have the same effect again.
    @Test(arguments: [
        #"{"op":"appendSections","sections":[{"id":"x","title":"X","items":[{"id":"y","kind":"k","content":{"n":1}}]}]}"#,
        #"{"op":"insertSections","sections":[{"id":"x","header":{"a":1},"reorderable":false}],"before":"t"}"#,
        #"{"op":"reloadSections","sections":["s","t"]}"#, #"{"op":"moveSection","section":"s","after":"t"}"#,
        #"{"op":"insertItems","items":["b",{"id":"z","expanded":true}],"after":"c","parent":"p"}"#,
        #"{"op":"deleteAllItems"}"#, #"{"op":"moveItem","item":"b","before":"a","section":"s"}"#,
        #"{"op":"moveItem","item":"b","parent":"p","at":"first"}"#, #"{"op":"moveItem","item":"a","section":"t"}"#,
        #"{"op":"updateItem","item":"a","reorderable":false,"content":{"m":"\u0007"}}"#,
        #"{"op":"updateItem","item":"p","expanded":true,"starred":true}"#,
        #"{"op":"reconfigureItems","items":["a"]}"#, #"{"op":"reloadItems","items":["a"]}"#,
        #"{"op":"unstarItems","items":["a"]}"#, #"{"op":"collapseItems","items":["p"]}"#,
        #"{"op":"replaceChildren","parent":"p","items":["c",{"id":"q","parent":"c"}]}"#,
    ])
    func transactionsAsSent(_ operation: String) throws {
        // Another title comes first, so that each transaction makes a version.
        let body = #"{"label":"L","operations":[{"op":"updateList","title":"X"},\#(operation)]}"#
        let reply = try harness.post("/v1/lists/l/transactions", body)
        try #require(reply.status == 200, "\(reply.text)")
        let told = try #require(history().first)
        #expect(told["label"] == "L")
        let sent: JSONValue = try json(operation)
        #expect(parts(told["operations"]).last == sent)
    }

    @Test func whatIsTooLongIsAbridged() throws {
        let items = (0..<15).map { #"{"id":"n\#($0)","content":{"title":"\#(String(repeating: "x", count: 60))"}}"# }
        let body = #"{"items":[\#(items.joined(separator: ","))],"section":"s"}"#
        try #require(try harness.post("/v1/lists/l/items", body).status == 200)
        let told = try #require(history().first)
        #expect(told["truncated"] == true)
        #expect(try told["operations"] == json(#"[{"op":"appendItems","items":15}]"#))
    }

    @Test func pagesArePinned() throws {
        for _ in 0..<8 { try #require(try harness.ask("POST", "/v1/lists/l/items/a/star").status == 200) }
        var seen: [String] = []
        var target = "/v1/lists/l/transactions?limit=2"
        while true {
            let reply = try harness.ask("GET", target)
            try #require(reply.status == 200, "\(reply.text)")
            seen += parts(reply.json["transactions"]).compactMap { $0["version"]?.string }
            if seen.count == 2 { _ = try harness.ask("POST", "/v1/lists/l/items/b/star") }
            guard let link = reply["Link"] else { break }
            target = String(try #require(link.firstMatch(of: /^<(.*)>; rel="next"$/)?.output.1))
        }
        #expect(seen == (1...9).reversed().map { "e1-\($0)" })
        #expect(try history().count == 10)
        let head = try #require(try harness.ask("GET", "/v1/lists/l/transactions")["ETag"])
        #expect(try harness.ask("GET", "/v1/lists/l/transactions", ["If-None-Match": head]).status == 304)
    }

    @Test(arguments: [
        ("cursor=e9-3", 410, "version_gone"), ("cursor=e1-9", 422, "invalid"), ("cursor=x", 422, "invalid"),
        ("limit=0", 422, "invalid"), ("cursor=e1-1", 410, "version_gone"),
    ])
    func noPage(_ query: String, _ status: Int, _ code: String) throws {
        let reply = try harness.ask("GET", "/v1/lists/l/transactions?" + query)
        #expect(reply.status == status)
        #expect(reply.code == code)
    }

    @Test func undoAndRedo() throws {
        try #require(
            try harness.post(
                "/v1/lists/l/transactions", #"{"operations":[{"op":"moveItem","item":"a","section":"t"}]}"#
            )
            .status == 200)
        _ = try harness.post("/v1/lists/l/items", #"{"items":[{"id":"n"}],"before":"b"}"#)
        let dry = try undo("e1-2", "?dryRun=true")
        #expect(dry.status == 200 && dry.json["version"] == "e1-3" && dry.json["changes"]?["to"] == nil)
        #expect(dry.changes == "mov 1.0>0.0")
        #expect(try harness.rows("l") == "s:n,b,p,c t:a")
        let undone = try undo("e1-2")
        #expect(undone.status == 200 && undone.json["version"] == "e1-4")
        #expect(try harness.rows("l") == "s:a,n,b,p,c t:")
        #expect(try undo("e1-2").code == "nothing_to_undo")
        #expect(
            try history().map { $0["undoes"]?.string ?? ($0["undone"] == true ? "undone" : "") } == [
                "e1-2", "", "undone", "",
            ])
        let redone = try harness.post("/v1/lists/l/redo", #"{"transaction":"e1-2","base":"e1-3"}"#)
        #expect(redone.json["missed"]?["to"] == "e1-4")
        #expect(try harness.rows("l") == "s:n,b,p,c t:a")
        #expect(try history().first?["redoes"] == "e1-2")
        #expect(try harness.post("/v1/lists/l/redo", #"{"transaction":"e1-2"}"#).code == "nothing_to_undo")
        #expect(try undo("e1-2").json["version"] == "e1-6")
    }

    @Test func overwrittenIsReported() throws {
        let both = #"{"operations":[{"op":"starItems","items":["a","b"]}]}"#
        try #require(try harness.post("/v1/lists/l/transactions", both).status == 200)
        _ = try harness.ask("DELETE", "/v1/lists/l/items/a/star")
        let strict = try undo("e1-2", "?strict=true")
        #expect(strict.status == 409 && strict.code == "stale_base" && strict.json["missed"]?["from"] == "e1-2")
        let reply = try undo("e1-2")
        #expect(try reply.json["operations"] == json(#"[{"status":"partial","items":["a"],"reason":"overwritten"}]"#))
        #expect(reply.changes == "cfg 0.1")
    }

    @Test(arguments: [
        ("", 422, "invalid"), ("{}", 422, "invalid"), (#"{"transaction":"x"}"#, 422, "invalid"),
        (#"{"transaction":"e9-2"}"#, 409, "unknown_base"), (#"{"transaction":"e1-3"}"#, 409, "unknown_base"),
        (#"{"transaction":"e1-1"}"#, 409, "nothing_to_undo"), (#"{"transaction":"e1-0"}"#, 410, "version_gone"),
        (#"{"transaction":"e1-2","base":"e9-1"}"#, 409, "unknown_base"), (#"{"what":1}"#, 422, "invalid"),
    ])
    func refused(_ body: String, _ status: Int, _ code: String) throws {
        _ = try harness.ask("POST", "/v1/lists/l/items/a/star")
        let fields = body.isEmpty ? [:] : Harness.json
        for name in ["undo", "redo"] {
            let reply = try harness.ask("POST", "/v1/lists/l/" + name, fields, body)
            #expect(reply.status == status, "\(reply.text)")
            #expect(reply.code == code)
            if status == 409, code == "unknown_base" { #expect(reply.json["head"] == "e1-2") }
        }
        #expect(try harness.ask("POST", "/v1/lists/no/undo", Harness.json, #"{"transaction":"e1-2"}"#).status == 404)
    }

    @Test func aRetryIsAnsweredOnce() throws {
        _ = try harness.ask("POST", "/v1/lists/l/items/a/star")
        let fields = Harness.json.merging(["Idempotency-Key": "k"]) { $1 }
        let replies = try (0..<2).map { _ in
            try harness.ask("POST", "/v1/lists/l/undo", fields, #"{"transaction":"e1-2"}"#)
        }
        #expect(replies[0].json["version"] == replies[1].json["version"])
        #expect(replies[1]["Idempotency-Replayed"] == "true")
        let late = Harness.json.merging(["If-Match": "\"e1-2\""]) { $1 }
        #expect(try harness.ask("POST", "/v1/lists/l/redo", late, #"{"transaction":"e1-2"}"#).status == 412)
    }
}

@Suite struct TimeTests {
    /// Seconds since 1970, and the time that `date -u` prints for them.
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
        (1_709_251_200, "2024-03-01T00:00:00Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
        (1_798_761_599, "2026-12-31T23:59:59Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        (.max, "9999-12-31T23:59:59Z"), (-1, "1970-01-01T00:00:00Z"),
    ])
    func time(_ seconds: Int, _ text: String) {
        var splicer = JSONSplicer(capacity: 32)
        splicer.time(seconds)
        #expect(ListAPITests.text(splicer.bytes) == "\"\(text)\"")
    }
}
