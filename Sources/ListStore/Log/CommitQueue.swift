internal import ListModel
import Threads

/// Gathers entries from many threads into batches, so that they share one sync.
///
/// One batch is in flight; what arrives meanwhile is the next batch, and so is what one `gather` has brought. There is
/// no timer: a lone entry is written at once, and the busier the disk, the larger the batches.
///
///     enqueue ──▶ pending ──taken by the thread──▶ journal.append ──▶ completions in order
///
/// After a failure, a list may have built on an entry that is not there. So a failed batch takes with it what was
/// enqueued for its lists until its last completion returned; entries of other lists build on nothing of it and stay.
/// Where there is no room for a batch, each of its lists is tried by itself. A completion must therefore roll its list
/// back *before it returns*, under the same lock under which the list computes and enqueues.
public final class CommitQueue: Sendable {
    public typealias Completion = @Sendable (Result<Void, JournalError>) -> Void

    private let work: CommitWork
    /// Nil if whoever made the queue takes its turns.
    private let thread: Thread?

    /// Starts the queue's thread.
    ///
    /// - Parameter journal: Opened before the first entry comes. The queue does not close it.
    /// - Throws: `.io` when the system has no thread to give.
    public convenience init(journal: any Journal) throws(JournalError) {
        try self.init(journal: journal, receipts: nil, isStepped: false)
    }

    /// - Parameters:
    ///   - receipts: Which receipts are kept, between the batches that bring more; nil keeps all.
    ///   - isStepped: Whether nothing happens by itself but `step()` writes a batch, and a piece is run at once by
    ///     whoever has it: then all of a store runs in one thread, and in an order that can be repeated.
    init(journal: any Journal, receipts: KeptReceipts?, isStepped: Bool) throws(JournalError) {
        let work = CommitWork(journal: journal, receipts: receipts)
        self.work = work
        thread = isStepped ? nil : try startThread { work.run() }
    }

    /// Writes what is pending as one batch, unless a thread does; returns whether there was anything.
    @discardableResult
    func step() -> Bool { thread == nil && work.step() }

    deinit { stop() }

    /// Whether a write has failed with unknown outcome; from then on every entry fails.
    public var isPoisoned: Bool { work.poison != nil }

    /// Hands over an entry; returns at once, from any thread.
    ///
    /// - Parameter completion: Called once, on the queue's thread, in the order of `enqueue`: with success when the
    ///   entry is durable, with `.full` when the batch was not written, with the cause when the queue is poisoned.
    ///   After `stop()` it is called with `.closed`, on the caller's thread.
    public func enqueue(_ entry: JournalEntry, completion: @escaping Completion) {
        enqueue(entry, restingOn: nil, completion: completion)
    }

    /// As `enqueue(_:completion:)`, for an entry that makes sense only if an earlier one of the same list is written.
    ///
    /// If that one was lost before this was called, `completion` is called with its error, on the caller's thread.
    ///
    /// - Parameter rest: Entries of the same list that go to the disk together with the first.
    func enqueue(
        _ entry: JournalEntry, followedBy rest: [JournalEntry] = [], restingOn earlier: Durability?,
        completion: @escaping Completion
    ) {
        if let refusal = work.add(entry, rest, restingOn: earlier, completion) { completion(.failure(refusal)) }
    }

    /// Runs `body`, on the calling thread; what is enqueued meanwhile is not written before it returns, or another
    /// gathering ends.
    ///
    /// So the entries of one turn of a loop share a batch, instead of the first one being written alone.
    public func gather(_ body: () -> Void) {
        work.beginGathering()
        body()
        work.endGathering()
    }

    /// Runs `body` with the journal on the queue's thread, between two batches, and waits for it.
    ///
    /// What takes long is done in pieces, each with a call of its own: entries wait for one piece at most.
    ///
    /// - Throws: What `body` throws; anything but `.full` and `.closed` poisons the queue as a failed batch does.
    ///   `.closed` also when the queue has stopped, or is poisoned, and then `body` is not run.
    func perform(_ body: @escaping @Sendable (any Journal) throws(JournalError) -> Void) throws(JournalError) {
        guard thread != nil else { return try work.performAtOnce(body) }
        try work.perform(body)
    }

    /// Whether the caller runs on the queue's thread, and so must not wait for it.
    var isCurrent: Bool { thread?.isCurrent ?? true }

    /// Writes what is pending, then ends the thread and waits for its end; does nothing the second time.
    ///
    /// Called from a completion it only asks for the end, for a thread cannot wait for itself.
    public func stop() {
        guard work.stop() else { return }
        guard let thread else { return work.run() }
        guard thread.isCurrent else { return thread.join() }
        thread.detach()
    }
}

/// What the queue and its thread share.
private final class CommitWork: Sendable {
    private struct Batch: Sendable {
        var entries: [JournalEntry] = []
        var waiting: [Waiting] = []

