internal import ListModel
import Threads

/// Gathers entries from many threads into batches, so that they share one sync.
///
/// One batch is in flight. Entries that come meanwhile make the next batch, and so do the entries of one `gather`.
/// There is no timer: a lone entry is written at once, and the busier the disk, the larger the batches.
///
///     enqueue ──▶ pending ──taken by the thread──▶ journal.commit ──▶ completions in order
///
/// When a write fails, its list may have built further entries on one that is not there. Whatever fails therefore also
/// fails what its lists have enqueued until its last completion returned. Entries of other lists build on nothing of it
/// and stay. If there is no room for a batch, each of its lists is tried by itself. A completion must roll its list
/// back *before it returns*, under the same lock under which the list computes and enqueues.
public final class CommitQueue: Sendable {
    public typealias Completion = @Sendable (Result<Void, JournalError>) -> Void

    /// The journal, for other threads that write to it.
    let journal: WorkingJournal
    private let work: CommitWork
    /// Nil if the owner of the queue calls `step()` instead.
    private let thread: Thread?

    /// - Parameters:
    ///   - journal: It must be open before the first entry comes. The queue does not close it.
    ///   - receipts: The limits for the receipts of the journal. Further ones are removed after each batch, because no
    ///     other thread would keep up with all batches; nil keeps all.
    ///   - isStepped: Whether the queue has no thread. `step()` then writes a batch. So a whole store runs in one thread,
    ///     and in an order that can be repeated.
    /// - Throws: `.io` if the system cannot start the queue's thread.
    init(journal: any Journal, receipts: KeptReceipts? = nil, isStepped: Bool = false) throws(JournalError) {
        let journal = WorkingJournal(journal)
        self.journal = journal
        let work = CommitWork(journal: journal, receipts: receipts)
        self.work = work
        thread = isStepped ? nil : try startThread { work.run() }
    }

    /// Writes the pending entries as one batch, if the queue has no thread. Returns whether there were any.
    @discardableResult
    func step() -> Bool { thread == nil && work.step() }

    deinit { stop() }

    /// The entries that wait for the next batch.
    var pendingCount: Int { work.pendingCount }

    /// Whether a write has failed with unknown outcome. From then on every entry fails.
    public var isPoisoned: Bool { journal.poison != nil }

    /// Leaves the removal of receipts to another thread from now on, because in a shared journal it can take long.
    ///
    /// - Parameter remove: It is called on the queue's thread when there are too many, and returns at once.
    func leaveReceipts(to remove: @escaping @Sendable () -> Void) { work.leaveReceipts(to: remove) }

    /// Adds an entry to the next batch. It may be called on any thread, and returns at once.
    ///
    /// The entry is written behind whatever its list has then.
    ///
    /// - Parameter completion: It is called once, on the queue's thread, in the order of `enqueue`: with success when
    ///   the entry is durable, with `.full`, `.tooLarge`, `.moved` or `.away` if it was not written, with `.unknown` if
    ///   nobody knows, with the cause if the queue is poisoned. After `stop()` it is called with `.closed`, on the
    ///   caller's thread.
    public func enqueue(_ entry: JournalEntry, completion: @escaping Completion) {
        enqueue(entry, on: nil, restingOn: nil, completion: completion)
    }

    /// Adds an entry that makes sense only if an earlier one of the same list is written.
    ///
    /// If the earlier one was lost before this call, `completion` is called with its error, on the caller's thread.
    ///
    /// - Parameters:
    ///   - rest: Further entries of the same list. They go to the disk together with the first.
    ///   - line: The log of the list. Its place is moved behind the entries before `completion` is called.
    func enqueue(
        _ entry: JournalEntry, followedBy rest: [JournalEntry] = [], on line: LogEnd?, restingOn earlier: Durability?,
        completion: @escaping Completion
    ) {
        if let refusal = work.add(entry, rest, on: line, restingOn: earlier, completion) {
            completion(.failure(refusal))
        }
    }

    /// Runs `body` on the calling thread. Entries that come meanwhile are not written before `body` returns, or another
    /// gathering ends.
    ///
    /// So the entries of one turn of a loop share a batch, instead of the first one being written alone.
    public func gather(_ body: () -> Void) {
        work.beginGathering()
        body()
        work.endGathering()
    }

    /// Leaves entries of lists to `commit(locking:)` from now on. Nothing of them may be pending.
    func keepBack(_ lists: some Sequence<ListID>) { work.keepBack(lists) }

    /// Writes entries of lists as those of others again.
    func giveBack(_ lists: some Sequence<ListID>) { work.giveBack(lists) }

    /// Locks lists, has their writes decided, and writes what they have enqueued then. Entries of other lists are written
    /// meanwhile.
    ///
    /// - Parameter decide: It is called as that of `LocksLists.commit`, and returns the ends of the lists whose entries are
    ///   to be written. They must be kept back before.
    /// - Throws: As `LocksLists.commit`, unless there are entries whose completions are told of it.
    func commit(
        locking wanted: WantedLocks, by locker: any LocksLists, _ decide: (any LockedLists) -> [ListID: LogEnd]
    ) throws(JournalError) {
        try work.commit(locking: wanted, by: locker, decide)
    }

    /// Whether the caller runs on the queue's thread, or the queue has none, so that the caller must not wait for it.
    var isCurrent: Bool { thread?.isCurrent ?? true }

    /// Whether the caller runs on the queue's thread.
    var isCommitting: Bool { thread?.isCurrent ?? false }

