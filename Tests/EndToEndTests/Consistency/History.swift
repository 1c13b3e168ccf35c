import JSONValue
import Threads
import TestSupport

/// What clients asked and were answered, and in which order: all that the checks know.
struct History: Sendable {
    /// Each list as it was made, at its first version.
    var starts: [String: JSONValue] = [:]
    /// Each list after the last crash, when nobody wrote any more; nothing if the server did not come back.
    var ends: [String: JSONValue] = [:]
    var writes: [KeyedWrite] = []
    var reads: [Reading] = []
    var watches: [Watch] = []

    mutating func add(_ other: History) {
        writes += other.writes
        reads += other.reads
        watches += other.watches
    }
}

/// From before something was sent until after its answer was read, on the history's clock.
struct Span: Sendable, Equatable {
    var start: Int
    var end: Int
}

/// Counts, so that whoever asks later gets more, whichever thread asks.
final class HistoryClock: Sendable {
    private let ticks = Locked(0)

    func tick() -> Int {
        ticks.withLock { ticks in
            ticks += 1
            return ticks
        }
    }
}

/// A request that changes a list, sent with one key until the answer says what has become of it.
struct KeyedWrite: Sendable {
    let list: String
    let key: String
    let method: String
    let target: String
    var body: JSONValue?
    /// The version of `If-Match`.
    var match: String?
    /// The version that its operations were meant for.
    var base: String?
    /// The item whose star it toggles: the write that would show if it were done twice.
    var toggled: String?
    /// The version that it makes the head again.
    var restored: String?
    /// In the order in which they were made.
    var tries: [Try] = []

    struct Try: Sendable {
        var span: Span
        /// Nil if the connection was lost before there was a whole one.
        var answer: Answer?
    }

    struct Answer: Sendable {
        var status: Int
        var body: JSONValue
        var isReplay = false

        var version: WireVersion? { WireVersion(body["version"]?.string) }
        var isChange: Bool { body["changed"] == true }
    }

    var fields: [(String, String)] {
        [("Idempotency-Key", key)] + (match.map { [("If-Match", "\"\($0)\"")] } ?? [])
            + (body == nil ? [] : [("Content-Type", "application/json")])
    }

    var operations: [JSONValue] { body?["operations"]?.elements ?? [] }
    /// The first answer that says that it was done.
    var acknowledgement: Answer? { acknowledgedTry?.answer }

    private var acknowledgedTry: Try? { tries.first { $0.answer?.status == 200 } }

    /// From the first try to the acknowledgement.
    var span: Span? {
        guard let first = tries.first, let done = acknowledgedTry else { return nil }
        return Span(start: first.span.start, end: done.span.end)
    }

    /// Whether it may have been done although nobody was told.
    var isUnresolved: Bool { acknowledgement == nil && tries.contains { $0.answer == nil } }
}

/// A snapshot, or what changed since a version, as it was served.
struct Reading: Sendable {
    let list: String
    let span: Span
    /// A snapshot, or a change set with `to`.
    let answer: JSONValue
    /// The version after which changes were asked for; nil for a snapshot.
    var since: String?

    var version: WireVersion? { WireVersion((answer["to"] ?? answer["version"])?.string) }
}

/// What somebody who follows a list has seen, through all connections.
struct Watch: Sendable {
    enum Entry: Sendable {
        case connected(lastEventID: String)
        case event(name: String?, id: String, data: JSONValue)
    }

    let list: String
    var entries: [Entry] = []
}

/// `<epoch>-<revision>`.
struct WireVersion: Sendable, Equatable, CustomStringConvertible {
    let epoch: String
    let revision: Int

    init(epoch: String, revision: Int) {
        self.epoch = epoch
        self.revision = revision
    }

    init?(_ text: String?) {
        guard let parts = text?.split(separator: "-"), parts.count == 2, let revision = Int(parts[1]) else {
            return nil
        }
        self.init(epoch: String(parts[0]), revision: revision)
    }

    var description: String { "\(epoch)-\(revision)" }
}

/// What is not as it was promised.
struct Violation: Sendable, CustomStringConvertible {
    /// The checks of a history, that of a slow disk, and what ends one before its time.
    enum Kind: String, CaseIterable, Sendable {
        /// 1: an acknowledged version is no longer there.
        case lost
        /// 2: a version belongs to two keys.
        case doubled
        /// 2: a version belongs to no key, or does not follow the one before.
        case gap
        /// 3: a precondition was not kept, or what a client missed was not told.
        case unconditional
        /// 4: the change sets do not lead to the states, or the states are not what was asked for.
        case wrong
        /// 5: a toggle did something else than flip one star.
        case notJustToggled
        /// 6: a key got another answer than the first time.
        case forgotten
        /// 7: what began later is older.
        case outOfOrder
        /// 8: a reading is not the state of its version.
        case misread
        /// 9: somebody who followed a list did not see all of it.
        case unseen
        /// A reading waited for the disk, which took its time for somebody else's write.
        case held
        /// The server answered what it should not, or went away before it was killed.
        case unhealthy
    }

    let kind: Kind
    let text: String

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    var description: String { "\(kind.rawValue): \(text.prefix(1_000))" }
}
