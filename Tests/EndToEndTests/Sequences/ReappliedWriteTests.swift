import JSONValue
import TestSupport
import Testing
import Texts

/// Writes whose base is no longer known, as clients send them that were away for long.
@Suite(.timeLimit(.minutes(Soak.hangMinutes))) struct ReappliedWriteTests {
    private static let start =
        #"{"sections":[{"id":"s","items":[{"id":"a"},{"id":"b"}]},{"id":"t","items":[{"id":"c"}]}]}"#

    /// Requests with the members of their bodies, and what they answer: outcomes, or the code of a problem.
    private static let rows: [(method: String, path: String, body: String, answer: String, items: [String])] = [
        ("POST", "/items", #""items":[{"id":"n"}],"after":"gone""#, "adjusted anchor_deleted", ["a", "b", "c", "n"]),
        (
            "POST", "/items", #""items":[{"id":"n"}],"after":"gone","section":"s""#, "adjusted anchor_deleted",
            ["n", "a", "b", "c"]
        ),
        ("POST", "/items", #""items":[{"id":"n"}],"section":"gone""#, "dropped section_deleted", ["a", "b", "c"]),
        ("POST", "/items", #""items":[{"id":"n"}],"section":"s""#, "applied", ["a", "b", "n", "c"]),
        ("POST", "/items/gone/star", "", "dropped item_deleted", ["a", "b", "c"]),
        ("PUT", "/items/a/star", "", "applied", ["a", "b", "c"]),
        ("PATCH", "/items/gone", #""kind":"k""#, "dropped item_deleted", ["a", "b", "c"]),
        ("DELETE", "/items/gone", "", "dropped item_deleted", ["a", "b", "c"]),
        ("DELETE", "/items/b", "", "applied", ["a", "c"]),
        ("PATCH", "/sections/gone", #""title":"T""#, "dropped section_deleted", ["a", "b", "c"]),
        ("PATCH", "", #""title":"T""#, "applied", ["a", "b", "c"]),
        (
            "POST", "/transactions",
            #""operations":[{"op":"moveItem","item":"a","after":"b"},{"op":"moveItem","item":"c","before":"gone"}]"#,
            "applied, dropped anchor_deleted", ["b", "a", "c"]
        ),
        ("POST", "/reorders", #""sections":{"s":{"final":["b","gone","a"]}}"#, "applied", ["b", "a", "c"]),
        (
            "POST", "/reorders", #""sections":{"gone":{"final":["c"]},"s":{"final":["b","a"]}}"#,
            "dropped section_deleted, applied", ["b", "a", "c"]
        ),
        (
            "POST", "/reorders", #""sections":{"s":{"difference":{"insertions":[],"removals":[]}}}"#, "unknown_base",
            ["a", "b", "c"]
        ),
        ("POST", "/transactions", #""operations":[{"op":"deleteAllItems"}]"#, "unknown_base", ["a", "b", "c"]),
        ("PUT", "", #""sections":[]"#, "unknown_base", ["a", "b", "c"]),
        ("PUT", "/sections/s", #""items":[]"#, "unknown_base", ["a", "b", "c"]),
        ("DELETE", "", "", "unknown_base", ["a", "b", "c"]),
        (
            "POST", "/transactions", #""operations":[{"op":"moveItem","item":"a","after":"a"}]"#, "self_move",
            ["a", "b", "c"]
        ),
    ]

    /// The outcomes of a result, or the code of a problem.
    private static func answer(_ reply: RawResponse) throws -> String {
        let json = try JSONValue(parsing: reply.body)
        if let code = json["code"]?.string { return "\(code)" }
        return (json["operations"]?.elements ?? []).map { outcome in
            let reason = outcome["reason"]?.string.map { " \($0)" } ?? ""
            return "\(outcome["status"]?.string ?? "?")\(reason)"
        }.joined(separator: ", ")
    }

    private static func body(_ members: String, base: String, _ wish: String?) -> String {
        let wish = wish.map { #","onLostBase":"\#($0)""# } ?? ""
        return #"{"base":"\#(base)"\#(wish)\#(members.isEmpty ? "" : ",")\#(members)}"#
    }

    /// Bases of another epoch, ahead of the head, and older than the history are all lost.
    @Test(arguments: ServedEngine.allCases) func aLostBaseIsReapplied(on engine: ServedEngine) throws {
        let scene = try SequenceScene(engine, ["--history-versions-max", "3"])
        for (index, row) in Self.rows.enumerated() {
            // Each row has a list of its own, whose first version is forgotten.
            let list = "l\(index)"
            let made = try scene.client.send("PUT", "/v1/lists/\(list)", json: Self.start)
            let first = try #require(made["List-Version"])
            for _ in 0..<4 { _ = try scene.client.send("POST", "/v1/lists/\(list)/items/c/star") }
            let epoch = first.split(separator: "-")[0]
            let base = ["gone-1", "\(epoch)-999", first][index % 3]
            for wish in [nil, "refuse"] {
                let refused = try scene.client.send(
                    row.method, "/v1/lists/\(list)\(row.path)", json: Self.body(row.body, base: base, wish))
                #expect(refused.short == "409 unknown_base", "\(row): \(refused.text)")
            }
            let head = try #require(try scene.client.send("GET", "/v1/lists/\(list)")["List-Version"])
            // With a number, a retry is told the same.
            let replies = try (0..<2).map { _ in
                try scene.send(
                    1, row.method, "/v1/lists/\(list)\(row.path)", Self.body(row.body, base: base, "reapply"))
            }
            for reply in replies {
                #expect(try Self.answer(reply) == row.answer, "\(row): \(reply.text)")
                #expect(reply["Client-Sequence"] == "1")
            }
            #expect(try scene.items(list) == row.items, "\(row)")
            for reply in replies where reply.status == 200 {
                let missed = try JSONValue(parsing: reply.body)["missed"]
                #expect(missed?["reset"] == .bool(true) && missed?["to"]?.string.map { "\($0)" } == head, "\(row)")
            }
        }
    }

    @Test(arguments: ["\"other\"", "true", "1", "null", "[\"reapply\"]", "\"Reapply\"", "\"\""])
    func anotherWishIsRefused(value: String) throws {
        let scene = try SequenceScene(.memory)
        #expect(try scene.client.send("PUT", "/v1/lists/l", json: Self.start).status == 201)
        let body = #"{"base":"gone-1","onLostBase":\#(value),"items":[{"id":"n"}]}"#
        #expect(try scene.client.send("POST", "/v1/lists/l/items", json: body).short == "422 invalid")
        let twice = #"{"base":"gone-1","onLostBase":"refuse","onLostBase":"reapply","items":[{"id":"n"}]}"#
        #expect(try scene.client.send("POST", "/v1/lists/l/items", json: twice).short == "400 not_json")
        #expect(try scene.items() == ["a", "b", "c"])
    }

    /// A base that only the other server knows is not lost.
    @Test func aBaseOfAnotherServerIsRebased() throws {
        let scene = try SequenceScene(.postgreSQL)
        let other = try scene.another()
        #expect(try scene.client.send("PUT", "/v1/lists/l", json: Self.start).status == 201)
        #expect(try other.client.send("GET", "/v1/lists/l").status == 200)
        for number in 0..<20 {
            let written = try scene.client.send("POST", "/v1/lists/l/items", json: SequenceScene.append("i\(number)"))
            let base = try #require(written["List-Version"])
            #expect(try scene.client.send("DELETE", "/v1/lists/l/items/i\(number)").status == 200)
            let body = Self.body(
                #""items":[{"id":"n\#(number)"}],"after":"i\#(number)""#, base: base, "reapply")
            let reply = try other.client.send("POST", "/v1/lists/l/items", json: body)
            #expect(try Self.answer(reply) == "adjusted anchor_deleted")
            #expect(try JSONValue(parsing: reply.body)["missed"]?["reset"] == nil, "\(reply.text)")
        }
        #expect(other.stop() == 0)
    }
}
