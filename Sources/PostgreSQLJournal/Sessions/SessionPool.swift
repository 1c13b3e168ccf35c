internal import ListStore
internal import Threads

/// Sessions for reads. A read takes one for itself, so that it waits for no commit, and for another read only if there
/// are very many.
final class SessionPool: Sendable {
    private struct State: Sendable {
        var idle: [Session] = []
        var count = 0
        var isClosed = false
    }

    private let state = Locked(State())
    private let connector: Connector
    private let sessionsMax: Int
    /// The tries of a statement that meets others.
    private static let triesMax = 100
    /// The tries of a read whose server may not have led any more when it answered.
    private static let leaderTriesMax = 3
    /// A session that has read more keeps too much memory.
    private static let longBytes = 4 << 20

    init(_ connector: Connector, sessionsMax: Int) { (self.connector, self.sessionsMax) = (connector, sessionsMax) }

    /// Runs `body` with a session. It is run again if a session was lost that had been idle before, or if its server may
    /// not have led any more when it answered, unless it has begun.
    ///
    /// - Parameter body: It sets its second argument once it has handed something over, which must not come twice.
    /// - Throws: The error of `body`; a `Session.Failure` becomes a `JournalError`. `.closed` after `close()`.
    func read<Result>(_ body: (Session, inout Bool) throws -> Result) throws -> Result {
        var (hasBegun, tries) = (false, 0)
        while true {
            let (session, isFresh) = try take()
            tries += 1
            do {
                try connector.confirm(session)
                let result = try body(session, &hasBegun)
                let isBelieved = hasBegun || connector.isLeader(session)
                give(back: session)
                if isBelieved { return result }
            } catch let failure as Session.Failure {
                give(back: session)
                if case .lost = failure, !isFresh, !hasBegun { continue }
                throw failure.ofReading
            } catch {
                give(back: session)
                throw error
            }
            guard tries < Self.leaderTriesMax else { throw JournalError.away("the server may not lead any more") }
        }
    }

    /// As `read(_:)`, for statements whose rows come at once.
    func rows(_ statement: Statement, _ parameters: [Parameter] = []) throws(JournalError) -> [[Cell]] {
        do { return try read { session, _ in try session.run(statement, parameters) } } catch let error as JournalError
        {
            throw error
        } catch {
            throw .away("\(error)")
        }
    }

    /// Runs a statement that changes something, and that changes nothing more when it is run again.
    func change(_ statement: Statement, _ parameters: [Parameter]) throws(JournalError) {
        do {
            _ = try read { session, _ -> [[Cell]] in
                for _ in 1..<Self.triesMax {
                    do throws(Session.Failure) { return try session.runDurably(statement, parameters) } catch {
                        guard error.isPassing else { throw error }
                    }
                }
                return try session.runDurably(statement, parameters)
            }
        } catch let error as JournalError {
            throw error
        } catch {
            throw .away("\(error)")
        }
    }

    private func take() throws(JournalError) -> (Session, isFresh: Bool) {
        do throws(Session.Failure) { try connector.requireFormat() } catch { throw error.harmless }
        let found: (session: Session?, isClosed: Bool) = state.wait(
            until: { !$0.idle.isEmpty || $0.count < sessionsMax || $0.isClosed }
        ) { state in
            if state.isClosed { return (nil, true) }
            if let session = state.idle.popLast() { return (session, false) }
            state.count += 1
            return (nil, false)
        }
        guard !found.isClosed else { throw .closed }
        if let session = found.session, connector.isOfUse(session) { return (session, false) }
        do throws(Session.Failure) {
            try connector.requirePresence()
            return (try connector.connect(), true)
        } catch {
            state.change { $0.count -= 1 }
            throw error.harmless
        }
    }

    private func give(back session: Session) {
        state.change { state in
            if session.isLost || session.longest > Self.longBytes || state.isClosed {
                state.count -= 1
            } else {
                state.idle.append(session)
            }
        }
    }

    /// Ends the idle sessions, and the others when they are given back.
    func close() {
        state.change { state in
            state.isClosed = true
            state.count -= state.idle.count
            state.idle = []
        }
    }
}
