import ListModel
import Threads
public import Texts

/// Every list, the log under them, and the receipts that outlive them.
public final class Store: Sendable {
    /// Bounds of what is kept and held.
    public struct Limits: Sendable {
        /// Items in a list, hidden ones too.
        public var itemsMax: Int
        /// Sections in a list.
        public var sectionsMax: Int
        /// Bytes of one item's content.
        public var contentBytesMax: Int
        /// Bytes of the values and ids that a transaction brings.
        public var transactionBytesMax: Int
        /// Rows that a transaction goes over, beyond sixteen times those that are there and that it brings.
        public var transactionRowsMax: Int
        /// Bytes of a record in one entry of the log; a longer one becomes several. Far below what the journal can hold.
        var entryBytesMax = 1 << 28
        /// Versions of a list that can be gone back to.
        public var historyVersionsMax: Int
        /// About how many bytes of memory the history of one list may take.
        public var historyBytesMax: Int
        /// Seconds for which a version can be gone back to after another has taken its place; nil if age is no reason.
        public var historyAgeMax: Int?
        /// Lists that were deleted and can be restored; nil if none can, and those in the journal stay as they are.
        public var deleted: Deleted?
        /// Answers that are kept for retries, on the disk up to 4,096 more; nil if nobody is answered: receipts are then
        /// not read, and the disk keeps them as they are.
        public var receiptsMax: Int?
        /// Seconds for which a receipt is kept.
        public var receiptAgeMax: Int
        /// What clients have asked to follow.
        public var subscriptions = Subscriptions.Limits()
        /// Bytes of all receipts in memory, on the disk up to a quarter more and the last batch: an answer may name
        /// every item of a list.
        var receiptBytesMax = 1 << 28

        /// How many deleted lists are kept, to be restored; the oldest go first.
        public struct Deleted: Sendable {
            public var listsMax: Int
            /// About how many bytes keep all of them; the newest is kept whatever its size.
            public var bytesMax: Int
            /// Seconds for which they are kept; 0 deletes at once and for good.
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

    /// When a snapshot of a list takes the place of entries that history does not need: at so many entries, or bytes.
    ///
    /// A long list waits until they are worth the writing: half the bytes that its last snapshot has.
    public struct Compaction: Sendable {
        public var rows: Int
        public var bytes: Int

        public init(rows: Int, bytes: Int) {
            self.rows = rows
            self.bytes = bytes
        }
    }

    /// The log of a list holds something that this program did not write.
    struct MalformedRecord: Error, Sendable {
        let list: ListID
        /// The last version before it; nil if there is none.
        let after: Int?
    }

    let catalogue = Locked(Catalogue())
    /// Lists that are being read from the journal.
    let loading = Locked<Set<ListID>>([])
    let deleted: DeletedLists
    let shared: StoreShared
    public let subscriptions: Subscriptions
    let journal: (any Journal)?
    let token: @Sendable () -> ByteText
    /// Is told once of each list that is found to be damaged.
    let noteDamage: (@Sendable (UnreadableList) -> Void)?

    /// Opens the store on what the journal holds; receipts beyond the limits leave the disk.
    ///
    /// Lists are read when they are first asked for.
    ///
    /// - Parameters:
    ///   - journal: Nil keeps everything in memory only.
    ///   - mayMissCommits: Whether the journal cannot say that it holds all that was acknowledged. Every list then
    ///     goes on in a new epoch, so that no version is used twice.
    ///   - compaction: Nil keeps the whole log.
    ///   - intents: How what clients ask for is kept; nil keeps none of it.
    ///   - clock: Seconds since 1970, for the times in the log.
    ///   - uptime: Seconds that never go back and do not jump, for ages; those of `clock` if nil.
    ///   - token: A random epoch, `[a-z0-9]{1,32}`, never the same twice.
    ///   - noteDamage: Is told once of each list that is found to be damaged.
    /// - Throws: `JournalError`.
    public convenience init(
        journal: (any Journal)?, mayMissCommits: Bool = false, limits: Limits, compaction: Compaction? = nil,
        intents: IntentCoding? = nil, clock: @escaping @Sendable () -> Int, uptime: (@Sendable () -> Int)? = nil,
        token: @escaping @Sendable () -> ByteText, noteDamage: (@Sendable (UnreadableList) -> Void)? = nil
    ) throws {
        try self.init(
            journal: journal, mayMissCommits: mayMissCommits, limits: limits, compaction: compaction, intents: intents,
            isStepped: false, clock: clock, uptime: uptime, token: token, noteDamage: noteDamage)
    }

