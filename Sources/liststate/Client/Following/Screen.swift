import Glibc
import Threads

/// The screen of a terminal.
struct Screen {
    let rows: Int
    let columns: Int

    /// Nil if standard output is no terminal.
    init?() {
        guard isatty(STDOUT_FILENO) != 0 else { return nil }
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 && size.ws_col > 0
        (rows, columns) = isKnown ? (Int(size.ws_row), Int(size.ws_col)) : (24, 80)
    }
}

/// SIGWINCH, which comes when the terminal gets another size.
struct ScreenSize {
    private var set = sigset_t()

    /// Blocks the signal in this thread and in every thread that it starts from now on.
    init() {
        sigemptyset(&set)
        sigaddset(&set, SIGWINCH)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Calls the closure at each signal, on a thread of its own.
    ///
    /// - Throws: `ThreadError`.
    func onChange(_ redraw: @escaping @Sendable () -> Void) throws(ThreadError) {
        try Thread { [set] in
            var (set, received) = (set, Int32(0))
            while true {
                if sigwait(&set, &received) == 0 { redraw() }
            }
        }.detach()
    }
}
