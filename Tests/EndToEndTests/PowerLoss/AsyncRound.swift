import JSONValue
import Threads
import TestSupport

/// One power loss under a server that does not wait for the disk. The server may lose acknowledged writes, but only the
/// newest ones, and it must notice.
struct AsyncRound {
    private static let lists = ["l0", "l1", "l2"]

    private var generator: SeededGenerator
    private let disk: LoopDisk
    private let power: PowerSwitch
    private let nemesis: Nemesis
    private let proxy: FaultProxy
    private let writers = Locked<[ListWriter]>([])
    private var history = History()
    private(set) var violations: [Violation] = []
    private(set) var acknowledged = 0
    /// Acknowledged writes that were lost.
    private(set) var lost = 0

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        let disk = try LoopDisk()
        let power = PowerSwitch(disk, seed: generator.next())
        let nemesis = Nemesis(mayRefuse: true) { power.cut(under: $0) }
        (self.disk, self.power, self.nemesis) = (disk, power, nemesis)
        proxy = try FaultProxy(seed: generator.next()) { nemesis.acknowledged(bytes: $0) }
    }

    mutating func run() throws {
        try loseAll()
        violations += power.violations
        for writer in writers.withLock({ $0 }) {
            history.add(writer.history)
            violations += writer.violations
        }
        // The history has no ends. Only the answers from before the power loss must agree with each other.
        violations += ConsistencyCheck.violations(of: history)
        acknowledged = Self.lists.count + history.writes.count { $0.acknowledgement != nil }

        var server = try launch(["--durability", "async"])
        for list in Self.lists { try check(list, server.client) }
        let versions = try Self.lists.map { try version(of: $0, server.client) }
        let exitCode = server.stop()
        if exitCode != 0 || !server.log.contains("may be missing") { violate(.unhealthy, "it did not know") }
        // The server has been stopped properly, so there is no doubt any more.
        server = try launch([])
        if try Self.lists.map({ try version(of: $0, server.client) }) != versions {
            violate(.wrong, "the lists changed without a write: they were \(versions)")
        }
    }

    private mutating func violate(_ kind: Violation.Kind, _ text: String) { violations.append(Violation(kind, text)) }

    private func launch(_ options: [String]) throws -> ServerProcess {
        try ServerProcess(["--data", disk.path + "/data", "--loops", "2"] + options)
    }

    private func version(of list: String, _ client: HTTPClient) throws -> String? {
        try client.send("GET", "/v1/lists/\(list)")["List-Version"]
    }

    // MARK: Before

    /// Writes until the power fails, and mounts the disk again.
    private mutating func loseAll() throws {
        defer {
            nemesis.giveUp()
            proxy.stop()
            nemesis.waitForWork()
        }
        let server = try launch(["--durability", "async"])
        power.watch(port: server.port)
        for list in Self.lists {
            _ = try server.client.send("PUT", "/v1/lists/\(list)", json: ListWriter.start.text)
            history.starts[list] = try JSONValue(parsing: server.client.send("GET", "/v1/lists/\(list)").body)
        }
        for number in 0..<4 {
            let writer = ListWriter(
                name: "w\(number)", lists: Self.lists, port: proxy.port, nemesis: nemesis, clock: clock,
                seed: generator.next())
            let writers = writers
            nemesis.employ(asWriter: true) {
                var writer = writer
                writer.work()
                writers.withLock { [writer] in $0.append(writer) }
            }
        }
        nemesis.attack(
            server.processIdentifier, after: 1 + generator.below(300), waitsForLarge: generator.once(in: 2))
        proxy.lead(to: server.port)
        _ = server.waitUntilEnd()
        proxy.lead(to: nil)
        try disk.restart()
    }

    private let clock = HistoryClock()

    // MARK: After

    /// The list must be in a state that it once had, and all writes up to that state must be remembered.
    private mutating func check(_ list: String, _ client: HTTPClient) throws {
        let writes = history.writes.filter { $0.list == list && $0.acknowledgement != nil }
        let start = history.starts[list] ?? .null
        guard let first = WireVersion(start["version"]?.string) else { return violate(.wrong, start.text) }
        let served = try client.send("GET", "/v1/lists/\(list)")
        guard served.status == 200 else {
            if served.status != 404 { violate(.unhealthy, "\(list): \(served.status)") }
            return lost += writes.count + 1
        }
        let snapshot = try JSONValue(parsing: served.body)
        guard let version = WireVersion(snapshot["version"]?.string), version.epoch != first.epoch else {
            return violate(.wrong, "\(list) goes on in its epoch, as \(snapshot.text)")
        }
        try checkState(list, writes, snapshot, version.revision)
        lost += writes.count { ($0.acknowledgement?.version?.revision ?? .max) > version.revision }
        // The receipt of a write that changed nothing is behind the version of its answer, and can be lost without it.
        let kept = writes.filter { write in
            guard let answer = write.acknowledgement, let known = answer.version else { return false }
            return known.revision < version.revision + (answer.isChange ? 1 : 0)
        }
        for write in kept.shuffled(using: &generator).prefix(20) { try checkKey(write, client) }
        for write in writes.shuffled(using: &generator).prefix(10) { try checkReset(write, version, client) }
    }

    private mutating func checkState(
        _ list: String, _ writes: [KeyedWrite], _ snapshot: JSONValue, _ revision: Int
    ) throws {
        var owners: [Int: KeyedWrite] = [:]
        for write in writes {
            guard let answer = write.acknowledgement, answer.isChange, let version = answer.version else { continue }
            owners[version.revision] = write
        }
        let reads = history.reads.filter { $0.list == list }
        var states = StateReplay(list: list, start: history.starts[list] ?? .null, reads: reads)
        states.run(owners, to: owners.keys.max() ?? 1, end: nil)
        guard let state = states.known[revision], state != JSONList(snapshot: snapshot) else { return }
        violate(.wrong, "\(list) was never, at revision \(revision), \(snapshot.text)")
    }

    private mutating func checkKey(_ write: KeyedWrite, _ client: HTTPClient) throws {
        let body = Array((write.body?.text ?? "").utf8)
        let answer = try client.send(write.method, write.target, write.fields, body: body)
        let version = try JSONValue(parsing: answer.body)["version"]
        guard answer["Idempotency-Replayed"] != "true" || version != write.acknowledgement?.body["version"] else {
            return
        }
        violate(.forgotten, "\(write.key) was \(write.acknowledgement?.body.text ?? ""), now is \(answer.text)")
    }

    /// A client that knows a version from before the loss must get a reset. A change set might start from another state
    /// than the client's.
    private mutating func checkReset(_ write: KeyedWrite, _ version: WireVersion, _ client: HTTPClient) throws {
        guard let old = write.acknowledgement?.version else { return }
        let answer = try client.send("GET", "/v1/lists/\(write.list)/changes?since=\(old)")
        let changes = try JSONValue(parsing: answer.body)
        guard changes["reset"] != true || changes["to"]?.string != version.description else { return }
        violate(.misread, "since \(old) of \(write.list), now at \(version): \(answer.text)")
    }
}
