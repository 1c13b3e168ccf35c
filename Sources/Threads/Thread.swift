internal import Glibc

/// A system thread of its own, for work that blocks or lasts and therefore must not run on Swift's thread pool.
///
/// It blocks all signals, so that they reach the thread that waits for them.
public final class Thread: Sendable {
    private let id: pthread_t

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread that runs `body` once and ends.
    ///
    /// - Throws: `ThreadError` if the system cannot start a thread.
    public init(_ body: @escaping @Sendable () -> Void) throws(ThreadError) {
        // Released by the thread, or below if the thread does not start.
        let context = Unmanaged.passRetained(Body(body))
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

    /// Waits until the thread has ended. Call either this or `detach()`, once, and not on the thread itself.
    public func join() { pthread_join(id, nil) }

    /// Gives up the right to join the thread. The system frees the thread's resources when it ends.
    public func detach() { pthread_detach(id) }
}

/// The reason why a thread could not be started.
public struct ThreadError: Error {
    /// The `errno` of `pthread_create`.
    public let code: Int32
}
