internal import ListModel
internal import ListStore

/// The locks of lists that a transaction has, and those that it wants.
struct ListLocks {
    private let wanted: WantedLocks
    private(set) var ids: [ListID] = []
    /// The list for which the transaction has waited.
    private(set) var awaited: ListID?
    /// The places after which entries are read, as far as they are known.
    private var places: [ListID: ListPlace]
    /// What was found behind them, in the lists that are locked.
    private var found: [ListID: Tail?] = [:]
    /// The lists of which the server cannot read the entries.
    private var unreadable: Set<ListID> = []

    init(_ wanted: WantedLocks) {
        self.wanted = wanted
        places = Dictionary(wanted.places.map { ($0.list, $0) }) { first, _ in first }
    }

    /// Begins a transaction that locks lists, and reads them on. It has locked none when it waits for one, so no two wait
    /// for one another. A list that ends between the beginning of a statement and its lock is locked, but not returned.
    /// So before a wait the transaction is given up, and another one begins.
    ///
    /// What can be sent at once is. A statement that waits for a list sees it as it was before the wait, and a further one
    /// sees what others have written meanwhile.
    mutating func begin(_ session: Session) throws(Session.Failure) {
        guard let first = wanted.lists.first else { return }
        let others = wanted.lists.dropFirst()
        if others.isEmpty {
            // It is locked in any case, and it is good to know whether somebody else had it.
            let probe: Session.Call = (.lockFree, Statement.tailsParameters([(first, nil)]))
            let answers = try session.runTogether(
                [(.beginTransaction, []), probe] + Self.another + waiting(for: first))
            take(first, locked: answers[5], tail: answers[6])
            if answers[1].isEmpty { awaited = first }
        } else if wanted.waitsForFirst {
            let answers = try session.runTogether([(.beginTransaction, [])] + waiting(for: first) + [free(others)])
            take(first, locked: answers[2], tail: answers[3])
            awaited = first
            take(others, in: answers[4])
        } else {
            take(wanted.lists[...], in: try session.runTogether([(.beginTransaction, []), free(wanted.lists[...])])[1])
            guard ids.isEmpty else { return try readMissing(session) }
            let answers = try session.runTogether(Self.another + waiting(for: first))
            take(first, locked: answers[3], tail: answers[4])
            awaited = first
        }
        try readMissing(session)
    }

    /// Gives the locks of a transaction back, and begins another one.
    private static let another: [Session.Call] = [(.rollBackTransaction, []), (.beginTransaction, [])]

    private func free(_ lists: ArraySlice<ListID>) -> Session.Call {
        (.lockFree, Statement.tailsParameters(lists.map { ($0, places[$0]?.place) }))
    }

    private func waiting(for list: ListID) -> [Session.Call] {
        [
            (.limitWait, [.text(Array("\(wanted.secondsMax)s".utf8))]), (.lock, [.text(Array(list.rawValue.utf8))]),
            (.tails, Statement.tailsParameters([(list, places[list]?.place)])),
        ]
    }

    private mutating func take(_ list: ListID, locked: [[Cell]], tail: [[Cell]]) {
        guard !locked.isEmpty else { return }
        ids.append(list)
        if let place = places[list] { found[list] = .some(Tail.found(in: tail, after: [place])[0]) }
    }

    /// - Parameter rows: Those of `Statement.lockFree`.
    private mutating func take(_ lists: ArraySlice<ListID>, in rows: [[Cell]]) {
        let lists = Array(lists)
        let locked = Set(rows.compactMap { $0.first?.integer.map { $0 - 1 } })
        let tails = Tail.found(in: rows, after: lists.map { places[$0] })
        for index in lists.indices where locked.contains(index) {
            ids.append(lists[index])
            if places[lists[index]] != nil { found[lists[index]] = .some(tails[index]) }
        }
    }

    /// Reads on those lists that others have written to between the beginning of a statement and its lock.
    private mutating func readMissing(_ session: Session) throws(Session.Failure) {
        let missing = ids.filter { found[$0] == .some(nil) }.compactMap { places[$0] }
        guard !missing.isEmpty else { return }
        for (place, tail) in zip(missing, try session.tails(after: missing)) { found[place.list] = .some(tail) }
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
                places[place.list] = nil
            }
        }
        return unreadable.count > known
    }

    /// What was found behind places; nil if it was not looked for.
    func tails(after wanted: [ListPlace]) -> [Tail?]? {
        var tails: [Tail?] = []
        for one in wanted {
            if unreadable.contains(one.list) {
                tails.append(nil)
            } else if let tail = found[one.list], let place = places[one.list]?.place, place == one.place,
                place.token == one.place.token
            {
                tails.append(tail)
            } else {
                return nil
            }
        }
        return tails
    }
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
            let hint = announcer.hint(with: works)
            do throws(Session.Failure) {
                let answers = try session.runTogether(
                    works.map { $0.call(isLocked: true) } + [(.commitTransaction, [])], leaving: hint?.call)
                for index in works.indices { works[index].note(writtenIn: answers[index]) }
                if hint == nil { announcer.tell(works.flatMap(\.written).map(\.list)) }
            } catch {
                guard case .lost(let text) = error else {
                    end(session)
                    // 25P02: an earlier statement of the transaction has failed, such as one that reads another list.
                    if case .refused("25P02", _) = error { return [] }
                    guard !error.isPassing else { return [] }
                    throw error.harmless
                }
                if let hint { announcer.tellAgain(hint) }
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
