public import ListModel
internal import Synchronization
import Threads

// Contended lists: others write to them again and again, and are first. Such a list is locked before it decides.

extension Store {
    /// Calls `body` when a list may decide a write: at once, or when it is locked if it is contended. The list then keeps
    /// its lock until the write is decided, so the caller says soon that it is (`Decision.end()`).
    ///
    /// - Parameters:
    ///   - end: The time after which `body` gets `.moved`.
    ///   - body: It is called once, on any thread, and must return at once, or after a brief write if `Decision.isHere`. It
    ///     gets the error if the list cannot be locked.
    public func whenLocked(
        _ id: ListID, until end: ContinuousClock.Instant,
        _ body: @escaping @Sendable (Result<Decision, JournalError>) -> Void
    ) {
        guard let contention = shared.contention, contendedList(id) != nil else { return body(.success(Decision())) }
        contention.wait(for: id, until: end, body) { [weak self] wanted in
            guard let self else { return contention.refuse(wanted.lists, .closed) }
            lock(wanted, contention)
        }
    }

    /// Waits until a list may decide a write.
    ///
    /// - Throws: As `whenLocked(_:until:_:)`.
    func waitUntilLocked(_ id: ListID) throws(JournalError) -> Decision {
        let found = Locked<Result<Decision, JournalError>?>(nil)
        whenLocked(id, until: .now + .seconds(Self.secondsMax)) { result in found.change { $0 = result } }
        return try found.wait(until: { $0 != nil }) { $0 ?? .failure(.closed) }.get()
    }

    private static let secondsMax = 5

    /// The list, if its writes are decided only while it is locked.
    private func contendedList(_ id: ListID) -> ListActor? {
        guard let list = catalogue.withLock({ $0.last(id)?.list }) else { return nil }
        return list.isContended ? list : nil
    }

    /// Locks contended lists, has their waiting writes decided, and writes these.
    private func lock(_ wanted: WantedLocks, _ contention: Contention) {
        guard let queue = shared.queue, let locker = journal?.locker else { return }
        var lists: [ListID: ListActor] = [:]
        for id in wanted.lists {
            let list = contendedList(id)
            guard let list, list.isOpen, list.line.place != nil else {
                list?.enter { $0.quietTimes = nil }
                contention.letGo(id)
                continue
            }
            lists[id] = list
        }
        let wantedIDs = wanted.lists.filter { lists[$0] != nil }
        guard !wantedIDs.isEmpty else { return }
        // Nobody else lets them follow, or reads them, meanwhile. Lists that somebody reads now are locked later.
        let ids = loading.wait(until: { loading in !wantedIDs.allSatisfy(loading.contains) }) { loading in
            let free = wantedIDs.filter { !loading.contains($0) }
            loading.formUnion(free)
            return free
        }
        lists = lists.filter { ids.contains($0.key) }
        for list in lists.values { settle(list) }
        let time = LockedTime(lists: lists, contention: contention, queue: queue)
        do throws(JournalError) {
            var wanted = WantedLocks(
                ids, waitsForFirst: wanted.waitsForFirst && ids[0] == wanted.lists[0],
                secondsMax: min(wanted.secondsMax, Self.lockSecondsMax))
            wanted.places = ids.compactMap { id in lists[id]?.line.place.map { ListPlace(id, $0) } }
            try queue.commit(locking: wanted, by: locker) { time.decide($0) }
        } catch .moved {
            // Another store keeps its lock for long.
        } catch {
            contention.refuse(ids, error)
        }
        queue.giveBack(time.ends.keys)
        for id in time.ends.keys { lists[id]?.enter { $0.noteEndOfLock() } }
        loading.change { $0.subtract(ids) }
        for list in time.replaced {
            leaveToOthers(list)
            contention.letGo(list.id)
        }
        for id in time.outdated {
            // The next caller finds out if it cannot follow.
            try? follow(id)
            lists[id]?.enter { $0.quietTimes = nil }
            contention.letGo(id)
        }
    }

    /// PostgreSQL keeps the lock of a store that does not go on for so long.
    private static let lockSecondsMax = 2
}

/// The time in which lists are locked.
private final class LockedTime {
    private let lists: [ListID: ListActor]
    private let contention: Contention
    private let queue: CommitQueue
    /// The ends of the logs of the lists whose writes are decided.
    private(set) var ends: [ListID: LogEnd] = [:]
    /// The lists whose entries cannot be read as long as they are locked.
    private(set) var outdated: [ListID] = []
    /// The lists that others have ended or changed as a whole.
    private(set) var replaced: [ListActor] = []

    init(lists: [ListID: ListActor], contention: Contention, queue: CommitQueue) {
        (self.lists, self.contention, self.queue) = (lists, contention, queue)
    }

    /// Has the waiting writes decided. Returns the ends of the lists whose entries are then to be written.
    func decide(_ locked: any LockedLists) -> [ListID: LogEnd] {
        var quiet: Set<ListID> = []
        let places = locked.ids.compactMap { id in lists[id]?.line.place.map { ListPlace(id, $0) } }
        outdated += locked.ids.filter { lists[$0] != nil && lists[$0]?.line.place == nil }
        let tails = (try? locked.tails(after: places)) ?? places.map { _ in nil }
        for (id, tail) in zip(places.map(\.list), tails) {
            guard let list = lists[id] else { continue }
            guard let found = tail else {
                outdated.append(id)
                continue
            }
            guard (try? list.follow(found.entries)) == true else {
                replaced.append(list)
                continue
            }
            list.line.move(to: found.end)
            list.line.show()
            ends[id] = list.line
            if found.entries.isEmpty, locked.awaited != id { quiet.insert(id) }
        }
        if let awaited = locked.awaited, !locked.ids.contains(awaited) { outdated.append(awaited) }
        queue.keepBack(ends.keys)
        for id in ends.keys { lists[id]?.enter { $0.isBehind = false } }
        contention.decide(ends.keys)
        for id in ends.keys { lists[id]?.enter { $0.noteDecisions(isQuiet: quiet.contains(id)) } }
        return ends
    }
}

extension ListActor {
    /// Whether its writes are decided only while it is locked.
    nonisolated var isContended: Bool { contended.load(ordering: .acquiring) }

    /// The refusal of a list that must not decide anything now; nil if it may.
    var standstill: Submission? {
        guard isBehind else { return nil }
        return quietTimes == nil ? .behind : .contended
    }

    /// Notes that others may have written to the list.
    ///
    /// - Parameter wereFirst: Whether they were first, and a commit of the list was lost.
    func noteOthers(wereFirst: Bool) {
        isBehind = true
        if quietTimes != nil || wereFirst && shared.contention != nil { quietTimes = 0 }
    }

    /// Notes that the list has taken over what others wrote.
    func noteFollowed() { isBehind = quietTimes != nil }

    /// Notes that the writes of this time are decided. Others can write to the list when they are written.
    ///
    /// - Parameter isQuiet: Whether nobody else was met.
    func noteDecisions(isQuiet: Bool) {
        isBehind = true
        quietTimes = isQuiet ? (quietTimes ?? 0) + 1 : 0
    }

    /// Notes that the list is locked no more. If nobody else was met for long enough, it need not be locked again.
    func noteEndOfLock() {
        guard let quietTimes, quietTimes >= Self.quietTimesMax else { return }
        (isBehind, self.quietTimes) = (false, nil)
    }

    private static let quietTimesMax = 4
}
