internal import Glibc

/// A thread of its own, for work that blocks and so must not run on Swift's pool.
package final class WorkerThread: Sendable {
    private let id: pthread_t

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts the thread; it runs `body` once and ends.
    ///
    /// - Throws: `.io` when the system has no thread to give.
    package init(_ body: @escaping @Sendable () -> Void) throws(JournalError) {
        let context = Unmanaged.passRetained(Body(body))  // Released by the thread, or below if there is none.
        var id = pthread_t()
        let code = pthread_create(
            &id, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw .io("pthread_create: \(String(cString: strerror(code)))")
        }
        self.id = id
    }

    /// Whether the caller runs on this thread.
    var isCurrent: Bool { pthread_equal(id, pthread_self()) != 0 }

    /// Waits for the thread's end; call this or `detach()` once, and not on the thread itself.
    package func join() { pthread_join(id, nil) }

    /// Lets the thread end on its own.
    package func detach() { pthread_detach(id) }
}
