import ListDiff
public import ListModel
internal import Synchronization
public import Texts

/// Owns one list: every change to it goes through `submit(_:)`, one at a time.
///
/// There are two heads. The *speculative* head is the state that the next transaction builds on; the *durable* head is
/// the state that readers see. They differ by the transactions that wait for their sync, so that many transactions
/// share one sync. If that sync fails, all transactions that waited are rolled back together.
///
/// The actor is a lock whose isolation the compiler checks: `enter(_:)` runs on the calling thread, without a hop, and
/// nothing here suspends.
public actor ListActor {
    /// The stage in the life of the list. Only an open list accepts writes.
    enum Stage {
        case open
        /// The end of the list waits for the disk, or is on it.
        case ending
        /// As `ending`, but the list can be restored.
        case retiring
        /// The list has never existed: its first commit was refused or lost.
        case void
    }

    public nonisolated let id: ListID
    /// The epoch of this life of the list.
    public nonisolated let epoch: ByteText

    nonisolated let executor = LockExecutor()
    nonisolated let durable: DurableHead
    nonisolated let line: LogEnd
    /// The actor that made the list; nil if it had no token, or nobody knows.
    nonisolated let creator: ByteText?
    /// The part of the list in the holding of its creator; nil if it has none.
    nonisolated let held: HeldShare?
    let shared: StoreShared
    /// How many entries of the list's log, as it was read, made no revision of their own.
    nonisolated let renewals: Int
    /// The reason why the list cannot be read from the journal; nil if it can. An unreadable list is empty and has
    /// never been committed, so it has no state to show. It can be deleted, and another list made in its place.
    nonisolated let damage: JournalError?
    /// Whether the list accepts writes. It is told to threads that must not wait for the list.
    private nonisolated let accepting = Atomic<Bool>(true)
    nonisolated var isOpen: Bool { accepting.load(ordering: .acquiring) }
    /// Whether the list decides only while it is locked.
    nonisolated let contended = Atomic<Bool>(false)
    /// The most rows that the list has had since it was read, and the bytes of its texts and of its history.
    nonisolated let mostRows = Atomic<Int>(0)
    nonisolated let textBytes = Atomic<Int>(0)
    nonisolated let historyBytes = Atomic<Int>(0)
    /// The estimate of the memory that the list takes, as `ListMemory` counts it.
    nonisolated let counted = Atomic<Int>(0)
    /// The part of it that others keep for the readers of the list.
    nonisolated let besideBytes = Atomic<Int>(0)
    /// Whether somebody has asked for the list since its last turn to leave memory.
    private nonisolated let used = Atomic<Bool>(true)
    /// How often commits of the list had been lost when this copy was made; nil if this is not a copy.
    nonisolated let lossesBefore: Int?

    /// The speculative head. Only the actor reaches it and the history, and hands neither to code that knows the actor.
    /// So access is not checked: the checks took a fiftieth of a write.
    @exclusivity(unchecked) var state: ListState
    @exclusivity(unchecked) var history: History
    var catchups = CatchupCache()
    var stage = Stage.open {
        didSet { accepting.store(stage == .open, ordering: .releasing) }
    }
    var log = LogShare()
    var ages = VersionAges()
    var extraEntries = ExtraEntries()
    /// The number of log entries behind the newest revision: the entry that retired the list, if there is one.
    var entriesAhead = 0
    /// Whether others may have written to the list, so that it must follow before it decides anything.
    var isBehind = false
    /// The times in a row that the list was locked and nobody else was met; nil if the list is not contended.
    var quietTimes: Int? {
        didSet { contended.store(quietTimes != nil, ordering: .releasing) }
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// A list that goes on from a state. Nobody can go back to older states.
    ///
    /// - Parameters:
    ///   - creator: The actor that made the list, if it is known.
    ///   - note: The note of the transaction that made the revision, if it is known.
    init(
        id: ListID, epoch: ByteText, creator: ByteText?, shared: StoreShared, state: ListState, revision: Int,
        renewals: Int, note: TransactionNote? = nil, damage: JournalError? = nil, line: LogEnd = LogEnd()
    ) {
        mostRows.store(state.itemCount, ordering: .relaxed)
        textBytes.store(state.textBytes, ordering: .relaxed)
        lossesBefore = nil
        self.id = id
        self.epoch = epoch
        self.creator = creator == TransactionNote.anonymous ? nil : creator
        held = self.creator.map { creator in
            HeldShare(
                ListHolding(creator: creator, items: state.itemCount, bytes: state.presentBytes), in: shared.holdings)
        }
        self.shared = shared
        self.state = state
        self.renewals = renewals
        self.damage = damage
        self.line = line
        history = History(startingAt: revision, note)
        durable = DurableHead(revision: revision)
        let size = Self.baseBytes + state.estimatedBytes
        counted.store(size, ordering: .relaxed)
        shared.memory.add(size)
    }

    /// A copy of a list for those who only read. It shares the durable head with the list.
    ///
    /// - Parameter losses: How often commits had been lost when the values were taken.
    init(of list: ListActor, _ state: ListState, _ history: History, _ catchups: CatchupCache, losses: Int) {
        lossesBefore = losses
        id = list.id
        epoch = list.epoch
        durable = list.durable
        line = list.line
        creator = list.creator
        held = list.held
        shared = list.shared
        renewals = list.renewals
        damage = list.damage
        self.state = state
        self.history = history
        self.catchups = catchups
        mostRows.store(state.itemCount, ordering: .relaxed)
        textBytes.store(state.textBytes, ordering: .relaxed)
        historyBytes.store(history.bytes, ordering: .relaxed)
    }

    deinit { _ = leave() }

    /// Counts the list no more. Returns the bytes that it counted for.
    nonisolated func leave() -> Int {
        let size = counted.exchange(0, ordering: .relaxed)
        shared.memory.add(-size)
        return size
    }

    /// Counts memory that somebody keeps for the readers of the list and drops with it.
    ///
    /// If lists cannot leave memory, it is not counted, because then reads would be the reason why writes are refused.
    ///
    /// - Parameter growth: The number of bytes that have come, or less than 0 if they have gone.
    public nonisolated func countBeside(_ growth: Int) {
        guard shared.memory.canLeave, growth != 0 else { return }
        besideBytes.add(growth, ordering: .relaxed)
        counted.add(growth, ordering: .relaxed)
        shared.memory.add(growth)
    }

    /// Notes that somebody asks for the list.
    nonisolated func noteUse() {
        if !used.load(ordering: .relaxed) { used.store(true, ordering: .relaxed) }
    }

    /// Whether somebody has asked for the list since the last call.
    nonisolated func takeUse() -> Bool { used.exchange(false, ordering: .relaxed) }

    /// Runs `body` as the actor, on the calling thread, when nobody else does.
    public nonisolated func enter<Result: Sendable>(
        _ body: (isolated ListActor) throws -> Result
    ) rethrows -> Result {
        try executor.withLock { try assumeIsolated(body) }
    }

    /// Runs `body`, which may take long, as `enter` does, also if the caller has entered already.
    nonisolated func reenter(_ body: (isolated ListActor) -> Void) {
        guard executor.isIsolatingCurrentContext() == true else {
            return executor.withLongLock { assumeIsolated(body) }
        }
        assumeIsolated(body)
    }
}

// MARK: - Writing

extension ListActor {
    /// Applies a transaction to the speculative head and hands it to the journal.
    ///
    /// The list is unchanged if the result is an error.
    ///
    /// - Parameter kind: `.create` or `.revive` if this is its first commit.
    func submit(_ write: Write, as kind: JournalEntry.Kind = .append) -> Submission {
        if let standstill { return standstill }
        guard stage == .open else { return Submission(.failure(.noSuchList(id)), durability: pending) }
        do throws(StoreError) {
            if let damage { throw .unreadable(id, damage) }
            try checkMatch(of: write)
            if let section = write.newSection { try checkMissing(section) }
            return commit(try run(write), write, as: kind)
        } catch {
            if kind != .append { stage = .void }
            return Submission(.failure(error), durability: pending)
        }
    }

    /// Refuses a write that requires that the list does not exist.
    func refuse() -> Submission {
        if let standstill { return standstill }
        guard stage == .open else { return Submission(.failure(.noSuchList(id)), durability: pending) }
        if let damage { return Submission(.failure(.unreadable(id, damage)), durability: pending) }
        return Submission(.failure(.preconditionFailed(head: head, missed: nil)), durability: pending)
    }

    /// Ends the list.
    ///
    /// - Parameter isFinal: Whether the list cannot be restored afterwards. Such an end is also possible for a list
    ///   that is already retiring.
    func delete(_ write: Write, isFinal: Bool = true) -> Submission {
        if let standstill { return standstill }
        guard stage == .open || isFinal && stage == .retiring else {
            return Submission(.failure(.noSuchList(id)), durability: pending)
        }
        do throws(StoreError) {
            // The newest version is unknown, so nobody can say whether the client knows it.
            if let damage, !write.isUnconditional { throw .unreadable(id, damage) }
            try checkMatch(of: write)
            _ = try base(of: write, mayBeLost: false)
        } catch {
            return Submission(.failure(error), durability: pending)
        }
        let result = WriteResult(kind: .deleted, version: head, outcomes: [], from: head)
        guard !write.isDryRun else { return Submission(.success(result), durability: pending) }
        stage = isFinal ? .ending : .retiring
        let durability =
            isFinal ? journal(.delete, .delete, write, result) : journal(.retire, .retire(retirement), write, result)
        if !isFinal { entriesAhead = 1 }
        if shared.queue == nil { durable.end() }
        return Submission(.success(result), durability: durability)
    }

    private func checkMatch(of write: Write) throws(StoreError) {
        switch write.match {
        case .none, .any: return
        case .versions(let versions):
            guard !versions.contains(head) else { return }
            let since = versions.count == 1 ? versions.first : nil
            try requireBriefness(of: write, since: since)
            throw .preconditionFailed(head: head, missed: missed(since: since, view: write.view))
        }
    }

    /// Carries a write out on the speculative head, which is unchanged if this throws.
    private func run(_ write: Write) throws(StoreError) -> Transaction {
        if write.pace.isBounded, isLong, !namesAFewRows(write) { throw .busy }
        let base = try base(of: write, mayBeLost: true)
        let rules = Rules(
            isStrict: write.isStrict, itemsMax: shared.limits.itemsMax, sectionsMax: shared.limits.sectionsMax,
            contentBytesMax: shared.limits.contentBytesMax)
        var transaction = Transaction(
            base, head: state, missed: base.isHead ? nil : missed(since: write.base, view: write.view),
            log: TransactionLog(keepsEdits: shared.queue != nil, budget: budget(of: write)), rules: rules)
        do throws(StoreError) {
            try carryOut(write, in: &transaction)
            transaction.settle(&state)
        } catch {
            takeBack(transaction)
            guard write.pace.isBounded, case .model(.transactionTooLong, _) = error else { throw error }
            throw .busy
        }
        if write.isStrict, transaction.outcomes.contains(where: { $0 != .applied }) {
            takeBack(transaction)
            // An undo is rebased from the transaction that it takes back, even if its client knows a newer version.
            let known = transaction.reversal.map { version(at: $0.inverted) }
            throw .staleBase(head: head, missed: transaction.missed ?? missed(since: known, view: write.view))
        }
        let growth = size - counted.load(ordering: .relaxed)
        // A new list grows in any case, also if its title is shorter than the one it had before it was made.
        guard !shared.memory.refuses(history.newest == 0 ? max(growth, 1) : growth) else {
            takeBack(transaction)
            throw .memoryFull
        }
        if let refusal = refusalOfGrowth() {
            takeBack(transaction)
            throw refusal
        }
        return consume transaction
    }

    private func takeBack(_ transaction: borrowing Transaction) {
        if transaction.beginsList { state = Self.initialState(of: id) } else { state.forget(transaction.log.delta) }
    }

    /// Carries the intent of a write out. Throws as the methods of `Transaction` do.
    private func carryOut(_ write: Write, in transaction: inout Transaction) throws(StoreError) {
        if history.newest == 0, let snapshot = write.intent.snapshot {
            return try transaction.begin(with: snapshot, on: &state)
        }
        switch write.intent {
        case .operation, .operations, .reorder:
            try transaction.run(write.intent, on: &state, isBased: write.base != nil)
        case .undo(let version): try undo(version, for: write, in: &transaction)
        case .redo(let version): try redo(version, for: write, in: &transaction)
        case .restore(let version):
            try requireBriefness(of: write, since: version)
            try restore(version, in: &transaction)
        }
    }

    /// The state is `inout` so that it is not copied: a copy retains every part of it.
    private static func changes(undoing delta: Delta, to state: inout ListState, view: View) -> ChangeSet {
        ChangeSet(undoing: delta, to: state, view: view)
    }

    /// - Parameter state: The state is `inout` so that it is not copied.
    private static func counts(of state: inout ListState) -> ListCounts { state.counts }

    /// - Parameter transaction: The transaction as applied to the speculative head, before anyone else sees it.
    private func commit(
        _ transaction: borrowing Transaction, _ write: Write, as kind: JournalEntry.Kind
    ) -> Submission {
        let delta = transaction.log.delta
        let before = head
        let creates = kind == .create
        // The answer about a new list has no changes.
        let items = creates ? ChangeSet() : Self.changes(undoing: delta, to: &state, view: .items)
        let isChange = kind != .append || !items.isEmpty
        var changes =
            creates || write.view == .items
            ? consume items : Self.changes(undoing: delta, to: &state, view: write.view)
        let warnings =
            write.isSnapshot || write.replaced != nil
            ? transaction.log.warnings + overlooked(by: write, delta, isChange: isChange) : transaction.log.warnings
        let counts = Self.counts(of: &state)
        if !write.isAnimated { changes.isAnimated = changes.isEmpty }
        let note = isChange && !write.isDryRun ? note(of: write, transaction.reversal) : nil
        if let note {
            creates ? begin(delta, note) : advance(delta, note)
        } else {
            takeBack(transaction)
        }
        let result = WriteResult(
            kind: creates ? .created : isChange ? .changed : .unchanged, version: head, outcomes: transaction.outcomes,
            missed: transaction.missed, changes: creates ? nil : changes, counts: counts, from: before,
            warnings: warnings, details: write.isDryRun ? [] : transaction.details)
        guard let note else {
            if write.isDryRun { return Submission(.success(result), durability: pending) }
            let durability = journal(.receiptOnly, nil, write, result)
            return Submission(.success(result), durability: durability ?? pending)
        }
        guard shared.queue != nil else {
            settle(kind, history.newest, logged: 0)
            return Submission(.success(result), durability: journal(.receiptOnly, nil, write, result))
        }
        let inserted = transaction.beginsList ? Record.Inserted(state) : nil
        return Submission(
            .success(result),
            durability: log(
                Record.Transaction(note, edits: transaction.log.edits, followedBy: inserted), write, result, as: kind))
    }

    /// Hands a transaction that has become the speculative head to the journal.
    private func log(
        _ transaction: consuming Record.Transaction, _ write: Write, _ result: WriteResult, as kind: JournalEntry.Kind
    ) -> Durability? {
        let record = kind == .create ? Record.create(epoch: epoch, transaction) : .append(transaction)
        return journal(kind, record, write, result)
    }
}
