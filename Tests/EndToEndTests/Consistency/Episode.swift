import Foundation
import JSONValue
import Threads
import TestSupport

/// One data folder, many lives of the server, and all that its clients were told meanwhile.
struct Episode {
    struct Settings: Sendable {
        var kills = 6
        /// Acknowledged writes in a life of the server, on average.
        var answersPerLife = 60
        /// More for the server's command line and environment.
        var arguments: [String] = []
        var environment: [String: String] = [:]
        /// Where the data is, if the power of it is to fail with every kill.
        var disk: LoopDisk?
    }

    struct Tally {
        var kills = 0
        var acknowledged = 0
        var refused = 0
        /// Acknowledged after a try whose answer was lost.
        var retried = 0
        /// Answers that were those of an earlier try.
        var replays = 0
        var reads = 0
        var events = 0
        var reconnects = 0
        var faultedConnections = 0
        var states = 0
        /// Commands that worked on the folder between two lives.
        var commands = 0

        mutating func add(_ other: Tally) {
            kills += other.kills
            acknowledged += other.acknowledged
            refused += other.refused
            retried += other.retried
            replays += other.replays
            reads += other.reads
            events += other.events
            reconnects += other.reconnects
            faultedConnections += other.faultedConnections
            states += other.states
            commands += other.commands
        }
    }

    private static let lists = ["l0", "l1", "l2"]

    private let settings: Settings
    private var generator: SeededGenerator
    private let folder: TemporaryFolder
    private let proxy: FaultProxy
    private let power: PowerSwitch?
    private let nemesis: Nemesis
    private let clock = HistoryClock()
    private let writers = Locked<[ListWriter]>([])
    private let founders = Locked<[ListFounder]>([])
    private let watches = Locked<[Watch]>([])
    private let hasEnded = Locked(false)
    private var starts: [String: JSONValue] = [:]
    private(set) var violations: [Violation] = []
    private(set) var tally = Tally()
    private var arguments: [String]
    /// Where the data is.
    private let path: String
    /// How many lists commands have made.
    private var imported = 0

    /// - Parameter seed: Repeats the choices, though not the order in which threads get their turns.
    init(seed: UInt64, _ settings: Settings) throws {
        self.settings = settings
        generator = SeededGenerator(seed: seed)
        folder = try TemporaryFolder()
        let power = settings.disk.map { [seed = generator.next()] in PowerSwitch($0, seed: seed) }
        self.power = power
        nemesis = power.map { power in Nemesis(mayRefuse: true) { power.cut(under: $0) } } ?? Nemesis()
        proxy = try FaultProxy(seed: generator.next()) { [nemesis] in nemesis.acknowledged(bytes: $0) }
        path = settings.disk.map { $0.path + "/data" } ?? folder.path
        arguments = ["--data", path, "--heartbeat-seconds", "1"] + settings.arguments
        // With more loops than one also where there are few cores, so that requests for one list meet.
        arguments += ["--loops", "2"]
        // One half of them with little history, so that snapshots take the place of what is older.
        if generator.once(in: 2) { arguments += ["--history-versions-max", "200", "--compaction-versions", "20"] }
    }

    /// Lives through all kills, then checks what was written down.
    mutating func run() {
        var history = History()
        do {
            try live()
            history.ends = try finish()
        } catch {
            violations.append(Violation(.unhealthy, "\(error)"))
        }
        nemesis.giveUp()
        proxy.stop()
        nemesis.waitForWork()
        for writer in writers.withLock({ $0 }) {
            history.add(writer.history)
            violations += writer.violations
        }
        for founder in founders.withLock({ $0 }) {
            tally.acknowledged += founder.acknowledged
            violations += founder.violations
        }
        violations += power?.violations ?? []
        history.watches = watches.withLock { $0 }
        history.starts = starts
        let check = ConsistencyCheck.run(history)
        violations += check.violations
        count(history, states: check.stateCount)
    }

    private mutating func count(_ history: History, states: Int) {
        tally.faultedConnections = proxy.faultedCount
        tally.states = states
        tally.reads = history.reads.count
        for write in history.writes {
            guard write.acknowledgement != nil else {
                tally.refused += 1
                continue
            }
            tally.acknowledged += 1
            if write.tries.first?.answer == nil { tally.retried += 1 }
            tally.replays += write.tries.count { $0.answer?.isReplay == true }
        }
        for entry in history.watches.flatMap(\.entries) {
            switch entry {
            case .connected(let id): tally.reconnects += id.isEmpty ? 0 : 1
            case .event: tally.events += 1
            }
        }
    }

    private struct NobodyWrites: Error {}

    private struct EndedByItself: Error, CustomStringConvertible {
        let exitCode: Int32
        let log: String

        var description: String { "the server ended by itself, with \(exitCode): \(log.suffix(500))" }
    }

    private func launch() throws -> ServerProcess {
        let server = try ServerProcess(arguments, environment: settings.environment)
        power?.watch(port: server.port)
        return server
    }

    /// Looks back at a life that has been ended, and brings the disk back.
    private mutating func bury(_ server: ServerProcess) throws {
        tally.kills += 1
        guard let disk = settings.disk else { return }
        let log = server.log
        // It waits for the disk, so nothing is ever in doubt.
        if log.contains("may be missing") { violations.append(Violation(.lost, log)) }
        try disk.restart()
    }

    // MARK: Lives

