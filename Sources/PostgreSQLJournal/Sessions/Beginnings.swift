internal import ListStore
internal import Threads

/// The sessions that are beginning: their first commit has no answer yet.
///
/// While a standby is missing, such a commit waits in the server, even if its client has left, and so each try would
/// leave one more process there. Therefore a session that has had no answer is kept, and the next try waits for it. A
/// store has at most four such sessions: one process of the server that hangs alone must not hold all tries up.
final class Beginnings: Sendable {
    private struct State: Sendable {
        /// Those that nobody waits for now.
        var waiting: [Session] = []
        /// All of them.
        var count = 0
    }

    private let state = Locked(State())
    private let silence: Int32
    private static let countMax = 4

    /// - Parameter silence: The milliseconds for which a session is waited for.
    init(silence: Int32) { self.silence = silence }

    /// A session whose first commit was answered.
    ///
    /// - Parameter begin: Makes a session and sends its first commit.
    /// - Throws: The error of `begin`; `.lost` if there is no answer in time.
    func session(_ begin: () throws(Session.Failure) -> Session) throws(Session.Failure) -> Session {
        let (mayBegin, old) = take()
        guard mayBegin || old != nil else { throw .lost("others wait for the first answer of the server") }
        let session: Session
        let isAnswered: Bool
        do throws(Session.Failure) {
            session = if let old { old } else { try begin() }
            isAnswered = try session.isAnswered(within: silence)
            if isAnswered { _ = try session.durableRows() }
        } catch {
            state.change { $0.count -= 1 }
            throw error
        }
        guard isAnswered else {
            state.change { $0.waiting.append(session) }
            throw .lost("the server has not answered a commit, and may wait for a standby")
        }
        state.change { $0.count -= 1 }
        return session
    }

    /// The session to wait for, or leave to begin another one.
    private func take() -> (mayBegin: Bool, old: Session?) {
        state.wait(
            until: { !$0.waiting.isEmpty || $0.count < Self.countMax }, seconds: max(1, Int(silence) / 1000)
        ) { state in
            for session in state.waiting {
                // One that was lost makes room for another one.
                let isAnswered = try? session.isAnswered(within: 0)
                guard isAnswered != false else { continue }
                state.waiting.removeAll { $0 === session }
                if isAnswered == true { return (false, session) }
                state.count -= 1
            }
            if state.count < Self.countMax {
                state.count += 1
                return (true, nil)
            }
            return (false, state.waiting.isEmpty ? nil : state.waiting.removeFirst())
        }
    }
}