    /// - Parameter isStepped: Whether no thread is started, and `step()` writes what is pending.
    init(
        journal: (any Journal)?, mayMissCommits: Bool, limits: Limits, compaction: Compaction?, intents: IntentCoding?,
        isStepped: Bool, clock: @escaping @Sendable () -> Int, uptime: (@Sendable () -> Int)? = nil,
        token: @escaping @Sendable () -> ByteText, noteDamage: (@Sendable (UnreadableList) -> Void)? = nil
    ) throws {
        self.journal = journal
        self.token = token
        self.noteDamage = noteDamage
        let receipts = Receipts(
            countMax: limits.receiptsMax ?? 0, ageMax: limits.receiptAgeMax, bytesMax: limits.receiptBytesMax)
        let start = clock()
        let stored = try journal?.open(
            receipt: { receipts.keep($0, now: start) }, receiptsMax: limits.receiptsMax ?? 0,
            since: limits.receiptsMax == nil ? 0 : start - limits.receiptAgeMax)
        let clocks = StoreClocks(start: start, newestReceipt: receipts.newest, time: clock, uptime: uptime ?? clock)
        guard let journal, let stored else {
            deleted = DeletedLists(catalogue, limits.deleted, queue: nil, clock: clocks.versions)
            shared = StoreShared(
                limits: limits, queue: nil, compactor: nil, receipts: receipts, intents: intents, clocks: clocks)
            subscriptions = Subscriptions([], limits.subscriptions, queue: nil, clock: clock, token: token)
            return
        }
        let kept = KeptReceipts(limits, receipts, clock: clocks.receipts)
        let queue = try CommitQueue(journal: journal, receipts: kept, isStepped: isStepped)
        let deleted = DeletedLists(catalogue, limits.deleted, queue: queue, clock: clocks.versions)
        self.deleted = deleted
        let compactor = try compaction.map { compaction throws(JournalError) in
            let growth = LogGrowth(rows: compaction.rows, bytes: compaction.bytes)
            return try Compactor(Compactor.Work(queue: queue, growth: growth, receipts: kept, deleted: deleted))
        }
        shared = StoreShared(
            limits: limits, queue: queue, compactor: compactor, receipts: receipts, intents: intents, clocks: clocks)
        subscriptions = try Subscriptions(
            journal.subscriptions(), limits.subscriptions, queue: queue, clock: clock, token: token)
        do {
            try kept?.trimAll(journal)
            var retired = try Self.retired(in: journal)
            if mayMissCommits { try renew(stored, &retired, in: queue) }
            try journal.settleRecovery()
            take(stored, retired)
            deleted.purge(shared.noteEnd)
            compactor?.noteEnd()
        } catch {
            subscriptions.stop()
            compactor?.stop()
            throw error
        }
    }

    /// The threads hold what they work on until they stop, and with it the lists that hold them.
    deinit {
        subscriptions.stop()
        shared.compactor?.stop()
        shared.queue?.stop()
    }

    /// How the lists were that are deleted; one that says it wrongly is found to be damaged when it is asked for.
    private static func retired(in journal: any Journal) throws -> [ListID: Retirement] {
        try journal.retired().compactMapValues { bytes in
            guard case .retire(let retirement)? = try? Record(bytes) else { return nil }
            return retirement
        }
    }

    /// Notes what the journal has.
    private func take(_ stored: [ListID], _ retired: [ListID: Retirement]) {
        let now = deleted.now
        catalogue.withLock { catalogue in
            catalogue.store(stored.filter { retired[$0] == nil })
            for (id, retirement) in retired.sorted(by: {
                ($0.value.time, $0.key.rawValue) < ($1.value.time, $1.key.rawValue)
            }) {
                // A time in the future is from a clock that has come back since.
                let entry = RetiredLists.Entry(retirement, age: min(retirement.time, now), list: nil)
                catalogue.retired.add(entry, of: id)
            }
        }
    }

    /// Gives every list a new epoch, durably, before anyone sees it; those that are deleted stay so.
    private func renew(
        _ lists: [ListID], _ retired: inout [ListID: Retirement], in queue: CommitQueue
    ) throws(JournalError) {
        let outcomes = Locked<[Result<Void, JournalError>]>([])
        for list in lists.sorted(by: { $0.rawValue < $1.rawValue }) {
            let epoch = token()
            let entry = JournalEntry(list: list, kind: .append, bytes: Record.renew(epoch: epoch).bytes, receipt: nil)
            var rest: [JournalEntry] = []
            if var retirement = retired[list] {
                retirement.version = Version(epoch: epoch, revision: retirement.version.revision)
                retired[list] = retirement
                rest = [
                    JournalEntry(list: list, kind: .retire, bytes: Record.retire(retirement).bytes, receipt: nil)
                ]
            }
            queue.enqueue(entry, followedBy: rest, restingOn: nil) { outcome in outcomes.change { $0.append(outcome) } }
        }
        queue.step()
        let all = outcomes.wait(until: { $0.count == lists.count }) { $0 }
        for outcome in all { try outcome.get() }
    }

    /// Whether writes can succeed: false after the disk has failed.
    public var isAcceptingWrites: Bool { !(shared.queue?.isPoisoned ?? false) }

