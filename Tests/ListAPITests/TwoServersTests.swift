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
        case memory, memoryWithoutHints, postgreSQL

        /// A journal for each of two servers.
        func journals() throws -> [any Journal] {
            switch self {
            case .memory: return Array(repeating: MemoryJournal(), count: 2)
            case .memoryWithoutHints: return Array(repeating: MemoryJournal(fault: .givesNoHints), count: 2)
            case .postgreSQL:
                let server = try PostgreSQLServer.shared
                let url = try server.url(server.newDatabase())
                return try (0..<2).map { _ in try PostgreSQLJournal(url: url) { .random(in: 0 ... .max) } }
            }
        }
    }

    private final class Node {
        let store: Store
        let server: Server
        /// The answers to writes of which the log was told.
        let told = Locked<[String]>([])

        init(_ name: String, over journal: any Journal) throws {
            let count = Locked(0)
            let limits = Store.Limits(
                itemsMax: 5_000, sectionsMax: 9, contentBytesMax: 999, historyVersionsMax: 5_000,
                historyBytesMax: 1 << 20, receiptsMax: 1_000, receiptAgeMax: 100)
            store = try Store(
                journal: journal, limits: limits, clock: { 0 },
                token: {
                    ByteText(name + "\(count.withLock { count in count += 1; return count })")
                })
            var configuration = API.Configuration(
                bodyBytesMax: 20_000, listBodyBytesMax: 40_000, operationsMax: 99, contentBytesMax: 999,
                streamsPerListMax: 9, queriesPerListMax: 9, heartbeatSeconds: 15, origins: .none, hosts: .these([]),
                requestID: { "made" }, identifier: Harness.identifier(),
                observe: { [told, store] event in
                    if store.shared.queue?.isCommitting == true { Issue.record("a full log would hold all writes") }
                    if event.method != .get { told.withLock { $0.append("\(event.path) \(event.status.code)") } }
                }, observesSuccesses: true)
            configuration.workers = 2
            server = try Server(
                Server.Configuration(
                    host: "127.0.0.1", port: 0, loopCount: 1, connectionsMax: 99, connectionsPerAddressMax: 99,
                    requestDeadlineSeconds: 60, idleTimeoutSeconds: 60, listenBacklog: 99),
                handler: API(store: store, configuration: configuration))
        }

        deinit {
            server.stop(graceSeconds: 0)
            store.stop()
        }

        var client: HTTPClient { HTTPClient(port: server.port) }
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
        let nodes = try zip(["e", "f"], shared.journals()).map { try Node($0, over: $1) }
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
    @Test(arguments: [Shared.memoryWithoutHints, .postgreSQL])
    func aKeyIsKnownToBoth(over shared: Shared) throws {
        let nodes = try zip(["e", "f"], shared.journals()).map { try Node($0, over: $1) }
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
