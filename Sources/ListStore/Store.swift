import ListDiff
import ListModel
public import Threads
public import Texts

/// All lists, the log under them, and the receipts, which outlive lists.
public final class Store: Sendable {
    /// The limits of lists and transactions, and of the past that is kept.
    public struct Limits: Sendable {
        /// The most items of a list, hidden ones too.
        public var itemsMax: Int
        /// The most sections of a list.
        public var sectionsMax: Int
        /// The most bytes of one item's content.
        public var contentBytesMax: Int
        /// The most bytes of the values and ids in a transaction.
        public var transactionBytesMax: Int
        /// The rows that a transaction may go over, in addition to sixteen times the rows that are there and that it
        /// brings.
        public var transactionRowsMax: Int
        /// The most versions of a list that are kept.
        public var historyVersionsMax: Int
        /// The most bytes of memory, by an estimate, that the history of one list may take.
        public var historyBytesMax: Int
        /// The seconds for which a version is kept after it was the newest; nil if age is no reason to drop it.
        public var historyAgeMax: Int?
        /// The limits of the deleted lists that can be restored; nil if none can be, and those in the journal stay as
        /// they are.
        public var deleted: Deleted?
        /// The most receipts that are kept. The disk has up to 4,096 more. If it is nil, retries are not recognised:
        /// receipts are not read, and the disk keeps them as they are.
        public var receiptsMax: Int?
        /// The seconds for which a receipt is kept.
        public var receiptAgeMax: Int
        /// The bytes of memory, by an estimate, that all lists together may take; nil if there is no limit. Once they
        /// take more, those leave memory that are in a journal and in nobody's use. Without a journal, no list may grow
        /// beyond it.
        public var listsMemoryBytesMax: Int?
        /// The most lists; nil if there is no limit. Those that are there stay.
        public var listsMax: Int?
        /// The most that the lists of one creator may take.
        public var holdingMax = Holding.unlimited
        /// The memory of the process, of which lists, receipts and subscriptions take their parts.
        public var memory = MemoryBudget.unbounded
        /// The limits of subscriptions.
        public var subscriptions = Subscriptions.Limits()
        /// The limits of the sequences of clients; nil if those in the journal stay as they are.
        public var sequences: ClientSequences.Limits? = ClientSequences.Limits()
        /// The most bytes of all receipts in memory. The disk has up to a quarter more, and the last batch. The bytes
        /// are limited because an answer may name every item of a list.
        public var receiptBytesMax = 1 << 28

        /// The limits of the deleted lists. The oldest go first.
        public struct Deleted: Sendable {
            public var listsMax: Int
            /// The most bytes, by an estimate, of all deleted lists. The newest is kept whatever its size.
            public var bytesMax: Int
            /// The seconds for which a deleted list is kept; 0 deletes lists at once and for good.
            public var ageMax: Int

            public init(listsMax: Int, bytesMax: Int, ageMax: Int) {
                self.listsMax = listsMax
                self.bytesMax = bytesMax
                self.ageMax = ageMax
            }
        }

        public init(
            itemsMax: Int, sectionsMax: Int, contentBytesMax: Int, historyVersionsMax: Int, historyBytesMax: Int,
            historyAgeMax: Int? = nil, receiptsMax: Int?, receiptAgeMax: Int, transactionBytesMax: Int = .max,
            transactionRowsMax: Int = .max, deleted: Deleted? = nil
        ) {
            self.deleted = deleted
            self.itemsMax = itemsMax
            self.sectionsMax = sectionsMax
            self.contentBytesMax = contentBytesMax
            self.transactionBytesMax = transactionBytesMax
            self.transactionRowsMax = transactionRowsMax
            self.historyVersionsMax = historyVersionsMax
            self.historyBytesMax = historyBytesMax
            self.historyAgeMax = historyAgeMax
            self.receiptsMax = receiptsMax
            self.receiptAgeMax = receiptAgeMax
        }

        var history: History.Limits { History.Limits(versionsMax: historyVersionsMax, bytesMax: historyBytesMax) }
    }

    /// The growth of a list's log, in entries or bytes, after which a snapshot replaces entries that history does not
    /// need.
    ///
    /// In a long list these entries must also have half the bytes of its last snapshot, so that they are worth the
    /// writing.
    public struct Compaction: Sendable {
        public var rows: Int
        public var bytes: Int

        public init(rows: Int, bytes: Int) {
            self.rows = rows
            self.bytes = bytes
        }
    }