    private mutating func live() throws {
        var server = try launch()
        try createLists(server.client)
        employ()
        for _ in 0..<settings.kills {
            // Now and then it is killed again at once, so that a key lives through several kills.
            let most = generator.once(in: 4) ? 12 : settings.answersPerLife * 2
            nemesis.attack(
                server.processIdentifier, after: 1 + generator.below(most), waitsForLarge: !generator.once(in: 4))
            proxy.lead(to: server.port)
            // Writers end before the server only where something is wrong, and then nobody provokes its end.
            guard !nemesis.waitForWritersOrEnd() else { throw NobodyWrites() }
            let exitCode = server.waitUntilEnd()
            proxy.lead(to: nil)
            guard nemesis.isKilled, exitCode == SIGKILL else {
                throw EndedByItself(exitCode: exitCode, log: server.log)
            }
            try bury(server)
            if generator.once(in: 2) { try maintain() }
            server = try launch()
        }
        nemesis.settle()
        nemesis.attack(server.processIdentifier, after: nil)
        proxy.lead(to: server.port)
        try waitForWriters(server)
        // All is acknowledged, and all must be there after this one too.
        if let power { power.cut(under: server.processIdentifier) }
        server.crash()
        proxy.lead(to: nil)
        try bury(server)
        try maintain()
    }

    /// Between two lives, as an administrator would: nobody who writes or reads is to see anything of it.
    private mutating func maintain() throws {
        // Where power fails, what it finds is to be what a server has left.
        guard settings.disk == nil else { return }
        var command = ["compact", "--data", path]
        if generator.once(in: 2) {
            imported += 1
            let file = folder.path + "/lines"
            // Those that are there are skipped.
            let lists = (1...imported).map {
                "{\"list\":{\"id\":\"t\($0)\",\"title\":\"\"}}\n{\"end\":{\"id\":\"t\($0)\",\"sections\":0,\"items\":0}}"
            }
            let lines = [#"{"liststate":"export","format":1}"#] + lists
            try (lines.joined(separator: "\n") + "\n").write(toFile: file, atomically: false, encoding: .utf8)
            command = ["import", "--data", path, file]
        }
        let run = try ServerProcess.run(command, environment: settings.environment)
        tally.commands += 1
        if run.exitCode != 0 { violations.append(Violation(.unhealthy, "\(command[0]): \(run)")) }
    }

    private mutating func createLists(_ client: HTTPClient) throws {
        for list in Self.lists {
            _ = try client.send("PUT", "/v1/lists/\(list)", json: ListWriter.start.text)
            starts[list] = try JSONValue(parsing: client.send("GET", "/v1/lists/\(list)").body)
        }
    }

    private mutating func employ() {
        let (writers, watches) = (writers, watches)
        for number in 0..<6 {
            let seed = generator.next()
            let writer = ListWriter(
                name: "w\(number)", lists: Self.lists, port: proxy.port, nemesis: nemesis, clock: clock, seed: seed)
            nemesis.employ(asWriter: true) {
                var writer = writer
                writer.work()
                writers.withLock { [writer] in $0.append(writer) }
            }
        }
        if settings.disk != nil {
            let founder = ListFounder(port: proxy.port, nemesis: nemesis, seed: generator.next())
            let founders = founders
            nemesis.employ(asWriter: true) {
                var founder = founder
                founder.work()
                founders.withLock { [founder] in $0.append(founder) }
            }
        }
        for list in Self.lists {
            let watcher = ListWatcher(list: list, port: proxy.port, nemesis: nemesis, hasEnded: hasEnded)
            nemesis.employ(asWriter: false) {
                let watch = watcher.watch()
                watches.withLock { $0.append(watch) }
            }
        }
    }

    private func waitForWriters(_ server: ServerProcess) throws {
        guard !nemesis.waitForWritersOrEnd() else { return }
        throw EndedByItself(exitCode: server.waitUntilEnd(), log: server.log)
    }

    // MARK: The end

    /// Repeats old keys in the last life of the server, and writes what everyone who follows a list waits for.
    ///
    /// - Returns: What is there then.
    private mutating func finish() throws -> [String: JSONValue] {
        let server = try launch()
        proxy.lead(to: server.port)
        for index in writers.withLock({ $0.indices }) {
            // Without the faults of the proxy: what is wrong now is wrong by itself.
            writers.withLock { $0[index].finish(port: server.port, repeating: 40, last: lastWrite(index)) }
        }
        founders.withLock { founders in
            for index in founders.indices { founders[index].finish(port: server.port) }
        }
        hasEnded.withLock { $0 = true }
        nemesis.waitForWork()
        var ends: [String: JSONValue] = [:]
        for list in Self.lists {
            ends[list] = try JSONValue(parsing: server.client.send("GET", "/v1/lists/\(list)").body)
        }
        for number in 0..<imported {
            let answer = try server.client.send("GET", "/v1/lists/t\(number + 1)")
            if answer.status != 200 { violations.append(Violation(.lost, "t\(number + 1) was imported: \(answer)")) }
        }
        let exitCode = server.stop()
        guard exitCode == 0 else { throw EndedByItself(exitCode: exitCode, log: server.log) }
        return ends
    }

    private func lastWrite(_ writer: Int) -> KeyedWrite? {
        guard Self.lists.indices.contains(writer) else { return nil }
        let list = Self.lists[writer]
        let body: JSONValue = ["operations": [["op": "updateList", "title": .string(ListWatcher.lastTitle)]]]
        return KeyedWrite(
            list: list, key: "last-\(list)", method: "POST", target: "/v1/lists/\(list)/transactions", body: body)
    }
}
