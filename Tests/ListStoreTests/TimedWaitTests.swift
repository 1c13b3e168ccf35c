import Testing
@testable import Threads

/// Waits with a time limit. The limit must be computed with the clock of the lock. With another clock the wait would
/// end at once or never.
@Suite struct TimedWaitTests {
    @Test func whoIsWokenBeforeTheEndKnowsIt() throws {
        let lock = Lock()
        lock.lock()
        // The thread can take the lock only while `wait` has released it.
        let thread = try Thread { lock.withLock { lock.wakeAll() } }
        #expect(lock.wait(upTo: Lock.time(inMilliseconds: 100_000_000)))
        lock.unlock()
        thread.join()
    }

    @Test func aWaitThatNobodyEndsIsOver() {
        let value = Locked(1)
        #expect(value.wait(until: { $0 == 2 }, seconds: 0) { $0 } == 1)
        #expect(value.wait(until: { $0 == 1 }, seconds: 100_000) { $0 } == 1)
    }

    /// Milliseconds are counted from the beginning of the wait, and not from the last time that the thread was woken.
    @Test func aWaitEndsAlthoughTheThreadIsWokenAgainAndAgain() throws {
        let value = Locked(0)
        let thread = try Thread {
            while value.withLock({ $0 }) >= 0 { value.change { if $0 >= 0 { $0 += 1 } } }
        }
        value.wait(until: { $0 < 0 }, milliseconds: 1_001) { $0 = -1 }
        thread.join()
        #expect(value.withLock { $0 } == -1)
    }
}
