import ListDiff
import ListModel

// Writing to the journal, rolling back after a failure, and replaying the log at a start.

extension ListActor {
    /// Hands a record and the receipt of its write to the journal. A long record goes to the disk at once, while the list
    /// is entered, unless the write is brief or patient.
    ///
    /// - Returns: Nil if there is no journal or nothing to write, so that nobody has to wait.
    func journal(
        _ kind: JournalEntry.Kind, _ record: Record?, _ write: Write, _ result: WriteResult
    ) -> Durability? {
        guard shared.queue != nil || write.key != nil || write.number != nil else { return nil }
        let receipt = shared.receipt(of: write, id, result)
        let accepted = shared.accept(write, id, result)
        guard let queue = shared.queue, record != nil || receipt != nil || accepted != nil else {
            shared.settle(receipt, of: write.key, accepted, .success(()))
            return nil
        }
        // The record that retires a list is short, and the index of the journal reads it by itself.
        let ahead = kind == .retire || write.pace.isBounded ? nil : queue.journal.ahead
        let (entry, size, failure) = entry(kind, record, receipt, accepted, ahead, queue)
        let durability = Durability()
        // A list that is created or restored rests on the end of the list that had its id before.
        let end = kind == .create || kind == .revive ? pending : nil
        durable.wait(for: durability)
        let revision = head.revision
        if kind == .create { log.creationBytes = size }
        if kind == .revive { extraEntries.note(entriesAhead, of: revision) }
        let name = entry.isAhead ? entry.bytes : nil
        let completion: CommitQueue.Completion = { [self, shared, key = write.key] outcome in
            switch outcome {
            case .success: settle(kind, revision, logged: size)
            // A queue that has stopped calls back at once, while the actor is still entered.
            case .failure(let error):
                if let name {
                    ahead?.forget(ahead: name)
                    shared.noteEnd()
                }
                reenter { $0.undo(kind, revision, error) }
            }
            shared.settle(receipt, of: key, accepted, outcome)
            // Readers that look at the list meanwhile wait for this outcome.
            durability.settle(outcome)
            durable.forget(durability)
        }
        if let failure {
            shared.noteEnd()
            completion(.failure(failure))
        } else {
            queue.enqueue(entry, on: line, restingOn: end, completion: completion)
        }
        return durability
    }

    /// The entry of a record, and the number of the record's bytes. A long record is written ahead, which may fail.
    private func entry(
        _ kind: JournalEntry.Kind, _ record: Record?, _ receipt: Receipt?, _ accepted: ClientSequences.Accepted?,
        _ ahead: (any WritesAhead)?, _ queue: CommitQueue
    ) -> (entry: JournalEntry, size: Int, failure: JournalError?) {
        var entry = JournalEntry(list: id, kind: kind, bytes: [], receipt: receipt)
        if let accepted { entry.records = [accepted.write] }
        guard let record else { return (entry, 0, nil) }
        entry.holding = held?.stored
        var (parts, rest) = record.pieces(of: ahead?.partBytes ?? .max)
        guard let ahead, !parts.isEmpty else {
            let size = rest.count
            entry.bytes = rest
            return (entry, size, nil)
        }
        let size = parts.reduce(rest.count) { $0 + $1.count }
        parts.append(consume rest)
        do throws(JournalError) {
            entry.bytes = try queue.journal.write(ahead: consume parts, by: ahead)
            entry.isAhead = true
            return (entry, size, nil)
        } catch {
            return (entry, size, error)
        }
    }

    private func carryOut(_ edits: [Edit]) throws(Store.MalformedRecord) -> Delta {
        var log = TransactionLog(keepsEdits: false)
        for edit in edits {
            // The log has no budget, so it refuses nothing.
            guard state.fits(edit), (try? state.perform(edit, &log)) != nil else {
                throw Store.MalformedRecord(list: id, after: history.newest)
            }
        }
        state.settle(&log)
        return log.delta
    }

    /// Carries out a record of the log, which is `bytes` long.
    ///
    /// - Returns: The revision that the record has made. Nobody is told of it here: whoever is told enters the list, and
    ///   would wait for its lock.
    /// - Throws: `MalformedRecord` if an edit does not fit the state that the records before it have left.
    func replay(
        _ transaction: Record.Transaction, creates: Bool = false, bytes: Int, extra: Int = 0
    ) throws(Store.MalformedRecord) -> Int {
        let delta = try carryOut(transaction.edits)
        var transaction = transaction
        history.checkExactness(of: &transaction)
        guard let note = TransactionNote(transaction, of: creates ? 1 : head.revision + 1) else {
            throw Store.MalformedRecord(list: id, after: history.newest)
        }
        creates ? begin(delta, note) : advance(delta, note, isReplayed: true)
        extraEntries.note(extra, of: history.newest)
        log.replayed(bytes, creates: creates)
        return history.newest
    }
}

// MARK: - Lost commits

extension ListActor {
    /// Takes back the commit of `revision`, because the journal does not have it.
    private func undo(_ kind: JournalEntry.Kind, _ revision: Int, _ error: JournalError) {
        durable.noteLoss()
        if error.mayBeElsewhere { noteOthers(wereFirst: error == .moved && kind == .append) }
        switch kind {
        case .create, .revive: stage = .void
        case .append: rollBack(to: revision - 1)
        // A list whose first commit was lost stays void. A list whose retirement is durable stays deleted even if its
        // final end is lost.
        case .delete, .retire:
            guard stage == .ending || stage == .retiring, !durable.standing.isGone else { return }
            (stage, entriesAhead) = (.open, 0)
        case .receiptOnly: break
        }
    }

    private func rollBack(to revision: Int) {
        guard let lost = history.removeAll(after: max(revision, durableRevision)) else { return }
        for delta in lost.reversed() { state.forgetRetained(delta) }
        extraEntries.removeAll(after: max(revision, durableRevision))
        catchups = CatchupCache()
        noteSize(isOwn: true)
    }
}
