// How fast a long queue comes to the server while each answer takes a while.

import Foundation
import ListAPI
import ListModel
import ListStateClient
import ListStore
import Microhttpd
import Synchronization
import Texts

/// A network whose answers come late, and that is down at first.
final class LateNetwork: Transport {
    struct Down: Error {}

    private let network: any Transport
    private let delay: Duration
    private let state = Mutex((isUp: false, writes: 0))

    init(_ network: any Transport, delay: Duration) { (self.network, self.delay) = (network, delay) }

    func goUp() { state.withLock { $0.isUp = true } }
    var writes: Int { state.withLock { $0.writes } }

    func send(_ request: WireRequest) async throws -> (head: WireHead, body: [UInt8]) {
        try state.withLock { state in
            guard state.isUp else { throw Down() }
            if request.method == "POST" { state.writes += 1 }
        }
        let answer = try await network.send(request)
        try await Task.sleep(for: delay)
        return answer
    }

    func open(_ request: WireRequest) async throws -> (head: WireHead, body: AsyncThrowingStream<[UInt8], any Error>) {
        guard state.withLock({ $0.isUp }) else { throw Down() }
        return try await network.open(request)
    }
}

struct Thing: Codable, Sendable { var name: String }

/// Makes edits while the network is down, and measures how long they take when it is up.
@MainActor func drain(_ count: Int, delay: Duration) async throws -> (perSecond: Double, writes: Int) {
    let made = Atomic(0)
    let next: @Sendable () -> ByteText = { ByteText("m\(made.add(1, ordering: .relaxed).newValue)") }
    let limits = Store.Limits(
        itemsMax: 100_000, sectionsMax: 99, contentBytesMax: 65_536, historyVersionsMax: 5_000,
        historyBytesMax: 1 << 26, receiptsMax: 1_000, receiptAgeMax: 100,
        deleted: .init(listsMax: 9, bytesMax: .max, ageMax: 1_000))
    let store = try Store(journal: nil, limits: limits, clock: { 0 }, token: next)
    let server = try Microhttpd.Server(
        Microhttpd.Server.Configuration(
            host: "127.0.0.1", port: 0, loopCount: 1, connectionsMax: 199, connectionsPerAddressMax: 199,
            requestDeadlineSeconds: 60, idleTimeoutSeconds: 60, listenBacklog: 99),
        handler: API(
            store: store,
            configuration: API.Configuration(
                bodyBytesMax: 1 << 20, listBodyBytesMax: 1 << 20, operationsMax: 10_000, contentBytesMax: 65_536,
                streamsPerListMax: 9, queriesPerListMax: 9, heartbeatSeconds: 15, origins: .none, hosts: .these([]),
                requestID: { "made" }, identifier: next, observe: nil, observesSuccesses: false)))
    defer {
        server.stop(graceSeconds: 0)
        store.stop()
    }
    let direct = CurlTransport(URL(string: "http://127.0.0.1:\(server.port)")!)!
    _ = try await direct.send(
        WireRequest(
            method: "PUT", target: "/v1/lists/l", fields: ["Content-Type": "application/json"],
            body: Array(#"{"sections":[{"id":"a"}]}"#.utf8)))
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let network = LateNetwork(direct, delay: delay)
    let client = try await ListStateClient(network, store: .directory(folder))
    let list = try await client.list("l", of: Thing.self)
    var edits: [SentEdit] = []
    for number in 0..<count {
        edits.append(try list.edit { try $0.add(Thing(name: "\(number)"), to: .last(.section("a"))) })
    }
    for edit in edits { _ = await edit.isKept }
    let shown = list.sections.first?.items ?? []
    network.goUp()
    let time = try await ContinuousClock().measure {
        for edit in edits {
            guard case .applied = await edit.settled else { throw LateNetwork.Down() }
        }
    }
    client.close()
    let answer = try await direct.send(WireRequest(method: "GET", target: "/v1/lists/l", fields: [:], body: nil))
    let text = String(decoding: answer.body, as: UTF8.self)
    let order = text.components(separatedBy: #""name":""#).dropFirst().map { $0.prefix { $0 != "\"" } }
    guard order == (0..<count).map({ Substring("\($0)") }), shown.isEmpty || shown.count == count else {
        throw LateNetwork.Down()
    }
    return (
        Double(count) / (Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18), network.writes
    )
}
