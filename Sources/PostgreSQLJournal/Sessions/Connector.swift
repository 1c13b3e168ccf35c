internal import Glibc
internal import ListStore
internal import Synchronization
internal import Threads

/// Makes the sessions of one store.
final class Connector: Sendable {
    /// The times and numbers that a journal gets by with. Tests make them small.
    struct Patience: Sendable {
        /// The milliseconds for which a server may say nothing before its connection counts as lost.
        var silence: Int32 = 10_000
        /// The milliseconds for which the outcome of a commit is looked for after its connection was lost.
        var doubt = 5_000
        /// The milliseconds between two comparisons of all lists.
        var look: Int32 = 1_000
        /// The seconds for which entries stay behind the snapshot that stands for them.
        var keep = 60
        /// The milliseconds for which a statement may wait for a lock. It is refused then.
        var locks = 2_000
        /// The milliseconds for which a server that has a standby is believed to lead, from the beginning of a commit that
        /// the standby has.
        var belief = 2_000
        /// The milliseconds between two looks of the server whether the client of a statement has left. Its statement is
        /// refused then.
        var presence = 2_000
    }

    let database: ConnectionString
    /// The schema: letters, digits and `_`.
    let schema: String
    let patience: Patience
    private let random: @Sendable () -> UInt64
    private let beginnings: Beginnings
    /// The newest server that was seen, and the generation of the tables.
    private let seen = Locked<Cluster?>(nil)
    private let leadership: Leadership
    /// The format of the tables, if it is another one; otherwise 0.
    private let otherFormat = Atomic(0)
    private let away = Atomic(false)
    private let closing = Atomic(false)

    init(_ database: ConnectionString, schema: String, patience: Patience, random: @escaping @Sendable () -> UInt64) {
        (self.database, self.schema, self.patience, self.random) = (database, schema, patience, random)
        beginnings = Beginnings(silence: patience.silence)
        leadership = Leadership(belief: .milliseconds(patience.belief))
    }

    /// Whether the database could not be reached lately. Who need not wait for it does not try then.
    var isAway: Bool { away.load(ordering: .relaxed) }

    /// - Throws: `.otherFormat` if no session is of use any more, `.lost` if the database could not be reached lately.
    func requirePresence() throws(Session.Failure) {
        try requireFormat()
        guard !isAway else { throw .lost("the database cannot be reached") }
    }

    /// - Throws: `.otherFormat` if the tables are known to have another format.
    func requireFormat() throws(Session.Failure) {
        let format = otherFormat.load(ordering: .relaxed)
        guard format == 0 else { throw .otherFormat(format) }
    }

    func note(isAway: Bool) { away.store(isAway, ordering: .relaxed) }

    /// Whether the journal is closing, so that nobody waits any more.
    var isClosing: Bool { closing.load(ordering: .relaxed) }

    func close() { closing.store(true, ordering: .relaxed) }

    /// A new session behind a durable commit of its own, so that whatever it reads stays.
    ///
    /// - Throws: `.lost` if there is no connection, or no answer to the commit; `.otherFormat`.
    func connect() throws(Session.Failure) -> Session {
        try requireFormat()
        let session = try connectUnchecked()
        try check(session)
        return session
    }

    /// As `connect()`, even if the tables are not there yet.
    func connectUnchecked() throws(Session.Failure) -> Session {
        try beginnings.session { () throws(Session.Failure) in
            let session = try newSession()
            try session.sendDurably(.barrier, [])
            return session
        }
    }

    /// Finds out whether the tables are on the same server as before, and whether this program knows them.
    ///
    /// - Returns: Whether answered writes may be missing, so that the lists get new epochs.
    /// - Throws: `.otherFormat` if it does not; `.lost` if the server is one that another has replaced.
    @discardableResult
    func check(_ session: Session) throws(Session.Failure) -> Bool {
        let format = try session.run(.format).first?.first?.integer ?? 0
        guard format == Schema.format else {
            otherFormat.store(format, ordering: .relaxed)
            throw .otherFormat(format)
        }
        let found = try Cluster(session)
        // Nothing may be changed on a server that others have left.
        guard seen.withLock({ $0.map(found.isAfter) ?? true }) else {
            throw .lost("another server has replaced this one")
        }
        let isNew = found.isElsewhere
        if isNew { _ = try session.runDurably(.moveCluster, []) }
        let now = isNew ? try Cluster(session) : found
        seen.withLock { $0 = now }
        session.server = now
        return now.generation > found.generation
    }

    /// Whether a session can be used.
    ///
    /// One to a server that another has replaced cannot. That server may hang, and then neither answers nor closes the
    /// connection, so each such session would be waited for until its silence has lasted too long.
    func isOfUse(_ session: Session) -> Bool {
        session.isAlive && isNewest(session)
    }

    /// Whether nobody has seen that another server has replaced that of a session.
    func isNewest(_ session: Session) -> Bool {
        guard let server = session.server, let newest = seen.withLock({ $0 }) else { return true }
        return server.isAfter(newest)
    }

    /// Finds out whether the server of a session leads, if that has not been known for a while.
    ///
    /// - Throws: `.lost` if there is no answer to a commit.
    func confirm(_ session: Session) throws(Session.Failure) {
        guard let server = session.server else { return }
        try leadership.confirm(server) { () throws(Session.Failure) in _ = try session.runDurably(.barrier, []) }
    }

    /// Whether what a session has read until now is not old.
    func isLeader(_ session: Session) -> Bool { session.server.map(leadership.leads) ?? true }

    /// The generation of lists that are made now, as far as it is known. One that is too low only costs a new epoch.
    var generation: Int { seen.withLock { $0?.generation ?? 0 } }

    /// Whether the commits of the server wait for a standby.
    var hasStandby: Bool { seen.withLock { $0?.hasStandby ?? false } }

    /// A new session for hints only: what it reads may not stay.
    func connectForHints() throws(Session.Failure) -> Session { try newSession() }

    private func newSession() throws(Session.Failure) -> Session {
        let number = Int(random() >> 2)
        let session = try Session(database, silence: patience.silence, number: number)
        let times = [patience.locks, patience.presence].map { Parameter.text(Array("\($0)".utf8)) }
        try session.run(.begin, [.text(Array(schema.utf8)), .integer(number)] + times)
        return session
    }

    /// Waits a moment before the next try.
    static func pause() { usleep(100_000) }
}

extension Session.Failure {
    /// The error of a call that has written nothing. None of them stops later calls.
    var harmless: JournalError {
        switch self {
        case .lost(let text): .away(text)
        case .refused("53100", _): .full
        case .refused(let state, let text) where state.hasPrefix("54"): .tooLarge(text)
        case .refused(_, let text): .away(text)
        case .otherFormat(let format): .otherFormat(format, newest: Schema.format)
        }
    }

    /// The error of a call that reads one list.
    var ofReading: JournalError {
        if case .refused(let state, let text) = self, state.hasPrefix("XX00") { .corrupt(text) } else { harmless }
    }

    /// Whether the same statement may succeed when it is run again: it met another one in a circle, or at the same key.
    var isPassing: Bool {
        if case .refused(let state, _) = self { ["40P01", "40001", "55P03", "23505"].contains(state) } else { false }
    }
}
