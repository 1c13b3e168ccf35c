import Glibc
import ListStore
import Threads
import Logging
import Microhttpd

/// Ends the process when it should have stopped and has not, whatever its other threads do.
///
/// A loop that computes, or a disk that does not answer, would keep it for as long as they like. What was answered is on
/// the disk all the same; what was not is lost, as by a kill.
final class StopDeadline: Sendable {
    /// For what follows the grace: the loops close what they have cut, and the store finishes its last commit.
    private static let marginSeconds = 3
    /// As sysexits.h says of a temporary failure.
    private static let exitCode: Int32 = 75

    private let hasStopped = Locked(false)

    /// Begins now.
    init(graceSeconds: Int, _ server: Server, _ logger: Logger) {
        let seconds = graceSeconds + Self.marginSeconds
        let thread = try? Thread { [self] in
            sleepWhole(seconds)
            guard !hasStopped.withLock({ $0 }) else { return }
            logger.critical("Ended without having stopped, \(seconds) s after the signal: \(server.remainder).")
            _exit(Self.exitCode)
        }
        if thread == nil { logger.warning("Nothing will end the process should it not stop by itself.") }
    }

    /// The process has stopped, and may take its time to end.
    func isMet() {
        hasStopped.withLock { $0 = true }
    }
}

extension Server {
    /// What keeps a server that has been told to stop.
    fileprivate var remainder: String {
        let report = report
        guard report.loopsRunning > 0 else { return "all connections are closed, but the store has not ended" }
        let loops = "\(report.loopsRunning) of \(report.loops) loops run"
        let turn = report.turnSeconds.map { ", one of them busy with the same requests for \($0) s" } ?? ""
        return "\(loops)\(turn), and \(report.connections) connections are open"
    }
}

private func sleepWhole(_ seconds: Int) {
    var rest = UInt32(clamping: seconds)
    while rest > 0 { rest = sleep(rest) }
}
