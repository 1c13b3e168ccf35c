import Glibc

/// Counts completed work. One thread waits for it.
///
/// - Safety: `@unchecked` is sound because `count` is touched under the mutex only.
final class Countdown: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var count = 0

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        mutex.deallocate()
        condition.deallocate()
    }

    func add() {
        pthread_mutex_lock(mutex)
        count += 1
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Waits until the count is `target`, and returns the count.
    @discardableResult
    func wait(for target: Int) -> Int {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while count < target { pthread_cond_wait(condition, mutex) }
        return count
    }
}
