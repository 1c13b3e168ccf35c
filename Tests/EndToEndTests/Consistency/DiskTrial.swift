import Foundation
import Threads
import TestSupport

/// A server on a disk that becomes slow, or full, when the trial wants it. A list is deleted and created anew while the
/// disk has not decided yet, and lists are read while another client's write waits for the disk.
///
/// A gate keeps the disk from answering. Every request that must not wait for the disk is sent while the gate is
/// closed, and the gate is opened only after its answer. At the end the server is killed, and every list must be as the
/// server said it was.
struct DiskTrial {
    struct Settings: Sendable {
        var rounds = 4
        /// Items of the list that is deleted and created anew. There are many, so that creating it takes a moment.
        var items = 1_000
        var environment: [String: String] = [:]
    }

    struct Tally {
        /// The number of writes that the disk held up, and the number of deletions for which there was no room.
        var held = 0
        var endsFailed = 0
        /// Readings while the disk held a write up.
        var reads = 0

        mutating func add(_ other: Tally) {
            held += other.held
            endsFailed += other.endsFailed
            reads += other.reads
        }
    }

    /// The names of the list that is deleted and created anew, of the list that is only starred, and of the lists that
    /// nobody reads before their turn.
    private static let (ended, starred) = ("ended", "starred")
    private static func unread(_ number: Int) -> String { "unread-\(number)" }

    private let settings: Settings
    private let folder: TemporaryFolder
    private let calls: FileCalls
    private let large: String
    private var generator: SeededGenerator
    /// The version that the server last named for each list. Lists that the server called deleted are missing.
    private var known: [String: String] = [:]
    /// About how long the creation of the list takes, in microseconds.
    private var making = 0
    private(set) var violations: [Violation] = []
    private(set) var tally = Tally()

