import JSONValue
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Moves and reorders that change an item's parent without naming it.
@Suite struct ReparentTests {
    private let list = "/v1/lists/l"

    /// The section has `a`, `p` with its children `c` and `d`, and `b`. Another section has `x`.
    private func harness() throws -> Harness {
        let harness = try Harness("s: t:x")
        let items = #"["a",{"id":"p","expanded":true},{"id":"c","parent":"p"},{"id":"d","parent":"p"},{"id":"b"}]"#
        let body = #"{"items":\#(items.replacing(#""a""#, with: #"{"id":"a"}"#))}"#
        try #require(try harness.put(list + "/sections/s", body).status == 200)
        return harness
    }

    /// The parents of all items, by id.
    private func parents(_ harness: Harness) throws -> [String: String] {
        var parents: [String: String] = [:]
        for section in parts(try harness.ask("GET", list).json["sections"]) {
            for item in parts(section["items"]) {
                parents[item["id"]?.string ?? "?"] = item["parent"]?.string ?? ""
            }
        }
        return parents
    }

    private func reparented(_ reply: Reply) -> [String] {
        parts(reply.json["operations"]).flatMap { parts($0["reparented"]) }.compactMap { $0.string }
    }

    @Test(arguments: [
        (#"{"op":"moveItem","item":"a","before":"c"}"#, ["a"]), (#"{"op":"moveItem","item":"c","after":"b"}"#, ["c"]),
        (#"{"op":"moveItem","item":"p","before":"x"}"#, []), (#"{"op":"moveItem","item":"c","before":"x"}"#, ["c"]),
        (#"{"op":"moveItem","item":"d","before":"c"}"#, []), (#"{"op":"moveItem","item":"a","after":"b"}"#, []),
        (#"{"op":"moveItem","item":"a","before":"c","parent":"p"}"#, []),
        (#"{"op":"moveItem","item":"c","before":"b","section":"s"}"#, []),
        (#"{"op":"moveItem","item":"a","parent":"p"}"#, []), (#"{"op":"moveItem","item":"c","section":"t"}"#, []),
        (#"{"op":"insertItems","items":["a",{"id":"n"},"b"],"after":"c"}"#, ["a", "b"]),
        (#"{"op":"insertItems","items":["a"],"after":"c","parent":"p"}"#, []),
        (#"{"op":"insertItems","items":[{"id":"n"},{"id":"c","parent":"n"}],"before":"a"}"#, []),
        (#"{"op":"appendItems","items":["a"],"parent":"p"}"#, []), (#"{"op":"starItems","items":["c"]}"#, []),
    ])
    func aMove(_ operation: String, _ expected: [String]) throws {
        let harness = try harness()
        let before = try parents(harness)
        let reply = try harness.post(
            list + "/transactions", #"{"operations":[\#(operation)]}"#,
            ["Prefer": "return=minimal", "Idempotency-Key": "k"])
        #expect(reparented(reply) == expected, "\(reply.text)")
        let after = try parents(harness)
        #expect(expected.allSatisfy { before[$0] != after[$0] })
        // The answer has a body if there is something to tell. A retry gets the same answer.
        let hasWarnings = operation.contains("Items\",\"items\":[\"") && !operation.contains("starItems")
        if !expected.isEmpty { #expect(reply.status == 200) }
        if expected.isEmpty, !hasWarnings, !operation.contains("\"n\"") { #expect(reply.status == 204) }
        let retry = try harness.post(
            list + "/transactions", #"{"operations":[\#(operation)]}"#,
            ["Prefer": "return=minimal", "Idempotency-Key": "k"])
        #expect(retry.status == reply.status && retry.text == reply.text)
    }

    @Test(arguments: [
        (#""final":["p","c","a","d","b"]"#, ["a"]), (#""final":["p","c","d","b","a"]"#, []),
        (#""final":["a","p","d","c","b"]"#, []), (#""final":["c","a","p","d","b"]"#, ["c"]),
        (
            #""difference":{"removals":[{"offset":0,"element":"a"}],"insertions":[{"offset":1,"element":"a"}]}"#, ["a"]
        ),
    ])
    func aReorder(_ order: String, _ expected: [String]) throws {
        let harness = try harness()
        let reply = try harness.post(list + "/reorders", #"{"base":"e1-2","sections":{"s":{\#(order)}}}"#)
        #expect(reply.status == 200 && reparented(reply) == expected, "\(reply.text)")
        #expect(reply.json["operations"]?[0]?["status"] == "applied")
    }

    /// The result has a part for each section.
    @Test func sectionsOfAReorder() throws {
        let harness = try harness()
        let body = #"{"sections":{"t":{"final":["c","x"]},"s":{"final":["a","p","b","d"]}}}"#
        let reply = try harness.post(list + "/reorders", body)
        #expect(
            reply.json["operations"] == [
                ["status": "applied", "reparented": ["c"]], ["status": "applied", "reparented": ["b"]],
            ])
    }

    /// The writes of others in between count: a row that they have moved goes back.
    @Test func aStaleBaseTellsWhatItDid() throws {
        let harness = try harness()
        _ = try harness.post(list + "/transactions", #"{"operations":[{"op":"moveItem","item":"a","parent":"p"}]}"#)
        let reply = try harness.post(
            list + "/reorders", #"{"base":"e1-2","sections":{"s":{"final":["p","c","d","b","a"]}}}"#)
        #expect(try parents(harness)["a"] == "" && reparented(reply) == ["a"], "\(reply.text)")
    }

    /// For any order, the result names exactly the rows whose parent has changed.
    @Test(arguments: Soak.seeds(60))
    func nothingElseIsReparented(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let harness = try harness()
        for _ in 0..<6 {
            let before = try parents(harness)
            let view = Bool.random(using: &random) ? "items" : "visible"
            var sections: [String] = []
            for section in parts(try harness.ask("GET", list + "?view=\(view)").json["sections"]) {
                var rows = parts(section["items"]).compactMap { $0["id"]?.string }
                if let row = rows.randomElement(using: &random) {
                    rows.removeAll { $0 == row }
                    rows.insert(row, at: Int.random(in: 0...rows.count, using: &random))
                }
                let names = rows.map { "\"\($0)\"" }.joined(separator: ",")
                sections.append(#""\#(section["id"]?.string ?? "?")":{"final":[\#(names)]}"#)
            }
            let body = #"{"view":"\#(view)","sections":{\#(sections.joined(separator: ","))}}"#
            let reply = try harness.post(list + "/reorders", body)
            guard reply.status == 200 else { continue }
            let after = try parents(harness)
            let changed = before.keys.filter { before[$0] != after[$0] }
            #expect(reparented(reply).sorted() == changed.sorted(), "\(body): \(reply.text)")
        }
    }
}
