import JSONValue
import ListAPI
import ListModel
@testable import ListStore
import Microhttpd
import TestSupport
import Testing
import Texts
import Threads

/// Two servers over one journal: a client of either sees the same list, and a write that comes second is decided again.
@Suite struct TwoServersTests {
    private final class Node {
        let store: Store
        let server: Server

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
                requestID: { "made" }, identifier: Harness.identifier(), observe: nil, observesSuccesses: false)
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
    private static func add(_ item: String, _ client: HTTPClient) -> RawResponse? {
        let body = #"{"items":[{"id":"\#(item)"}]}"#
        var reply: RawResponse?
        for _ in 0..<20 where reply == nil || reply?.status == 503 {
            reply = try? client.send("POST", "/v1/lists/l/items", [("Idempotency-Key", item)], json: body)
        }
        return reply
    }

    @Test(arguments: [MemoryJournal.Fault?.none, .givesNoHints])
    func everyWriteIsAnsweredOnceAndKept(fault: MemoryJournal.Fault?) throws {
        let journal = MemoryJournal(fault: fault)
        let nodes = try [Node("e", over: journal), Node("f", over: journal)]
        #expect(try nodes[0].client.send("PUT", "/v1/lists/l", json: #"{"sections":[{"id":"s"}]}"#).status == 201)
        #expect(try nodes[1].client.send("GET", "/v1/lists/l").status == 200)
        let wrong = Locked<[String]>([])
        let threads = try (0..<4).map { number in
            let port = nodes[number % 2].server.port
            return try Thread {
                let client = HTTPClient(port: port)
                for item in 0..<50 {
                    let reply = Self.add("i\(number)-\(item)", client)
                    if reply?.status != 200 { wrong.withLock { $0.append("\(reply.debugDescription)") } }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(wrong.withLock { $0 } == [])
        for node in nodes { try node.store.follow(ListID("l")!) }
        let bodies = try nodes.map { try $0.client.send("GET", "/v1/lists/l").body }
        #expect(bodies[0] == bodies[1])
        let text = String(decoding: bodies[0], as: UTF8.self)
        for number in 0..<4 {
            for item in 0..<50 { #expect(text.split(separator: "\"i\(number)-\(item)\"").count == 2) }
        }
    }

    /// A client that has no answer asks the other server.
    @Test func aKeyIsKnownToBoth() throws {
        let journal = MemoryJournal(fault: .givesNoHints)
        let nodes = try [Node("e", over: journal), Node("f", over: journal)]
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
