import ListModel

/// Who made a version, and what they called it.
public struct TransactionNote: Sendable, Equatable {
    /// The token's subject, else `anonymous`.
    public let actor: String
    /// The client's own words for what it did.
    public let label: String?
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
    private var costs: [Int] = []
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
    /// - Returns: The deltas that fell out, oldest first.
    mutating func append(
        _ delta: Delta, _ note: TransactionNote, limits: Limits, keepingSince durable: Int
    ) -> [Delta] {
        let cost = delta.estimatedBytes + (note.label?.utf8.count ?? 0)
        deltas.append(delta)
        costs.append(cost)
        notes.append(note)
        bytes += cost
        newest += 1
        var out: [Delta] = []
        while oldest < min(durable, newest - 1), newest - oldest > limits.versionsMax || bytes > limits.bytesMax {
            out.append(deltas[dropped])
            bytes -= costs[dropped]
            deltas[dropped] = Self.gone
            dropped += 1
            oldest += 1
        }
        if dropped > 64, dropped > deltas.count / 2 {
            deltas.removeFirst(dropped)
            costs.removeFirst(dropped)
            notes.removeFirst(dropped)
            dropped = 0
        }
        return out
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
        bytes -= costs.suffix(count).reduce(0, +)
        deltas.removeLast(count)
        costs.removeLast(count)
        notes.removeLast(count)
        newest = revision
        return lost
    }
}
