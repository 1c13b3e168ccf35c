public import ListModel
import Threads

extension Store {
    /// Applies a transaction to a list.
    public func submit(_ id: ListID, _ write: Write) -> Submission {
        keyed(write) { write throws(StoreError) in
            try onNewest(id) { list in list.submit(write) }
        }
    }

    /// Makes a list, or applies to the one that is there.
    ///
    /// - Parameters:
    ///   - write: What a new list starts with, applied to an empty one; a base is ignored then.
    ///   - mustNotExist: `If-None-Match: *`.
    public func create(_ id: ListID, _ write: Write, mustNotExist: Bool = false) -> Submission {
        keyed(write) { write throws(StoreError) in
            let mayMake = write.match == nil && !write.isDryRun
            while true {
                let newest = try newest(id)
                if let list = newest?.list, newest?.isEnding == false {
                    if list.damage != nil, write.isUnconditional, !mustNotExist {
                        guard let submission = make(id, write, inPlaceOf: list) else { continue }
                        return submission
                    }
                    guard let submission = apply(list, write, mustNotExist: mustNotExist) else { continue }
                    return submission
                }
                guard mayMake else { return absent(id, write, after: newest?.list) }
                guard let submission = make(id, write) else { continue }
                return submission
            }
        }
    }

    /// Ends a list; its id may be used again at once, with a new epoch. Readers see the list until its end is durable.
    ///
    /// - Parameter purges: Whether it cannot be restored, nor can one that was deleted before.
    public func delete(_ id: ListID, _ write: Write, purges: Bool = false) -> Submission {
        keyed(write) { write throws(StoreError) in
            while true {
                do throws(StoreError) { return try end(id, write, isFinal: purges || !deleted.areKept) } catch {
                    guard purges, case .noSuchList = error else { throw error }
                }
                do throws(StoreError) { return try purge(id, write) } catch {
                    guard case .noSuchList = error, catalogue.withLock({ $0.last(id) != nil }) else { throw error }
                }
            }
        }
    }

    private func end(_ id: ListID, _ write: Write, isFinal: Bool) throws(StoreError) -> Submission {
        try onNewest(id) { list in
            // Of one that cannot be read nothing could come back.
            let isFinal = isFinal || list.damage != nil
            let retirement = isFinal || list.stage != .open ? nil : list.retirement
            let submission = list.delete(write, isFinal: isFinal)
            if case .success = submission.result, !write.isDryRun {
                end(list, with: submission.durability, retirement)
            }
            return submission
        }
    }

    /// Runs `body` on the life of a list that the next write goes to.
    private func onNewest(
        _ id: ListID, _ body: @Sendable (isolated ListActor) -> Submission
    ) throws(StoreError) -> Submission {
        while let list = try newest(id)?.list {
            if let submission = list.enter({ list in list.stage == .void ? nil : body(list) }) { return submission }
            remove(list)
        }
        throw .noSuchList(id)
    }

    /// Returns nil if the list has ended, or never was, since it was looked up.
    func apply(_ list: ListActor, _ write: Write, mustNotExist: Bool) -> Submission? {
        let (submission, stage) = list.enter { list -> (Submission?, ListActor.Stage) in
            guard list.stage == .open else { return (nil, list.stage) }
            return (mustNotExist ? list.refuse() : list.submit(write), .open)
        }
        if stage == .void { remove(list) }
        return submission
    }

    /// A new list with its first commit; nil if there is one of that id.
    ///
    /// - Parameter damaged: A list that cannot be read, which is there until the new one is on the disk.
    private func make(_ id: ListID, _ write: Write, inPlaceOf damaged: ListActor? = nil) -> Submission? {
        var first = write
        (first.base, first.match) = (nil, nil)
        // Who finds the list in the catalogue waits until its first commit has been made.
        return ListActor(id: id, epoch: token(), shared: shared).enter { list in
            guard begin(list) else { return nil }
            return settle(list, list.submit(first, as: .create), inPlaceOf: damaged)
        }
    }

    /// Lets a list stay once its first commit is durable, or leave if that is lost.
    ///
    /// - Parameters:
    ///   - submission: Its first commit.
    ///   - damaged: A list that cannot be read, which is there until the new one is on the disk.
    func settle(_ list: ListActor, _ submission: Submission, inPlaceOf damaged: ListActor?) -> Submission {
        guard case .success = submission.result else {
            // Its durability is that of the end of the list before, which it holds: it must not be held by that.
            takeBack(list, inPlaceOf: damaged)
            return submission
        }
        let note: @Sendable (Durability.Outcome) -> Void = { [weak self] outcome in
            switch outcome {
            case .success:
                if let damaged { self?.remove(damaged) }
                // What was there before it, deleted, is there no more: it goes on in this one, or is gone for good.
                let gone = self?.catalogue.withLock { $0.retired.remove(list.id) }
                withExtendedLifetime(gone) {}
            case .failure: self?.takeBack(list, inPlaceOf: damaged)
            }
        }
        submission.durability.map { $0.whenDone(note) } ?? note(.success(()))
        return submission
    }

