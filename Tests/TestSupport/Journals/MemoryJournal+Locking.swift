import ListModel
public import ListStore
import Threads

extension MemoryJournal: LocksLists {
    public var locker: (any LocksLists)? { self }

    public func commit(
        locking wanted: WantedLocks, _ decide: (any LockedLists) -> [Commit]
    ) throws(JournalError) -> [CommitOutcome] {
        guard let rows = try lock(wanted) else { throw .moved }
        let commits = decide(rows)
        let isShared = isShared
        let outcomes: [CommitOutcome]? = state.change { state in
            if state.fault != .keepsLocks || commits.isEmpty { state.locked.subtract(rows.ids) }
            guard !state.isClosed, state.fault != .losesCommitsOfLocked else { return nil }
            return state.commit(commits, isShared: isShared)
        }
        guard let outcomes else { throw .closed }
        tell(of: commits, outcomes)
        return outcomes
    }

    /// Returns nil if none could be locked in time.
    private func lock(
        _ wanted: WantedLocks
    ) throws(JournalError) -> LockedLives? {
        let (fault, lists) = (state.withLock { $0.fault }, wanted.lists)
        let mayLock = { (state: State) in
            if state.isClosed || state.lives[lists[0]] == nil { return true }
            let waits = wanted.waitsForFirst && state.fault != .passesOverTheFirst || state.fault == .waitsForLocked
            return (waits ? lists.prefix(1) : lists[...]).contains {
                !state.locked.contains($0) && state.lives[$0] != nil
            }
        }
        let isFree = state.withLock { mayLock($0) }
        let seconds = fault == .keepsLocks ? 1 : wanted.secondsMax
        let locked: LockedLives?? = state.wait(until: { mayLock($0) }, seconds: seconds) { state in
            if state.isClosed { return .some(nil) }
            let ids = lists.filter { !state.locked.contains($0) && state.lives[$0] != nil }
            let awaited = isFree && !wanted.waitsForFirst && !ids.isEmpty ? nil : lists[0]
            guard mayLock(state) else { return nil }
            state.locked.formUnion(ids)
            return LockedLives(ids: ids, awaited: awaited, lives: state.lives, fault: state.fault)
        }
        guard let found = locked else { return nil }
        guard let found else { throw .closed }
        return found
    }

    private struct LockedLives: LockedLists {
        let ids: [ListID]
        let awaited: ListID?
        let lives: [ListID: Life]
        let fault: Fault?

        func tails(after places: [ListPlace]) throws(JournalError) -> [Tail?] {
            places.map { one in
                guard let life = lives[one.list], one.place.life == life.number, one.place.position >= life.covered,
                    one.place.position <= life.entries.count
                else { return nil }
                let entries = life.entries.dropFirst(one.place.position)
                return Tail(Array(fault == .missesLastOfLocked ? entries.dropLast() : entries), end: life.end)
            }
        }
    }
}

extension Commit.Condition {
    /// Whether the condition is no place, so that the commit waits until nobody has locked its list.
    var isNoPlace: Bool {
        switch self {
        case .isNew, .unconditional: true
        case .isAt: false
        }
    }
}
