internal import Glibc
import Threads
internal import Synchronization

/// An executor that is a lock: whoever holds it runs the actor's code on its own thread, without a hop.
final class LockExecutor: SerialExecutor {
    private let lock = Lock()
    /// The thread that holds the lock, or `nobody`.
    ///
    /// Relaxed is enough: only a thread itself ever writes its identifier, and it takes it away before it lets go, so
    /// any other thread that reads this sees something else than itself, whatever it sees.
    private let owner = Atomic<pthread_t>(LockExecutor.nobody)

    /// Glibc's identifiers are addresses.
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
