import ListModel

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
    /// About how many bytes each delta and its note take.
    private var costs: [Int] = []
    /// Dropped entries at the front of the arrays, not yet moved away.
    private var dropped = 0
    private(set) var bytes = 0
    /// The oldest revision that can be gone back to.
    private(set) var oldest: Int
    private(set) var newest: Int
    /// Whose transaction made the oldest revision; nil in a snapshot from before these were kept.
    private(set) var oldestNote: TransactionNote?
    /// Whether the oldest revision is the list's first, with its record in the log.
    private(set) var beginsWithCreation: Bool
    /// By what was taken back: the revision that did it. Nothing for what is not kept.
    private var inversions: [Int: Int] = [:]
    private var unanimated = UnanimatedVersions()

    /// - Parameters:
    ///   - note: Whose transaction made the revision.
    ///   - isCreation: Whether it is the list's first.
    init(startingAt revision: Int, _ note: TransactionNote? = nil, isCreation: Bool = false) {
        oldest = revision
        newest = revision
        oldestNote = note
        beginsWithCreation = isCreation
    }

    /// Adds the delta that leads from `newest` to the next revision.
    ///
    /// - Parameter overwritten: About how many bytes of contents and the like only the delta still keeps.
    /// - Parameter durable: The revision from which on everything is kept whatever the limits: what is not durable may
    ///   have to be taken back.
    /// - Parameter aged: The revision before which everything is too old to be kept.
    /// - Returns: The deltas that fell out, oldest first.
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

    /// Stands where a delta was dropped.
    private static let gone = Delta()
    private static let goneNote = TransactionNote(
        actor: TransactionNote.anonymous, label: nil, time: 0, intent: .unknown)

    /// What happened after `revision`, up to and including `end`, a delta for each version, oldest first; nil if that
    /// is no longer kept.
    func deltas(since revision: Int, upTo end: Int) -> ArraySlice<Delta>? {
        guard revision >= oldest, end <= newest, revision <= end else { return nil }
        let start = dropped + revision - oldest
        return deltas[start..<start + end - revision]
    }

    /// Whether what happened after one revision, up to and including another, may be shown moving: any of it was.
    func isAnimated(since revision: Int, upTo end: Int) -> Bool { !unanimated.hold(since: revision, upTo: end) }

    func deltas(since revision: Int) -> ArraySlice<Delta>? { deltas(since: revision, upTo: newest) }

    /// Whose transaction made `revision`; nil if that is no longer kept.
    func note(of revision: Int) -> TransactionNote? {
        guard revision != oldest else { return oldestNote }
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
        inversions = inversions.filter { $0.value <= revision }
        unanimated.removeAll(after: revision)
        deltas.removeLast(count)
        notes.removeLast(count)
        costs.removeLast(count)
        newest = revision
        return lost
    }
}

// MARK: - What was undone

extension History {
    /// The revision that took `revision` back; nil if it is in effect.
    func inversion(of revision: Int) -> Int? { inversions[revision] }

    /// The last undo or redo of a transaction, or its own revision if there was none; and whether it is undone by it.
    ///
    /// - Parameter end: What came later does not count.
    func standing(of revision: Int, upTo end: Int) -> (revision: Int, isUndone: Bool) {
        var last = revision
        var isUndone = false
        while let next = inversions[last], next <= end {
            last = next
            isUndone.toggle()
        }
        return (last, isUndone)
    }

    /// Whether transactions are undone, each looked up once however long the chains of undo and redo are.
    struct Reversals {
        private let inversions: [Int: Int]
        /// What came later does not count.
        private let end: Int
        private var known: [Int: Bool] = [:]

        fileprivate init(_ inversions: [Int: Int], upTo end: Int) {
            self.inversions = inversions
            self.end = end
        }

        /// As `standing(of:upTo:)` says.
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

    /// Whether there is anything in a kept revision that could be taken back: marks alone are not.
    func hasEffect(_ revision: Int) -> Bool {
        deltas(since: revision - 1, upTo: revision)?.first.map { !$0.inverse.isEmpty } ?? false
    }

    /// Whether all that happened since was taken back exactly, so that the newest state is the one at `revision`.
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

    /// Does not believe a record that it took something back exactly unless its edits are the very ones that do.
    func checkExactness(of transaction: inout Record.Transaction) {
        guard let inverted = transaction.reversal?.inverted, transaction.reversal?.isExact == true, inverted > 0,
            let delta = deltas(since: inverted - 1, upTo: inverted)?.first
        else { return }
        transaction.reversal?.isExact = transaction.edits.elementsEqual(delta.inverse.reversed())
    }

    /// For each revision after one, which of them it took back, counted from the first.
    func inverted(since revision: Int) -> [Int?] {
        (revision + 1..<newest + 1).map { later in
            guard let inverted = note(of: later)?.reversal?.inverted, inverted > revision else { return nil }
            return inverted - revision - 1
        }
    }
}

/// The versions whose changes are not to be shown moving, in runs: most lists have none.
private struct UnanimatedVersions {
    /// In order, with others between them.
    private var runs: [ClosedRange<Int>] = []
    /// How many runs there are when those that are too old are looked for.
    private var trimCount = 64

    /// - Parameters:
    ///   - revision: Behind all that are there.
    ///   - oldest: What is not behind it is kept no longer.
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

    /// Whether all versions behind one, up to and including another, are among them; there must be one.
    ///
    /// - Complexity: O(log *n*), *n* = runs.
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