    /// Writes the pending entries, then ends the thread and waits for its end. Does nothing the second time.
    ///
    /// If a completion calls it, it does not wait, because a thread cannot wait for itself.
    public func stop() {
        guard work.stop() else { return }
        guard let thread else { return work.run() }
        guard thread.isCurrent else { return thread.join() }
        thread.detach()
    }
}

/// The state that the queue and its thread share.
private final class CommitWork: Sendable {
    private struct State: Sendable {
        var pending = CommitBatch()
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

        /// - Parameter batch: An empty batch. Its memory serves the next pending entries.
        mutating func takePending(into batch: inout CommitBatch) {
            isDue = false
            swap(&pending, &batch)
            if !keptBack.isEmpty { (pending, batch) = batch.split(keptBack) }
        }

        /// As `takePending(into:)`, but takes only the pending entries of some lists.
        mutating func takePending(of lists: Set<ListID>, into batch: inout CommitBatch) {
            (batch, pending) = pending.split(lists)
            isDue = isDue && !pending.isEmpty
        }

        /// As `takePending(into:)`, but takes only the pending entries on some ends.
        mutating func takePending(on ends: [ListID: LogEnd], into batch: inout CommitBatch) {
            (batch, pending) = pending.split { list, line in line != nil && ends[list] === line }
        }
    }

    private let state = Locked(State())
    private let journal: WorkingJournal
    private let upkeep: Locked<ReceiptUpkeep?>
    /// Has another thread remove receipts; nil if this one does.
    private let remover = Locked<(@Sendable () -> Void)?>(nil)

    init(journal: WorkingJournal, receipts: KeptReceipts?) {
        self.journal = journal
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
            done = state.done.takeLast()
            if state.gathering == 0, !state.keptBack.contains(entry.list) { state.isDue = true }
            return (nil, state.isDue)
        }
        if mustWake { state.wakeAll() }
        return refusal
    }

    var pendingCount: Int { state.withLock { $0.pending.entries.count } }

    func leaveReceipts(to remove: @escaping @Sendable () -> Void) { remover.withLock { $0 = remove } }

    func keepBack(_ lists: some Sequence<ListID>) { state.withLock { $0.keptBack.formUnion(lists) } }

    func giveBack(_ lists: some Sequence<ListID>) {
        state.change { state in
            state.keptBack.subtract(lists)
            state.isDue = !state.pending.isEmpty
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
        guard batch.isEmpty else { return settle(&batch, result) }
        _ = try result.get()
    }

    func beginGathering() { state.withLock { $0.gathering += 1 } }

    func endGathering() {
        let mustWake = state.withLock { state in
            state.gathering -= 1
            state.isDue = !state.pending.isEmpty
            return state.isDue
        }
        if mustWake { state.wakeAll() }
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
        while takeNext(&batch) { settle(&batch) }
        // Nobody enqueues any more, so the done entries are freed here. They hold lists, which hold the queue.
        retire(&batch)
    }

    func step() -> Bool {
        var batch = CommitBatch()
        state.withLock { $0.takePending(into: &batch) }
        guard !batch.isEmpty else { return false }
        settle(&batch)
        return true
    }

    private func settle(_ batch: inout CommitBatch) {
        settle(&batch, write(batch))
    }

    private func settle(_ batch: inout CommitBatch, _ result: Result<Set<CommitBatch.CommitKey>, JournalError>) {
        switch result {
        case .success(let moved) where moved.isEmpty:
            batch.tell(.success(()))
            trimReceipts(after: batch.entries)
        case .success(let moved): trimReceipts(after: end(&batch, [:], moved: moved))
        case .failure(let error) where error.consequence == .nothingWritten: settleApart(&batch, error)
        case .failure(let error):
            _ = end(&batch, Dictionary(batch.entries.map { ($0.list, error) }) { first, _ in first }, moved: [])
        }
        retire(&batch)
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

    /// Leaves the done entries to the threads that enqueue. `batch` is empty when this returns.
    private func retire(_ batch: inout CommitBatch) {
        batch.dropLongBytes()
        // The batches are swapped, because a change of an array that is referenced twice would copy all of it.
        state.withLock { swap(&$0.done, &batch) }
        batch.removeAll()
    }

    /// Waits for entries and takes them. Returns false if the queue stops and nothing is left.
    private func takeNext(_ batch: inout CommitBatch) -> Bool {
        while true {
            let isOver = state.wait(until: { $0.isDue || $0.isStopping && $0.keptBack.isEmpty }) { state in
                state.takePending(into: &batch)
                state.hasEnded = batch.isEmpty && state.isStopping && state.pending.isEmpty
                return state.hasEnded
            }
            if isOver || !batch.isEmpty { return !isOver }
        }
    }

    /// Writes a batch that found no room again, each list by itself. A list with too many bytes for the disk or the
    /// journal thus does not fail the others.
    private func settleApart(_ batch: inout CommitBatch, _ error: JournalError) {
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
        trimReceipts(after: end(&batch, errors, moved: moved))
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
        _ batch: inout CommitBatch, _ errors: [ListID: JournalError], moved: Set<CommitBatch.CommitKey>
    ) -> [JournalEntry] {
        let written = batch.tell(errors, moved: moved)
        let all = moved.reduce(into: errors) { $0[$1.list] = .moved }
        let lists = Set(all.keys)
        batch.removeAll()
        state.withLock { $0.takePending(of: lists, into: &batch) }
        while !batch.isEmpty {
            _ = batch.tell(all, moved: [])
            batch.removeAll()
            state.withLock { $0.takePending(of: lists, into: &batch) }
        }
        return written
    }
}
