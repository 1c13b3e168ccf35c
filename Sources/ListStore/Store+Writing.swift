public import ListModel
import Threads

extension Store {
    /// Applies a transaction to a list.
    public func submit(_ id: ListID, _ write: Write) -> Submission {
        keyed(id, write) { write throws(StoreError) in
            try onNewest(id, write) { list in list.submit(write) }
        }
    }

    /// Creates a list, or applies the write to the list that exists.
    ///
    /// - Parameters:
    ///   - write: The content of a new list, applied to an empty one. Its base is ignored then.
    ///   - mustNotExist: Whether the list must not exist (`If-None-Match: *`).
    /// - Returns: `.notPermitted` if the list is there, or is not, and `write.permits` lacks what that takes.
    public func create(_ id: ListID, _ write: Write, mustNotExist: Bool = false) -> Submission {
        keyed(id, write) { write throws(StoreError) in
            let mayMake = write.match == nil && !write.isDryRun
            while true {
                let newest = try newest(id, write.pace)
                if let list = newest?.list, newest?.isEnding == false {
                    // A refusal needs no right to change the list.
                    guard mustNotExist || write.permits.contains(.change) else { throw .notPermitted(needed: .change) }
                    if list.damage != nil, write.isUnconditional, !mustNotExist {
                        // Others may have replaced it.
                        guard !list.enter({ $0.isBehind }) else { return .behind }
                        guard let submission = make(id, write, inPlaceOf: list) else { continue }
                        return submission
                    }
                    guard let submission = apply(list, write, mustNotExist: mustNotExist) else { continue }
                    return submission
                }
                guard write.permits.contains(.make) else { throw .notPermitted(needed: .make) }
                guard mayMake else { return absent(id, write, after: newest?.list) }
                guard let submission = make(id, write) else { continue }
                return submission
            }
        }
    }

    /// Deletes a list. Its id may be used again at once, with a new epoch. Readers see the list until its end is
    /// durable.
    ///
    /// - Parameter purges: Whether the list is deleted for good. If there is none, a deleted list of that id is purged.
    public func delete(_ id: ListID, _ write: Write, purges: Bool = false) -> Submission {
        keyed(id, write) { write throws(StoreError) in
            while true {
                do throws(StoreError) { return try end(id, write, isFinal: purges || !deleted.areKept) } catch {
                    guard purges, case .noSuchList = error else { throw error }
                }
                do throws(StoreError) { return try purge(id, write) } catch {
                    guard case .noSuchList = error, catalogue.withLock({ $0.contains(id) }) else { throw error }
                }
            }
        }
    }

    private func end(_ id: ListID, _ write: Write, isFinal: Bool) throws(StoreError) -> Submission {
        try onNewest(id, write) { list in
            // An unreadable list has nothing that could be restored.
            let isFinal = isFinal || list.damage != nil
            let retirement = isFinal || list.stage != .open ? nil : list.retirement
            let submission = list.delete(write, isFinal: isFinal)
            if case .success = submission.result, !write.isDryRun {
                end(list, with: submission.durability, retirement)
            }
            return submission
        }
    }

    /// Runs `body` on the life that the next write goes to.
    ///
    /// - Throws: `.noSuchList` if there is none, `.unreadable` if it cannot be read.
    private func onNewest(
        _ id: ListID, _ write: Write, _ body: @Sendable (isolated ListActor) -> Submission
    ) throws(StoreError) -> Submission {
        while let list = try newest(id, write.pace)?.list {
            let submission = list.enter(for: write, busy: .busy) { list in list.stage == .void ? nil : body(list) }
            if let submission { return submission }
            remove(list)
        }
        throw .noSuchList(id)
    }

