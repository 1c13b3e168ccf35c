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

    /// Glibc's identifiers are addresses, so none of them is 0.
    private static let nobody: pthread_t = 0

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        withLock { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock.lock()
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
