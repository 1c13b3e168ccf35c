import Dispatch
import Testing

@testable import ListStore

@Suite struct LockExecutorTests {
    /// Many at once, so that the thread sanitizer sees a thread ask while another one comes or goes.
    @Test func onlyTheThreadInsideIsIsolated() {
        let executor = LockExecutor()
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<1_000 {
                #expect(executor.isIsolatingCurrentContext() == false)
                executor.withLock { #expect(executor.isIsolatingCurrentContext() == true) }
            }
        }
    }
}
