import JSONValue
import ListStore
import TestSupport
import Testing

@testable import ListAPI

/// Whoever is called finds out why a server is not ready.
@Suite struct ReadinessTests {
    private static let list = #"{"title":"L","sections":[{"id":"s","items":[{"id":"a"}]}]}"#

    @Test func tellsWhy() throws {
        let journal = WatchedJournal(over: MemoryJournal())
        let node = try ServerNode("e", over: journal)
        #expect(try node.client.send("GET", "/readyz").text == #"{"status":"ok"}"#)
        journal.fail(with: .away("no route"))
        #expect(try Self.reason(node) == "storage_away")
        journal.fail(with: nil)
        #expect(try node.client.send("GET", "/readyz").status == 200)
        #expect(try node.client.send("PUT", "/v1/lists/l", json: Self.list).status == 201)
        // Nobody knows what the disk has after this.
        journal.fail(with: .io("no sync"))
        #expect(try node.client.send("POST", "/v1/lists/l/items/a/star").status >= 500)
        journal.fail(with: nil)
        #expect(try Self.reason(node) == "disk_failed")
    }

    private static func reason(_ node: ServerNode) throws -> String? {
        let answer = try node.client.send("GET", "/readyz")
        #expect(answer.status == 503)
        let problem = try JSONValue(parsing: answer.body)
        #expect(problem["code"]?.string == "unavailable")
        return problem["reason"]?.string
    }
}
