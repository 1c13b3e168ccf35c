import Locks

/// Gathers entries from many threads into batches, so that they share one sync.
///
/// One batch is in flight; what arrives meanwhile is the next batch, and so is what one `gather` has brought. There is
/// no timer: a lone entry is written at once, and the busier the disk, the larger the batches.
///
///     enqueue ──▶ pending ──taken by the thread──▶ journal.append ──▶ completions in order
///
/// After a failure, a list may have built on an entry that is not there. So a failed batch takes with it everything
/// that was enqueued until its last completion returned. A completion must therefore roll its list back *before it
/// returns*, under the same lock under which the list computes and enqueues.
public final class CommitQueue: Sendable {
    public typealias Completion = @Sendable (Result<Void, JournalError>) -> Void

    private let work: CommitWork
    private let thread: WorkerThread

    /// Starts the queue's thread.
    ///
    /// - Parameter journal: Already replayed. The queue does not close it.
    /// - Throws: `.io` when the system has no thread to give.
    public init(journal: any Journal) throws(JournalError) {
        let work = CommitWork(journal: journal)
        self.work = work
        thread = try WorkerThread { work.run() }
    }

    deinit { stop() }

    /// Whether a write has failed with unknown outcome; from then on every entry fails.
    public var isPoisoned: Bool { work.poison != nil }

    /// Hands over an entry; returns at once, from any thread.
    ///
    /// - Parameter completion: Called once, on the queue's thread, in the order of `enqueue`: with success when the
    ///   entry is durable, with `.full` when the batch was not written, with the cause when the queue is poisoned.
    ///   After `stop()` it is called with `.closed`, on the caller's thread.
    public func enqueue(_ entry: JournalEntry, completion: @escaping Completion) {
        guard work.add(entry, completion) else { return completion(.failure(.closed)) }
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

    /// Writes what is pending, then ends the thread and waits for its end; does nothing the second time.
    ///
    /// Called from a completion it only asks for the end, for a thread cannot wait for itself.
    public func stop() {
        guard work.stop() else { return }
        guard thread.isCurrent else { return thread.join() }
        thread.detach()
    }
}

/// What the queue and its thread share.
private final class CommitWork: Sendable {
    private struct Batch: Sendable {
        var entries: [JournalEntry] = []
        var completions: [CommitQueue.Completion] = []
    }

    private struct State: Sendable {
        var pending = Batch()
        /// The batch before, done with. Whoever enqueues next lets go of it: what a thread has made is freed on that
        /// thread, which costs the allocator a fraction of freeing it elsewhere.
        var done = Batch()
        var poison: JournalError?
        /// How many threads gather.
        var gathering = 0
        /// Whether what is pending is to be written: something of it came while nobody gathered, or a gathering has
        /// ended since.
        var isDue = false
        var isStopping = false
        var hasEnded = false

        mutating func takePending() -> Batch {
            isDue = false
            defer { pending = Batch() }
            return pending
        }

        mutating func takeDone() -> Batch {
            defer { done = Batch() }
            return done
        }
    }

    private let state = Locked(State())
    private let journal: any Journal

    init(journal: any Journal) { self.journal = journal }

    var poison: JournalError? { state.withLock { $0.poison } }

    /// Returns false if there is no thread any more to take the entry.
    func add(_ entry: JournalEntry, _ completion: @escaping CommitQueue.Completion) -> Bool {
        var done = Batch()
        defer { withExtendedLifetime(done) {} }
        let (isTaken, mustWake) = state.withLock { state in
            guard !state.hasEnded else { return (false, false) }
            state.pending.entries.append(entry)
            state.pending.completions.append(completion)
            swap(&done, &state.done)
            if state.gathering == 0 { state.isDue = true }
            return (true, state.isDue)
        }
        if mustWake { state.wakeAll() }
        return isTaken
    }

    func beginGathering() { state.withLock { $0.gathering += 1 } }

    func endGathering() {
        let mustWake = state.withLock { state in
            state.gathering -= 1
            state.isDue = !state.pending.entries.isEmpty
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
        while let batch = next() {
            switch write(batch) {
            case .success: for completion in batch.completions { completion(.success(())) }
            case .failure(let error): fail(batch, error)
            }
            state.withLock { $0.done = batch }
        }
        // Nobody enqueues any more, and what is done holds lists, which hold the queue.
        _ = state.withLock { $0.takeDone() }
    }

    private func next() -> Batch? {
        state.wait(until: { $0.isDue || $0.isStopping }) { state in
            guard !state.pending.entries.isEmpty else {
                state.hasEnded = true
                return nil
            }
            return state.takePending()
        }
    }

    private func write(_ batch: Batch) -> Result<Void, JournalError> {
        if let poison { return .failure(poison) }
        do {
            try journal.append(batch.entries)
            return .success(())
        } catch .full {
            return .failure(.full)
        } catch {
            state.withLock { $0.poison = error }
            return .failure(error)
        }
    }

    /// Until nothing is pending: whatever came in before the last completion returned may build on what failed.
    private func fail(_ batch: Batch, _ error: JournalError) {
        var failing = batch
        while !failing.completions.isEmpty {
            for completion in failing.completions { completion(.failure(error)) }
            failing = state.withLock { $0.takePending() }
        }
    }
}