        var isEmpty: Bool { entries.isEmpty }

        mutating func add(_ entry: JournalEntry, _ one: Waiting) {
            entries.append(entry)
            waiting.append(one)
        }

        mutating func removeAll() {
            entries.removeAll(keepingCapacity: true)
            waiting.removeAll(keepingCapacity: true)
        }

        func tell(_ outcome: Result<Void, JournalError>) {
            for one in waiting { one.completion(outcome) }
        }

        func tell(_ errors: [ListID: JournalError]) {
            for (entry, one) in zip(entries, waiting) {
                one.completion(errors[entry.list].map { .failure($0) } ?? .success(()))
            }
        }

        /// The entries of each list, the fewest bytes first.
        var byList: [(list: ListID, entries: [JournalEntry])] {
            let groups = Dictionary(grouping: entries, by: \.list).map { list, entries in
                (list: list, entries: entries, bytes: entries.reduce(0) { $0 + $1.bytes.count })
            }
            return groups.sorted { ($0.bytes, $0.list.rawValue) < ($1.bytes, $1.list.rawValue) }.map {
                ($0.list, $0.entries)
            }
        }
    }

    /// A closure in a struct costs an array nothing; by itself it would be wrapped once more for each element.
    private struct Waiting: Sendable {
        let completion: CommitQueue.Completion
    }

    /// What somebody waits for who is not a writer.
    private final class Piece: Sendable {
        let body: @Sendable (any Journal) throws(JournalError) -> Void
        let outcome = Locked<Result<Void, JournalError>?>(nil)

        init(_ body: @escaping @Sendable (any Journal) throws(JournalError) -> Void) { self.body = body }

        func end(_ result: Result<Void, JournalError>) { outcome.change { $0 = result } }
    }

    private struct State: Sendable {
        var pending = Batch()
        var pieces: [Piece] = []
        /// The batch before, done with. Whoever enqueues an entry lets go of one: what a thread has made is freed on
        /// that thread and used again at once, which costs the allocator a fraction of freeing it elsewhere.
        var done = Batch()
        var poison: JournalError?
        /// How many threads gather.
        var gathering = 0
        /// Whether what is pending is to be written: something of it came while nobody gathered, or a gathering has
        /// ended since.
        var isDue = false
        var isStopping = false
        var hasEnded = false

        /// - Parameter batch: Empty; what it has room for is there again for what is pending next.
        mutating func takePending(into batch: inout Batch) {
            isDue = false
            swap(&pending, &batch)
        }

        /// As `takePending(into:)`, only what is pending for some lists.
        mutating func takePending(of lists: Set<ListID>, into batch: inout Batch) {
            var others = Batch()
            for (entry, waiting) in zip(pending.entries, pending.waiting) {
                lists.contains(entry.list) ? batch.add(entry, waiting) : others.add(entry, waiting)
            }
            pending = others
            isDue = isDue && !others.isEmpty
        }

        mutating func takeOneDone() -> (JournalEntry?, Waiting?) {
            (done.entries.popLast(), done.waiting.popLast())
        }
    }

    private let state = Locked(State())
    private let journal: any Journal
    private let upkeep: Locked<ReceiptUpkeep?>

    init(journal: any Journal, receipts: KeptReceipts?) {
        self.journal = journal
        upkeep = Locked(receipts.map { ReceiptUpkeep($0) })
    }

    var poison: JournalError? { state.withLock { $0.poison } }

    /// Returns why the entry was not taken: there is no thread any more, or what it rests on was lost.
    ///
    /// Whether that was lost is asked under the lock under which a failure looks for the last time for what rests on it.
    func add(
        _ entry: JournalEntry, _ rest: [JournalEntry], restingOn earlier: Durability?,
        _ completion: @escaping CommitQueue.Completion
    ) -> JournalError? {
        var done: (JournalEntry?, Waiting?) = (nil, nil)
        defer { withExtendedLifetime(done) {} }
        let (refusal, mustWake): (JournalError?, Bool) = state.withLock { state in
            if let refusal = state.hasEnded ? .closed : earlier?.failure { return (refusal, false) }
            state.pending.add(entry, Waiting(completion: completion))
            for part in rest { state.pending.add(part, Waiting { _ in }) }
            done = state.takeOneDone()
            if state.gathering == 0 { state.isDue = true }
            return (nil, state.isDue)
        }
        if mustWake { state.wakeAll() }
        return refusal
    }

    func perform(_ body: @escaping @Sendable (any Journal) throws(JournalError) -> Void) throws(JournalError) {
        let piece = Piece(body)
        let isTaken = state.change { state in
            if !state.hasEnded { state.pieces.append(piece) }
            return !state.hasEnded
        }
        guard isTaken else { throw .closed }
        try piece.outcome.wait(until: { $0 != nil }, then: { $0 ?? .failure(.closed) }).get()
    }

