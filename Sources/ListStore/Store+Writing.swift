public import ListModel
import Locks

extension Store {
    /// Applies a transaction to a list.
    public func submit(_ id: ListID, _ write: Write) -> Submission {
        keyed(write) { write throws(StoreError) in
            guard let list = try held(id) else { throw .noSuchList(id) }
            return list.enter { $0.submit(write) }
        }
    }

    /// Makes a list, or applies to the one that is there.
    ///
    /// - Parameters:
    ///   - write: What a new list starts with, applied to an empty one; a base is ignored then.
    ///   - mustNotExist: `If-None-Match: *`.
    public func create(_ id: ListID, _ write: Write, mustNotExist: Bool = false) -> Submission {
        keyed(write) { write throws(StoreError) in
            guard write.match == nil, !write.isDryRun else {
                guard let list = try held(id) else { return absent(id, write) }
                return apply(list, write, mustNotExist: mustNotExist)
            }
            while true {
                guard let list = try held(id) else {
                    guard let submission = make(id, write) else { continue }
                    return submission
                }
                let submission = apply(list, write, mustNotExist: mustNotExist)
                guard case .failure(.noSuchList) = submission.result else { return submission }
                // Deleted since it was looked up.
                remove(list)
            }
        }
    }

    /// A new list with its first commit; nil if there is one of that id.
    private func make(_ id: ListID, _ write: Write) -> Submission? {
        var first = write
        first.base = nil
        // Who finds the list in the catalogue waits until its first commit has been made.
        return ListActor(id: id, epoch: token(), shared: shared).enter { list in
            guard add(list) else { return nil }
            let submission = list.submit(first, creates: true)
            if case .failure = submission.result { remove(list) }
            submission.durability?.whenDone { [weak self] outcome in
                if case .failure = outcome { self?.remove(list) }
            }
            return submission
        }
    }

    /// Returns false if there is a list of that id.
    private func add(_ list: ListActor) -> Bool {
        catalogue.withLock { catalogue in
            guard catalogue.lists[list.id] == nil, !catalogue.stored.contains(list.id) else { return false }
            catalogue.lists[list.id] = list
            catalogue.order = nil
            return true
        }
    }

    private func apply(_ list: ListActor, _ write: Write, mustNotExist: Bool) -> Submission {
        list.enter { mustNotExist ? $0.refuse() : $0.submit(write) }
    }

    /// What a PUT of a list that is not there answers when it may not or need not create it.
    private func absent(_ id: ListID, _ write: Write) -> Submission {
        guard write.match == nil else { return Submission(.failure(.noSuchList(id)), durability: nil) }
        let list = ListActor(id: id, epoch: token(), shared: shared.withoutJournal)
        var first = write
        first.base = nil
        return list.enter { $0.submit(first, creates: true) }
    }

    /// Ends a list; its id may be used again at once, with a new epoch.
    public func delete(_ id: ListID, _ write: Write) -> Submission {
        keyed(write) { write throws(StoreError) in
            guard let list = try held(id) else { throw .noSuchList(id) }
            // All of it before the list is let go: a commit that is lost takes it, and then nobody may be told before
            // the list is back.
            return list.enter { list in
                let submission = list.delete(write)
                guard case .success = submission.result else { return submission }
                remove(list)
                submission.durability?.whenDone { [weak self] outcome in
                    if case .failure = outcome { self?.putBack(list) }
                }
                return submission
            }
        }
    }

    private func remove(_ list: ListActor) {
        catalogue.withLock { catalogue in
            guard catalogue.lists[list.id] === list else { return }
            catalogue.lists[list.id] = nil
            catalogue.order = nil
        }
    }

    /// Undoes a deletion that was lost, and with it whatever has been made under the list's id since.
    private func putBack(_ list: ListActor) {
        guard list.isDurable else { return }
        catalogue.withLock { catalogue in
            catalogue.lists[list.id] = list
            catalogue.order = nil
        }
    }

    /// Looks the key up before everything else, and frees it if the write is refused.
    private func keyed(_ write: Write, _ body: (Write) throws(StoreError) -> Submission) -> Submission {
        func run(_ write: Write) -> Submission {
            do throws(StoreError) { return try body(write) } catch {
                return Submission(.failure(error), durability: nil)
            }
        }
        guard let key = write.key else { return run(write) }
        #if PLANTED_FAULTS
            if Fault.isPlanted(.ignoresKeys) {
                var keyless = write
                keyless.key = nil
                return run(keyless)
            }
        #endif
        switch shared.receipts.begin(key, now: shared.clock()) {
        case .inFlight: return Submission(.failure(.keyInFlight), durability: nil)
        case .otherRequest: return Submission(.failure(.keyReused), durability: nil)
        case .kept(let bytes): return replayed(bytes, view: write)
        case .new: break
        }
        let submission = run(write)
        if case .failure = submission.result { shared.receipts.abandon(key) }
        if write.isDryRun { shared.receipts.abandon(key) }
        return submission
    }

    private func replayed(_ bytes: [UInt8], view write: Write) -> Submission {
        guard let kept = try? KeptAnswer(bytes) else { return Submission(.failure(.keyReused), durability: nil) }
        // What the list has forgotten is not answered again, and a list that cannot be read tells nothing either.
        guard let list = try? held(kept.list), list.epoch == kept.version.epoch else {
            return Submission(.success(kept.result()), durability: nil)
        }
        return Submission(.success(list.enter { $0.answer(kept, view: write.view) }), durability: nil)
    }
}