    /// Applies a write; nil if the list has ended since it was looked up, or never began.
    func apply(_ list: ListActor, _ write: Write, mustNotExist: Bool) -> Submission? {
        let busy: (Submission?, ListActor.Stage) = (.busy, .open)
        let (submission, stage) = list.enter(for: write, busy: busy) { list in
            guard list.stage == .open else { return (nil, list.stage) }
            return (mustNotExist ? list.refuse() : list.submit(write), .open)
        }
        if stage == .void { remove(list) }
        return submission
    }

    /// Makes a list with its first commit; nil if there is one of that id.
    ///
    /// - Parameter damaged: An unreadable list of that id. It stays until the new one is on the disk.
    private func make(_ id: ListID, _ write: Write, inPlaceOf damaged: ListActor? = nil) -> Submission? {
        if let refusal = refusalOfNew(id, by: write.caller, .newList) { return refusal }
        var first = write
        (first.base, first.match, first.replaced) = (nil, nil, restorable(id))
        // Others that find the list in the catalogue wait until its first commit has been made.
        let list = ListActor(id: id, epoch: token(), creator: write.caller, shared: shared)
        if let place = damaged?.line.place {
            list.line.move(to: place)
            list.line.show()
        }
        return list.enter(for: first, busy: nil) { list in
            guard begin(list, after: damaged) else { return nil }
            return settle(list, list.submit(first, as: .create), inPlaceOf: damaged)
        }
    }

    /// The refusal of a list that would be one too many, of all or of its creator; nil if there may be one.
    ///
    /// - Parameter holding: The list's share in the holding of its creator.
    func refusalOfNew(_ id: ListID, by creator: ByteText?, _ holding: Holding) -> Submission? {
        let (count, isThere, lives) = catalogue.withLock { ($0.count, $0.contains(id), $0.lists(of: id)) }
        if !isThere, let most = shared.limits.listsMax, count >= most {
            return Submission(.failure(.tooManyLists(limit: most)), durability: nil)
        }
        // A life that is about to end makes room for its own creator only.
        guard let creator, creator != TransactionNote.anonymous, !lives.contains(where: { $0.creator == creator })
        else {
            return nil
        }
        return shared.holdings.refusal(of: holding, to: creator).map { Submission(.failure($0), durability: nil) }
    }

    /// The newest version of the deleted list of this id; nil if none can be restored.
    private func restorable(_ id: ListID) -> Version? {
        guard catalogue.withLock({ $0.retired[id] != nil }) else { return nil }
        let now = deleted.now
        return catalogue.withLock { $0.restorable(id, now: now)?.retirement.version }
    }

    /// Keeps a new list once its first commit is durable, or removes it if that commit is lost.
    ///
    /// - Parameters:
    ///   - submission: Its first commit.
    ///   - damaged: An unreadable list of that id. It stays until the new one is on the disk.
    func settle(_ list: ListActor, _ submission: Submission, inPlaceOf damaged: ListActor?) -> Submission {
        guard case .success = submission.result else {
            // The durability is that of the end of the list before. The new list refers to it, so it must not refer to
            // the list.
            takeBack(list, inPlaceOf: damaged)
            return submission
        }
        let note: @Sendable (Durability.Outcome) -> Void = { [weak self] outcome in
            switch outcome {
            case .success:
                if let damaged { self?.remove(damaged) }
                // A deleted list of that id is kept no more: it goes on as this list, or this list has replaced it for
                // good.
                let gone = self?.catalogue.withLock { $0.retired.remove(list.id) }
                withExtendedLifetime(gone) {}
            case .failure(let error):
                if error.mayBeElsewhere { damaged?.enter { $0.isBehind = true } }
                self?.takeBack(list, inPlaceOf: damaged)
                if error.mayBeElsewhere { self?.catalogue.withLock { $0.lookAgain(at: list.id) } }
            }
        }
        submission.durability.map { $0.whenDone(note) } ?? note(.success(()))
        return submission
    }

    /// Takes back the beginning of a list.
    private func takeBack(_ list: ListActor, inPlaceOf damaged: ListActor?) {
        remove(list)
        guard let damaged else { return }
        catalogue.withLock { $0.setEnding(damaged, false) }
    }

