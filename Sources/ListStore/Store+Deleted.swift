import ListDiff
public import ListModel
import Threads

// Deleted lists, and their restoration.

extension Store {
    /// The deleted lists that can be restored, in the order of their ids.
    ///
    /// - Parameter id: Only lists behind this id are returned; nil stands for all.
    public func deletedLists(after id: ListID?, limit: Int) -> [DeletedList] {
        guard let ageMax = shared.limits.deleted?.ageMax else { return [] }
        let now = deleted.now
        return catalogue.withLock { $0.retired.standing(after: id, limit: limit, now: now) }.map { id, entry in
            DeletedList(id, entry.retirement, end: entry.retirement.time + ageMax)
        }
    }

    /// Whether there is a deleted list of that id that can be restored.
    public func isDeleted(_ id: ListID) -> Bool {
        let now = deleted.now
        return catalogue.withLock { $0.restorable(id, now: now) != nil }
    }

    /// Makes the state of a version the head again. A deleted list goes on with that state, in its epoch.
    ///
    /// - Parameters:
    ///   - version: Nil stands for the state in which the list was deleted.
    ///   - write: The conditions, and the form of the answer. Its intent is ignored.
    public func restore(_ id: ListID, _ version: Version?, _ write: Write) -> Submission {
        keyed(id, write) { write throws(StoreError) in
            while true {
                if let newest = try newest(id, write.pace), let submission = try restore(newest, version, write) {
                    return submission
                }
                if let submission = try revive(id, version, write) { return submission }
            }
        }
    }

    /// Restores a list that exists or is about to be deleted; nil if it has gone since it was looked up.
    private func restore(
        _ newest: Catalogue.Life, _ version: Version?, _ write: Write
    ) throws(StoreError) -> Submission? {
        let list = newest.list
        guard newest.isEnding else {
            guard let version else {
                return list.enter { list in
                    list.stage == .open
                        ? Submission(.failure(.notDeleted(head: list.head)), durability: list.pending) : nil
                }
            }
            var write = write
            write.intent = .restore(version)
            return apply(list, write, mustNotExist: false)
        }
        let (retired, end) = list.enter { ($0.retired, $0.pending) }
        if let retired { return revive(retired, version, write, after: end) { self.begin($0, after: list) } }
        let isEnding = catalogue.withLock { $0.last(list.id).map { $0.list === list && $0.isEnding } ?? false }
        // The list ends for good. If its end has just been lost, the caller looks it up again.
        guard isEnding, list.enter({ $0.stage == .ending }) else { return nil }
        return Submission(.failure(.noSuchList(list.id)), durability: end)
    }

    /// Restores a deleted list; nil if something else has happened to it meanwhile.
    ///
    /// - Throws: `.noSuchList` if there is none that can be restored, `.unreadable` if it cannot be read.
    private func revive(_ id: ListID, _ version: Version?, _ write: Write) throws(StoreError) -> Submission? {
        let now = deleted.now
        let (found, isFree) = catalogue.withLock { ($0.restorable(id, now: now), !$0.contains(id)) }
        guard let found else {
            guard isFree else { return nil }
            throw .noSuchList(id)
        }
        try check(version, found.retirement.version)
        guard let retired = try retiredState(id, found) else { return nil }
        return revive(retired, version, write, after: nil) { [catalogue] list in
            catalogue.withLock { $0.begin(list, from: found) }
        }
    }

    /// Refuses versions that can be refused before the list is read.
    private func check(_ version: Version?, _ head: Version) throws(StoreError) {
        guard let version else { return }
        guard version.epoch == head.epoch else { throw .madeAnew(head: head) }
        guard version.revision <= head.revision else { throw .versionAhead }
    }

    /// The list as it was deleted, read from the journal if it is not in memory; nil if something else has happened to
    /// it meanwhile.
    private func retiredState(_ id: ListID, _ found: RetiredLists.Entry) throws(StoreError) -> RetiredState? {
        if let list = found.list { return list.enter { $0.retired } }
        guard let journal else { return nil }
        // A second thread waits until the first one has read the list.
        loading.wait(until: { !$0.contains(id) }) { _ = $0.insert(id) }
        defer { loading.change { _ = $0.remove(id) } }
        let now = deleted.now
        let isThere = { self.catalogue.withLock { $0.restorable(id, now: now)?.number == found.number } }
        guard isThere() else { return nil }
        let list: ListActor?
        do throws(JournalError) { list = try ListReplay.list(id, of: journal, shared) } catch {
            guard isThere() else { return nil }
            throw .unreadable(id, error)
        }
        if let retired = list?.enter({ $0.retired }) { return retired }
        // Others have restored the list, or ended it for good.
        if isThere() { catalogue.withLock { $0.lookAgain(at: id, isThere: list != nil) } }
        return nil
    }

    /// - Parameter begin: Adds the list to the catalogue; false if something else has happened to it meanwhile.
    private func revive(
        _ retired: RetiredState, _ version: Version?, _ write: Write, after end: Durability?,
        _ begin: @escaping @Sendable (ListActor) -> Bool
    ) -> Submission? {
        if let refusal = refusalOfNew(retired.id, by: retired.creator, retired.holding) { return refusal }
        var write = write
        write.intent = .restore(version ?? retired.head)
        guard !write.isDryRun else {
            let list = ListActor(reviving: retired, shared: shared.withoutJournal)
            return Submission(list.enter { $0.submit(write, as: .revive) }.result, durability: end)
        }
        return ListActor(reviving: retired, shared: shared).enter(for: write, busy: nil) { list in
            guard begin(list) else { return nil }
            return settle(list, list.submit(write, as: .revive), inPlaceOf: nil)
        }
    }

    /// Ends a deleted list for good.
    func purge(_ id: ListID, _ write: Write) throws(StoreError) -> Submission {
        let now = deleted.now
        let outcome: Result<(Submission, RetiredLists.Entry?), StoreError> = catalogue.withLock { catalogue in
            guard let found = catalogue.restorable(id, now: now) else { return .failure(.noSuchList(id)) }
            let version = found.retirement.version
            if case .versions(let versions) = write.match, !versions.contains(version) {
                return .failure(.preconditionFailed(head: version, missed: nil))
            }
            let result = WriteResult(kind: .deleted, version: version, outcomes: [], from: version)
            guard !write.isDryRun else { return .success((Submission(.success(result), durability: nil), nil)) }
            let receipt = shared.receipt(of: write, id, result)
            let accepted = shared.accept(write, id, result)
            var end = JournalEntry(list: id, kind: .delete, bytes: Record.delete.bytes, receipt: receipt)
            if let accepted { end.records = [accepted.write] }
            let durability = deleted.enqueue(end, of: found, shared.noteEnd) { [shared, key = write.key] outcome in
                shared.settle(receipt, of: key, accepted, outcome)
            }
            let submission = Submission(.success(result), durability: durability)
            guard let durability else {
                shared.settle(receipt, of: write.key, accepted, .success(()))
                return .success((submission, catalogue.retired.remove(id)))
            }
            catalogue.retired.setEnd(durability, of: id)
            return .success((submission, nil))
        }
        // The list is released after the lock, because everything that it refers to goes with it.
        let (submission, gone) = try outcome.get()
        withExtendedLifetime(gone) {}
        return submission
    }
}
