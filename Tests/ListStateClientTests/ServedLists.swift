import Foundation
import ListAPI
import ListStateClient
import ListStore
import Microhttpd
import TestSupport
import Texts
import Threads

/// A server with its lists in memory, on a port of its own.
final class ServedLists: Sendable {
    private let store: Store
    private let server: Server

    /// - Parameters:
    ///   - operationsMax: The most operations of a transaction.
    ///   - epochs: The beginning of all epochs of its lists, which another server does not have.
    init(operationsMax: Int = 1_000, epochs: ByteText = "e") throws {
        let made = Locked(0)
        let next: @Sendable () -> Int = {
            made.withLock { count in
                count += 1
                return count
            }
        }
        let limits = Store.Limits(
            itemsMax: 5_000, sectionsMax: 99, contentBytesMax: 999, historyVersionsMax: 5_000, historyBytesMax: 1 << 22,
            receiptsMax: 1_000, receiptAgeMax: 100,
            deleted: .init(listsMax: 9, bytesMax: .max, ageMax: 1_000))
        store = try Store(
            journal: nil, limits: limits, intents: API.intentCoding(bytesMax: 1 << 20), clock: { 0 },
            token: { ByteText("\(epochs)\(next())") })
        server = try Server(
            Server.Configuration(
                host: "127.0.0.1", port: 0, loopCount: 1, connectionsMax: 199, connectionsPerAddressMax: 199,
                requestDeadlineSeconds: 60, idleTimeoutSeconds: 60, listenBacklog: 99),
            handler: API(
                store: store,
                configuration: API.Configuration(
                    bodyBytesMax: 400_000, listBodyBytesMax: 400_000, operationsMax: operationsMax,
                    contentBytesMax: 999,
                    streamsPerListMax: 9, queriesPerListMax: 9, heartbeatSeconds: 15, origins: .none, hosts: .these([]),
                    requestID: { "made" }, identifier: { ByteText("made-\(next())") }, observe: nil,
                    observesSuccesses: false)))
    }

    deinit {
        server.stop(graceSeconds: 0)
        store.stop()
    }

    var port: UInt16 { server.port }

    var transport: any Transport { CurlTransport(URL(string: "http://127.0.0.1:\(server.port)")!)! }

    /// Writes as somebody else does.
    func send(_ method: String, _ path: String, _ json: String = "") throws {
        let answer = try HTTPClient(port: server.port).send(method, path, json: json)
        guard (200..<300).contains(answer.status) else { throw Refused(text: "\(answer)") }
    }

    /// The ids of all items, in their order.
    func items(of list: String) throws -> [String] {
        let body = try HTTPClient(port: server.port).send("GET", "/v1/lists/\(list)").body
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        let sections = object?["sections"] as? [[String: Any]] ?? []
        return sections.flatMap { $0["items"] as? [[String: Any]] ?? [] }.compactMap { $0["id"] as? String }
    }

    /// The number of operations that the list has ever done since it was made.
    func operationCount(of list: String) throws -> Int {
        let body = try HTTPClient(port: server.port).send("GET", "/v1/lists/\(list)/transactions?limit=1000").body
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        let transactions = object?["transactions"] as? [[String: Any]] ?? []
        let operations = transactions.flatMap { $0["operations"] as? [[String: Any]] ?? [] }
        return operations.count { $0["op"] as? String != "applySnapshot" }
    }

    struct Refused: Error { let text: String }
}

/// A network that can be down, and that loses some requests and some answers.
final class BadNetwork: Transport {
    struct Lost: Error {}

    private let network: any Transport
    private let random: Locked<SeededGenerator>
    private let down = Locked(false)
    private let refused = Locked<[String: Int]>([:])
    /// One request of so many is lost, and so is one answer of so many; 0 for none.
    private let losses: Int

    init(_ network: any Transport, losses: Int = 0, seed: UInt64 = 1) {
        (self.network, self.losses, random) = (network, losses, Locked(SeededGenerator(seed: seed)))
    }

    var isDown: Bool {
        get { down.withLock { $0 } }
        set { down.withLock { $0 = newValue } }
    }

    /// The number of requests with a method that were lost, or whose answers were.
    func refusals(of method: String) -> Int { refused.withLock { $0[method] ?? 0 } }

    private func fail(_ request: WireRequest) throws {
        guard !isDown, losses == 0 || !random.withLock({ $0.once(in: losses) }) else {
            refused.withLock { $0[request.method, default: 0] += 1 }
            throw Lost()
        }
    }

    func send(_ request: WireRequest) async throws -> (head: WireHead, body: [UInt8]) {
        try fail(request)
        let answer = try await network.send(request)
        try fail(request)
        return answer
    }

    func open(_ request: WireRequest) async throws -> (head: WireHead, body: AsyncThrowingStream<[UInt8], any Error>) {
        try fail(request)
        return try await network.open(request)
    }
}

/// A network that counts the writes, and gives each answer late.
final class LateNetwork: Transport {
    private let network: any Transport
    private let delay: Duration
    private let sent = Locked(0)

    init(_ network: any Transport, delay: Duration) { (self.network, self.delay) = (network, delay) }

    /// The number of writes that were sent.
    var writes: Int { sent.withLock { $0 } }

    func send(_ request: WireRequest) async throws -> (head: WireHead, body: [UInt8]) {
        if request.method == "POST" { sent.withLock { $0 += 1 } }
        let answer = try await network.send(request)
        try await Task.sleep(for: delay)
        return answer
    }

    func open(_ request: WireRequest) async throws -> (head: WireHead, body: AsyncThrowingStream<[UInt8], any Error>) {
        try await network.open(request)
    }
}

/// Waits until something holds.
@MainActor func until(_ holds: () throws -> Bool) async throws {
    for _ in 0..<4_000 {
        if try holds() { return }
        try await Task.sleep(for: .milliseconds(5))
    }
    throw NeverHeld()
}

struct NeverHeld: Error {}
