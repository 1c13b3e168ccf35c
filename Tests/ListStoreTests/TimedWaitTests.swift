import Testing
import Threads

/// Waits with a time limit. The limit must be computed with the clock of the lock. With another clock the wait would
/// end at once or never.
@Suite struct TimedWaitTests {
    @Test func whoIsWokenBeforeTheEndKnowsIt() throws {
        let lock = Lock()
        lock.lock()
        // The thread can take the lock only while `wait` has released it.
        let thread = try Thread { lock.withLock { lock.wakeAll() } }
        #expect(lock.wait(seconds: 100_000))
        lock.unlock()
        thread.join()
    }

    @Test func aWaitThatNobodyEndsIsOver() {
        let value = Locked(1)
        #expect(value.wait(until: { $0 == 2 }, seconds: 0) { $0 } == 1)
        #expect(value.wait(until: { $0 == 1 }, seconds: 100_000) { $0 } == 1)
    }
}
