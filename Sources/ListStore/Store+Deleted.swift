public import ListModel
import Threads

// Lists that were deleted, and come back.

extension Store {
    /// Lists that were deleted and can be restored, in the order of their ids.
    ///
    /// - Parameter id: Only lists behind this one.
    public func deletedLists(after id: ListID?, limit: Int) -> [DeletedList] {
        guard let ageMax = shared.limits.deleted?.ageMax else { return [] }
        let now = deleted.now
        return catalogue.withLock { $0.retired.standing(after: id, limit: limit, now: now) }.map { id, entry in
            DeletedList(id, entry.retirement, end: entry.retirement.time + ageMax)
        }
    }

    /// Whether a list was deleted and can be restored.
    public func isDeleted(_ id: ListID) -> Bool {
        let now = deleted.now
        return catalogue.withLock { $0.restorable(id, now: now) != nil }
    }

    /// Makes the state of a version the head's again; a list that was deleted goes on with it, in its epoch.
    ///
    /// - Parameters:
    ///   - version: Nil for the state in which the list was deleted.
    ///   - write: How it is to be done; its intent does not count.
    public func restore(_ id: ListID, _ version: Version?, _ write: Write) -> Submission {
        keyed(write) { write throws(StoreError) in
            while true {
                if let newest = try newest(id), let submission = try restore(newest, version, write) {
                    return submission
                }
                if let submission = try revive(id, version, write) { return submission }
            }
        }
    }

    /// Restores a list that is there, or is about to be deleted; nil if it has gone since it was looked up.
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
        // For good, or its end has just been lost.
        guard isEnding, list.enter({ $0.stage == .ending }) else { return nil }
        return Submission(.failure(.noSuchList(list.id)), durability: end)
    }

    /// Lets a list go on that was deleted; nil if something has come in between.
    ///
    /// - Throws: `.noSuchList` if there is none to be restored, `.unreadable` if it cannot be read.
    private func revive(_ id: ListID, _ version: Version?, _ write: Write) throws(StoreError) -> Submission? {
        let now = deleted.now
        let (found, isFree) = catalogue.withLock { ($0.restorable(id, now: now), $0.last(id) == nil) }
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

    /// Refuses what can be refused before the list is read.
    private func check(_ version: Version?, _ head: Version) throws(StoreError) {
        guard let version else { return }
        guard version.epoch == head.epoch else { throw .madeAnew(head: head) }
        guard version.revision <= head.revision else { throw .versionAhead }
    }

    /// The list as it was, read from the journal where it is there only; nil if something has come in between.
    private func retiredState(_ id: ListID, _ found: RetiredLists.Entry) throws(StoreError) -> RetiredState? {
        if let list = found.list { return list.enter { $0.retired } }
        guard let journal else { return nil }
        // Who comes second waits for the first.
        loading.wait(until: { !$0.contains(id) }) { _ = $0.insert(id) }
        defer { loading.change { _ = $0.remove(id) } }
        let now = deleted.now
        let isThere = { self.catalogue.withLock { $0.restorable(id, now: now)?.number == found.number } }
        guard isThere() else { return nil }
        do throws(JournalError) {
            return try ListReplay.list(id, of: journal, shared)?.enter { $0.retired }
        } catch {
            guard isThere() else { return nil }
            throw .unreadable(id, error)
        }
    }

    /// - Parameter begin: Takes the list into the catalogue, unless something has come in between.
    private func revive(
        _ retired: RetiredState, _ version: Version?, _ write: Write, after end: Durability?,
        _ begin: @escaping @Sendable (ListActor) -> Bool
    ) -> Submission? {
        var write = write
        write.intent = .restore(version ?? retired.head)
        guard !write.isDryRun else {
            let list = ListActor(reviving: retired, shared: shared.withoutJournal)
            return Submission(list.enter { $0.submit(write, as: .revive) }.result, durability: end)
        }
        return ListActor(reviving: retired, shared: shared).enter { list in
            guard begin(list) else { return nil }
            return settle(list, list.submit(write, as: .revive), inPlaceOf: nil)
        }
    }

    /// Ends a list for good that was deleted before.
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
            let end = JournalEntry(list: id, kind: .delete, bytes: Record.delete.bytes, receipt: receipt)
            let durability = deleted.enqueue(end, of: found, shared.noteEnd) { [shared] outcome in
                shared.settle(receipt, of: write, outcome)
            }
            let submission = Submission(.success(result), durability: durability)
            guard let durability else {
                shared.settle(receipt, of: write, .success(()))
                return .success((submission, catalogue.retired.remove(id)))
            }
            catalogue.retired.setEnd(durability, of: id)
            return .success((submission, nil))
        }
        // What goes with a list is not let go under the lock.
        let (submission, gone) = try outcome.get()
        withExtendedLifetime(gone) {}
        return submission
    }
}
