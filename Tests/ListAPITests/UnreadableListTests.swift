import ListModel
import ListStore
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// A list that exists but cannot be read is answered with 503 everywhere. It is never 404, and no other list can take
/// its place.
@Suite struct UnreadableListTests {
    /// A journal with one list, on a disk that fails when the list is read.
    private final class FailingJournal: PartialJournal {
        private let error: JournalError
        init(_ error: JournalError) { self.error = error }
        func lists(after id: ListID?, limit: Int) -> [ListID] { [ListID("l")!] }
        func load(
            _ list: ListID, after place: LogPlace?, snapshot: (SnapshotPart) throws -> Void,
            entry: (JournalEntry) throws -> Void
        ) throws -> LogPlace? {
            throw error
        }
    }

    @Test(arguments: [
        ("GET", "/v1/lists/l", ""), ("HEAD", "/v1/lists/l", ""), ("GET", "/v1/lists/l?view=visible", ""),
        ("GET", "/v1/lists/l/changes?since=e1-1", ""),
        ("GET", "/v1/lists/l/items/a", ""), ("GET", "/v1/lists/l/transactions", ""),
        ("PUT", "/v1/lists/l", Harness.start), ("DELETE", "/v1/lists/l", ""),
        ("POST", "/v1/lists/l/transactions", #"{"operations":[]}"#),
    ])
    func isUnavailable(method: String, target: String, body: String) throws {
        let harness = try Harness(over: FailingJournal(.io("read /somewhere/liststate.db: Input/output error")))
        for _ in 0..<2 {
            let reply = try harness.ask(method, target, body.isEmpty ? [:] : Harness.json, body)
            #expect(reply.status == 503 && reply.code == "unavailable", "\(reply.status) \(reply.text)")
            #expect(reply["Retry-After"] == "5" && !reply.text.contains("somewhere"))
        }
        #expect(try harness.ask("GET", "/v1/lists/m").status == 404)
    }

    /// The disk fails while it reads, or the data is damaged.
    @Test(arguments: [JournalError.io("read"), .corrupt("chunk 1")])
    func isListedBesideTheOthers(error: JournalError) throws {
        let harness = try Harness(over: FailingJournal(error))
        for _ in 0..<2 {
            let lists = try harness.ask("GET", "/v1/lists")
            #expect(lists.status == 200 && lists.text == #"{"lists":[],"unreadable":["l"]}"#)
            let ready = try harness.ask("GET", "/readyz")
            // A disk that fails now may work the next time, so its list is not called unreadable.
            let isDamaged = error == .corrupt("chunk 1")
            #expect(ready.status == 200)
            #expect(ready.text == (isDamaged ? #"{"status":"ok","unreadable":["l"]}"# : #"{"status":"ok"}"#))
            #expect(try harness.ask("GET", "/healthz").text == #"{"status":"ok"}"#)
        }
    }

    @Test(arguments: [
        ("GET", "", ""), ("GET", "/changes?since=e1-1", ""), ("GET", "/items/a", ""), ("GET", "/transactions", ""),
        ("POST", "/transactions", #"{"operations":[]}"#),
    ])
    func aDamagedListIsUnavailable(method: String, path: String, body: String) throws {
        let harness = try Harness(over: FailingJournal(.corrupt("chunk 1 of /somewhere")))
        for _ in 0..<2 {
            let reply = try harness.ask(method, "/v1/lists/l" + path, body.isEmpty ? [:] : Harness.json, body)
            #expect(reply.status == 503 && reply.code == "unavailable", "\(reply.status) \(reply.text)")
            #expect(!reply.text.contains("somewhere"))
        }
    }
}
