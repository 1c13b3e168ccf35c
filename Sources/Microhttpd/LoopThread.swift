internal import Glibc

/// A system thread that runs one loop to its end.
///
/// - Safety: `@unchecked` is sound because a thread's identifier is a plain number.
struct LoopThread: @unchecked Sendable {
    private let identifier: pthread_t

    init(running loop: EventLoop) throws(ServerError) {
        var identifier = pthread_t()
        let retained = Unmanaged.passRetained(loop)  // Released in `runLoop`.
        let result = pthread_create(&identifier, nil, runLoop, retained.toOpaque())
        guard result == 0 else {
            retained.release()
            throw .system(.thread, errno: result)
        }
        self.identifier = identifier
    }

    func join() {
        pthread_join(identifier, nil)
    }
}

private let runLoop: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { loop in
    guard let loop else { return nil }
    // Signals are for the other threads; a broken pipe is an error like any other.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    Unmanaged<EventLoop>.fromOpaque(loop).takeRetainedValue().run()
    return nil
}
