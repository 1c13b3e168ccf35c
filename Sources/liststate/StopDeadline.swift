import Glibc
import ListStore
import Threads
import Logging
import Microhttpd

/// Ends the process if it has not stopped in time, whatever its other threads do.
///
/// A loop that computes, or a disk that does not answer, could keep the process running for any time. All writes that
/// were answered are on the disk. Other writes are lost, as if the process had been killed.
final class StopDeadline: Sendable {
    /// The seconds after the grace, in which the loops close the connections that they have cut and the store finishes
    /// its last commit.
    private static let marginSeconds = 3
    /// The code of sysexits.h for a temporary failure.
    private static let exitCode: Int32 = 75

    private let hasStopped = Locked(false)

    /// Starts the time.
    init(graceSeconds: Int, _ server: Server, _ logger: Logger, _ log: LogStream) {
        let seconds = graceSeconds + Self.marginSeconds
        let thread = try? Thread { [self] in
            sleepWhole(seconds)
            guard !hasStopped.withLock({ $0 }) else { return }
            logger.critical("Ended without having stopped, \(seconds) s after the signal: \(server.remainder).")
            log.flush(seconds: 1)
            _exit(Self.exitCode)
        }
        if thread == nil { logger.warning("Nothing will end the process should it not stop by itself.") }
    }

    /// Notes that the process has stopped in time. From now on it may take any time to end.
    func isMet() {
        hasStopped.withLock { $0 = true }
    }
}

extension Server {
    /// The reason why a server that has been told to stop still runs.
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
