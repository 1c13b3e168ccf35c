import ListDiff
public import ListModel
internal import Texts

// The history of transactions, with undo and redo.

/// A transaction of a list's history.
public struct PastTransaction: Sendable {
    /// The version that the transaction made.
    public let version: Version
    public let note: TransactionNote
    /// Whether an undo has taken the transaction back and no redo has brought it again.
    public let isUndone: Bool
}

extension ListActor {
    /// The transactions of the list that are kept, newest first, up to the durable head.
    ///
    /// - Parameter version: Only transactions before this one; nil begins with the newest.
    /// - Returns: At most `limit`, and whether there are more.
    /// - Throws: `.gone` if the version is of another epoch or nothing before it is kept any more, `.ahead` if it is
    ///   ahead of the durable head.
    public func transactions(
        before version: Version?, limit: Int
    ) throws(UnknownVersion) -> (page: [PastTransaction], hasMore: Bool) {
        let durable = min(standing.revision, history.newest)
        let oldest = history.oldestNote == nil ? history.oldest + 1 : history.oldest
        var newest = durable
        if let version {
            guard version.epoch == epoch else { throw .gone }
            guard version.revision <= durable else { throw .ahead }
            guard version.revision > oldest else { throw .gone }
            newest = version.revision - 1
        }
        guard newest >= oldest else { return ([], false) }
        let revisions = (oldest..<newest + 1).suffix(limit)
        var reversals = history.reversals(upTo: durable)
        let page = revisions.reversed().compactMap { revision in
            history.note(of: revision).map { note in
                PastTransaction(
                    version: self.version(at: revision), note: note,
                    isUndone: reversals.isUndone(revision))
            }
        }
        return (page, revisions.startIndex > oldest)
    }

    /// - Parameter version: The version of the transaction to take back; nil for the newest transaction of the caller.
    func undo(_ version: Version?, for write: Write, in transaction: inout Transaction) throws(StoreError) {
        if version != nil { try requireBriefness(of: write, since: version) }
        let revision =
            if let version { try undoable(version, view: write.view) } else {
                try newest(of: write.caller) { $0.reversal?.isRedo ?? true }
            }
        try requireBriefness(of: write, since: self.version(at: revision - 1))
        try takeBack(revision, in: &transaction)
    }

    /// - Parameter version: The version of the transaction to redo; nil for the newest undo of the caller.
    func redo(_ version: Version?, for write: Write, in transaction: inout Transaction) throws(StoreError) {
        if version != nil { try requireBriefness(of: write, since: version) }
        let revision =
            if let version { try redoable(version, view: write.view) } else {
                try newest(of: write.caller) { $0.reversal.map { !$0.isRedo } ?? false }
            }
        try requireBriefness(of: write, since: self.version(at: revision - 1))
        try takeBack(revision, in: &transaction)
    }

    private func takeBack(_ revision: Int, in transaction: inout Transaction) throws(StoreError) {
        guard let delta = history.deltas(since: revision - 1, upTo: revision)?.first,
            let later = history.deltas(since: revision)
        else { throw .transactionGone }
        let taken = history.note(of: revision)?.reversal
        let reversal = Reversal(
            transaction: taken?.transaction ?? revision, inverted: revision, isRedo: taken.map { !$0.isRedo } ?? false,
            isExact: history.isAsIt(wasAt: revision))
        guard !reversal.isExact else { return transaction.takeBack(delta, as: reversal, on: &state) }
        let undo = Undo(delta, later: later, inverted: history.inverted(since: revision), head: state)
        try transaction.run(undo, as: reversal, on: &state)
    }
}

// MARK: - Restore

extension ListActor {
    /// Takes back all transactions since a version, of all callers.
    ///
    /// - Complexity: The cost of the edits of those transactions, as for a catch-up from the version.
    func restore(_ version: Version, in transaction: inout Transaction) throws(StoreError) {
        guard version.epoch == epoch else { throw .madeAnew(head: head) }
        guard version.revision <= head.revision else { throw .versionAhead }
        guard let since = history.deltas(since: version.revision) else { throw .versionGone }
        try transaction.restore(Undo(all: since, head: state), on: &state)
    }
}

// MARK: - Choice of the transaction

extension ListActor {
    private func undoable(_ version: Version, view: View) throws(StoreError) -> Int {
        let standing = try kept(version, view: view)
        guard !standing.isUndone else { throw .nothingToUndo(.undone) }
        guard history.hasEffect(standing.revision) else { throw .nothingToUndo(.noEffect) }
        return standing.revision
    }

    private func redoable(_ version: Version, view: View) throws(StoreError) -> Int {
        let standing = try kept(version, view: view)
        // A redo takes back an undo. So the newest undo or redo of the transaction must be an undo.
        guard history.note(of: standing.revision)?.reversal?.isRedo == false else {
            throw .nothingToUndo(.notUndone)
        }
        return standing.revision
    }

    private func kept(_ version: Version, view: View) throws(StoreError) -> (revision: Int, isUndone: Bool) {
        guard version.epoch == epoch, version.revision <= head.revision else {
            throw .unknownBase(head: head, missed: missed(since: version, view: view))
        }
        guard version.revision > history.oldest else {
            // Before a list's first version there is no list.
            throw version.revision == 1 && history.oldest == 1 ? .nothingToUndo(.creation) : .transactionGone
        }
        return history.standing(of: version.revision, upTo: history.newest)
    }

    /// The newest transaction of the caller that is in effect and for which `isWanted` holds.
    private func newest(
        of caller: ByteText, where isWanted: (TransactionNote) -> Bool
    ) throws(StoreError) -> Int {
        guard caller != TransactionNote.anonymous else { throw .transactionNotNamed }
        let revision = (history.oldest..<history.newest).reversed().lazy.map { $0 + 1 }.first { revision in
            guard let note = history.note(of: revision), note.actor == caller, isWanted(note) else { return false }
            return history.inversion(of: revision) == nil && history.hasEffect(revision)
        }
        guard let revision else { throw .nothingToUndo(.noTransaction) }
        return revision
    }
}

// MARK: - Notes

extension ListActor {
    func note(of write: Write, _ reversal: Reversal?) -> TransactionNote {
        TransactionNote(
            actor: write.caller, label: write.label, time: shared.clocks.time(),
            intent: shared.intents?.kept(write.intent, isLogged: shared.queue != nil) ?? .unknown, reversal: reversal,
            isAnimated: write.isAnimated)
    }
}

extension TransactionNote {
    /// - Returns: Nil if the record names revisions that cannot have been before `revision`.
    init?(_ transaction: Record.Transaction, of revision: Int) {
        if let reversal = transaction.reversal {
            guard 1 <= reversal.transaction, reversal.transaction <= reversal.inverted, reversal.inverted < revision
            else { return nil }
        }
        self.init(
            actor: transaction.caller, label: transaction.label, time: transaction.time,
            intent: transaction.intent.map { .encoded($0) } ?? .unknown, reversal: transaction.reversal,
            isAnimated: transaction.isAnimated)
    }
}

extension Record.Transaction {
    init(_ note: TransactionNote, edits: [Edit], followedBy list: Record.Inserted? = nil) {
        self.init(
            time: note.time, caller: note.actor, label: note.label, edits: edits, list: list, reversal: note.reversal,
            isAnimated: note.isAnimated)
        if case .encoded(let bytes) = note.intent { intent = bytes }
    }
}
