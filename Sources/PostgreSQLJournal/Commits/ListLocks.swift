internal import ListModel
internal import ListStore

/// The locks of lists that a transaction has, and those that it wants.
struct ListLocks {
    private let wanted: WantedLocks
    private(set) var ids: [ListID] = []
    /// The list for which the transaction has waited.
    private(set) var awaited: ListID?
    /// The places after which entries were read, and what was found behind them. Lists that are not locked are among them.
    private var found: [ListID: (place: LogPlace, tail: Tail?)] = [:]
    /// The lists of which the server cannot read the entries.
    private var unreadable: Set<ListID> = []

    init(_ wanted: WantedLocks) { self.wanted = wanted }

    /// Begins a transaction that locks lists. It has locked none when it waits for one, so no two wait for one another.
    ///
    /// All statements are sent at once. The statement that locks a list sees it as it was before the wait. Further ones see
    /// what others have written meanwhile, because each has a snapshot of its own.
    mutating func begin(_ session: Session) throws(Session.Failure) {
        guard let first = wanted.lists.first else { return }
        let waits = wanted.waitsForFirst
        let one: Session.Call = (.lock, [.text(Self.name(first))])
        let free: Session.Call = (.lockFree, [.texts(wanted.lists.dropFirst(waits ? 1 : 0).map(Self.name))])
        let places = wanted.places.filter { !unreadable.contains($0.list) }
        let answers = try session.runTogether([
            (.beginTransaction, []), (.limitWait, [.text(Array("\(wanted.secondsMax)s".utf8))]),
            waits ? one : free, waits ? free : one, (.tailsOfLocked, Statement.tailsParameters(places)),
        ])
        let locked = answers[2...3].joined().compactMap { row in row[0].bytes }
        ids = locked.compactMap { ListID(ByteText(decoding: $0)) }
        if waits || answers[2].isEmpty { awaited = first }
        for (place, tail) in zip(places, Tail.found(in: answers[4], after: places)) {
            found[place.list] = (place.place, tail)
        }
    }

    /// Notes the lists of which the server cannot read the entries, so that the others are locked and read without them.
    ///
    /// - Returns: Whether there are any that were not noted before.
    mutating func noteUnreadable(_ session: Session) throws(Session.Failure) -> Bool {
        let known = unreadable.count
        for place in wanted.places where !unreadable.contains(place.list) {
            do throws(Session.Failure) { _ = try session.tails(after: [place]) } catch {
                guard case .refused = error else { throw error }
                unreadable.insert(place.list)
            }
        }
        return unreadable.count > known
    }

    /// What was found behind places; nil if it was not looked for.
    func tails(after places: [ListPlace]) -> [Tail?]? {
        var tails: [Tail?] = []
        for one in places {
            if unreadable.contains(one.list) {
                tails.append(nil)
            } else if let found = found[one.list], found.place == one.place, found.place.token == one.place.token {
                tails.append(found.tail)
            } else {
                return nil
            }
        }
        return tails
    }

    private static func name(_ list: ListID) -> [UInt8] { Array(list.rawValue.utf8) }
}

/// Lists that a transaction has locked.
struct LockedRows: LockedLists {
    let locks: ListLocks
    let session: Session

    var ids: [ListID] { locks.ids }
    var awaited: ListID? { locks.awaited }

    func tails(after places: [ListPlace]) throws(JournalError) -> [Tail?] {
        if let tails = locks.tails(after: places) { return tails }
        // A list that needs a new epoch gets it later, because nobody can give it one while it is locked.
        do throws(Session.Failure) { return try session.tails(after: places) } catch { throw error.ofReading }
    }
}

extension Committer {
    /// Locks lists, has commits decided, and writes them in the same transaction. As `LocksLists.commit`.
    func commit(
        locking wanted: WantedLocks, _ decide: (any LockedLists) -> [Commit]
    ) throws(JournalError) -> [CommitOutcome] {
        let (session, locks) = try begun(ListLocks(wanted))
        let commits = decide(LockedRows(locks: locks, session: session))
        var outcomes: [CommitOutcome] = commits.map { _ in .moved }
        guard !commits.isEmpty else {
            end(session)
            return outcomes
        }
        guard let works = try write(commits, session) else {
            // The server has ended the session, and nothing is written. What was decided is compared as any other commit.
            return try commit(commits)
        }
        for work in works {
            for plan in work.written { outcomes[plan.index] = plan.outcome(work.token) }
        }
        dropIfLong(session)
        return outcomes
    }

    /// A session with a transaction that has locked lists.
    ///
    /// - Throws: `.moved` if none could be locked in time.
    private func begun(_ wanted: ListLocks) throws(JournalError) -> (Session, ListLocks) {
        var wanted = wanted
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
                if case .refused = error {
                    guard try isWithoutUnreadable(&wanted, session) else { throw error.harmless }
                    continue
                }
                // Nothing is decided yet, and the session may have ended while it was idle.
                guard case .lost = error, !connector.isAway, !connector.isClosing, ContinuousClock.now < end else {
                    throw error.harmless
                }
            }
        }
    }

    /// Whether the locks can be tried again, without lists of which the server cannot read the entries.
    private func isWithoutUnreadable(_ wanted: inout ListLocks, _ session: Session) throws(JournalError) -> Bool {
        do throws(Session.Failure) { return try wanted.noteUnreadable(session) } catch { throw error.harmless }
    }

    /// Writes commits of lists that a transaction has locked, and ends it, all at once.
    ///
    /// The transaction may have ended meanwhile, because the server waits for it only for a while. Then nothing of it is
    /// written.
    ///
    /// - Returns: All of them, settled; none if they must be decided again; nil if the session was lost before.
    private func write(_ commits: [Commit], _ session: Session) throws(JournalError) -> [UnsettledCommits]? {
        guard session.isAlive else { return nil }
        var works: [UnsettledCommits] = []
        do throws(JournalError) {
            for round in Self.rounds(commits) {
                let parts = CommitPart.parts(of: try plan(round, of: commits))
                works += parts.map { UnsettledCommits($0.commits, token: newNumber()) }
            }
            do throws(Session.Failure) {
                let lists = works.flatMap(\.open).map(\.list)
                let hint = announcer.hint(with: lists)
                let answers = try session.runTogether(
                    works.map(\.call) + [(.commitTransaction, [])], leaving: hint)
                for index in works.indices { works[index].note(writtenIn: answers[index]) }
                if hint == nil { announcer.tell(lists) }
            } catch {
                guard case .lost(let text) = error else {
                    end(session)
                    // 25P02: an earlier statement of the transaction has failed, such as one that reads another list.
                    if case .refused("25P02", _) = error { return [] }
                    guard !error.isPassing else { return [] }
                    throw error.harmless
                }
                for index in works.indices {
                    works[index].noteLoss(of: session)
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
