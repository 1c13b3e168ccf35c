import ListModel
import ListStore
import Microhttpd
import TestSupport
import Testing
import Threads

@testable import ListAPI

/// Followers that do not read: what is made for them has room before it is made, and counts until it is read.
@Suite struct SlowFollowerTests {
    private static let memoryBytes = 32 << 20
    /// Beyond this there is no room for anything long.
    private static let longBytes = memoryBytes / 8 * 7
    private static let textBytes = 512 << 10
    private static let bye = #"{"reason":"limit","code":"overloaded","retryAfter":5}"#

    /// A server with the list `l`, whose JSON is 4 MiB. No follower's system takes as much.
    private struct Setup {
        let port: UInt16
        let client: HTTPClient
        let memory: MemoryBudget

        /// Opens a stream, and reads on until it knows whether the list comes. The rest is not read.
        func follow(_ query: String) throws -> (stream: RawSocket, text: String) {
            let stream = try RawSocket(port: port)
            try stream.send(
                "GET /v1/lists/l/changes?\(query) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            #expect(try stream.readHead().status == 200)
            var text = ""
            while !text.contains("event: reset\n"), !text.contains("event: bye\n") { text += try stream.readChunk() }
            while text.contains("event: bye\n"), !text.hasSuffix("\n\n") { text += try stream.readChunk() }
            return (stream, text)
        }

        /// Reads on until a text has come.
        func read(_ stream: RawSocket, until text: String) throws {
            var end = ""
            while !end.contains(text) { end = end.suffix(text.count) + (try stream.readChunk()) }
        }

        /// A write whose answer is short.
        func star(_ item: String) throws {
            let prefer = [("Prefer", "return=minimal")]
            #expect(try client.send("POST", "/v1/lists/l/items/\(item)/star", prefer).status == 204)
        }
    }

    private func withServer(workers: Int, _ body: (Setup) throws -> Void) throws {
        let limits = Store.Limits(
            itemsMax: 20, sectionsMax: 6, contentBytesMax: 1 << 20, historyVersionsMax: 10, historyBytesMax: 1 << 24,
            receiptsMax: 10, receiptAgeMax: 100)
        let memory = MemoryBudget(bytesMax: Self.memoryBytes)
        var configuration = API.Configuration(
            bodyBytesMax: 1 << 20, listBodyBytesMax: 8 << 20, operationsMax: 10, contentBytesMax: 1 << 20,
            streamsPerListMax: 100, queriesPerListMax: 100, heartbeatSeconds: 15, origins: .none, hosts: .these([]),
            requestID: { "made" }, identifier: Harness.identifier(), observe: nil, observesSuccesses: false)
        configuration.memory = memory
        configuration.workers = workers
        let store = try Store(journal: nil, limits: limits, clock: { 0 }, token: { "e" })
        let text = String(repeating: "x", count: Self.textBytes)
        let items = (0..<8).map { "{\"id\":\"i\($0)\",\"content\":{\"text\":\"\(text)\"}}" }.joined(separator: ",")
        var server = Server.Configuration(
            host: "127.0.0.1", port: 0, loopCount: 2, connectionsMax: 1_000, connectionsPerAddressMax: 1_000,
            requestDeadlineSeconds: 30, idleTimeoutSeconds: 60, listenBacklog: 1_024)
        server.memory = memory
        let running = try Server(server, handler: API(store: store, configuration: configuration))
        defer { running.stop(graceSeconds: 0) }
        let client = HTTPClient(port: running.port)
        let list = "{\"sections\":[{\"id\":\"s\",\"items\":[\(items)]}]}"
        #expect(try client.send("PUT", "/v1/lists/l", json: list).status == 201)
        while memory.bytes(of: .bodies) > 0 {}
        try body(Setup(port: running.port, client: client, memory: memory))
    }

    /// Each follows a view of its own, so that nothing can be shared.
    @Test(arguments: [0, 2])
    func allOfThemTogetherHoldWhatHasRoom(workers: Int) throws {
        try withServer(workers: workers) { setup in
            var held: [RawSocket] = []
            var size = 0
            for view in 0..<16 {
                let (stream, text) = try setup.follow("view=visible&expanded=i\(view)")
                #expect(setup.memory.bytes <= Self.longBytes)
                if text.contains("event: reset\n") {
                    held.append(stream)
                    if held.count == 1 { size = setup.memory.bytes(of: .answers) }
                } else {
                    #expect(text.hasSuffix("retry: 5000\n\nevent: bye\ndata: \(Self.bye)\n\n"))
                }
                #expect(setup.memory.bytes(of: .answers) == held.count * size)
            }
            #expect(size > 8 * Self.textBytes && size < 9 * Self.textBytes)
            #expect(held.count >= 3 && held.count * size < Self.longBytes)
            // Others are served, and there is room once the slow ones have gone.
            try setup.star("i0")
            for stream in held { stream.close() }
            while setup.memory.bytes(of: .answers) > 0 {}
            let later = try setup.follow("view=visible&expanded=i0")
            #expect(later.text.contains("event: reset\n"))
            try setup.read(later.stream, until: "x\"}}]}]}}\n\n")
        }
    }

    @Test(arguments: [0, 2])
    func thoseWhoFollowTheSameShareItsBytes(workers: Int) throws {
        try withServer(workers: workers) { setup in
            let first = try setup.follow("view=visible")
            let size = setup.memory.bytes(of: .answers)
            #expect(size > 8 * Self.textBytes)
            let others = try (0..<16).map { _ in try setup.follow("view=visible") }
            #expect(others.allSatisfy { $0.text.contains("event: reset\n") })
            #expect(setup.memory.bytes(of: .answers) == size)
            withExtendedLifetime((first, others)) {}
        }
    }

    /// A follower that lags has one update, however much happens. When it reads on, it gets the rest as one change.
    @Test(arguments: [0, 2])
    func oneOfThemHoldsOneUpdate(workers: Int) throws {
        try withServer(workers: workers) { setup in
            let (stream, _) = try setup.follow("view=visible")
            let size = setup.memory.bytes(of: .answers)
            for item in 0..<8 { try setup.star("i\(item)") }
            #expect(setup.memory.bytes(of: .answers) == size)
            try setup.read(
                stream, until: "id: e-9\nevent: change\ndata: {\"list\":\"l\",\"from\":\"e-1\",\"to\":\"e-9\"")
        }
    }
}
