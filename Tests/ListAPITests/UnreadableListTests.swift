import ListModel
import ListStore
import Testing

@testable import ListAPI

/// A list that is there but cannot be read: 503 on every way, never 404, and never another list in its place.
@Suite struct UnreadableListTests {
    /// Has one list, on a disk that fails when it is read.
    private final class FailingJournal: Journal {
        func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws -> [ListID] {
            [ListID("l")!]
        }
        func read(
            _ list: ListID, snapshot: (SnapshotPart) throws -> Void, entry: (JournalEntry) throws -> Void
        ) throws {
            throw JournalError.io("read /somewhere/liststate.db: Input/output error")
        }
        func append(_ batch: [JournalEntry]) throws(JournalError) {}
        func write(_ part: SnapshotPart) throws(JournalError) {}
        func removeSome(all: Bool) throws(JournalError) -> Bool { true }
        func trimReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool { true }
        func settleRecovery() throws(JournalError) {}
        func close() {}
    }

    @Test(arguments: [
        ("GET", "/v1/lists/l", ""), ("HEAD", "/v1/lists/l", ""), ("GET", "/v1/lists/l?view=visible", ""),
        ("GET", "/v1/lists", ""), ("GET", "/v1/lists/l/changes?since=e1-1", ""),
        ("GET", "/v1/lists/l/items/a", ""), ("GET", "/v1/lists/l/transactions", ""),
        ("PUT", "/v1/lists/l", Harness.start), ("DELETE", "/v1/lists/l", ""),
        ("POST", "/v1/lists/l/transactions", #"{"operations":[]}"#),
    ])
    func isUnavailable(method: String, target: String, body: String) throws {
        let harness = try Harness(over: FailingJournal())
        for _ in 0..<2 {
            let reply = try harness.ask(method, target, body.isEmpty ? [:] : Harness.json, body)
            #expect(reply.status == 503 && reply.code == "unavailable", "\(reply.status) \(reply.text)")
            #expect(reply["Retry-After"] == "5" && !reply.text.contains("somewhere"))
        }
        #expect(try harness.ask("GET", "/v1/lists/m").status == 404)
    }
}
