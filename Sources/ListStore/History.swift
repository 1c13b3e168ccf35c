import ListModel

/// Who made a version, and what they called it.
public struct TransactionNote: Sendable, Equatable {
    /// The token's subject, else `anonymous`.
    public var actor: String { signature?.actor ?? Self.anonymous }
    /// The client's own words for what it did.
    public var label: String? { signature?.label }

    private static let anonymous = "anonymous"

    /// Nil for an anonymous one without a label, as nearly all are; history has a note for each version.
    private let signature: Signature?

    private final class Signature: Sendable {
        let actor: String
        let label: String?

        init(actor: String, label: String?) {
            self.actor = actor
            self.label = label
        }
    }

    init(actor: String, label: String?) {
        signature = label == nil && actor == Self.anonymous ? nil : Signature(actor: actor, label: label)
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.actor == right.actor && left.label == right.label
    }
}

/// The deltas of the newest versions of a list, oldest first.
///
/// What it keeps is bounded by count and by an estimate of bytes; the newest delta is always kept.
struct History {
    /// How much of the past is kept for a list.
    struct Limits: Sendable {
        var versionsMax: Int
        var bytesMax: Int
    }

    private var deltas: [Delta] = []
    private var notes: [TransactionNote] = []
    /// Dropped entries at the front of the arrays, not yet moved away.
    private var dropped = 0
    private var bytes = 0
    /// The oldest revision that can be gone back to.
    private(set) var oldest: Int
    private(set) var newest: Int

    init(startingAt revision: Int) {
        oldest = revision
        newest = revision
    }

    /// Adds the delta that leads from `newest` to the next revision.
    ///
    /// - Parameter durable: The revision from which on everything is kept whatever the limits: what is not durable may
    ///   have to be taken back.
    /// - Parameter aged: The revision before which everything is too old to be kept.
    /// - Returns: The deltas that fell out, oldest first.
    mutating func append(
        _ delta: Delta, _ note: TransactionNote, limits: Limits, keepingSince durable: Int, aged: Int = 0
    ) -> [Delta] {
        deltas.append(delta)
        notes.append(note)
        bytes += Self.cost(of: delta, note)
        newest += 1
        var out: [Delta] = []
        while oldest < min(durable, newest - 1),
            newest - oldest > limits.versionsMax || bytes > limits.bytesMax || oldest < aged
        {
            out.append(deltas[dropped])
            bytes -= Self.cost(of: deltas[dropped], notes[dropped])
            deltas[dropped] = Self.gone
            dropped += 1
            oldest += 1
        }
        if dropped > 64, dropped > deltas.count / 2 {
            deltas.removeFirst(dropped)
            notes.removeFirst(dropped)
            dropped = 0
        }
        return out
    }

    private static func cost(of delta: Delta, _ note: TransactionNote) -> Int {
        delta.estimatedBytes + (note.label?.utf8.count ?? 0)
    }

    /// Stands where a delta was dropped.
    private static let gone = Delta()

    /// What happened after `revision`, up to and including `end`, a delta for each version, oldest first; nil if that
    /// is no longer kept.
    func deltas(since revision: Int, upTo end: Int) -> ArraySlice<Delta>? {
        guard revision >= oldest, end <= newest, revision <= end else { return nil }
        let start = dropped + revision - oldest
        return deltas[start..<start + end - revision]
    }

    func deltas(since revision: Int) -> ArraySlice<Delta>? { deltas(since: revision, upTo: newest) }

    /// Whose transaction made `revision`; nil if that is no longer kept.
    func note(of revision: Int) -> TransactionNote? {
        guard revision > oldest, revision <= newest else { return nil }
        return notes[dropped + revision - oldest - 1]
    }

    /// Takes back the newest deltas, after their commits were lost.
    ///
    /// - Returns: What they did, oldest first.
    mutating func removeAll(after revision: Int) -> ArraySlice<Delta>? {
        guard let lost = deltas(since: revision) else { return nil }
        let count = newest - revision
        for (delta, note) in zip(lost, notes.suffix(count)) { bytes -= Self.cost(of: delta, note) }
        deltas.removeLast(count)
        notes.removeLast(count)
        newest = revision
        return lost
    }
}