    /// Takes back that a list was begun.
    private func takeBack(_ list: ListActor, inPlaceOf damaged: ListActor?) {
        remove(list)
        guard let damaged else { return }
        catalogue.withLock { $0.setEnding(damaged, false) }
    }

    /// Returns false if there is a list of that id that is not about to end.
    ///
    /// - Parameter wanted: The one that must be the last of that id; nil if it may be any.
    func begin(_ list: ListActor, after wanted: ListActor? = nil) -> Bool {
        catalogue.withLock { catalogue in
            let before = catalogue.last(list.id)?.list
            guard wanted == nil || before === wanted else { return false }
            guard catalogue.begin(list) else { return false }
            // The list is only made if the end of the one before is durable.
            if let end = before?.durable.pending { list.durable.wait(for: end) }
            return true
        }
    }

    /// What a PUT of a list that is not there answers when it may not or need not create it.
    ///
    /// - Parameter ending: The list of that id whose end waits for the disk.
    private func absent(_ id: ListID, _ write: Write, after ending: ListActor?) -> Submission {
        let end = ending?.durable.pending
        guard write.match == nil else {
            return Submission(.failure(.preconditionFailed(head: nil, missed: nil)), durability: end)
        }
        let list = ListActor(id: id, epoch: token(), shared: shared.withoutJournal)
        var first = write
        first.base = nil
        return Submission(list.enter { $0.submit(first, as: .create) }.result, durability: end)
    }

    /// Lets a list leave when its end is durable.
    ///
    /// - Parameter retirement: What is told of it, if it can be restored.
    private func end(_ list: ListActor, with durability: Durability?, _ retirement: Retirement?) {
        guard let durability else { return leave(list, retirement) }
        catalogue.withLock { $0.setEnding(list, true) }
        durability.whenDone { [weak self] outcome in
            switch outcome {
            case .success: self?.leave(list, retirement)
            case .failure:
                self?.catalogue.withLock { $0.setEnding(list, false) }
            }
        }
    }

    /// Lets a list leave whose end is durable.
    private func leave(_ list: ListActor, _ retirement: Retirement?) {
        guard let retirement else {
            // It may have been about to be deleted in a way that it could be restored.
            let gone = catalogue.withLock { catalogue in
                catalogue.remove(list)
                return catalogue.retired[list.id]?.retirement.version.epoch == list.epoch
                    ? catalogue.retired.remove(list.id) : nil
            }
            return withExtendedLifetime(gone) {}
        }
        let entry = RetiredLists.Entry(retirement, age: deleted.now, list: journal == nil ? list : nil)
        catalogue.withLock { $0.remove(list, retiring: entry) }
        deleted.purge(shared.noteEnd)
    }

    private func remove(_ list: ListActor) { catalogue.withLock { $0.remove(list) } }

    /// Looks the key up before everything else, and frees it if the write is refused.
    func keyed(_ write: Write, _ body: (Write) throws(StoreError) -> Submission) -> Submission {
        func run(_ write: Write) -> Submission {
            do throws(StoreError) { return try body(write) } catch {
                return Submission(.failure(error), durability: nil)
            }
        }
        guard let key = write.key else { return run(write) }
        switch shared.receipts.begin(key, now: shared.clocks.receipts.now) {
        case .inFlight: return Submission(.failure(.keyInFlight), durability: nil)
        case .otherRequest: return Submission(.failure(.keyReused), durability: nil)
        case .kept(let bytes): return replayed(bytes, view: write)
        case .new: break
        }
        let submission = run(write)
        // Once: another try of the same request may have taken the key since.
        if write.isDryRun || !submission.isSuccess { shared.receipts.abandon(key) }
        return submission
    }

    private func replayed(_ bytes: [UInt8], view write: Write) -> Submission {
        guard let kept = try? KeptAnswer(bytes) else { return Submission(.failure(.keyReused), durability: nil) }
        // What the list has forgotten is not answered again, and a list that cannot be read tells nothing either.
        guard let list = try? list(kept.list), list.epoch == kept.version.epoch else {
            return Submission(.success(kept.result()), durability: nil)
        }
        return Submission(.success(list.enter { $0.answer(kept, view: write.view) }), durability: nil)
    }
}
