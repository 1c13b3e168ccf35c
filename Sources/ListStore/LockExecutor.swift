internal import Glibc
import Locks

/// An executor that is a lock: whoever holds it runs the actor's code on its own thread, without a hop.
///
/// - Safety: `@unchecked` is sound because `owner` is written only by the thread that holds the lock, and any
///   other thread that reads it sees something else than itself, whatever it sees.
final class LockExecutor: SerialExecutor, @unchecked Sendable {
    private let lock = Lock()
    private var owner: pthread_t?

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        withLock { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock.lock()
        owner = pthread_self()
        defer {
            owner = nil
            lock.unlock()
        }
        return try body()
    }

    func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "the actor's lock is not held")
    }

    func isIsolatingCurrentContext() -> Bool? {
        guard let owner else { return false }
        return pthread_equal(owner, pthread_self()) != 0
    }
}
