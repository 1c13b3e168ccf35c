import Foundation
import Locks

/// Kills the server after so many acknowledged writes.
///
/// The writer that reads the last answer kills the server itself, at once: what the server still had to do after it
/// acknowledged is undone only if nobody has to be woken first.
final class Nemesis: Sendable {
    private struct State {
        var victim: Int32?
        var answersLeft: Int?
        var isKilled = false
        /// The last one that is known to have ended, by whatever.
        var ended: Int32?
        var mayWrite = true
        var isOver = false
        var writing = 0
        var watching = 0
    }

    private let state = Locked(State())

    /// Takes the next life of the server.
    ///
    /// - Parameter answers: After so many it ends; nil lets it live.
    func attack(_ victim: Int32, after answers: Int?) {
        state.change { state in
            state.victim = victim
            state.answersLeft = answers
            state.isKilled = false
        }
        Thread.detachNewThread { [self] in
            var info = siginfo_t()
            // Leaves it to its owner to ask how it ended. That there is no such child says that it has, too.
            waitid(P_PID, id_t(victim), &info, WEXITED | WNOWAIT)
            state.change { $0.ended = victim }
        }
    }

    /// Called first thing when a write is acknowledged.
    func answered() {
        state.withLock { state in
            guard let left = state.answersLeft, let victim = state.victim, !state.isKilled else { return }
            state.answersLeft = left - 1
            guard left <= 1 else { return }
            state.isKilled = true
            kill(victim, SIGKILL)
        }
    }

    var isKilled: Bool { state.withLock { $0.isKilled } }

    /// Whether writers are to begin something new.
    var mayWrite: Bool { state.withLock { $0.mayWrite } }

    /// Whether nobody is to try anything any more.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Lets writers settle what they have begun, and then stop.
    func settle() { state.change { $0.mayWrite = false } }

    func giveUp() {
        state.change { state in
            state.mayWrite = false
            state.isOver = true
        }
    }

    // MARK: Those who work

    /// Runs `body` on a thread of its own.
    func employ(asWriter: Bool, _ body: @escaping @Sendable () -> Void) {
        state.withLock { if asWriter { $0.writing += 1 } else { $0.watching += 1 } }
        Thread.detachNewThread { [self] in
            body()
            state.change { if asWriter { $0.writing -= 1 } else { $0.watching -= 1 } }
        }
    }

    /// Blocks until all who write have ended, or the server has.
    ///
    /// - Returns: Whether it is the writers.
    func waitForWritersOrEnd() -> Bool {
        state.wait(until: { $0.writing == 0 || $0.ended == $0.victim }) { $0.writing == 0 }
    }

    /// Blocks until all have ended.
    func waitForWork() { state.wait(until: { $0.writing == 0 && $0.watching == 0 }) { _ in } }
}
