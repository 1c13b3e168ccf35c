internal import ListModel
internal import ListStore

/// Writes commits on a session of its own, and finds out what has become of those whose answer was lost.
///
/// - Safety: `@unchecked` is sound because the journal reaches it under a lock, or has taken it out of those that are free.
final class Committer: @unchecked Sendable {
    let connector: Connector
    let announcer: Announcer
    private let random: @Sendable () -> UInt64
    private var session: Session?

    /// A session that has sent more keeps too much memory.
    private static let longBytes = 16 << 20
    /// The tries of a commit without a condition, and of a statement that met others in a circle.
    private static let triesMax = 100

    init(_ connector: Connector, _ announcer: Announcer, random: @escaping @Sendable () -> UInt64) {
        (self.connector, self.announcer, self.random) = (connector, announcer, random)
    }

    func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome] {
        var outcomes: [CommitOutcome] = commits.map { _ in .moved }
        var moved: Set<ListID> = []
        var hasWritten = false
        for round in Self.rounds(commits) {
            let round = round.filter { !moved.contains(commits[$0].list) }
            do throws(JournalError) {
                try write(round, of: commits) { index, outcome in
                    outcomes[index] = outcome
                    hasWritten = hasWritten || outcome.isWritten
                }
            } catch {
                // Some of the batch is written, and the error would say that nothing is.
                guard hasWritten, error != .closed else { throw error }
                throw .unknown("\(error)")
            }
            for index in round where !outcomes[index].isWritten { moved.insert(commits[index].list) }
        }
        return outcomes
    }

    /// The numbers of the commits: first the first one of each list, then the second one of each, and so on.
    static func rounds(_ commits: [Commit]) -> [[Int]] {
        guard commits.count > 1 else { return [[0]] }
        var counts: [ListID: Int] = [:]
        var rounds: [[Int]] = []
        for (index, commit) in commits.enumerated() {
            let round = counts[commit.list, default: 0]
            counts[commit.list] = round + 1
            if round == rounds.count { rounds.append([]) }
            rounds[round].append(index)
        }
        return rounds
    }

    /// Writes commits of different lists. Those without a condition are tried again until they are written.
    private func write(
        _ indices: [Int], of commits: [Commit], _ note: (Int, CommitOutcome) -> Void
    ) throws(JournalError) {
        var open = indices
        for _ in 0..<Self.triesMax where !open.isEmpty {
            let plans = try plan(open, of: commits)
            for part in CommitPart.parts(of: plans) {
                let token = newNumber()
                let (written, held) = try settle(part, token)
                for plan in written {
                    note(plan.index, plan.outcome(token))
                    open.removeAll { $0 == plan.index }
                }
                for plan in held { note(plan.index, .locked) }
            }
            open.removeAll { commits[$0].condition != .unconditional }
        }
        if !open.isEmpty { throw .away("list \(commits[open[0]].list) changes all the time") }
    }

    func plan(_ indices: [Int], of commits: [Commit]) throws(JournalError) -> [PlannedCommit] {
        let unconditional = indices.filter { commits[$0].condition == .unconditional }.map { commits[$0].list }
        let places = try unconditional.isEmpty ? [:] : places(of: unconditional)
        var plans: [PlannedCommit] = []
        for index in indices {
            let old: LogPlace? =
                switch commits[index].condition {
                case .isNew: nil
                case .isAt(let place): place
                case .unconditional: places[commits[index].list]
                }
            let new = LogPlace(life: newNumber(), position: 0, generation: connector.generation)
            let plan = PlannedCommit(commits[index], index, at: old, newLife: new)
            guard plan.byteCount <= CommitPart.commitBytesMax else {
                throw .tooLarge("a commit of \(plan.byteCount) bytes to list \(plan.list)")
            }
            plans.append(plan)
        }
        return plans
    }

    private func places(of lists: [ListID]) throws(JournalError) -> [ListID: LogPlace] {
        do throws(Session.Failure) {
            let rows = try connected().run(.places, [.texts(lists.map { Array($0.rawValue.utf8) })])
            return Dictionary(rows.compactMap(LogPlace.named)) { first, _ in first }
        } catch {
            throw error.harmless
        }
    }

    /// A number above 0 that nobody else has.
    func newNumber() -> Int { Int(random() >> 2) + 1 }

    // MARK: Writing a part

    /// Writes those commits of a part whose conditions hold.
    ///
    /// A list that somebody holds at the moment is passed over. It may be one who writes to it, or only the upkeep. So a
    /// commit has moved only if its list is somewhere else. A life that begins is written once nobody holds its list.
    ///
    /// - Returns: Those that are written, and those whose lists others hold.
    private func settle(
        _ part: CommitPart, _ token: Int
    ) throws(JournalError) -> (written: [PlannedCommit], held: [PlannedCommit]) {
        var work = UnsettledCommits(part.commits, token: token)
        var held: [PlannedCommit] = []
        let end = ContinuousClock.now + .milliseconds(connector.patience.doubt)
        for index in 0..<Self.triesMax where !work.open.isEmpty {
            do throws(JournalError) {
                let session = try connectedInTime()
                do throws(Session.Failure) {
                    if index > 0, !work.open.allSatisfy(\.canWaitForLock) { try work.wait(session) }
                    try work.write(session, announcer)
                    if !work.open.isEmpty { try work.look(session, announcer) }
                    held += work.passOver()
                    dropIfLong(session)
                } catch {
                    if error.isPassing {
                        // Somebody holds a list for too long.
                        guard ContinuousClock.now < end else { return (work.written, held + work.passOver()) }
                        continue
                    }
                    guard case .lost(let text) = error else { throw error.harmless }
                    try settle(&work, after: text)
                }
            } catch {
                guard !work.written.isEmpty, error != .closed else { throw error }
                throw .unknown("\(error)")
            }
        }
        return (work.written, held)
    }

    /// Finds out whether commits were written whose answer was lost, and writes them if they were not.
    ///
    /// The lost statement may still run, or begin only now. Whatever it writes has the token. So nobody says that a
    /// commit has moved before its list is somewhere else without the token, when no statement writes to it, or before
    /// the sessions that could begin the list late have ended.
    ///
    /// - Throws: `.unknown` if that takes too long.
    func settle(_ work: inout UnsettledCommits, after loss: String) throws(JournalError) {
        let end = ContinuousClock.now + .milliseconds(connector.patience.doubt)
        var text = loss
        while !work.open.isEmpty {
            guard ContinuousClock.now < end, !connector.isClosing else { throw .unknown(text) }
            do throws(Session.Failure) {
                let session = try connected()
                try work.wait(session)
                try work.waitForLostSessions(session)
                try work.look(session, announcer)
                guard !work.open.isEmpty else { return }
                try work.write(session, announcer)
                guard !work.open.isEmpty else { return }
                try work.wait(session)
                try work.look(session, announcer)
            } catch {
                switch error {
                case .lost(let loss): text = loss
                case .refused(_, let refusal) where !error.isPassing: throw .unknown(refusal)
                case .refused: break
                case .otherFormat: throw .unknown("the tables have another format")
                }
                Connector.pause()
            }
        }
    }

    // MARK: Sessions

    private func connected() throws(Session.Failure) -> Session {
        try connector.requireFormat()
        if let session, connector.isOfUse(session) { return session }
        session = nil
        let new = try connector.connect()
        session = new
        return new
    }

    /// A session, which is waited for only if the database was there a moment ago.
    func connectedInTime() throws(JournalError) -> Session {
        let end = ContinuousClock.now + .milliseconds(connector.patience.doubt)
        while true {
            do throws(Session.Failure) {
                return try connected()
            } catch {
                guard !connector.isAway, !connector.isClosing, ContinuousClock.now < end, case .lost = error else {
                    throw error.harmless
                }
                Connector.pause()
            }
        }
    }

    /// Gives a session up that keeps too much memory.
    func dropIfLong(_ session: Session) {
        if session.longest > Self.longBytes { self.session = nil }
    }

    func close() { session = nil }
}

extension LogPlace {
    /// The place of a list in a row with its name, its life, its position, its generation and its last token.
    static func named(_ row: [Cell]) -> (ListID, LogPlace)? {
        guard row.count >= 5, let name = row[0].bytes, let list = ListID(ByteText(decoding: name)),
            let life = row[1].integer, let position = row[2].integer, let generation = row[3].integer
        else { return nil }
        let place = LogPlace(life: life, position: position, generation: generation, token: row[4].integer)
        return (list, place)
    }
}
