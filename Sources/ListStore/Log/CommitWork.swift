internal import ListModel
import Threads

/// The state that the queue and its threads share.
final class CommitWork: Sendable {
    private struct State: Sendable {
        var pending = CommitBatch()
        /// The batches that are being written or told.
        var flights = Flights()
        /// The pending entries that could go out now: neither are their lists in flight, nor are they kept back. It is
        /// counted only while something is in flight.
        var ready = 0
        /// The batch before, which is done. Each thread that enqueues an entry frees one of these. Memory that is freed
        /// on the thread that allocated it is reused at once, which costs the allocator a fraction of freeing it
        /// elsewhere.
        var done = CommitBatch()
        /// The number of threads that gather.
        var gathering = 0
        /// Whether the pending entries are to be written now: one of them came while nobody gathered, or a gathering
        /// has ended since.
        var isDue = false
        var isStopping = false
        var hasEnded = false
        /// The lists whose entries wait for the thread that has locked them.
        var keptBack: Set<ListID> = []

        /// Whether a thread has something to do: write a batch, or end.
        var isUp: Bool {
            guard !hasEnded else { return true }
            guard isDue || isStopping && keptBack.isEmpty else { return false }
            return flights.isEmpty || flights.haveRoom && ready > 0 && ready >= flights.entries
        }

        /// - Parameter batch: An empty batch. Its memory serves the next pending entries.
        /// - Returns: The flight that the batch is.
        mutating func takePending(into batch: inout CommitBatch) -> Flight {
            isDue = false
            swap(&pending, &batch)
            if !keptBack.isEmpty || !flights.isEmpty && ready < batch.entries.count {
                (batch, pending) = batch.split { list, _ in isReady(list) }
            }
            let flight = flights.begin(batch)
            ready = 0
            return flight
        }

        /// As `takePending(into:)`, but takes the pending entries of some lists that have failed. Entries that are kept
        /// back build on nothing that has failed: their list was told of it before.
        ///
        /// - Parameter keptBack: Whether the lists themselves are those that are kept back.
        mutating func takePending(of lists: Set<ListID>, keptBack areKeptBack: Bool, into batch: inout CommitBatch) {
            (batch, pending) = pending.split { list, _ in
                lists.contains(list) && (areKeptBack || !keptBack.contains(list))
            }
            isDue = isDue && !pending.isEmpty
            countReady()
        }

        /// As `takePending(into:)`, but takes only the pending entries on some ends.
        mutating func takePending(on ends: [ListID: LogEnd], into batch: inout CommitBatch) {
            (batch, pending) = pending.split { list, line in line != nil && ends[list] === line }
            countReady()
        }

        private func isReady(_ list: ListID) -> Bool { !keptBack.contains(list) && !flights.lists.contains(list) }

        mutating func noteAdded(_ list: ListID, _ count: Int) {
            if !flights.isEmpty, isReady(list) { ready += count }
        }

        mutating func countReady() { ready = flights.isEmpty ? 0 : pending.count(of: isReady) }
    }

    /// A batch in flight; its lists are noted only if another one can be in flight.
    private struct Flight: Sendable {
        var lists: Set<ListID> = []
        var entries = 0
    }

    /// The batches in flight.
    private struct Flights: Sendable {
        var batchesMax = 1
        private(set) var count = 0
        private(set) var entries = 0
        private(set) var lists: Set<ListID> = []

        var isEmpty: Bool { count == 0 }
        var haveRoom: Bool { count < batchesMax }

        /// Nothing is noted of a batch that is alone in any case.
        mutating func begin(_ batch: CommitBatch) -> Flight {
            guard batchesMax > 1, !batch.isEmpty else { return Flight() }
            let flight = Flight(lists: Set(batch.entries.lazy.map(\.list)), entries: batch.entries.count)
            lists.formUnion(flight.lists)
            entries += flight.entries
            count += 1
            return flight
        }

        mutating func end(_ flight: Flight) {
            guard flight.entries > 0 else { return }
            lists.subtract(flight.lists)
            entries -= flight.entries
            count -= 1
        }
    }

    private let state = Locked(State())
    private let journal: WorkingJournal
    private let upkeep: Locked<ReceiptUpkeep?>
    /// Has another thread remove receipts; nil if this one does.
    private let remover = Locked<(@Sendable () -> Void)?>(nil)

    /// - Parameter batchesMax: The most batches in flight.
    init(journal: WorkingJournal, receipts: KeptReceipts?, batchesMax: Int) {
        self.journal = journal
        state.withLock { $0.flights.batchesMax = batchesMax }
        upkeep = Locked(receipts.map { ReceiptUpkeep($0) })
    }

