import Testing
import Threads

/// A wait that ends by itself. Its end must be reckoned by the clock that the lock has, or it comes at once or never.
@Suite struct TimedWaitTests {
    @Test func whoIsWokenBeforeTheEndKnowsIt() throws {
        let lock = Lock()
        lock.lock()
        // The thread gets the lock once the wait has released it.
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
