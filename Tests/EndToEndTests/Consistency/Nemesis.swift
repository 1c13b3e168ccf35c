import Foundation
import Threads

/// Kills the server after a number of acknowledged writes, alone or together with the disk below it.
///
/// The thread that reads the last answer kills the server itself, before it has read the answer's end. If another
/// thread had to be woken first, the server could finish the work that it still has to do after the acknowledgement.
final class Nemesis: Sendable {
    private struct State {
        var victim: Int32?
        var answersLeft: Int?
        /// Whether the answer that kills the server must be that to a large write.
        var waitsForLarge = false
        var largeUnderWay = 0
        var isKilled = false
        /// The number of lives that were ended.
        var strikes = 0
        /// The newest process that is known to have ended, for any reason.
        var ended: Int32?
        var mayWrite = true
        var isOver = false
        var writing = 0
        var watching = 0
    }

    private let state = Locked(State())
    private let strike: @Sendable (_ victim: Int32) -> Void
    /// Whether the server may answer, before it dies, that it takes no writes any more.
    let mayRefuse: Bool

    /// - Parameter strike: Kills the server before it returns.
    init(mayRefuse: Bool = false, strike: @escaping @Sendable (_ victim: Int32) -> Void = { kill($0, SIGKILL) }) {
        (self.mayRefuse, self.strike) = (mayRefuse, strike)
    }

    /// Takes the next life of the server as its victim.
    ///
    /// - Parameters:
    ///   - answers: The number of acknowledged writes after which the server is killed; nil lets it live.
    ///   - waitsForLarge: Whether the kill then waits for a large write. A write that takes long has the most time to
    ///     be lost.
    func attack(_ victim: Int32, after answers: Int?, waitsForLarge: Bool = false) {
        state.change { state in
            state.waitsForLarge = waitsForLarge
            state.victim = victim
            state.answersLeft = answers
            state.isKilled = false
        }
        Foundation.Thread.detachNewThread { [self] in
            var info = siginfo_t()
            // The process is left as a zombie, so that its owner can ask how it ended. An error here means that it has
            // ended too.
            waitid(P_PID, id_t(victim), &info, WEXITED | WNOWAIT)
            state.change { $0.ended = victim }
        }
    }

    /// Whether the kill waits for a large write and fewer than three are under way. A few large writes make the batch
    /// long; more would make the wait long.
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

    /// The proxy calls this as soon as a write is acknowledged.
    ///
    /// - Parameter bytes: The approximate length of the write's request.
    func acknowledged(bytes: Int) {
        state.withLock { state in
            guard let left = state.answersLeft, let victim = state.victim, !state.isKilled else { return }
            state.answersLeft = left - 1
            guard left <= 1, !state.waitsForLarge || bytes >= Self.largeBytes else { return }
            state.isKilled = true
            state.strikes += 1
            strike(victim)
        }
    }

    var isKilled: Bool { state.withLock { $0.isKilled } }

    /// The number of lives that were ended. It is taken before a request, and then says which life answers: the server is
    /// dead when a strike is counted.
    var strikes: Int { state.withLock { $0.strikes } }

    /// Whether the disk of a life has failed. A list that is not in memory can then not be read either. The answer may be
    /// read only when the next life has begun.
    ///
    /// - Parameter strikes: The number of lives before it.
    func hasStruckDisk(after strikes: Int) -> Bool { mayRefuse && self.strikes > strikes }

    /// Whether writers may begin new writes.
    var mayWrite: Bool { state.withLock { $0.mayWrite } }

    /// Whether all work must end at once.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Lets writers settle the writes that they have begun, and then stop.
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

    /// Blocks until all writers have ended, or the server has.
    ///
    /// - Returns: True if the writers have ended.
    func waitForWritersOrEnd() -> Bool {
        state.wait(until: { $0.writing == 0 || $0.ended == $0.victim }) { $0.writing == 0 }
    }

    /// Blocks until all writers and watchers have ended.
    func waitForWork() { state.wait(until: { $0.writing == 0 && $0.watching == 0 }) { _ in } }
}