    /// The log of a list has a record that this program did not write.
    struct MalformedRecord: Error, Sendable {
        let list: ListID
        /// The revision before that record; nil if there is none.
        let after: Int?
    }

    let catalogue = Locked(Catalogue())
    /// The lists that are being read from the journal.
    let loading = Locked<Set<ListID>>([])
    let deleted: DeletedLists
    let shared: StoreShared
    public let subscriptions: Subscriptions
    let hints = Hints()
    /// Nil if nobody else can write to the journal, so that memory is always current.
    let reads: ReadCheck?
    /// The times at which memory last had the names of all lists, and of the deleted ones.
    let names = NameTimes()
    /// Nil if there is no journal.
    let summaries: SummaryKeeper?
    let holdingsKeeper = HoldingsKeeper()
    let journal: (any Journal)?
    let token: @Sendable () -> ByteText
    /// The closure that is called once for each list that is found to be damaged.
    let noteDamage: (@Sendable (UnreadableList) -> Void)?

    /// Opens the store on a journal. Receipts beyond the limits are removed from the disk.
    ///
    /// A list is read when it is first asked for.
    ///
    /// - Parameters:
    ///   - journal: Nil keeps everything in memory only.
    ///   - mayMissCommits: Whether acknowledged commits may be missing from the journal. Every list then goes on in a
    ///     new epoch, so that no version is used twice.
    ///   - compaction: Nil keeps the whole log.
    ///   - intents: Encodes the intents of clients for the log; nil keeps none of them.
    ///   - clock: Seconds since 1970, for the times in the log.
    ///   - uptime: Seconds that never go back and do not jump, for ages; nil takes those of `clock`.
    ///   - milliseconds: The same in milliseconds, for the age of what is in memory; nil takes those of `uptime`.
    ///   - token: Returns a random epoch, `[a-z0-9]{1,32}`, never the same twice.
    ///   - noteDamage: It is called once for each list that is found to be damaged.
    /// - Throws: `JournalError`.
    public convenience init(
        journal: (any Journal)?, mayMissCommits: Bool = false, limits: Limits, compaction: Compaction? = nil,
        intents: IntentCoding? = nil, clock: @escaping @Sendable () -> Int, uptime: (@Sendable () -> Int)? = nil,
        milliseconds: (@Sendable () -> Int)? = nil, token: @escaping @Sendable () -> ByteText,
        noteDamage: (@Sendable (UnreadableList) -> Void)? = nil
    ) throws {
        try self.init(
            journal: journal, mayMissCommits: mayMissCommits, limits: limits, compaction: compaction, intents: intents,
            isStepped: false, clock: clock, uptime: uptime, milliseconds: milliseconds, token: token,
            noteDamage: noteDamage)
    }

