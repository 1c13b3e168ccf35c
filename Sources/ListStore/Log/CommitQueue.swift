internal import ListModel
import Threads

/// Gathers entries from many threads into batches, so that they share one sync.
///
/// One batch is in flight, or as many as the journal takes (`Journal.commitsAtOnce`). Entries that come meanwhile make the
/// next batch, and so do the entries of one `gather`. There is no timer: a lone entry is written at once, and the busier
/// the disk, the larger the batches.
///
/// Batches that are in flight at a time have no list in common. A further one goes out only if it has as many entries as
/// those in flight, so that entries do not trickle out in small batches: with 64 writers, two batches of 32 take turns.
///
///     enqueue ──▶ pending ──taken by a thread──▶ journal.commit ──▶ completions in the order of each list
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
    /// A thread for each batch that can be in flight; none if the owner of the queue calls `step()` instead.
    private let threads: [Thread]

    /// - Parameters:
    ///   - journal: It must be open before the first entry comes. The queue does not close it.
    ///   - receipts: The limits for the receipts of the journal. Further ones are removed after each batch, because no
    ///     other thread would keep up with all batches; nil keeps all.
    ///   - isStepped: Whether the queue has no thread. `step()` then writes a batch. So a whole store runs in one thread,
    ///     and in an order that can be repeated.
    /// - Throws: `.io` if the system cannot start the queue's threads.
    init(journal: any Journal, receipts: KeptReceipts? = nil, isStepped: Bool = false) throws(JournalError) {
        let journal = WorkingJournal(journal)
        self.journal = journal
        let batchesMax = isStepped ? 1 : journal.commitsAtOnce
        let work = CommitWork(journal: journal, receipts: receipts, batchesMax: batchesMax)
        self.work = work
        var threads: [Thread] = []
        for _ in 0..<(isStepped ? 0 : batchesMax) {
            do throws(JournalError) { threads.append(try startThread { work.run() }) } catch {
                _ = work.stop()
                for thread in threads { thread.join() }
                throw error
            }
        }
        self.threads = threads
    }

    /// Writes the pending entries as one batch, if the queue has no thread. Returns whether there were any.
    @discardableResult
    func step() -> Bool { threads.isEmpty && work.step() }

    deinit { stop() }

    /// The entries that wait for the next batch.
    var pendingCount: Int { work.pendingCount }

    /// Whether a write has failed with unknown outcome. From then on every entry fails.
    public var isPoisoned: Bool { journal.poison != nil }

    /// Leaves the removal of receipts to another thread from now on, because in a shared journal it can take long.
    ///
    /// - Parameter remove: It is called on a thread of the queue when there are too many, and returns at once.
    func leaveReceipts(to remove: @escaping @Sendable () -> Void) { work.leaveReceipts(to: remove) }

    /// Adds an entry to the next batch. It may be called on any thread, and returns at once.
    ///
    /// The entry is written behind whatever its list has then.
    ///
    /// - Parameter completion: It is called once, on a thread of the queue, for each list in the order of `enqueue`: with
    ///   success when the entry is durable, with `.full`, `.tooLarge`, `.moved` or `.away` if it was not written, with `.unknown` if
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

    /// Whether the caller runs on a thread of the queue, or the queue has none, so that the caller must not wait for it.
    var isCurrent: Bool { threads.isEmpty || isCommitting }

    /// Whether the caller runs on a thread of the queue.
    var isCommitting: Bool { threads.contains(where: \.isCurrent) }

    /// Writes the pending entries, then ends the threads and waits for their end. Does nothing the second time.
    ///
    /// If a completion calls it, it does not wait, because a thread cannot wait for itself.
    public func stop() {
        guard work.stop() else { return }
        guard !threads.isEmpty else { return work.run() }
        let isOwn = isCommitting
        for thread in threads { isOwn ? thread.detach() : thread.join() }
    }
}