    /// Adds an entry. Returns the reason if it is refused: the queue has ended, or the entry that it rests on was lost.
    ///
    /// The entry that it rests on is checked under the lock of the queue. A failed batch takes the same lock when it looks
    /// for the last time for entries that rest on its own.
    func add(
        _ entry: JournalEntry, _ rest: [JournalEntry], on line: LogEnd?, restingOn earlier: Durability?,
        _ completion: @escaping CommitQueue.Completion
    ) -> JournalError? {
        var done: (JournalEntry?, CommitBatch.Waiting?) = (nil, nil)
        defer { withExtendedLifetime(done) {} }
        let (refusal, mustWake): (JournalError?, Bool) = state.withLock { state in
            if let refusal = state.hasEnded ? .closed : earlier?.failure { return (refusal, false) }
            state.pending.add(entry, CommitBatch.Waiting(line: line, completion: completion))
            for part in rest { state.pending.add(part, CommitBatch.Waiting(line: line) { _ in }) }
            state.noteAdded(entry.list, 1 + rest.count)
            done = state.done.takeLast()
            if state.gathering == 0, !state.keptBack.contains(entry.list) { state.isDue = true }
            return (nil, state.isUp)
        }
        if mustWake { state.wakeOne() }
        return refusal
    }

    var pendingCount: Int { state.withLock { $0.pending.entries.count } }

    func leaveReceipts(to remove: @escaping @Sendable () -> Void) { remover.withLock { $0 = remove } }

    func keepBack(_ lists: some Sequence<ListID>) {
        state.withLock { state in
            state.keptBack.formUnion(lists)
            state.countReady()
        }
    }

    func giveBack(_ lists: some Sequence<ListID>) {
        state.change { state in
            state.keptBack.subtract(lists)
            state.isDue = !state.pending.isEmpty
            state.countReady()
        }
    }

    func commit(
        locking wanted: WantedLocks, by locker: any LocksLists, _ decide: (any LockedLists) -> [ListID: LogEnd]
    ) throws(JournalError) {
        var batch = CommitBatch()
        let result = write { _ throws(JournalError) in
            var (commits, lines): ([Commit], [LogEnd?]) = ([], [])
            let outcomes = try locker.commit(locking: wanted) { locked in
                let ends = decide(locked)
                state.withLock { $0.takePending(on: ends, into: &batch) }
                if !batch.isEmpty { (commits, lines) = batch.commits }
                return commits
            }
            return (commits, lines, outcomes)
        }
        guard batch.isEmpty else { return settle(&batch, result, Flight(), keptBack: true) }
        _ = try result.get()
    }

    func beginGathering() { state.withLock { $0.gathering += 1 } }

    func endGathering() {
        let mustWake = state.withLock { state in
            state.gathering -= 1
            state.isDue = !state.pending.isEmpty
            return state.isUp
        }
        if mustWake { state.wakeOne() }
    }

