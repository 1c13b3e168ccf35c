import JSONValue
import Threads
import TestSupport

/// The requests of clients, their answers, and the order of both: everything that the checks know.
struct History: Sendable {
    /// Each list as it was created, at its first version.
    var starts: [String: JSONValue] = [:]
    /// Each list after the last crash, when no client wrote any more; empty if the server did not come back.
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

/// The time from before a request was sent until after its answer was read, on the history's clock.
struct Span: Sendable, Equatable {
    var start: Int
    var end: Int
}

/// A counter that serves as a clock: a later call gets a larger number, whichever thread calls.
final class HistoryClock: Sendable {
    private let ticks = Locked(0)

    func tick() -> Int {
        ticks.withLock { ticks in
            ticks += 1
            return ticks
        }
    }
}

/// A request that changes a list. It is sent with one key until an answer says whether it was done.
struct KeyedWrite: Sendable {
    let list: String
    let key: String
    let method: String
    let target: String
    var body: JSONValue?
    /// The version of `If-Match`.
    var match: String?
    /// The version that the operations were made for.
    var base: String?
    /// The item whose star the write toggles. A toggle that is done twice can be seen.
    var toggled: String?
    /// The version that the write makes the head again.
    var restored: String?
    /// The tries, in order.
    var tries: [Try] = []

    struct Try: Sendable {
        var span: Span
        /// Nil if the connection was lost before the answer was complete.
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
    /// The first answer that says that the write was done.
    var acknowledgement: Answer? { acknowledgedTry?.answer }

    private var acknowledgedTry: Try? { tries.first { $0.answer?.status == 200 } }

    /// The time from the first try to the acknowledgement; nil if there is none.
    var span: Span? {
        guard let first = tries.first, let done = acknowledgedTry else { return nil }
        return Span(start: first.span.start, end: done.span.end)
    }

    /// Whether the write may have been done without any client being told.
    var isUnresolved: Bool { acknowledgement == nil && tries.contains { $0.answer == nil } }
}

/// A snapshot, or the changes since a version, as the server sent it.
struct Reading: Sendable {
    let list: String
    let span: Span
    /// The snapshot, or the change set with its `to`.
    let answer: JSONValue
    /// The version since which changes were asked for; nil for a snapshot.
    var since: String?

    var version: WireVersion? { WireVersion((answer["to"] ?? answer["version"])?.string) }
}

/// Everything that one follower of a list has seen, through all of its connections.
struct Watch: Sendable {
    enum Entry: Sendable {
        case connected(lastEventID: String)
        case event(name: String?, id: String, data: JSONValue)
    }

    let list: String
    var entries: [Entry] = []
}

/// A version as the wire has it: `<epoch>-<revision>`.
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

/// A broken promise.
struct Violation: Sendable, CustomStringConvertible {
    /// The checks of a history, the check of a slow disk, and a server that ends too early.
    enum Kind: String, CaseIterable, Sendable {
        /// 1: an acknowledged version is no longer there.
        case lost
        /// 2: a version belongs to two keys.
        case doubled
        /// 2: a version belongs to no key, or does not follow the one before.
        case gap
        /// 3: a precondition was not kept, or the client was not told the changes that it had missed.
        case unconditional
        /// 4: the change sets do not lead to the states, or the states are not those that the operations asked for.
        case wrong
        /// 5: a toggle did something else than flip one star.
        case notJustToggled
        /// 6: a repeated key got another answer than the first time.
        case forgotten
        /// 7: a later request has an older version.
        case outOfOrder
        /// 8: a reading is not the state of its version.
        case misread
        /// 9: a follower of a list did not see all of it.
        case unseen
        /// A reading waited for the disk, which held up another client's write.
        case held
        /// The server gave an answer that it must never give, or ended before it was killed.
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