    /// Adds a list to the catalogue. Returns false if the id has a list that is not about to end.
    ///
    /// - Parameter wanted: The list that must be the last one of that id; nil allows any.
    func begin(_ list: ListActor, after wanted: ListActor? = nil) -> Bool {
        catalogue.withLock { catalogue in
            let last = catalogue.last(list.id)
            let before = last?.list
            guard wanted == nil || before === wanted else { return false }
            // A damaged list that is about to end is not replaced, but followed by a new one.
            guard wanted?.damage == nil || last?.isEnding == false else { return false }
            guard catalogue.begin(list) else { return false }
            // The new list begins only if the end of the one before becomes durable.
            if let end = before?.durable.pending { list.durable.wait(for: end) }
            return true
        }
    }

    /// The answer to a PUT of a list that does not exist, when the write may not or need not create it.
    ///
    /// - Parameter ending: A list of that id whose end waits for the disk.
    private func absent(_ id: ListID, _ write: Write, after ending: ListActor?) -> Submission {
        let end = ending?.durable.pending
        guard write.match == nil else {
            return Submission(.failure(.preconditionFailed(head: nil, missed: nil)), durability: end)
        }
        if let refusal = refusalOfNew(id, by: write.caller, .newList) { return refusal }
        let list = ListActor(id: id, epoch: token(), creator: write.caller, shared: shared.withoutJournal)
        var first = write
        (first.base, first.replaced) = (nil, restorable(id))
        return Submission(list.enter { $0.submit(first, as: .create) }.result, durability: end)
    }

    /// Removes a list once its end is durable.
    ///
    /// - Parameter retirement: The description of the list, if it can be restored.
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

    /// Removes a list whose end is durable.
    private func leave(_ list: ListActor, _ retirement: Retirement?) {
        guard let retirement else {
            // The same life may have been retired by a deletion that came before this one.
            let gone = catalogue.withLock { catalogue in
                catalogue.remove(list)
                return catalogue.retired[list.id]?.retirement.version.epoch == list.epoch
                    ? catalogue.retired.remove(list.id) : nil
            }
            return withExtendedLifetime(gone) {}
        }
        var entry = RetiredLists.Entry(
            retirement, age: deleted.now, list: journal == nil ? list : nil, line: journal == nil ? nil : list.line)
        // The list may be about to end for good.
        if let end = list.durable.pending, end.isPending { entry.end = end }
        catalogue.withLock { [entry] in $0.remove(list, retiring: entry) }
        deleted.purge(shared.noteEnd)
    }

    private func remove(_ list: ListActor) { catalogue.withLock { $0.remove(list) } }

    /// Looks up the idempotency key before everything else, and frees it if the write is refused.
    ///
    /// - Parameter id: The list that `body` writes to. If others have written to it, it follows, and `body` runs again. If it
    ///   must be locked first, the write waits for that, or its caller does.
    func keyed(_ id: ListID, _ write: Write, _ body: (Write) throws(StoreError) -> Submission) -> Submission {
        if let number = write.number { return numbered(number, id, write, body) }
        guard let key = write.key else { return run(id, write, body) }
        if let known = knownAnswer(to: key, write) { return known }
        let submission = run(id, write, body)
        // The key is freed only once, because another try of the same request may have taken it since.
        if write.isDryRun || !submission.isSuccess { shared.receipts.abandon(key) }
        return submission
    }

    func run(
        _ id: ListID, _ write: Write, _ body: (Write) throws(StoreError) -> Submission
    ) -> Submission {
        let submission = runOnce(id, write, body)
        guard write.pace == .patient, submission.isBusy else { return submission }
        var write = write
        write.pace = .long
        return runOnce(id, write, body)
    }