    /// Runs `body`; the writes that it submits share one sync.
    ///
    /// None of them need be durable before it returns, so it must not wait for that.
    public func gather(_ body: () -> Void) {
        guard let queue = shared.queue else { return body() }
        queue.gather(body)
    }

    /// Writes snapshots of all lists in the place of entries that history does not need, and removes those.
    ///
    /// - Returns: Lists that cannot be read, which stay as they are in the journal.
    /// - Throws: `.full` if there is no room for that; else as the journal. Nothing is lost whenever this throws.
    @discardableResult
    public func compact() throws(JournalError) -> [UnreadableList] {
        let unreadable = load()
        // In order, so that a simulation of the same seed does the same.
        let lists = catalogue.withLock { $0.firsts }.sorted { $0.id.rawValue < $1.id.rawValue }
        try compact(lists)
        return unreadable
    }

    private func compact(_ lists: [ListActor]) throws(JournalError) {
        if let compactor = shared.compactor { return try compactor.compact(lists) }
        guard let queue = shared.queue else { return }
        let work = Compactor.Work(
            queue: queue, growth: LogGrowth(rows: 1, bytes: 1),
            receipts: KeptReceipts(shared.limits, shared.receipts, clock: shared.clocks.receipts), deleted: deleted)
        for list in lists { try work.compact(list, isForced: true, isStopping: { false }) }
        try work.remove(all: true, isStopping: { false })
    }

    /// Writes what is pending, if the store is stepped; returns whether there was anything.
    @discardableResult
    func step() -> Bool { shared.queue?.step() ?? false }

    /// Runs `body` between two writes, and waits for it: one piece of what takes long.
    ///
    /// - Throws: What `body` throws; `.closed` if the store has been stopped or its disk has failed.
    public func betweenWrites(_ body: @escaping @Sendable () throws(JournalError) -> Void) throws(JournalError) {
        guard let queue = shared.queue else { throw .closed }
        // Its failure is not the journal's, which goes on.
        let failure = Locked<JournalError?>(nil)
        try queue.perform { _ in
            do throws(JournalError) { try body() } catch { failure.withLock { $0 = error } }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// Waits until no list's log has grown beyond what is wanted.
    func waitForCompaction() { shared.compactor?.waitUntilIdle() }

    /// Waits until what is pending is durable, then closes the journal.
    public func stop() {
        subscriptions.stop()
        shared.compactor?.stop()
        shared.queue?.stop()
        journal?.close()
    }
}

/// What every list needs of the store.
final class StoreShared: Sendable {
    let limits: Store.Limits
    /// Nil if nothing is kept on disk.
    let queue: CommitQueue?
    /// Nil if the whole log is kept.
    let compactor: Compactor?
    let receipts: Receipts
    /// Nil if nobody wants to know what clients asked for.
    let intents: IntentCoding?
    let clocks: StoreClocks

    init(
        limits: Store.Limits, queue: CommitQueue?, compactor: Compactor?, receipts: Receipts, intents: IntentCoding?,
        clocks: StoreClocks
    ) {
        self.limits = limits
        self.queue = queue
        self.compactor = compactor
        self.receipts = receipts
        self.intents = intents
        self.clocks = clocks
    }

    /// What is kept of an answer, if the client wants it.
    func receipt(of write: Write, _ list: ListID, _ result: WriteResult) -> Receipt? {
        write.key.map { key in
            Receipt(key: key.scope, time: clocks.receipts.now, bytes: KeptAnswer(key, list, write, result).bytes)
        }
    }

    /// Keeps the receipt of a write once it is durable, or frees its key.
    func settle(_ receipt: Receipt?, of write: Write, _ outcome: Result<Void, JournalError>) {
        guard let key = write.key, let receipt else { return }
        switch outcome {
        case .success: receipts.keep(key, time: receipt.time, bytes: receipt.bytes)
        case .failure: receipts.abandon(key)
        }
    }

    /// Says that a list has ended, so that what is kept of it may go.
    @Sendable func noteEnd() { compactor?.noteEnd() }

    var withoutJournal: StoreShared {
        StoreShared(
            limits: limits, queue: nil, compactor: nil, receipts: receipts, intents: intents, clocks: clocks)
    }
}

/// The clocks of a store.
struct StoreClocks: Sendable {
    /// Seconds since 1970, for people.
    let time: @Sendable () -> Int
    /// By which versions grow old; begins as `time` at the start.
    let versions: AgeClock
    /// By which receipts grow old; begins no earlier than the newest of them, so that their order never goes back,
    /// although the time of day may have come back since the last run.
    let receipts: AgeClock

    init(start: Int, newestReceipt: Int?, time: @escaping @Sendable () -> Int, uptime: @escaping @Sendable () -> Int) {
        self.time = time
        versions = AgeClock(showing: start, uptime: uptime)
        receipts = AgeClock(showing: max(start, newestReceipt ?? 0), uptime: uptime)
    }
}
