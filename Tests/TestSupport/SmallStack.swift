import Foundation

/// Runs `body` on a thread with a small stack, and waits for it.
///
/// The stack has no room for thousands of nested calls, so a recursion over rows or levels ends the process.
public func onSmallStack<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value? {
    let work = Work(body)
    let thread = Thread {
        work.result = Result(catching: work.body)
        work.done.signal()
    }
    thread.stackSize = 128 * 1024
    thread.start()
    work.done.wait()
    return try work.result?.get()
}

/// A closure that runs on a thread, and its result.
///
/// - Safety: `@unchecked` is sound because `result` is written before `done` is signalled, and read after the wait.
private final class Work<Value: Sendable>: @unchecked Sendable {
    let body: @Sendable () throws -> Value
    let done = DispatchSemaphore(value: 0)
    var result: Result<Value, any Error>?

    init(_ body: @escaping @Sendable () throws -> Value) {
        self.body = body
    }
}
