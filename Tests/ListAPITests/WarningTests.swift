import JSONValue
import TestSupport
import Testing

@testable import ListAPI

@Suite struct WarningTests {
    private let harness: Harness
    private let list = "/v1/lists/l"

    init() throws { harness = try Harness("A:a,b B:c C:d") }

    private func put(_ body: String, _ query: String = "", _ fields: [String: String] = [:]) throws -> Reply {
        try harness.ask("PUT", list + query, Harness.json.merging(fields) { $1 }, body)
    }

    private func detail(_ reply: Reply) -> String { parts(reply.json["warnings"]).first?["detail"]?.string ?? "" }

    private static let left = "Left out of the snapshot, and so deleted: "

    @Test func aPutTellsWhatItDeletes() throws {
        let body = #"{"sections":[{"id":"A","items":["a"]},{"id":"C","items":["d"]}]}"#
        for query in ["?dryRun=true", "?view=visible&strict=true"] {
            let reply = try put(body, query, ["Idempotency-Key": "k"])
            #expect(reply.status == 200 && reply.warnings == ["left_out"])
            #expect(detail(reply).hasPrefix(Self.left + "2 items and 1 section."))
        }
        let again = try put(body, "?view=visible&strict=true", ["Idempotency-Key": "k"])
        #expect(again["Idempotency-Replayed"] == "true" && again.warnings == ["left_out"])
        #expect(try put(body).warnings == [], "nothing is deleted twice")
    }

    @Test func aMinimalAnswerLeavesThatOut() throws {
        #expect(try put(#"{"sections":[{"id":"C","items":["d"]}]}"#, "", ["Prefer": "return=minimal"]).status == 204)
    }

    /// An item that moves to another section is not counted as deleted, although a delta has it among the deleted
    /// items.
    @Test func whatMovesIsNotLeftOut() throws {
        let reply = try put(#"{"sections":[{"id":"A","items":["a","b","c","d"]},{"id":"N"}]}"#)
        #expect(reply.warnings == ["left_out"])
        #expect(detail(reply).hasPrefix(Self.left + "0 items and 2 sections."))
        #expect(try put(#"{"sections":[{"id":"N","items":["d","c"]},{"id":"A","items":["b","a"]}]}"#).warnings == [])
    }

    @Test func aPutOfASectionTellsToo() throws {
        let reply = try harness.put(list + "/sections/A", #"{"items":["b","c"]}"#)
        #expect(reply.warnings == ["left_out"])
        #expect(detail(reply).hasPrefix(Self.left + "1 item and 0 sections."))
        let operation = #"{"operations":[{"op":"deleteItems","items":["b"]}]}"#
        #expect(try harness.post(list + "/transactions", operation).warnings == [], "this was asked for by name")
    }

    @Test func aNewListTellsOfTheDeletedOneThatItReplaces() throws {
        let harness = try Harness(lists: ["l"], keepsDeletedLists: true)
        _ = try harness.ask("DELETE", list)
        let dry = try harness.put(list + "?dryRun=true", "{}")
        let made = try harness.post("/v1/lists", #"{"id":"l"}"#)
        #expect(dry.warnings == ["replaced_deleted"] && made.status == 201 && made.warnings == ["replaced_deleted"])
        #expect(parts(made.json["warnings"]).first?["version"] == "e1-1")
        _ = try harness.ask("DELETE", list + "?purge=true")
        #expect(try harness.put(list, "{}").warnings == [])
    }
}
