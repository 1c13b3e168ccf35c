internal import Glibc
import Threads
internal import Synchronization

/// An executor that is a lock. The holder of the lock runs the actor's code on its own thread, without a hop.
final class LockExecutor: SerialExecutor {
    private let lock = Lock()
    /// The thread that holds the lock, or `nobody`.
    ///
    /// Relaxed ordering is enough. Only the thread itself writes its identifier, and it removes it before it unlocks.
    /// So no thread ever reads its own identifier here unless it holds the lock.
    private let owner = Atomic<pthread_t>(LockExecutor.nobody)

    /// How many threads hold the lock for long work, or wait to do so.
    private let longHolders = Atomic<Int>(0)

    /// Glibc's identifiers are addresses, so none of them is 0.
    private static let nobody: pthread_t = 0

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        withLock { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock.lock()
        return try run(body)
    }

    /// As `withLock`, for work that may last. `withLockUnlessLong` does not wait for it.
    func withLongLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        longHolders.add(1, ordering: .relaxed)
        defer { longHolders.subtract(1, ordering: .relaxed) }
        return try withLock(body)
    }

    /// As `withLock`, but returns nil, and does not run `body`, if another thread holds the lock for long work.
    func withLockUnlessLong<Result>(_ body: () throws -> Result) rethrows -> Result? {
        // The holder may begin long work after it was asked for, so it is asked for again.
        while !lock.tryLock() {
            guard longHolders.load(ordering: .relaxed) == 0 else { return nil }
            usleep(Self.pauseMicroseconds)
        }
        return try run(body)
    }

    /// How long a thread sleeps until it asks again for a lock that is held for brief work. The holder may have a lower
    /// priority, so it must get the processor meanwhile.
    static let pauseMicroseconds: UInt32 = 50

    /// Runs `body` with the lock held, and unlocks it.
    private func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        owner.store(pthread_self(), ordering: .relaxed)
        defer {
            owner.store(Self.nobody, ordering: .relaxed)
            lock.unlock()
        }
        return try body()
    }

    func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "the actor's lock is not held")
    }

    func isIsolatingCurrentContext() -> Bool? {
        owner.load(ordering: .relaxed) == pthread_self()
    }
}
