import ListModel
internal import Texts
import Threads

/// Writes snapshots of lists whose log has grown, and removes what is no longer needed. It has a thread of its own.
///
/// The snapshots go to the disk in pieces, and the journal places these between commits. Making the pieces takes no
/// lock.
final class Compactor: Sendable {
    private struct State: Sendable {
        var lists: [ListActor] = []
        /// Whether snapshots are written even if that saves nothing.
        var isForced = false
        var hasEnded = false
        var isStopping = false
        var isIdle = true
        /// The last error.
        var failure: JournalError?
    }

    /// The growth of its log after which a list asks the compactor to look at it.
    let look: Store.Compaction
    private let growth: Store.Compaction
    private let queue: CommitQueue
    private let state: Locked<State>
    private let thread: Thread

    /// - Parameter queue: The queue of the store.
    /// - Throws: `.io` if the system cannot start a thread.
    init(_ work: Work, beside queue: CommitQueue) throws(JournalError) {
        self.queue = queue
        growth = work.growth
        look = Store.Compaction(rows: max(1, growth.rows / 4), bytes: max(1, growth.bytes / 4))
        let state = Locked(State())
        self.state = state
        thread = try startThread { Self.run(state, work) }
    }

    deinit { stop() }

    /// Whether the log of a list has grown so far that a snapshot is worth its writing.
    func hasWork(for list: ListActor) -> Bool { list.enter { $0.planSnapshot(growth) != nil } }

    /// Notes that the log of a list has grown. Returns at once.
    func look(at list: ListActor) {
        state.change { state in
            if !state.isStopping { state.lists.append(list) }
        }
    }

    /// Writes snapshots of lists even if that saves nothing, and waits until nothing is left to remove.
    ///
    /// - Throws: The error that ended the work; `.closed` after `stop()`.
    func compact(_ lists: [ListActor]) throws(JournalError) {
        let isTaken = state.change { state in
            guard !state.isStopping else { return false }
            state.lists += lists
            state.isForced = true
            state.hasEnded = true
            state.failure = nil
            return true
        }
        guard isTaken else { throw .closed }
        let failure = state.wait(until: { ($0.isIdle && !$0.hasEnded) || $0.isStopping }) { $0.failure }
        if let failure { throw failure }
    }

    /// Notes that a list has ended, so that its entries may be removed.
    func noteEnd() { state.change { $0.hasEnded = true } }

    /// Waits until the compactor has nothing to do.
    func waitUntilIdle() { state.wait(until: { $0.isIdle && $0.lists.isEmpty && !$0.hasEnded }) { _ in } }

    /// Ends the thread after the piece that it is writing, and waits for its end. Does nothing the second time.
    func stop() {
        let (isFirst, lists) = state.change { state in
            defer { (state.isStopping, state.lists) = (true, []) }
            return (!state.isStopping, state.lists)
        }
        // The lists are released outside of the lock, because the end of a list may call this object again.
        withExtendedLifetime(lists) {}
        guard isFirst else { return }
        // The thread may wait for a list that the queue's thread has entered, so that one must not wait for it. Nor can a
        // thread wait for itself.
        guard !queue.isCurrent, !thread.isCurrent else { return thread.detach() }
        thread.join()
    }

    /// The seconds after which the thread looks for things that have only grown old, although nobody asked it to.
    private static let secondsBetweenLooks = 600

    private static func run(_ state: Locked<State>, _ work: Work) {
        while true {
            let task = state.wait(
                until: { !$0.lists.isEmpty || $0.hasEnded || $0.isStopping }, seconds: secondsBetweenLooks
            ) { state in
                let task = (lists: state.lists, isForced: state.isForced)
                (state.lists, state.isForced, state.hasEnded, state.isIdle) = ([], false, false, false)
                return state.isStopping ? nil : task
            }
            guard let task else { return }
            let isStopping = { state.withLock { $0.isStopping } }
            work.deleted.purge { state.change { $0.hasEnded = true } }
            do throws(JournalError) {
                for list in task.lists where !isStopping() {
                    try work.compact(list, isForced: task.isForced, isStopping: isStopping)
                }
                try work.remove(all: task.isForced, isStopping: isStopping)
            } catch {
                // After a full disk the work is tried again when a log has grown further. So it is if the journal is
                // away. Any other error has stopped the queue.
                state.withLock { $0.failure = error }
            }
            state.change { $0.isIdle = true }
        }
    }

    /// The work of the thread. It has no reference to the compactor, which would otherwise never be freed.
    struct Work: Sendable {
        let journal: WorkingJournal
        let growth: Store.Compaction
        /// The limits of the receipts; nil if receipts are left as they are.
        let receipts: KeptReceipts?
        let deleted: DeletedLists
        /// Returns a random text, never the same twice.
        let token: @Sendable () -> ByteText
    }
}

extension Compactor.Work {
    /// The bytes of chunks that one piece writes.
    private static var pieceBytes: Int { 256 << 10 }

    func compact(_ list: ListActor, isForced: Bool, isStopping: () -> Bool) throws(JournalError) {
        guard let plan = list.enter({ $0.planSnapshot(isForced ? nil : growth) }) else { return }
        try write(plan, of: list, isStopping: isStopping)
    }

    func write(_ plan: SnapshotPlan, of list: ListActor, isStopping: () -> Bool) throws(JournalError) {
        let head = SnapshotHead(
            epoch: plan.epoch, revision: plan.revision, renewals: plan.renewals, note: plan.note, creator: list.creator)
        var writer = SnapshotWriter(plan.head.reverted(plan.deltas), head)
        guard let place = list.line.place else { return }
        var part = SnapshotPart(
            list: list.id, life: place.life, generation: place.generation, position: plan.position, first: 0,
            chunks: [], isLast: false, number: Self.number(from: token()))
        var bytes = 0
        while !writer.isDone, !isStopping() {
            part.first += part.chunks.count
            part.chunks = []
            var size = 0
            while !writer.isDone, size < Self.pieceBytes {
                let chunk = writer.next()
                size += chunk.count
                part.chunks.append(chunk)
            }
            part.isLast = writer.isDone
            bytes += size
            let next = part
            try journal.write { journal throws(JournalError) in try journal.write(next) }
        }
        guard writer.isDone else { return }
        let total = bytes
        list.enter { $0.noteSnapshot(plan, bytes: total) }
    }

    /// A number of at most 53 bits that two texts seldom share (FNV-1a).
    private static func number(from text: ByteText) -> Int {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return Int(hash >> 11)
    }

    func remove(all: Bool, isStopping: () -> Bool) throws(JournalError) {
        var isDone = false
        while !isStopping(), !isDone {
            isDone = try journal.write { journal throws(JournalError) in try journal.removeSome(all: all) }
        }
        guard let receipts else { return }
        isDone = false
        while !isStopping(), !isDone {
            isDone = try journal.write { journal throws(JournalError) in try receipts.trim(journal) }
        }
    }
}
