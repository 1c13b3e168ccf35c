import HTTPTypes
import ListModel
@testable import ListAPI
@testable import ListStore
import Microhttpd
import TestSupport
import Testing
import Texts
import Threads

/// A server over a journal that it may share with others.
final class ServerNode {
    let store: Store
    let server: Server
    /// The answers to writes of which the log was told.
    let told = Locked<[String]>([])

    /// The clock by which memory grows old, in milliseconds.
    let clock = Locked(0)

    /// - Parameters:
    ///   - sharedCacheSeconds: As in `API.Configuration`.
    ///   - gate: As there.
    ///   - repeating: As there.
    init(
        _ name: String, over journal: any Journal, sharedCacheSeconds: Int = 0, workers: Int = 2,
        gate: Gate = .open, repeating: API.Configuration.Repeating? = nil
    ) throws {
        let count = Locked(0)
        let limits = Store.Limits(
            itemsMax: 5_000, sectionsMax: 9, contentBytesMax: 999, historyVersionsMax: 5_000,
            historyBytesMax: 1 << 20, receiptsMax: 1_000, receiptAgeMax: 100,
            deleted: .init(listsMax: 9, bytesMax: .max, ageMax: 1_000))
        store = try Store(
            journal: journal, limits: limits, clock: { 0 }, milliseconds: { [clock] in clock.withLock { $0 } },
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
        configuration.workers = workers
        configuration.gate = gate
        configuration.repeating = repeating
        configuration.sharedCacheSeconds = sharedCacheSeconds
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
