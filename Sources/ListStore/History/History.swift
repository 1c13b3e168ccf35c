import ListModel

/// The deltas of the newest versions of a list, oldest first.
///
/// It is bounded by a count and by an estimate of bytes. The newest delta is always kept.
struct History {
    /// The limits of the history of one list.
    struct Limits: Sendable {
        var versionsMax: Int
        var bytesMax: Int
    }

    private var deltas: [Delta] = []
    private var notes: [TransactionNote] = []
    /// The estimated bytes of each delta with its note.
    private var costs: [Int] = []
    /// The number of dropped entries at the front of the arrays, which are not removed yet.
    private var dropped = 0
    private(set) var bytes = 0
    /// The oldest kept revision.
    private(set) var oldest: Int
    private(set) var newest: Int
    /// The note of the oldest revision; nil after an old snapshot without a note.
    private(set) var oldestNote: TransactionNote?
    /// Whether the oldest revision is the list's first one, and the log has its record.
    private(set) var beginsWithCreation: Bool
    /// For each revision that was taken back, the revision that did it. It has only revisions that are kept.
    private var inversions: [Int: Int] = [:]
    private var unanimated = UnanimatedVersions()

    /// - Parameters:
    ///   - note: The note of the transaction that made the revision.
    ///   - isCreation: Whether the revision is the list's first one.
    init(startingAt revision: Int, _ note: TransactionNote? = nil, isCreation: Bool = false) {
        oldest = revision
        newest = revision
        oldestNote = note
        beginsWithCreation = isCreation
    }

    /// Adds the delta that leads from `newest` to the next revision.
    ///
    /// - Parameter overwritten: An estimate of the bytes that only the delta still keeps, such as old contents.
    /// - Parameter durable: The revision from which on everything is kept whatever the limits. Commits that are not
    ///   durable may have to be taken back.
    /// - Parameter aged: Revisions before this one are too old to be kept.
    /// - Returns: The dropped deltas, oldest first.
    mutating func append(
        _ delta: Delta, _ note: TransactionNote, overwritten: Int = 0, limits: Limits, keepingSince durable: Int,
        aged: Int = 0
    ) -> [Delta] {
        deltas.append(delta)
        notes.append(note)
        costs.append(delta.estimatedBytes + note.estimatedBytes + overwritten)
        bytes += costs[costs.endIndex - 1]
        newest += 1
        if !note.isAnimated { unanimated.append(newest, keepingSince: oldest) }
        if let reversal = note.reversal, reversal.inverted >= oldest { inversions[reversal.inverted] = newest }
        var out: [Delta] = []
        while oldest < min(durable, newest - 1),
            newest - oldest > limits.versionsMax || bytes > limits.bytesMax || oldest < aged
        {
            out.append(deltas[dropped])
            bytes -= costs[dropped]
            deltas[dropped] = Self.gone
            oldestNote = notes[dropped]
            notes[dropped] = Self.goneNote
            dropped += 1
            forgetInversionOfOldest()
            oldest += 1
            beginsWithCreation = false
        }
        if dropped > 64, dropped > deltas.count / 2 {
            deltas.removeFirst(dropped)
            notes.removeFirst(dropped)
            costs.removeFirst(dropped)
            dropped = 0
        }
        return out
    }

    private mutating func forgetInversionOfOldest() {
        if !inversions.isEmpty { inversions[oldest] = nil }
    }

    /// The delta that stands in the place of a dropped one.
    private static let gone = Delta()
    private static let goneNote = TransactionNote(
        actor: TransactionNote.anonymous, label: nil, time: 0, intent: .unknown)

    /// The deltas after `revision`, up to and including `end`: one for each version, oldest first; nil if they are no
    /// longer kept.
    func deltas(since revision: Int, upTo end: Int) -> ArraySlice<Delta>? {
        guard revision >= oldest, end <= newest, revision <= end else { return nil }
        let start = dropped + revision - oldest
        return deltas[start..<start + end - revision]
    }

    /// Whether any change after `revision`, up to and including `end`, may be animated.
    func isAnimated(since revision: Int, upTo end: Int) -> Bool { !unanimated.hold(since: revision, upTo: end) }

    func deltas(since revision: Int) -> ArraySlice<Delta>? { deltas(since: revision, upTo: newest) }

    /// The note of the transaction that made `revision`; nil if it is no longer kept.
    func note(of revision: Int) -> TransactionNote? {
        guard revision != oldest else { return oldestNote }
        guard revision > oldest, revision <= newest else { return nil }
        return notes[dropped + revision - oldest - 1]
    }

    /// An estimate of the bytes of the deltas since a revision, which tells how long a look at them takes.
    func cost(since revision: Int) -> Int {
        costs.suffix(max(newest - revision, 0)).reduce(0, +)
    }

