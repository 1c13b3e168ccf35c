import HTTPTypes
import JSONValue
import ListAPI
import ListModel
@testable import ListStore
import Microhttpd
import PostgreSQLJournal
import TestSupport
import Testing
import Texts
import Threads

/// Two servers over one journal: a client of either sees the same list, and a write that comes second is decided again.
@Suite struct TwoServersTests {
    enum Shared: CaseIterable {
        case memory, memoryWithoutHints, checkedMemory, postgreSQL

        /// A journal for each of two servers.
        func journals() throws -> [any Journal] {
            switch self {
            case .memory: return Array(repeating: MemoryJournal(), count: 2)
            case .memoryWithoutHints: return Array(repeating: MemoryJournal(fault: .givesNoHints), count: 2)
            case .checkedMemory:
                let memory = MemoryJournal(fault: .givesNoHints)
                return (0..<2).map { _ in WatchedJournal(over: memory) }
            case .postgreSQL:
                let server = try PostgreSQLServer.shared
                let url = try server.url(server.newDatabase())
                return try (0..<2).map { _ in try PostgreSQLJournal(url: url) { .random(in: 0 ... .max) } }
            }
        }
    }

    /// Adds an item, with its id as the idempotency key. A write for which others left no time is sent again.
    ///
    /// - Parameter answers: Gets the statuses of all answers.
    private static func add(
        _ item: String, _ client: HTTPClient, _ answers: Locked<[Int]> = Locked([])
    ) -> RawResponse? {
        let body = #"{"items":[{"id":"\#(item)"}]}"#
        var reply: RawResponse?
        for _ in 0..<20 where reply == nil || reply?.status == 503 {
            reply = try? client.send("POST", "/v1/lists/l/items", [("Idempotency-Key", item)], json: body)
            answers.withLock { answers in reply.map { answers.append($0.status) } }
        }
        return reply
    }

    @Test(arguments: Shared.allCases)
    func everyWriteIsAnsweredOnceAndKept(over shared: Shared) throws {
        let nodes = try zip(["e", "f"], shared.journals()).map { try ServerNode($0, over: $1) }
        #expect(try nodes[0].client.send("PUT", "/v1/lists/l", json: #"{"sections":[{"id":"s"}]}"#).status == 201)
        #expect(try nodes[1].client.send("GET", "/v1/lists/l").status == 200)
        let (wrong, answers) = (Locked<[String]>([]), Locked([201]))
        let threads = try (0..<4).map { number in
            let port = nodes[number % 2].server.port
            return try Thread {
                let client = HTTPClient(port: port)
                for item in 0..<50 {
                    let reply = Self.add("i\(number)-\(item)", client, answers)
                    if reply?.status != 200 { wrong.withLock { $0.append("\(reply.debugDescription)") } }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(wrong.withLock { $0 } == [])
        // The log is told of each answer once, also of those that were decided again.
        let told = nodes.flatMap { $0.told.withLock { $0 } }
        let sent = answers.withLock { $0 }.map { $0 == 201 ? "/v1/lists/l 201" : "/v1/lists/l/items \($0)" }
        #expect(told.sorted() == sent.sorted())
        for node in nodes { try node.store.follow(ListID("l")!) }
        let bodies = try nodes.map { try $0.client.send("GET", "/v1/lists/l").body }
        #expect(bodies[0] == bodies[1])
        let text = String(decoding: bodies[0], as: UTF8.self)
        for number in 0..<4 {
            for item in 0..<50 { #expect(text.split(separator: "\"i\(number)-\(item)\"").count == 2) }
        }
    }

    /// A client that has no answer asks the other server.
    @Test(arguments: [Shared.memoryWithoutHints, .checkedMemory, .postgreSQL])
    func aKeyIsKnownToBoth(over shared: Shared) throws {
        let nodes = try zip(["e", "f"], shared.journals()).map { try ServerNode($0, over: $1) }
        let (one, other) = (nodes[0].client, nodes[1].client)
        #expect(try one.send("PUT", "/v1/lists/l", json: #"{"sections":[{"id":"s"}]}"#).status == 201)
        let first = try #require(Self.add("a", one))
        let second = try #require(Self.add("a", other))
        #expect(first.status == 200)
        #expect(second.status == 200)
        #expect(first["ETag"] == second["ETag"])
        let text = String(decoding: try other.send("GET", "/v1/lists/l").body, as: UTF8.self)
        #expect(text.split(separator: #""a""#).count == 2)
    }
}
