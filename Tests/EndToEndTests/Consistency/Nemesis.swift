import Foundation
import Threads

/// Kills the server after so many acknowledged writes, alone or with the disk below it.
///
/// Whoever reads the last answer kills the server itself, before it reads the answer's end: what the server still had
/// to do after it acknowledged is undone only if nobody has to be woken first.
final class Nemesis: Sendable {
    private struct State {
        var victim: Int32?
        var answersLeft: Int?
        /// Whether the last answer must be that to a large write.
        var waitsForLarge = false
        var largeUnderWay = 0
        var isKilled = false
        /// The last one that is known to have ended, by whatever.
        var ended: Int32?
        var mayWrite = true
        var isOver = false
        var writing = 0
        var watching = 0
    }

    private let state = Locked(State())
    private let strike: @Sendable (_ victim: Int32) -> Void
    /// Whether the server may answer that it takes no writes any more, before it dies.
    let mayRefuse: Bool

    /// - Parameter strike: Has killed the server when it returns.
    init(mayRefuse: Bool = false, strike: @escaping @Sendable (_ victim: Int32) -> Void = { kill($0, SIGKILL) }) {
        (self.mayRefuse, self.strike) = (mayRefuse, strike)
    }

    /// Takes the next life of the server.
    ///
    /// - Parameters:
    ///   - answers: After so many it ends; nil lets it live.
    ///   - waitsForLarge: Whether it then waits for a large write: what takes long to write has most time to be lost.
    func attack(_ victim: Int32, after answers: Int?, waitsForLarge: Bool = false) {
        state.change { state in
            state.waitsForLarge = waitsForLarge
            state.victim = victim
            state.answersLeft = answers
            state.isKilled = false
        }
        Foundation.Thread.detachNewThread { [self] in
            var info = siginfo_t()
            // Leaves it to its owner to ask how it ended. That there is no such child says that it has, too.
            waitid(P_PID, id_t(victim), &info, WEXITED | WNOWAIT)
            state.change { $0.ended = victim }
        }
    }

    /// Whether a large write is waited for, and few are at one: some make the batch long, more make the wait so.
    func claimLargeWrite() -> Bool {
        state.withLock { state in
            let isWanted = state.waitsForLarge && !state.isKilled && state.answersLeft.map { $0 <= 1 } ?? false
            guard isWanted, state.largeUnderWay < 3 else { return false }
            state.largeUnderWay += 1
            return true
        }
    }

    func endLargeWrite() { state.withLock { $0.largeUnderWay -= 1 } }

    static let largeBytes = 100_000

    /// Called first thing when a write is acknowledged.
    ///
    /// - Parameter bytes: About how long it was.
    func acknowledged(bytes: Int) {
        state.withLock { state in
            guard let left = state.answersLeft, let victim = state.victim, !state.isKilled else { return }
            state.answersLeft = left - 1
            guard left <= 1, !state.waitsForLarge || bytes >= Self.largeBytes else { return }
            state.isKilled = true
            strike(victim)
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
        Foundation.Thread.detachNewThread { [self] in
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
