/// Commits that are being written with one token.
struct UnsettledCommits {
    let token: Int
    /// Those of which nobody knows whether they are written, or that could still be.
    private(set) var open: [PlannedCommit]
    private(set) var written: [PlannedCommit] = []
    /// The numbers of the sessions that were lost while they wrote. In the server they may not have ended.
    private var lost: [Int] = []

    init(_ commits: [PlannedCommit], token: Int) { (open, self.token) = (commits, token) }

    /// The statement that writes the open ones whose conditions hold, and whose lists nobody else holds.
    ///
    /// - Parameter isLocked: Whether its transaction has locked the lists.
    func call(isLocked: Bool) -> Session.Call { CommitPart(commits: open).statement(token, isLocked: isLocked) }

    /// Writes the open ones whose conditions hold, and whose lists nobody holds.
    ///
    /// - Parameter announcer: Tells others of them. Lists that are not written after all do no harm there.
    mutating func write(_ session: Session, _ announcer: Announcer) throws(Session.Failure) {
        let hint = announcer.hint(with: [self])
        do throws(Session.Failure) {
            note(writtenIn: try session.runTogether([call(isLocked: false)], leaving: hint?.call)[0])
            if hint == nil { announcer.tell(written.lazy.map(\.list)) }
        } catch {
            if case .lost = error {
                noteLoss(of: session)
                if let hint { announcer.tellAgain(hint) }
            }
            throw error
        }
    }

    /// Notes the answer to `call`. Its transaction has been committed.
    mutating func note(writtenIn rows: [[Cell]]) { note(written: Self.numbers(rows, column: 0)) }

    /// Notes that a session was lost after `call` was sent on it.
    mutating func noteLoss(of session: Session) { lost.append(session.number) }

    /// Drops those whose lists others hold, unless they can only be waited for.
    ///
    /// - Returns: The dropped ones.
    mutating func passOver() -> [PlannedCommit] {
        let held = open.filter(\.canWaitForLock)
        open.removeAll(where: \.canWaitForLock)
        return held
    }

    /// Waits until the sessions that were lost have ended in the server, if they could begin lists.
    ///
    /// A log that has moved on never comes back, so a late statement adds nothing to it. But a list that others have made
    /// can end, and a late statement would then make it again.
    mutating func waitForLostSessions(_ session: Session) throws(Session.Failure) {
        guard open.contains(where: \.begins), !lost.isEmpty else { return }
        for number in lost { try session.run(.ended, [.integer(number)]) }
        // They may have committed behind the first commit of this session.
        _ = try session.runDurably(.barrier, [])
        lost = []
    }

    /// Waits until nobody holds the lists of the open ones.
    func wait(_ session: Session) throws(Session.Failure) {
        let (statement, parameters) = CommitPart(commits: open).quiet
        try session.run(statement, parameters)
    }

    /// Finds those that are written, and drops those whose condition does not hold any more.
    ///
    /// - Parameter announcer: Tells others of those that are written. Their hint may be lost with the session that wrote.
    mutating func look(_ session: Session, _ announcer: Announcer) throws(Session.Failure) {
        let (statement, parameters) = CommitPart(commits: open).settled(token)
        let rows = try session.run(statement, parameters)
        let isStill = Self.numbers(rows.filter { $0[2].integer == 1 }, column: 0)
        let isThere = Self.numbers(rows.filter { $0[1].integer == 1 }, column: 0)
        let lost = Set(open.indices).subtracting(isStill).subtracting(isThere)
        let indices = Set(lost.map { open[$0].index })
        announcer.tell(isThere.map { open[$0].list })
        note(written: isThere)
        open.removeAll { indices.contains($0.index) }
    }

    private mutating func note(written places: Set<Int>) {
        written += places.sorted().map { open[$0] }
        open = open.indices.filter { !places.contains($0) }.map { open[$0] }
    }

    /// The places in `open` of the commits that rows name by their numbers, which begin with 1.
    private static func numbers(_ rows: [[Cell]], column: Int) -> Set<Int> {
        Set(rows.compactMap { $0[column].integer.map { $0 - 1 } })
    }
}
