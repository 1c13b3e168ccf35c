import ListDiff
import ListModel
import ListStore
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
final class TestJournal: Journal {
    private struct State: Sendable {
        var entries: [JournalEntry] = []
        var receipts: [Receipt] = []
        var isOpen = true
        var failure: JournalError?
        /// Whether only the next batch fails.
        var failsOnce = false
        var batches = 0
        /// The number of batches that have come to the gate.
        var begun = 0
    }

    private let state = Locked(State())
    /// The stored snapshots. `read` gives the snapshot of a list before the list's entries.
    private let snapshots: [SnapshotPart]

    init(entries: [JournalEntry] = [], receipts: [Receipt] = [], snapshots: [SnapshotPart] = []) {
        self.snapshots = snapshots
        state.withLock { state in
            state.entries = entries
            state.receipts = receipts
        }
    }

    var entries: [JournalEntry] { state.withLock { $0.entries } }
    var receipts: [Receipt] { state.withLock { $0.receipts } }
    func close(gate isClosed: Bool) { state.change { $0.isOpen = !isClosed } }
    func fail(with error: JournalError?) { state.withLock { ($0.failure, $0.failsOnce) = (error, false) } }
    func failOnce(with error: JournalError) { state.withLock { ($0.failure, $0.failsOnce) = (error, true) } }

    /// Waits until a batch is at the gate.
    func waitForBatch() { state.wait(until: { $0.begun > $0.batches }) { _ in } }

    func append(_ batch: [JournalEntry]) throws(JournalError) {
        state.change { $0.begun += 1 }
        let failure: JournalError? = state.wait(until: { $0.isOpen }) { state in
            if let failure = state.failure {
                if state.failsOnce { state.failure = nil }
                state.begun -= 1
                return failure
            }
            state.entries += batch
            state.receipts += batch.compactMap(\.receipt)
            state.batches += 1
            return nil
        }
        if let failure { throw failure }
    }

    func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws -> [ListID] {
        for each in receipts where each.time >= since { try receipt(each) }
        return Array(lives.keys)
    }

    func retired() -> [ListID: [UInt8]] {
        lives.compactMapValues { $0.last }.filter { $0.value.kind == .retire }.mapValues(\.bytes)
    }

    func read(
        _ list: ListID, snapshot: (SnapshotPart) throws -> Void, entry: (JournalEntry) throws -> Void
    ) throws {
        for each in snapshots where each.list == list { try snapshot(each) }
        for each in lives[list] ?? [] { try entry(each) }
    }

    /// The entries of each list since it was created.
    private var lives: [ListID: [JournalEntry]] {
        var lives: [ListID: [JournalEntry]] = [:]
        for entry in entries {
            switch entry.kind {
            case .create: lives[entry.list] = [entry]
            case .append, .retire, .revive: lives[entry.list, default: []].append(entry)
            case .delete: lives[entry.list] = nil
            case .receiptOnly: break
            }
        }
        return lives
    }

    func write(_ part: SnapshotPart) throws(JournalError) {}
    func removeSome(all: Bool) throws(JournalError) -> Bool { true }
    func trimReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool { true }
    func settleRecovery() throws(JournalError) {}
    func close() {}
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
