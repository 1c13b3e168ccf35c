internal import Glibc

/// A POSIX mutex.
///
/// `Synchronization.Mutex` would do, but the thread sanitizer reports what it guards as races on Linux.
/// Not recursive: a thread that locks twice waits for itself.
///
/// - Safety: `@unchecked` is sound because the pointer never changes, and the mutex behind it is made to be
///   used from any thread; it is freed by `deinit`, when nobody holds a reference any more.
public final class Lock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    public init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Waits until no other thread holds the lock, then holds it.
    public func lock() { pthread_mutex_lock(mutex) }

    /// Lets go; only the thread that holds the lock may call this.
    public func unlock() { pthread_mutex_unlock(mutex) }

    /// Holds the lock while `body` runs.
    @inlinable
    public func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Lets go, waits for a wake-up, and holds the lock again; may return without one (POSIX `pthread_cond_wait`).
    ///
    /// Only the thread that holds the lock may call this, in a loop that checks what it waits for.
    public func wait() { pthread_cond_wait(condition, mutex) }

    /// As `wait()`, but no longer than so many seconds.
    ///
    /// - Returns: Whether the time is not over.
    public func wait(seconds: Int) -> Bool {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        end.tv_sec += seconds
        return pthread_cond_timedwait(condition, mutex, &end) == 0
    }

    /// Wakes every thread in `wait()`.
    public func wakeAll() { pthread_cond_broadcast(condition) }
}

/// A value that is only reachable while its lock is held.
///
/// Its methods are inlined where they are called, because a generic closure would cost more than the lock.
///
/// - Safety: `@unchecked` is sound because `value` is touched between `lock()` and `unlock()` only, and what goes
///   in or comes out is `Sendable`.
public final class Locked<Value: Sendable>: @unchecked Sendable {
    @usableFromInline let lock = Lock()
    /// The lock sees to it that accesses do not overlap: a second one would wait for itself.
    @usableFromInline @exclusivity(unchecked) var value: Value

    public init(_ value: Value) { self.value = value }

    /// Runs `body` on the value, alone.
    @inlinable
    public func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }

    /// As `withLock`, and wakes the threads that wait for the value to change.
    @inlinable
    public func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        let result = body(&value)
        lock.wakeAll()
        return result
    }

    /// Wakes the threads that wait for the value to change, after a `withLock` that left it open whether to.
    public func wakeAll() { lock.wakeAll() }

    /// Blocks until a change has made `condition` true, then runs `body` before the value can change again.
    ///
    /// The condition is looked at when the threads that wait are woken, by `change` or `wakeAll()`.
    @inlinable
    public func wait<Result: Sendable>(
        until condition: (Value) -> Bool, then body: (inout Value) -> Result
    ) -> Result {
        lock.lock()
        defer { lock.unlock() }
        while !condition(value) { lock.wait() }
        return body(&value)
    }

    /// As `wait(until:then:)`; runs `body` also once the time is over.
    public func wait<Result: Sendable>(
        until condition: (Value) -> Bool, seconds: Int, then body: (inout Value) -> Result
    ) -> Result {
        lock.lock()
        defer { lock.unlock() }
        while !condition(value), lock.wait(seconds: seconds) {}
        return body(&value)
    }
}