    /// - Parameter isStepped: Whether no thread is started, so that `step()` must write the pending entries.
    init(
        journal: (any Journal)?, mayMissCommits: Bool, limits: Limits, compaction: Compaction?, intents: IntentCoding?,
        isStepped: Bool, clock: @escaping @Sendable () -> Int, uptime: (@Sendable () -> Int)? = nil,
        milliseconds: (@Sendable () -> Int)? = nil, token: @escaping @Sendable () -> ByteText,
        noteDamage: (@Sendable (UnreadableList) -> Void)? = nil
    ) throws {
        self.journal = journal
        self.token = token
        self.noteDamage = noteDamage
        let receipts = Receipts(
            countMax: limits.receiptsMax ?? 0, ageMax: limits.receiptAgeMax, bytesMax: limits.receiptBytesMax,
            of: limits.memory)
        let start = clock()
        try journal?.open(
            receipt: { receipts.keep($0, now: start) }, receiptsMax: limits.receiptsMax ?? 0,
            since: limits.receiptsMax == nil ? 0 : start - limits.receiptAgeMax)
        let uptime = uptime ?? clock
        let clocks = StoreClocks(
            start: start, newestReceipt: receipts.newest, time: clock, uptime: uptime,
            milliseconds: milliseconds ?? { uptime() * 1_000 })
        guard let journal else {
            deleted = DeletedLists(catalogue, limits.deleted, queue: nil, clock: clocks.versions)
            shared = StoreShared(
                limits: limits, queue: nil, compactor: nil, receipts: receipts,
                sequences: ClientSequences(limits, queue: nil, isShared: false, clock: clocks.receipts),
                intents: intents, clocks: clocks,
                memory: ListMemory(bytesMax: limits.listsMemoryBytesMax, canLeave: false, within: limits.memory))
            subscriptions = try Subscriptions(
                nil, limits.subscriptions, queue: nil, memory: limits.memory, clock: clock, token: token)
            summaries = nil
            reads = nil
            return
        }
        let kept = KeptReceipts(limits, receipts, clock: clocks.receipts)
        let queue = try CommitQueue(journal: journal, receipts: kept, isStepped: isStepped)
        let sequences = ClientSequences(limits, queue: queue, isShared: journal.isShared, clock: clocks.receipts)
        if limits.sequences != nil { try sequences.load(journal) }
        let deleted = DeletedLists(catalogue, limits.deleted, queue: queue, clock: clocks.versions)
        self.deleted = deleted
        let compactor = try compaction.map { compaction throws(JournalError) in
            let work = Compactor.Work(
                journal: queue.journal, growth: compaction, receipts: kept, deleted: deleted, token: token)
            return try Compactor(work, beside: queue)
        }
        if journal.isShared, let compactor { queue.leaveReceipts { [weak compactor] in compactor?.noteEnd() } }
        shared = StoreShared(
            limits: limits, queue: queue, compactor: compactor,
            contention: journal.locker == nil || isStepped ? nil : Contention(), receipts: receipts,
            sequences: sequences, intents: intents, clocks: clocks,
            memory: ListMemory(bytesMax: limits.listsMemoryBytesMax, canLeave: true, within: limits.memory))
        summaries = SummaryKeeper(catalogue, queue: queue, isStepped: isStepped)
        subscriptions = try Subscriptions(
            journal, limits.subscriptions, queue: queue, memory: limits.memory, clock: clock, token: token)
        reads = journal.isShared ? ReadCheck() : nil
        do {
            try kept?.trimAll(journal)
            let asked = clocks.milliseconds()
            let stored = try journal.lists(after: nil, limit: .max)
            var retired = try Self.retired(in: journal)
            if mayMissCommits { try renew(stored, &retired, in: queue) }
            try journal.settleRecovery()
            take(stored, retired)
            names.note(.all, at: asked)
            names.note(.deleted, at: asked)
            followJournal()
            try startReadCheck()
            try startHoldings(journal, isStepped: isStepped)
            deleted.purge(shared.noteEnd)
            compactor?.noteEnd()
        } catch {
            subscriptions.stop()
            shared.sequences.stop()
            compactor?.stop()
            throw error
        }
    }

    /// Stops the threads. Until then they refer to their work, and so to lists that refer to them.
    deinit {
        hints.cancel()
        reads?.stop()
        holdingsKeeper.cancel()
        summaries?.cancel()
        subscriptions.stop()
        shared.sequences.stop()
        shared.compactor?.stop()
        shared.contention?.cancel()
        shared.queue?.stop()
    }

    /// The descriptions of the deleted lists. One that cannot be decoded is left out, and its list is found to be
    /// damaged when somebody asks for it.
    static func retired(in journal: any Journal) throws -> [ListID: RetiredLists.Entry] {
        var entries: [ListID: RetiredLists.Entry] = [:]
        for one in try journal.retired() {
            guard case .retire(let retirement)? = try? Record(one.bytes) else { continue }
            entries[one.list] = RetiredLists.Entry(
                retirement, age: retirement.time, list: nil, line: LogEnd(one.place))
        }
        return entries
    }

    /// Notes the lists that the journal has, and which of them are deleted.
    private func take(_ stored: [ListID], _ retired: [ListID: RetiredLists.Entry]) {
        let now = deleted.now
        catalogue.withLock { catalogue in
            catalogue.store(stored.filter { retired[$0] == nil })
            for (id, var entry) in retired.sorted(by: {
                ($0.value.age, $0.key.rawValue) < ($1.value.age, $1.key.rawValue)
            }) {
                // A time in the future comes from a clock that was set back since.
                entry.age = min(entry.age, now)
                catalogue.retired.add(entry, of: id)
            }
        }
    }

