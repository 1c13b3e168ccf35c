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
final class TestJournal: PartialJournal {
    private struct State: Sendable {
        var isOpen = true
        var failure: JournalError?
        /// Whether only the next batch fails.
        var failsOnce = false
        var batches = 0
        /// The number of batches that have come to the gate.
        var begun = 0
    }

    private let state = Locked(State())
    private let journal: MemoryJournal
    /// Stored snapshots. `load` gives the snapshot of a list before the list's entries.
    private let snapshots: [SnapshotPart]

    init(entries: [JournalEntry] = [], receipts: [Receipt] = [], snapshots: [SnapshotPart] = []) {
        journal = MemoryJournal(entries: entries, receipts: receipts)
        self.snapshots = snapshots
    }

    var entries: [JournalEntry] { journal.log }
    var receipts: [Receipt] { journal.receipts }
    func close(gate isClosed: Bool) { state.change { $0.isOpen = !isClosed } }
    func fail(with error: JournalError?) { state.withLock { ($0.failure, $0.failsOnce) = (error, false) } }
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
