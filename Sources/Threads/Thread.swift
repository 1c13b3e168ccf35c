internal import Glibc

/// A thread of its own, for work that blocks or lasts and so must not run on Swift's pool.
///
/// It takes no signals: they are for the thread that waits for them.
public final class Thread: Sendable {
    private let id: pthread_t

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts the thread; it runs `body` once and ends.
    ///
    /// - Throws: When the system has no thread to give.
    public init(_ body: @escaping @Sendable () -> Void) throws(ThreadError) {
        let context = Unmanaged.passRetained(Body(body))  // Released by the thread, or below if there is none.
        var id = pthread_t()
        let code = pthread_create(
            &id, nil,
            { context in
                guard let context else { return nil }
                var all = sigset_t()
                sigfillset(&all)
                pthread_sigmask(SIG_BLOCK, &all, nil)
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw ThreadError(code: code)
        }
        self.id = id
    }

    /// Whether the caller runs on this thread.
    public var isCurrent: Bool { pthread_equal(id, pthread_self()) != 0 }

    /// Waits for the thread's end; call this or `detach()` once, and not on the thread itself.
    public func join() { pthread_join(id, nil) }

    /// Lets the thread end on its own.
    public func detach() { pthread_detach(id) }
}

/// Why there is no thread.
public struct ThreadError: Error {
    /// An `errno`.
    public let code: Int32
}
