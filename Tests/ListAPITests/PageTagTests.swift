import JSONValue
import TestSupport
import Testing

@testable import ListAPI

/// The entity tags of pages of lists.
@Suite struct PageTagTests {
    private static func harness() throws -> Harness {
        try Harness(lists: ["a", "b", "c"], keepsDeletedLists: true)
    }

    private static let targets = [
        "/v1/lists", "/v1/lists?limit=2", "/v1/lists?limit=2&cursor=a", "/v1/lists?filter=b", "/v1/lists?deleted=true",
    ]

    @Test(arguments: targets) func whoeverHasThePageIsToldSo(target: String) throws {
        let harness = try Self.harness()
        _ = try harness.ask("DELETE", "/v1/lists/c")
        let first = try harness.ask("GET", target)
        let tag = try #require(first["ETag"])
        #expect(try harness.ask("GET", target)["ETag"] == tag)
        for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
            let again = try harness.ask("GET", target, ["If-None-Match": known])
            #expect(again.status == 304 && again.text.isEmpty && again["ETag"] == tag, "\(known)")
            #expect(again["Link"] == first["Link"] && again["Cache-Control"] == first["Cache-Control"])
        }
        for unknown in ["\"other\"", tag.replacing("\"", with: ""), ""] {
            let again = try harness.ask("GET", target, ["If-None-Match": unknown])
            #expect(again.status == 200 && again.text == first.text, "\(unknown)")
        }
    }

    /// Each row changes what a page shows, and so its tag.
    private static let changes: [(name: String, method: String, path: String, body: JSONValue?, target: String)] = [
        ("an item", "POST", "/v1/lists/b/items/a/star", nil, "/v1/lists"),
        ("a title", "PATCH", "/v1/lists/b", ["title": "B"], "/v1/lists?filter=b"),
        ("a list more", "PUT", "/v1/lists/d", ["sections": []], "/v1/lists"),
        ("a list less", "DELETE", "/v1/lists/a", nil, "/v1/lists"),
        ("a page more", "PUT", "/v1/lists/d", ["sections": []], "/v1/lists?limit=3"),
        ("a deletion", "DELETE", "/v1/lists/a", nil, "/v1/lists?deleted=true"),
    ]

    @Test func everyChangeThatShowsIsAnotherTag() throws {
        for (name, method, path, body, target) in Self.changes {
            let harness = try Self.harness()
            let tag = try #require(try harness.ask("GET", target)["ETag"])
            let fields = body == nil ? [:] : Harness.json
            let reply = try harness.ask(method, path, fields, body?.text ?? "")
            try #require((200..<300).contains(reply.status), "\(name): \(reply.text)")
            let again = try harness.ask("GET", target, ["If-None-Match": tag])
            #expect(again.status == 200 && again["ETag"] != tag, "\(name)")
        }
    }

    /// What the page does not show leaves its tag alone.
    @Test func othersListsLeaveThePageAlone() throws {
        let harness = try Self.harness()
        let tag = try #require(try harness.ask("GET", "/v1/lists?filter=b")["ETag"])
        #expect(try harness.ask("POST", "/v1/lists/a/items/a/star").status == 200)
        #expect(try harness.ask("GET", "/v1/lists?filter=b", ["If-None-Match": tag]).status == 304)
    }

    /// A 304 has the tag that the 200 would have.
    @Test func aCodedPageHasAnotherTag() throws {
        let harness = try Harness(lists: (10..<30).map { "list-\($0)" })
        let plain = try #require(try harness.ask("GET", "/v1/lists")["ETag"])
        let reply = try harness.ask("GET", "/v1/lists", ["Accept-Encoding": "gzip"])
        let coded = try #require(reply["ETag"])
        #expect(coded == plain.dropLast() + "+gzip\"" && reply["Content-Encoding"] == "gzip")
        for known in [plain, coded] {
            let again = try harness.ask("GET", "/v1/lists", ["If-None-Match": known, "Accept-Encoding": "gzip"])
            #expect(again.status == 304 && again["ETag"] == coded && again["Content-Encoding"] == nil)
            #expect(try harness.ask("GET", "/v1/lists", ["If-None-Match": known])["ETag"] == plain)
        }
    }
}
