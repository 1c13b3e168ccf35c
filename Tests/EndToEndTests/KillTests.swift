import Foundation
import JSONValue
import TestSupport
import Testing

/// The server is killed again and again while many write; nothing that it acknowledged may be lost or done twice.
///
/// `LISTSTATE_KILL_ROUNDS` is the number of kills; `LISTSTATE_KILL_SEED` repeats the choices of a run, though not the
/// order in which its threads get their turns.
@Suite struct KillTests {
    @Test func nothingAcknowledgedIsLostOrDoubled() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["LISTSTATE_KILL_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1 << 53)
        let rounds = environment["LISTSTATE_KILL_ROUNDS"].flatMap { Int($0) } ?? 8
        var story = try KillStory(seed: seed)

        do {
            try story.run(rounds: rounds)
        } catch {
            Issue.record("LISTSTATE_KILL_SEED=\(seed): \(error)")
        }

        print("kill test: \(story.summary)")
        #expect(story.violations.isEmpty, "LISTSTATE_KILL_SEED=\(seed)")
        try #require(story.killCount == rounds)
        // Without these, the run would not have come near what it looks for.
        #expect(story.acknowledgedCount > rounds)
        #expect(story.replayCount > 0)
    }
}

/// One data folder, many lives of the server.
struct KillStory {
    private static let start: JSONValue = [
        "title": "L",
        "sections": .array(
            ["a", "b", "c"].map { section in
                let items: [JSONValue] = (1...4).map { ["id": .string("\(section)\($0)"), "kind": "k"] }
                return ["id": .string(section), "items": .array(items)]
            }),
    ]

    private let folder: TemporaryFolder
    private var generator: SeededGenerator
    private var writers: [Writer]
    private var ledger = KillLedger()
    /// Of each writer's acknowledged writes, how many the ledger knows.
    private var entered: [String: Int] = [:]
    private var found: [Violation] = []
    private(set) var killCount = 0

    init(seed: UInt64) throws {
        folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: seed)
        writers = (0..<8).map { Writer(name: "w\($0)", lists: ["shared", "own-\($0)"], seed: generator.next()) }
        self.generator = generator
    }

    var violations: [Violation] { found + ledger.violations + writers.flatMap(\.violations) }
    var acknowledgedCount: Int { writers.reduce(0) { $0 + $1.acknowledged.count } }
    var replayCount: Int { writers.reduce(0) { $0 + $1.replayCount } }

    var summary: String {
        let acknowledged = writers.flatMap(\.acknowledged)
        // A write that was sent more than once and answered as a replay had reached the disk, but not its sender.
        let survived = acknowledged.count { $0.answer?.isReplay == true }
        let retried = acknowledged.count { $0.tries > 1 }
        let refused = writers.flatMap(\.refusals).reduce(0) { $0 + $1.value }
        let counts = Violation.Kind.allCases.map { kind in "\(kind.rawValue) \(violations.count { $0.kind == kind })" }
        return """
            \(killCount) kills, \(acknowledged.count) acknowledged, \(refused) refused, \(retried) acknowledged after a \
            kill (\(survived) of them done before it), \(replayCount) replays of keys, \(ledger.versionCount) versions, \
            \(ledger.missedCount) with a stale base; \(counts.joined(separator: ", "))
            """
    }

    mutating func run(rounds: Int) throws {
        var server = try launch()
        try createLists(server)
        for _ in 0..<rounds where violations.isEmpty {
            // Now and then it is killed again before everything is settled, so that a key lives through several kills.
            let isHasty = generator.once(in: 4)
            if !isHasty { try settleAndCheck(server) }
            work(server, answers: 1 + generator.below(isHasty ? 12 : 100))
            enterAnswers()
            server = try launch()
            try ledger.checkRecovery(writers.compactMap(\.unsettled), server.client)
            try repeatWrites(server, each: 4)
        }
        guard violations.isEmpty else { return }
        try settleAndCheck(server)
        try repeatWrites(server, each: 400)
        try settleAndCheck(server)
        #expect(server.stop() == 0)
    }

    /// With more loops than one also where there are few cores, so that requests for one list meet; and with snapshots as
    /// often as can be, so that kills meet those too.
    private func launch() throws -> ServerProcess {
        try ServerProcess([
            "--data", folder.path, "--loops", "2", "--history-versions-max", "60", "--compaction-versions", "5",
        ])
    }

    private mutating func violate(_ kind: Violation.Kind, _ text: String) {
        found.append(Violation(kind: kind, text: text))
    }

    private mutating func createLists(_ server: ServerProcess) throws {
        let client = server.client
        for list in ["shared"] + writers.indices.map({ "own-\($0)" }) {
            #expect(try client.send("PUT", "/v1/lists/\(list)", json: Self.start.text).status == 201)
            try ledger.open(list, client)
        }
    }

    /// Lets all write at once, and kills the server after so many of their writes are acknowledged.
    private mutating func work(_ server: ServerProcess, answers: Int) {
        let board = startWriters(server, killAfter: answers)
        writers = board.writers(writers.count)
        guard board.isKilled, server.waitUntilEnd() == SIGKILL else {
            return violate(.unhealthy, "the server was gone before it was killed")
        }
        killCount += 1
    }

    /// - Parameter answers: Nil lets the writers settle what is unsettled, and the server live.
    private func startWriters(_ server: ServerProcess, killAfter answers: Int?) -> KillBoard {
        let board = KillBoard(victim: server.processIdentifier, killAfter: answers, newest: ledger.newest)
        let port = server.port
        for writer in writers {
            Thread.detachNewThread {
                var writer = writer
                writer.work(port: port, board: board, onlySettles: answers == nil)
                board.finish(writer)
            }
        }
        return board
    }

    private mutating func settleAndCheck(_ server: ServerProcess) throws {
        writers = startWriters(server, killAfter: nil).writers(writers.count)
        enterAnswers()
        guard violations.isEmpty else { return }
        try ledger.check(server.client, &generator)
    }

    private mutating func enterAnswers() {
        for index in writers.indices {
            let name = writers[index].name
            ledger.enter(writers[index].acknowledged[entered[name, default: 0]...], reads: writers[index].reads)
            entered[name] = writers[index].acknowledged.count
            writers[index].reads = []
        }
    }

    /// Sends old keys again, from before this life of the server.
    private mutating func repeatWrites(_ server: ServerProcess, each count: Int) throws {
        let client = server.client
        for index in writers.indices where !writers[index].acknowledged.isEmpty {
            for _ in 0..<count { try writers[index].repeatWrite(generator.pick(writers[index].acknowledged), client) }
        }
    }
}