    /// Removes the newest deltas, after their commits were lost.
    ///
    /// - Returns: The removed deltas, oldest first; nil if `revision` is no longer kept.
    mutating func removeAll(after revision: Int) -> ArraySlice<Delta>? {
        guard let lost = deltas(since: revision) else { return nil }
        let count = newest - revision
        bytes -= costs.suffix(count).reduce(0, +)
        inversions = inversions.filter { $0.value <= revision }
        unanimated.removeAll(after: revision)
        deltas.removeLast(count)
        notes.removeLast(count)
        costs.removeLast(count)
        newest = revision
        return lost
    }
}

// MARK: - Undone transactions

extension History {
    /// The revision that took `revision` back; nil if it is in effect.
    func inversion(of revision: Int) -> Int? { inversions[revision] }

    /// The last undo or redo of a transaction, or its own revision if there was none; and whether the transaction is
    /// undone.
    ///
    /// - Parameter end: An undo or redo after this revision is not considered.
    func standing(of revision: Int, upTo end: Int) -> (revision: Int, isUndone: Bool) {
        var last = revision
        var isUndone = false
        while let next = inversions[last], next <= end {
            last = next
            isUndone.toggle()
        }
        return (last, isUndone)
    }

    /// Tells whether transactions are undone. It looks each one up once, however long the chains of undo and redo are.
    struct Reversals {
        private let inversions: [Int: Int]
        /// The last revision whose undo or redo is considered.
        private let end: Int
        private var known: [Int: Bool] = [:]

        fileprivate init(_ inversions: [Int: Int], upTo end: Int) {
            self.inversions = inversions
            self.end = end
        }

        /// Whether a transaction is undone, as `standing(of:upTo:)` tells.
        mutating func isUndone(_ revision: Int) -> Bool {
            var chain = [revision]
            var isUndone = false
            while let next = inversions[chain[chain.count - 1]], next <= end {
                Steps.add(1)
                if let found = known[next] {
                    isUndone = !found
                    break
                }
                chain.append(next)
            }
            for link in chain.reversed() {
                known[link] = isUndone
                isUndone.toggle()
            }
            return !isUndone
        }
    }

    func reversals(upTo end: Int) -> Reversals { Reversals(inversions, upTo: end) }

    /// Whether a kept revision changed anything that can be taken back. Marks to reload or reconfigure alone cannot.
    func hasEffect(_ revision: Int) -> Bool {
        deltas(since: revision - 1, upTo: revision)?.first.map { !$0.inverse.isEmpty } ?? false
    }

    /// Whether everything since `revision` was taken back exactly, so that the newest state is the one at `revision`.
    func isAsIt(wasAt revision: Int) -> Bool {
        var open: [Int] = []
        for later in revision + 1..<newest + 1 {
            if let reversal = note(of: later)?.reversal, reversal.isExact, open.last == reversal.inverted {
                open.removeLast()
            } else {
                open.append(later)
            }
        }
        return open.isEmpty
    }

    /// Clears the claim of a record to be exact, unless its edits are the very ones that take the transaction back.
    func checkExactness(of transaction: inout Record.Transaction) {
        guard let inverted = transaction.reversal?.inverted, transaction.reversal?.isExact == true, inverted > 0,
            let delta = deltas(since: inverted - 1, upTo: inverted)?.first
        else { return }
        transaction.reversal?.isExact = transaction.edits.elementsEqual(delta.inverse.reversed())
    }

    /// For each later revision, the index in this array of the revision that it took back; nil if there is none.
    func inverted(since revision: Int) -> [Int?] {
        (revision + 1..<newest + 1).map { later in
            guard let inverted = note(of: later)?.reversal?.inverted, inverted > revision else { return nil }
            return inverted - revision - 1
        }
    }
}

/// The versions whose changes must not be animated, as runs of consecutive versions. Most lists have none.
private struct UnanimatedVersions {
    /// The runs in order. There are other versions between them.
    private var runs: [ClosedRange<Int>] = []
    /// The number of runs at which old runs are removed.
    private var trimCount = 64

    /// - Parameters:
    ///   - revision: A revision behind all runs.
    ///   - oldest: Versions up to this one are no longer needed.
    mutating func append(_ revision: Int, keepingSince oldest: Int) {
        if let last = runs.last, last.upperBound == revision - 1 {
            runs[runs.count - 1] = last.lowerBound...revision
            return
        }
        if runs.count >= trimCount {
            runs.removeAll { $0.upperBound <= oldest }
            trimCount = 64 + 2 * runs.count
        }
        runs.append(revision...revision)
    }

    mutating func removeAll(after revision: Int) {
        while let last = runs.last, last.upperBound > revision {
            runs.removeLast()
            if last.lowerBound <= revision { runs.append(last.lowerBound...revision) }
        }
    }

    /// Whether `runs` contain every version after `revision`, up to and including `end`. The answer is false if `end`
    /// is not after `revision`.
    ///
    /// - Complexity: O(log *n*), *n* = the number of runs.
    func hold(since revision: Int, upTo end: Int) -> Bool {
        guard revision < end, !runs.isEmpty else { return false }
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound < end { low = middle + 1 } else { high = middle }
        }
        return low < runs.count && runs[low].lowerBound <= revision + 1
    }
}
