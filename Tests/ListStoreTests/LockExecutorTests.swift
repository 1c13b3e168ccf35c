import Dispatch
import Testing

@testable import ListStore

@Suite struct LockExecutorTests {
    /// There are several threads, so that the thread sanitizer sees one ask while another enters or leaves.
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
