import ListDiff
import ListModel
import ListStore
import TestSupport
import Threads

/// A counter.
final class Counter: Sendable {
    private let count = Locked(0)
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

/// A journal in memory. Its batches wait for a gate and fail when told to.
final class TestJournal: PartialJournal, WritesAhead {
    private struct State: Sendable {
        var isOpen = true
        var failure: JournalError?
        /// Whether only the next batch fails.
        var failsOnce = false
        var partLengths: [Int] = []
        /// Whether the planned failure is also that of records that are written ahead.
        var failsAhead = false
        var batches = 0
        /// The number of batches that have come to the gate.
        var begun = 0
    }

    private let state = Locked(State())
    private let journal: MemoryJournal
    /// Stored snapshots. `load` gives the snapshot of a list before the list's entries.
    private let snapshots: [SnapshotPart]

    /// - Parameter partBytes: The most bytes of a part of a long record; nil if the journal takes every record whole.
    init(
        entries: [JournalEntry] = [], receipts: [Receipt] = [], snapshots: [SnapshotPart] = [], partBytes: Int? = nil
    ) {
        journal = MemoryJournal(entries: entries, receipts: receipts, partBytes: partBytes)
        self.snapshots = snapshots
    }

    var entries: [JournalEntry] { journal.log }
    /// The lengths of the parts of all records that were written ahead.
    var partLengths: [Int] { state.withLock { $0.partLengths } }
    /// The number of records that were written ahead and have no entries yet.
    var runningRecords: Int { journal.runningRecords }
    var ahead: (any WritesAhead)? { journal.ahead == nil ? nil : self }
    var partBytes: Int { journal.partBytes }

    func write(ahead parts: consuming [[UInt8]]) throws(JournalError) -> [UInt8] {
        let lengths = parts.map(\.count)
        let failure: JournalError? = state.withLock { state in
            state.partLengths += lengths
            return state.failsAhead ? state.failure : nil
        }
        if let failure { throw failure }
        return try journal.write(ahead: parts)
    }

    func forget(ahead name: [UInt8]) { journal.forget(ahead: name) }

    var receipts: [Receipt] { journal.receipts }
    func close(gate isClosed: Bool) { state.change { $0.isOpen = !isClosed } }
    func fail(with error: JournalError?) { state.withLock { ($0.failure, $0.failsOnce) = (error, false) } }
    func fail(ahead error: JournalError?) { state.withLock { ($0.failure, $0.failsAhead) = (error, error != nil) } }
    func failOnce(with error: JournalError) { state.withLock { ($0.failure, $0.failsOnce) = (error, true) } }

    /// Waits until a batch is at the gate.
    func waitForBatch() { state.wait(until: { $0.begun > $0.batches }) { _ in } }

    func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome] {
        state.change { $0.begun += 1 }
        let failure: JournalError? = state.wait(until: { $0.isOpen }) { state in
            guard let failure = state.failure else { return nil }
            if state.failsOnce { state.failure = nil }
            state.begun -= 1
            return failure
        }
        if let failure { throw failure }
        let outcomes = try journal.commit(commits)
        state.change { $0.batches += 1 }
        return outcomes
    }

    func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws {
        try journal.open(receipt: receipt, receiptsMax: receiptsMax, since: since)
    }

    func lists(after id: ListID?, limit: Int) throws(JournalError) -> [ListID] {
        try journal.lists(after: id, limit: limit)
    }

    func retired() throws -> [RetiredList] { try journal.retired() }

    func places(of lists: [ListID]) throws(JournalError) -> [LogPlace?] { try journal.places(of: lists) }

    func load(
        _ list: ListID, after place: LogPlace?, snapshot: (SnapshotPart) throws -> Void,
        entry: (JournalEntry) throws -> Void
    ) throws -> LogPlace? {
        for each in snapshots where each.list == list { try snapshot(each) }
        return try journal.load(list, after: place, snapshot: snapshot, entry: entry)
    }
}

extension Submission {
    /// Waits until the answer may be sent.
    func settled() async -> Result<WriteResult, StoreError> {
        guard let durability else { return result }
        let outcome = await withCheckedContinuation { continuation in
            durability.whenDone { continuation.resume(returning: $0) }
        }
        switch outcome {
        case .success: return result
        case .failure(let error): return .failure(.journal(error))
        }
    }
}