    private func runOnce(
        _ id: ListID, _ write: Write, _ body: (Write) throws(StoreError) -> Submission
    ) -> Submission {
        defer { makeRoom(turnsMax: write.pace == .brief ? 16 : .max) }
        var decision: Decision?
        defer { decision?.end() }
        // Whether the list has been compared since the write came, so that its next answer is not older than the write.
        var isCompared = false
        while true {
            let known = isShared ? catalogue.withLock { $0.place(of: id) } : nil
            let submission: Submission
            do throws(StoreError) { submission = try body(write) } catch {
                submission = Submission(.failure(error), durability: nil)
            }
            // A commit is compared when it is written. Every other answer is compared here.
            if submission.isContended {
                guard write.pace != .brief, !write.waitsElsewhere else { return submission }
                do throws(JournalError) { decision = try waitUntilLocked(id) } catch {
                    return Submission(.failure(.journal(error)), durability: nil)
                }
                continue
            }
            let mustCompare = submission.durability == nil && isShared && !isCompared && !submission.isBusy
            guard submission.isBehind || mustCompare else { return submission }
            guard write.pace != .brief else { return .busy }
            do throws(JournalError) {
                // Meanwhile another thread may have let the list follow. The answer is from before that.
                let isOld = submission.isBehind ? true : try isOutdated(id, knownAt: known)
                guard isOld else { return submission }
                try follow(id)
                isCompared = true
            } catch {
                return Submission(.failure(.journal(.away("\(error)"))), durability: nil)
            }
        }
    }

    /// The answer to a request whose key is known; nil if the key is new, and in flight from now on.
    ///
    /// Another store may have answered the request, so the journal is asked. If that store answers it from now on, the
    /// commit of this one moves, and the request comes here again.
    private func knownAnswer(to key: ReceiptKey, _ write: Write) -> Submission? {
        switch shared.receipts.begin(key, now: shared.clocks.receipts.now) {
        case .inFlight: return Submission(.failure(.keyInFlight), durability: nil)
        case .otherRequest: return Submission(.failure(.keyReused), durability: nil)
        case .kept(let bytes): return replayed(bytes, view: write)
        case .new: break
        }
        guard isShared, let journal else { return nil }
        guard write.pace != .brief else {
            shared.receipts.abandon(key)
            return .busy
        }
        let receipt: Receipt?
        do throws(JournalError) { receipt = try journal.receipt(key.scope) } catch {
            shared.receipts.abandon(key)
            return Submission(.failure(.journal(error)), durability: nil)
        }
        guard let receipt else { return nil }
        shared.receipts.abandon(key)
        // The receipt counts as long as the journal has it, even if it is too old to be kept here.
        guard let kept = try? KeptAnswer(receipt.bytes), kept.request == key.request else {
            return Submission(.failure(.keyReused), durability: nil)
        }
        shared.receipts.keep(receipt, now: shared.clocks.receipts.now)
        return replayed(receipt.bytes, view: write)
    }

    /// The kept answer to a request, with its changes if history still has them.
    func replayed(_ bytes: [UInt8], view write: Write) -> Submission {
        guard let kept = try? KeptAnswer(bytes) else { return Submission(.failure(.keyReused), durability: nil) }
        var list: ListActor?
        do throws(StoreError) { list = try self.list(kept.list, write.pace) } catch {
            if case .busy = error { return .busy }
        }
        // If the list is of another epoch, gone or unreadable, the answer has no changes.
        guard let list, list.epoch == kept.version.epoch else {
            return Submission(.success(kept.result()), durability: nil)
        }
        if list.standing.revision < kept.version.revision, isShared {
            // Another store has answered, and this one does not know that version yet.
            guard write.pace != .brief else { return .busy }
            try? follow(kept.list)
        }
        guard write.pace != .brief || !list.isLong else { return .busy }
        let pace = list.isLong ? .long : write.pace
        return Submission(.success(list.read(pace) { $0.answer(kept, view: write.view) }), durability: nil)
    }
}
