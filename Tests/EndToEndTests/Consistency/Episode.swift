import Foundation
import JSONValue
import Threads
import TestSupport

/// One data folder, many lives of the server, and everything that its clients were told during them.
struct Episode {
    struct Settings: Sendable {
        var kills = 6
        /// The average number of acknowledged writes in a life of the server.
        var answersPerLife = 60
        /// Further arguments and variables for the server.
        var arguments: [String] = []
        var environment: [String: String] = [:]
        /// The disk with the data, if its power fails with every kill; otherwise nil.
        var disk: LoopDisk?
    }

    struct Tally {
        var kills = 0
        var acknowledged = 0
        var refused = 0
        /// Writes that were acknowledged after an earlier try had lost its answer.
        var retried = 0
        /// Answers that repeated the answer to an earlier try.
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
    /// The path of the data folder.
    private let path: String
    /// How many lists the import command has made.
    private var imported = 0

    /// - Parameter seed: The same seed gives the same choices, but not the same order of threads.
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
        // Several loops, also on a machine with few cores, so that requests for one list meet.
        arguments += ["--loops", "2"]
        // Half of the episodes keep little history, so that snapshots take the place of older entries.
        if generator.once(in: 2) { arguments += ["--history-versions-max", "200", "--compaction-versions", "20"] }
    }

    /// Lives through all kills, then checks the history.
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

    /// Examines the log of a life that has ended, and mounts the disk again.
    private mutating func bury(_ server: ServerProcess) throws {
        tally.kills += 1
        guard let disk = settings.disk else { return }
        let log = server.log
        // The server waits for the disk before it answers, so no start finds a doubt.
        if log.contains("may be missing") { violations.append(Violation(.lost, log)) }
        try disk.restart()
    }

    // MARK: Lives

    private mutating func live() throws {
        var server = try launch()
        try createLists(server.client)
        employ()
        for _ in 0..<settings.kills {
            // Sometimes the next kill comes soon, so that one key lives through several kills.
            let most = generator.once(in: 4) ? 12 : settings.answersPerLife * 2
            nemesis.attack(
                server.processIdentifier, after: 1 + generator.below(most), waitsForLarge: !generator.once(in: 4))
            proxy.lead(to: server.port)
            // Writers end before the server only after a violation. Then nothing makes the server end any more.
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
        // Everything is acknowledged, and everything must still be there after this last kill.
        if let power { power.cut(under: server.processIdentifier) }
        server.crash()
        proxy.lead(to: nil)
        try bury(server)
        try maintain()
    }

    /// Runs commands on the folder between two lives, as an administrator does. Writers and readers must notice
    /// nothing.
    private mutating func maintain() throws {
        // If the power fails, the disk must be as the server left it, so no command may change it.
        guard settings.disk == nil else { return }
        var command = ["compact", "--data", path]
        if generator.once(in: 2) {
            imported += 1
            let file = folder.path + "/lines"
            // The import skips lists that exist already.
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

    /// Repeats old keys in the last life of the server, and makes the last writes, for which all followers wait.
    ///
    /// - Returns: The lists as they are then.
    private mutating func finish() throws -> [String: JSONValue] {
        let server = try launch()
        proxy.lead(to: server.port)
        for index in writers.withLock({ $0.indices }) {
            // These requests do not go through the proxy, so every failure is the server's.
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