    /// Gives every list a new epoch, durably, before anyone sees it. Deleted lists stay deleted.
    private func renew(
        _ lists: [ListID], _ retired: inout [ListID: RetiredLists.Entry], in queue: CommitQueue
    ) throws(JournalError) {
        let outcomes = Locked<[Result<Void, JournalError>]>([])
        for list in lists.sorted(by: { $0.rawValue < $1.rawValue }) {
            let epoch = token()
            let retirement = retired[list]?.retirement.renewed(epoch)
            if let retirement { retired[list]?.retirement = retirement }
            let entries = JournalEntry.renewal(of: list, epoch: epoch, retirement)
            queue.enqueue(entries[0], followedBy: Array(entries.dropFirst()), on: retired[list]?.line, restingOn: nil) {
                outcome in
                outcomes.change { $0.append(outcome) }
            }
        }
        queue.step()
        let all = outcomes.wait(until: { $0.count == lists.count }) { $0 }
        for outcome in all { try outcome.get() }
    }

    /// Writes snapshots of all lists in the place of entries that history does not need, and removes these entries.
    ///
    /// - Returns: The lists that cannot be read. They stay as they are in the journal.
    /// - Throws: `.full` if there is no room, otherwise as the journal does. Nothing is lost then.
    @discardableResult
    public func compact() throws(JournalError) -> [UnreadableList] {
        var unreadable: [UnreadableList] = []
        var lists: [ListActor] = []
        // The lists are taken in order, so that a simulation with the same seed does the same.
        for id in catalogue.withLock({ $0.ids() }) {
            switch listing(id) {
            case .list(let list): lists.append(list)
            case .unreadable(let list): unreadable.append(list)
            case nil: continue
            }
            // Lists that wait here cannot leave memory.
            guard shared.memory.excess() > 0 else { continue }
            try compact(lists)
            lists = []
        }
        try compact(lists)
        return unreadable
    }

    private func compact(_ lists: [ListActor]) throws(JournalError) {
        if let compactor = shared.compactor { return try compactor.compact(lists) }
        guard let queue = shared.queue else { return }
        let work = Compactor.Work(
            journal: queue.journal, growth: Compaction(rows: 1, bytes: 1),
            receipts: KeptReceipts(shared.limits, shared.receipts, clock: shared.clocks.receipts), deleted: deleted,
            token: token)
        for list in lists { try work.compact(list, isForced: true, isStopping: { false }) }
        try work.remove(all: true, isStopping: { false })
    }

    /// Waits until the pending entries are durable, then closes the journal.
    public func stop() {
        hints.stop()
        reads?.stop()
        holdingsKeeper.stop()
        subscriptions.stop()
        shared.compactor?.stop()
        shared.contention?.stop()
        shared.queue?.stop()
        shared.sequences.stop()
        // A summary stands for all entries of its list, so it comes after them.
        summaries?.stop()
        journal?.close()
    }
}

/// The parts of the store that every list needs.
final class StoreShared: Sendable {
    let limits: Store.Limits
    /// Nil if nothing is kept on the disk.
    let queue: CommitQueue?
    /// Nil if the whole log is kept.
    let compactor: Compactor?
    /// Nil if nobody else writes to the lists.
    let contention: Contention?
    let receipts: Receipts
    let sequences: ClientSequences
    /// Nil if intents are not kept.
    let intents: IntentCoding?
    let clocks: StoreClocks
    let memory: ListMemory
    let holdings: Holdings
    let versions = VersionCount()

    init(
        limits: Store.Limits, queue: CommitQueue?, compactor: Compactor?, contention: Contention? = nil,
        receipts: Receipts, sequences: ClientSequences, intents: IntentCoding?, clocks: StoreClocks,
        memory: ListMemory, holdings: Holdings? = nil
    ) {
        self.limits = limits
        self.queue = queue
        self.compactor = compactor
        self.contention = contention
        self.receipts = receipts
        self.sequences = sequences
        self.intents = intents
        self.clocks = clocks
        self.memory = memory
        self.holdings = holdings ?? Holdings(most: limits.holdingMax)
    }

    /// The receipt of an answer; nil if the write has no key.
    func receipt(of write: Write, _ list: ListID, _ result: WriteResult) -> Receipt? {
        write.key.map { key in
            Receipt(
                key: key.scope, time: clocks.receipts.now, bytes: KeptAnswer(key.request, list, write, result).bytes)
        }
    }

    /// Notes that a list has ended, so that its entries may be removed.
    @Sendable func noteEnd() { compactor?.noteEnd() }

    var withoutJournal: StoreShared {
        StoreShared(
            limits: limits, queue: nil, compactor: nil, receipts: receipts, sequences: sequences, intents: intents,
            clocks: clocks, memory: memory, holdings: holdings)
    }
}
