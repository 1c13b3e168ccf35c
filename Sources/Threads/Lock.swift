internal import Glibc

/// A POSIX mutex.
///
/// A thread that locks it twice waits for itself forever, because the mutex is not recursive. `Synchronization.Mutex`
/// would serve as well, but on Linux the thread sanitizer reports false races on the data that it guards.
///
/// - Safety: `@unchecked` is sound because the pointers never change, and POSIX allows any thread to use the mutex
///   behind them. `deinit` frees the mutex, when nobody has a reference any more.
public final class Lock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    public init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        // By default the end of a wait is a time of day. If the clock is set back in the meantime, the wait takes
        // longer.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Waits until no other thread holds the lock, then holds it.
    public func lock() { pthread_mutex_lock(mutex) }

    /// Holds the lock if no other thread does. Returns whether it does.
    public func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

    /// Releases the lock. Only the thread that holds the lock may call this.
    public func unlock() { pthread_mutex_unlock(mutex) }

    /// Holds the lock while `body` runs.
    @inlinable
    public func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Releases the lock, waits to be woken, and takes the lock again.
    ///
    /// It may return although nobody has woken it (POSIX `pthread_cond_wait`).
    ///
    /// Only the thread that holds the lock may call this, in a loop that checks the condition that it waits for.
    public func wait() { pthread_cond_wait(condition, mutex) }

    /// The time of the clock by which waits end, in so many milliseconds.
    static func time(inMilliseconds milliseconds: Int) -> timespec {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = time.tv_nsec + milliseconds % 1_000 * 1_000_000
        time.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        return time
    }

    /// Waits as `wait()` does, but at most up to a time.
    ///
    /// - Returns: True if it was woken, false if the time is over.
    func wait(upTo end: timespec) -> Bool {
        var end = end
        return pthread_cond_timedwait(condition, mutex, &end) == 0
    }

    /// Wakes every thread in `wait()`.
    public func wakeAll() { pthread_cond_broadcast(condition) }

    /// Wakes one of the threads in `wait()`, if there are any.
    public func wakeOne() { pthread_cond_signal(condition) }
}

/// A value that can be reached only while its lock is held.
///
/// The compiler inlines its methods at their callers, because the call of a generic closure would cost more than the
/// lock.
///
/// - Safety: `@unchecked` is sound because `value` is read and written only between `lock()` and `unlock()`, and
///   everything that goes in or comes out is `Sendable`.
public final class Locked<Value: Sendable>: @unchecked Sendable {
    @usableFromInline let lock = Lock()
    /// Swift need not check that accesses are exclusive, because the lock lets in one thread at a time.
    @usableFromInline @exclusivity(unchecked) var value: Value

    public init(_ value: Value) { self.value = value }

    /// Runs `body` on the value while no other thread can reach it.
    @inlinable
    public func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }

    /// Runs `body` as `withLock` does, then wakes the threads that wait for the value to change. They find the lock free.
    @inlinable
    public func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        let result = body(&value)
        lock.unlock()
        lock.wakeAll()
        return result
    }

    /// Wakes the threads that wait for the value to change. It is for callers of `withLock`, which wakes nobody.
    public func wakeAll() { lock.wakeAll() }

    /// As `wakeAll()`, but wakes only one of them. It is for threads of which any one can do what there is to do.
    public func wakeOne() { lock.wakeOne() }

    /// Blocks until a change has made `condition` true, then runs `body` before the value can change again.
    ///
    /// The condition is checked at the start, and again when `change` or `wakeAll()` wakes the waiting threads.
    @inlinable
    public func wait<Result: Sendable>(
        until condition: (Value) -> Bool, then body: (inout Value) -> Result
    ) -> Result {
        lock.lock()
        defer { lock.unlock() }
        while !condition(value) { lock.wait() }
        return body(&value)
    }

    /// As `wait(until:then:)`, but runs `body` also if nobody wakes the thread for `seconds` seconds. Each wake-up
    /// starts the time anew.
    public func wait<Result: Sendable>(
        until condition: (Value) -> Bool, seconds: Int, then body: (inout Value) -> Result
    ) -> Result {
        lock.lock()
        defer { lock.unlock() }
        while !condition(value), lock.wait(upTo: Lock.time(inMilliseconds: 1_000 * seconds)) {}
        return body(&value)
    }

    /// As `wait(until:then:)`, but runs `body` also after so many milliseconds, however often the thread was woken.
    public func wait<Result: Sendable>(
        until condition: (Value) -> Bool, milliseconds: Int, then body: (inout Value) -> Result
    ) -> Result {
        let end = Lock.time(inMilliseconds: milliseconds)
        lock.lock()
        defer { lock.unlock() }
        while !condition(value), lock.wait(upTo: end) {}
        return body(&value)
    }
}
