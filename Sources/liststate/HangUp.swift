import Glibc
import Threads

/// SIGHUP, at which files of logs are opened anew, so that somebody can put the old ones aside.
struct HangUp {
    private var set = sigset_t()

    /// Blocks the signal in this thread and in every thread that it starts from now on.
    ///
    /// Nil if the input is a terminal. The signal then says that the terminal has gone, and ends the process as it always
    /// does.
    init?() {
        guard isatty(STDIN_FILENO) == 0 else { return nil }
        sigemptyset(&set)
        sigaddset(&set, SIGHUP)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Calls the closure at each signal, on a thread of its own, also at one that has come already.
    ///
    /// - Throws: `ThreadError`.
    func start(_ reopen: @escaping @Sendable () -> Void) throws(ThreadError) {
        try Thread { [set] in
            var (set, received) = (set, Int32(0))
            while true {
                if sigwait(&set, &received) == 0 { reopen() }
            }
        }.detach()
    }
}
