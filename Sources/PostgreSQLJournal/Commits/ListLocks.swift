internal import ListModel
internal import ListStore

/// The locks of lists that a transaction has, and those that it wants.
struct ListLocks {
    private let wanted: WantedLocks
    private(set) var ids: [ListID] = []
    /// The list for which the transaction has waited.
    private(set) var awaited: ListID?

    init(_ wanted: WantedLocks) { self.wanted = wanted }

    /// Begins a transaction that locks lists. It has locked none when it waits for one, so no two wait for one another.
    ///
    /// The statement that locks a list sees it as it was before the wait. Further statements see what others have written
    /// meanwhile, because each has a snapshot of its own.
    mutating func begin(_ session: Session) throws(Session.Failure) {
        try session.runScript(
            "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '\(wanted.secondsMax)s'")
        if !wanted.waitsForFirst { try lockFree(wanted.lists[...], session) }
        guard ids.isEmpty, let first = wanted.lists.first else { return }
        awaited = first
        note(try session.run(.lock, [.text(Array(first.rawValue.utf8))]))
        if wanted.waitsForFirst { try lockFree(wanted.lists.dropFirst(), session) }
    }

    private mutating func lockFree(_ lists: ArraySlice<ListID>, _ session: Session) throws(Session.Failure) {
        guard !lists.isEmpty else { return }
        note(try session.run(.lockFree, [.texts(lists.map { Array($0.rawValue.utf8) })]))
    }

    private mutating func note(_ rows: [[Cell]]) {
        ids += rows.compactMap { row in row[0].bytes.flatMap { ListID(ByteText(decoding: $0)) } }
    }
}

/// Lists that a transaction has locked.
struct LockedRows: LockedLists {
    let locks: ListLocks
    let session: Session

    var ids: [ListID] { locks.ids }
    var awaited: ListID? { locks.awaited }

    func tails(after places: [ListPlace]) throws(JournalError) -> [Tail?] {
        // A list that needs a new epoch gets it later, because nobody can give it one while it is locked.
        do throws(Session.Failure) { return try session.tails(after: places) } catch { throw error.ofReading }
    }
}

extension Committer {
    /// Locks lists, has commits decided, and writes them in the same transaction. As `LocksLists.commit`.
    ///
    /// - Returns: The outcomes, and the lists that are written.
    func commit(
        locking wanted: WantedLocks, _ decide: (any LockedLists) -> [Commit]
    ) throws(JournalError) -> (outcomes: [CommitOutcome], written: [ListID]) {
        let (session, locks) = try begun(ListLocks(wanted))
        let commits = decide(LockedRows(locks: locks, session: session))
        var outcomes: [CommitOutcome] = commits.map { _ in .moved }
        guard !commits.isEmpty else {
            end(session)
            return (outcomes, [])
        }
        guard let works = try write(commits, session) else {
            // The server has ended the session, and nothing is written. What was decided is compared as any other commit.
            outcomes = try commit(commits)
            return (outcomes, zip(commits, outcomes).filter(\.1.isWritten).map(\.0.list))
        }
        for work in works {
            for plan in work.written { outcomes[plan.index] = plan.outcome(work.token) }
        }
        dropIfLong(session)
        return (outcomes, zip(commits, outcomes).filter(\.1.isWritten).map(\.0.list))
    }

    /// A session with a transaction that has locked lists.
    ///
    /// - Throws: `.moved` if none could be locked in time.
    private func begun(_ wanted: ListLocks) throws(JournalError) -> (Session, ListLocks) {
        let end = ContinuousClock.now + .milliseconds(connector.patience.doubt)
        while true {
            let session = try connectedInTime()
            var locks = wanted
            do throws(Session.Failure) {
                try locks.begin(session)
                return (session, locks)
            } catch {
                self.end(session)
                guard !error.isPassing else { throw .moved }
                // Nothing is decided yet, and the session may have ended while it was idle.
                guard case .lost = error, !connector.isAway, !connector.isClosing, ContinuousClock.now < end else {
                    throw error.harmless
                }
            }
        }
    }

    /// Writes commits of lists that a transaction has locked, and ends it.
    ///
    /// The transaction may have ended meanwhile, because the server waits for it only for a while. Then nothing of it is
    /// written.
    ///
    /// - Returns: All of them, settled; none if they must be decided again; nil if the session was lost before its end.
    private func write(_ commits: [Commit], _ session: Session) throws(JournalError) -> [UnsettledCommits]? {
        var works: [UnsettledCommits] = []
        var isEnding = false
        do throws(JournalError) {
            var parts: [CommitPart] = []
            for round in Self.rounds(commits) { parts += CommitPart.parts(of: try plan(round, of: commits)) }
            do throws(Session.Failure) {
                for part in parts {
                    works.append(UnsettledCommits(part.commits, token: newNumber()))
                    try works[works.count - 1].write(session)
                }
                isEnding = true
                _ = try session.runDurably(.commitTransaction, [])
            } catch {
                guard isEnding, case .lost(let text) = error else {
                    end(session)
                    if case .lost = error { return nil }
                    // 25P02: an earlier statement of the transaction has failed, such as one that reads another list.
                    if case .refused("25P02", _) = error { return [] }
                    guard !error.isPassing else { return [] }
                    throw error.harmless
                }
                for index in works.indices {
                    works[index] = works[index].unsettled(after: session.number)
                    try settle(&works[index], after: text)
                }
            }
        } catch {
            end(session)
            throw error
        }
        return works
    }

    /// Ends a transaction without effect.
    private func end(_ session: Session) {
        guard !session.isLost else { return }
        // A session that cannot even do this is lost.
        try? session.runScript("ROLLBACK")
    }
}