    /// As `perform(_:)`, on this thread.
    func performAtOnce(_ body: @escaping @Sendable (any Journal) throws(JournalError) -> Void) throws(JournalError) {
        let piece = Piece(body)
        run(piece)
        try piece.outcome.withLock { $0 ?? .failure(.closed) }.get()
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
        var batch = Batch()
        var piece: Piece?
        while takeNext(&batch, &piece) {
            if !batch.isEmpty { settle(&batch) }
            if let piece { run(piece) }
        }
        // Nobody enqueues any more, and what is done holds lists, which hold the queue.
        retire(&batch)
    }

    func step() -> Bool {
        var batch = Batch()
        state.withLock { $0.takePending(into: &batch) }
        guard !batch.isEmpty else { return false }
        settle(&batch)
        return true
    }

    private func settle(_ batch: inout Batch) {
        switch write(batch.entries) {
        case .success:
            batch.tell(.success(()))
            trimReceipts(after: batch.entries)
        case .failure(let error) where error.leavesAllAsItWas: settleApart(&batch, error)
        case .failure(let error): fail(&batch, error)
        }
        retire(&batch)
    }

    /// Removes receipts that are too many by now, so that the disk never has many more than wanted.
    ///
    /// On a full disk they stay until there is room.
    private func trimReceipts(after entries: [JournalEntry]) {
        upkeep.withLock { upkeep in
            guard var due = upkeep else { return }
            let isDone = Locked(false)
            for _ in 0..<due.add(entries) where !isDone.withLock({ $0 }) {
                let receipts = due.receipts
                run(
                    Piece { journal throws(JournalError) in
                        let nothingIsLeft = try receipts.trim(journal)
                        isDone.withLock { $0 = nothingIsLeft }
                    })
            }
            if isDone.withLock({ $0 }) { due.noteNothingIsLeft() }
            upkeep = due
        }
    }

    /// Leaves what is done with to those who enqueue; `batch` is empty when this returns.
    private func retire(_ batch: inout Batch) {
        // Swapped, because whoever takes something out of an array that another also holds would copy all of it.
        state.withLock { swap(&$0.done, &batch) }
        batch.removeAll()
    }

    /// Returns false when there is nothing left to write.
    private func takeNext(_ batch: inout Batch, _ piece: inout Piece?) -> Bool {
        state.wait(until: { $0.isDue || $0.isStopping || !$0.pieces.isEmpty }) { state in
            if state.isDue || state.isStopping { state.takePending(into: &batch) }
            piece = state.pieces.isEmpty ? nil : state.pieces.removeFirst()
            state.hasEnded = batch.isEmpty && piece == nil
            return !state.hasEnded
        }
    }

    private func run(_ piece: Piece) {
        guard poison == nil else { return piece.end(.failure(.closed)) }
        do {
            try piece.body(journal)
            piece.end(.success(()))
        } catch {
            if !error.leavesAllAsItWas, error != .closed { state.withLock { $0.poison = error } }
            piece.end(.failure(error))
        }
    }

    /// Writes what each list has of a batch that found no room: what is too much for the disk, or for the journal, takes
    /// nobody else's with it.
    private func settleApart(_ batch: inout Batch, _ error: JournalError) {
        let groups = batch.byList
        var errors: [ListID: JournalError] = [:]
        // What has more bytes than what found no room finds none.
        var isFull = false
        for (list, entries) in groups {
            // A lone list has been tried.
            guard groups.count > 1, !isFull || poison != nil else {
                errors[list] = groups.count > 1 ? .full : error
                continue
            }
            guard case .failure(let error) = write(entries) else { continue }
            errors[list] = error
            isFull = isFull || error == .full
        }
        batch.tell(errors)
        batch.removeAll()
        // Whatever of these lists came in before their last completion returned may build on what failed.
        state.withLock { $0.takePending(of: Set(errors.keys), into: &batch) }
        while !batch.isEmpty {
            batch.tell(errors)
            batch.removeAll()
            state.withLock { $0.takePending(of: Set(errors.keys), into: &batch) }
        }
    }

    private func write(_ entries: [JournalEntry]) -> Result<Void, JournalError> {
        if let poison { return .failure(poison) }
        do {
            try journal.append(entries)
            return .success(())
        } catch {
            if !error.leavesAllAsItWas { state.withLock { $0.poison = error } }
            return .failure(error)
        }
    }

    /// Until nothing is pending for the lists of the batch: what came in for them before the last completion returned
    /// may build on what failed.
    private func fail(_ batch: inout Batch, _ error: JournalError) {
        let lists = Set(batch.entries.map(\.list))
        while !batch.isEmpty {
            batch.tell(.failure(error))
            batch.removeAll()
            state.withLock { $0.takePending(of: lists, into: &batch) }
        }
    }
}