    /// Returns true the first time.
    func stop() -> Bool {
        state.change { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
    }

    func run() {
        var batch = CommitBatch()
        while let flight = takeNext(&batch) { settle(&batch, flight) }
        // The next thread sees that the queue has ended.
        state.wakeAll()
        // Nobody enqueues any more, so the done entries are freed here. They hold lists, which hold the queue.
        retire(&batch, Flight())
    }

    func step() -> Bool {
        var batch = CommitBatch()
        let flight = state.withLock { $0.takePending(into: &batch) }
        guard !batch.isEmpty else { return false }
        settle(&batch, flight)
        return true
    }

    private func settle(_ batch: inout CommitBatch, _ flight: Flight) {
        settle(&batch, write(batch), flight, keptBack: false)
    }

    /// - Parameter keptBack: Whether the lists of the batch are kept back, and this is what was written while they were
    ///   locked.
    private func settle(
        _ batch: inout CommitBatch, _ result: Result<Set<CommitBatch.CommitKey>, JournalError>, _ flight: Flight,
        keptBack: Bool
    ) {
        switch result {
        case .success(let moved) where moved.isEmpty:
            batch.tell(.success(()))
            trimReceipts(after: batch.entries)
        case .success(let moved): trimReceipts(after: end(&batch, [:], moved: moved, keptBack))
        case .failure(let error) where error.consequence == .nothingWritten: settleApart(&batch, error, keptBack)
        case .failure(let error):
            _ = end(
                &batch, Dictionary(batch.entries.map { ($0.list, error) }) { first, _ in first }, moved: [], keptBack)
        }
        retire(&batch, flight)
    }

    /// Removes receipts beyond the limits, so that the disk never has many more than wanted.
    ///
    /// On a full disk they stay until there is room.
    private func trimReceipts(after entries: [JournalEntry]) {
        upkeep.withLock { upkeep in
            guard var due = upkeep else { return }
            var isDone = false
            let pieces = due.add(entries)
            if pieces > 0, let remove = remover.withLock({ $0 }) {
                remove()
                isDone = true
            }
            for _ in 0..<pieces where !isDone {
                let (receipts, journal) = (due.receipts, journal)
                do throws(JournalError) {
                    isDone = try journal.write { journal throws(JournalError) in try receipts.trim(journal) }
                } catch { break }
            }
            if isDone { due.noteNothingIsLeft() }
            upkeep = due
        }
    }

    /// Ends a flight, and leaves the done entries to the threads that enqueue. `batch` is empty when this returns.
    private func retire(_ batch: inout CommitBatch, _ flight: Flight) {
        batch.dropLongBytes()
        // The batches are swapped, because a change of an array that is referenced twice would copy all of it.
        state.withLock { state in
            swap(&state.done, &batch)
            guard flight.entries > 0 else { return }
            state.flights.end(flight)
            state.countReady()
            // Entries of these lists have waited for this. Those of a turn that goes on wait for its end.
            if state.gathering == 0, !state.pending.isEmpty { state.isDue = true }
        }
        batch.removeAll()
    }

    /// Waits for entries and takes them. Returns nil if the queue stops and nothing is left.
    private func takeNext(_ batch: inout CommitBatch) -> Flight? {
        while true {
            let flight: Flight? = state.wait(until: { $0.isUp }) { state in
                guard !state.hasEnded else { return nil }
                let flight = state.takePending(into: &batch)
                let isLast = batch.isEmpty && state.flights.isEmpty
                state.hasEnded = isLast && state.isStopping && state.pending.isEmpty
                return state.hasEnded ? nil : flight
            }
            if flight == nil || !batch.isEmpty { return flight }
        }
    }

    /// Writes a batch that found no room again, each list by itself. A list with too many bytes for the disk or the
    /// journal thus does not fail the others.
    private func settleApart(_ batch: inout CommitBatch, _ error: JournalError, _ keptBack: Bool) {
        let groups = batch.byList
        var errors: [ListID: JournalError] = [:]
        var moved: Set<CommitBatch.CommitKey> = []
        // The lists come by size, so a disk that is full for one of them is full for all later ones.
        var isFull = false
        for group in groups {
            let list = group.entries[0].list
            // A lone list has been tried already.
            guard groups.count > 1, !isFull || journal.poison != nil else {
                errors[list] = groups.count > 1 ? .full : error
                continue
            }
            switch write(group) {
            case .success(let some): moved.formUnion(some)
            case .failure(let error):
                errors[list] = error
                isFull = isFull || error == .full
            }
        }
        trimReceipts(after: end(&batch, errors, moved: moved, keptBack))
    }

    private func write(_ batch: CommitBatch) -> Result<Set<CommitBatch.CommitKey>, JournalError> {
        write { journal throws(JournalError) in
            let (commits, lines) = batch.commits
            return (commits, lines, try journal.commit(commits))
        }
    }

    private typealias Written = (commits: [Commit], lines: [LogEnd?], outcomes: [CommitOutcome])

    /// Writes commits, and moves the lines of their lists.
    ///
    /// - Returns: The commits that have moved. Nothing of them was written.
    private func write(
        _ body: (any Journal) throws(JournalError) -> Written
    ) -> Result<Set<CommitBatch.CommitKey>, JournalError> {
        do throws(JournalError) {
            let (commits, lines, outcomes) = try journal.writeBatch(body)
            var moved: Set<CommitBatch.CommitKey> = []
            for index in commits.indices {
                switch outcomes[index] {
                case .written(let place): place.map { lines[index]?.move(to: $0) }
                case .moved, .locked: moved.insert(CommitBatch.CommitKey(lines[index], commits[index].list))
                }
            }
            return .success(moved)
        } catch {
            return .failure(error)
        }
    }

    /// Tells the outcomes of a batch in which something has failed. Also fails what the lists of it enqueued before
    /// their last completion returned, which may build on what failed.
    ///
    /// - Returns: The entries that are written.
    private func end(
        _ batch: inout CommitBatch, _ errors: [ListID: JournalError], moved: Set<CommitBatch.CommitKey>,
        _ keptBack: Bool
    ) -> [JournalEntry] {
        let written = batch.tell(errors, moved: moved)
        let all = moved.reduce(into: errors) { $0[$1.list] = .moved }
        let lists = Set(all.keys)
        batch.removeAll()
        state.withLock { $0.takePending(of: lists, keptBack: keptBack, into: &batch) }
        while !batch.isEmpty {
            _ = batch.tell(all, moved: [])
            batch.removeAll()
            state.withLock { $0.takePending(of: lists, keptBack: keptBack, into: &batch) }
        }
        return written
    }
}