    init(seed: UInt64, _ settings: Settings) throws {
        self.settings = settings
        generator = SeededGenerator(seed: ~seed)
        folder = try TemporaryFolder()
        calls = try FileCalls(under: folder.path)
        let items = (0..<settings.items).map { #"{"id":"i\#($0)","kind":"k"}"# }.joined(separator: ",")
        large = #"{"sections":[{"id":"s","items":[\#(items)]}]}"#
    }

    mutating func run() {
        do {
            try found()
            try live()
            // After a violation a write may be left of which no client knows, so the lists are not compared.
            if violations.isEmpty { try lookBack() }
        } catch {
            violate(.unhealthy, "\(error)")
        }
    }

    private mutating func violate(_ kind: Violation.Kind, _ text: String) { violations.append(Violation(kind, text)) }

    private func launch(_ environment: [String: String] = [:]) throws -> ServerProcess {
        // Two loops, also on a machine with few cores, so that a loop that is held up differs from one that is not.
        try ServerProcess(
            ["--data", folder.path + "/data", "--loops", "2"],
            environment: settings.environment.merging(environment) { _, added in added })
    }

    // MARK: Lives

    private mutating func found() throws {
        let server = try launch()
        let small = #"{"sections":[{"id":"s","items":[{"id":"i","kind":"k"}]}]}"#
        for list in [Self.starred] + (0..<settings.rounds).map(Self.unread) {
            known[list] = try server.client.send("PUT", "/v1/lists/\(list)", json: small)["List-Version"]
        }
        let start = ContinuousClock.now
        known[Self.ended] = try server.client.send("PUT", "/v1/lists/\(Self.ended)", json: large)["List-Version"]
        making = Int((ContinuousClock.now - start) / .microseconds(1))
        server.crash()
    }

    private mutating func live() throws {
        let server = try launch(calls.environment())
        for round in 0..<settings.rounds where violations.isEmpty {
            try readBesideSync(server, Self.unread(round))
            guard violations.isEmpty else { break }
            try endAndMakeAnew(server, mustFail: round == 0)
        }
        calls.openGate()
        server.crash()
    }

    private mutating func lookBack() throws {
        let server = try launch()
        for list in [Self.ended, Self.starred] + (0..<settings.rounds).map(Self.unread) {
            look(at: list, server.port, "after a kill")
        }
        server.crash()
    }

    /// The list must have the version that the server named last, or be gone if the server said so.
    private mutating func look(at list: String, _ port: UInt16, _ when: String) {
        tally.reads += 1
        do {
            let answer = try HTTPClient(port: port).send("GET", "/v1/lists/\(list)")
            let isRight = known[list].map { answer.status == 200 && answer["List-Version"] == $0 }
            guard isRight ?? (answer.status == 404) else {
                let found = answer["List-Version"] ?? answer.text
                return violate(.lost, "\(list) is \(known[list] ?? "gone"), but \(when) \(answer.status) \(found)")
            }
        } catch RawSocket.Failure.timeout {
            violate(.held, "\(list) was not answered \(when)")
        } catch {
            violate(.unhealthy, "\(list) \(when): \(error)")
        }
    }

    // MARK: Rounds

    /// One client's write waits for its sync. Readers of that list, and of a list that is not in memory, must not wait.
    private mutating func readBesideSync(_ server: ServerProcess, _ unread: String) throws {
        calls.plan(.holdsSyncs, at: 1)
        let star = Asked(server.port, "POST", "/v1/lists/\(Self.starred)/items/i/star")
        calls.wait { $0.struckCount > 0 || star.isAnswered }
        for list in [Self.starred, unread] where violations.isEmpty {
            look(at: list, server.port, "while a sync waits")
        }
        if star.isAnswered, violations.isEmpty { violate(.lost, "a star was acknowledged before its sync") }
        calls.openGate()
        guard violations.isEmpty else { return }
        let answer = try star.answer()
        calls.endFault()
        tally.held += 1
        guard answer.status == 200 else { return violate(.unhealthy, "a star: \(answer.status) \(answer.text)") }
        known[Self.starred] = answer["List-Version"]
        look(at: Self.starred, server.port, "after its star")
    }

    /// A list is deleted, mostly without success, and another client creates it anew meanwhile.
    ///
    /// - Parameter mustFail: Whether the deletion certainly fails.
    private mutating func endAndMakeAnew(_ server: ServerProcess, mustFail: Bool) throws {
        let target = "/v1/lists/\(Self.ended)"
        if known[Self.ended] == nil {
            known[Self.ended] = try server.client.send("PUT", target, json: large)["List-Version"]
        }
        let before = known[Self.ended]
        let hasRoom = !mustFail && generator.once(in: 4)
        calls.plan(hasRoom ? .waits : .waitsAndFails(generator.pick([ENOSPC, EDQUOT, EFBIG])), at: 1)
        let end = Asked(server.port, "DELETE", target)
        calls.wait { $0.struckCount > 0 || end.isAnswered }
        look(at: Self.ended, server.port, "while its end waits")
        let making = Asked(server.port, "PUT", target, json: large)
        // The disk decides at a random moment while the other client creates the list. The test does not depend on
        // which moment it is.
        usleep(UInt32(generator.below(self.making + 1)))
        calls.openGate()
        let (ended, made) = (try end.answer(), try making.answer())
        calls.endFault()
        tally.held += 1
        guard [204, 507].contains(ended.status), [200, 201, 507].contains(made.status) else {
            return violate(.unhealthy, "DELETE \(ended.status) \(ended.text), PUT \(made.status) \(made.text)")
        }
        let isEnded = ended.status == 204
        if !isEnded { tally.endsFailed += 1 }
        if made.status == 201, !isEnded { violate(.wrong, "\(before ?? "") was made anew, though its end failed") }
        switch made.status {
        case 201: known[Self.ended] = made["List-Version"]
        // The write was carried out before the deletion, or refused.
        case _ where isEnded: known[Self.ended] = nil
        case 200: known[Self.ended] = made["List-Version"]
        default: break
        }
        look(at: Self.ended, server.port, "after DELETE \(ended.status) and PUT \(made.status)")
    }
}

/// A request that waits for its answer on a thread of its own.
private final class Asked: Sendable {
    private let result = Locked<Result<RawResponse, any Error>?>(nil)

    init(_ port: UInt16, _ method: String, _ target: String, json: String? = nil) {
        Foundation.Thread.detachNewThread { [self] in
            let result = Result {
                let client = HTTPClient(port: port)
                guard let json else { return try client.send(method, target) }
                return try client.send(method, target, json: json)
            }
            self.result.change { $0 = result }
        }
    }

    var isAnswered: Bool { result.withLock { $0 != nil } }

    func answer() throws -> RawResponse {
        try result.wait(until: { $0 != nil }) { $0 }?.get() ?? { throw RawSocket.Failure.timeout }()
    }
}
