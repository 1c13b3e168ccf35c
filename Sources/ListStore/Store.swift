public import ListModel
import Locks

/// Every list, the log under them, and the receipts that outlive them.
public final class Store: Sendable {
    /// Bounds of what is kept and held.
    public struct Limits: Sendable {
        /// Items in a list, hidden ones too.
        public var itemsMax: Int
        /// Bytes of one item's content.
        public var contentBytesMax: Int
        /// Versions of a list that can be gone back to.
        public var historyVersionsMax: Int
        /// About how many bytes of memory the history of one list may take.
        public var historyBytesMax: Int
        /// Seconds for which a version can be gone back to after another has taken its place; nil if age is no reason.
        public var historyAgeMax: Int?
        public var receiptsMax: Int
        /// Seconds for which a receipt is kept.
        public var receiptAgeMax: Int

        public init(
            itemsMax: Int, contentBytesMax: Int, historyVersionsMax: Int, historyBytesMax: Int,
            historyAgeMax: Int? = nil, receiptsMax: Int, receiptAgeMax: Int
        ) {
            self.itemsMax = itemsMax
            self.contentBytesMax = contentBytesMax
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

    /// The log holds something that this program did not write.
    public struct MalformedRecord: Error, Sendable {
        public let list: ListID
        /// The last version before it; nil if there is none.
        public let after: Int?
    }

    private struct Catalogue {
        var lists: [ListID: ListActor] = [:]
        /// Ids in order, made when a page of lists is asked for.
        var order: [ListID]?
    }

    private let catalogue = Locked(Catalogue())
    private let shared: StoreShared
    private let journal: (any Journal)?
    private let token: @Sendable () -> String

    /// Opens the store and replays what the journal holds; receipts beyond the limits leave the disk.
    ///
    /// - Parameters:
    ///   - journal: Nil keeps everything in memory only.
    ///   - mayMissCommits: Whether the journal cannot say that it holds all that was acknowledged. Every list then
    ///     goes on in a new epoch, so that no version is used twice.
    ///   - compaction: Nil keeps the whole log.
    ///   - intents: How what clients ask for is kept; nil keeps none of it.
    ///   - clock: Seconds since 1970; nothing but the age of receipts and the times in the log depends on it.
    ///   - token: A random epoch, `[a-z0-9]{1,32}`, never the same twice.
    /// - Throws: `JournalError`, or `MalformedRecord`.
    public convenience init(
        journal: (any Journal)?, mayMissCommits: Bool = false, limits: Limits, compaction: Compaction? = nil,
        intents: IntentCoding? = nil, clock: @escaping @Sendable () -> Int, token: @escaping @Sendable () -> String
    ) throws {
        try self.init(
            journal: journal, mayMissCommits: mayMissCommits, limits: limits, compaction: compaction, intents: intents,
            isStepped: false, clock: clock, token: token)
    }

    /// - Parameter isStepped: Whether no thread is started, and `step()` writes what is pending.
    init(
        journal: (any Journal)?, mayMissCommits: Bool, limits: Limits, compaction: Compaction?, intents: IntentCoding?,
        isStepped: Bool, clock: @escaping @Sendable () -> Int, token: @escaping @Sendable () -> String
    ) throws {
        self.journal = journal
        self.token = token
        let receipts = Receipts(countMax: limits.receiptsMax, ageMax: limits.receiptAgeMax)
        guard let journal else {
            shared = StoreShared(
                limits: limits, queue: nil, compactor: nil, receipts: receipts, intents: intents, clock: clock)
            return
        }
        let queue = try CommitQueue(journal: journal, isStepped: isStepped)
        let growth = compaction.map { LogGrowth(rows: $0.rows, bytes: $0.bytes) }
        let compactor = try growth.map { growth throws(JournalError) in try Compactor(queue: queue, growth: growth) }
        shared = StoreShared(
            limits: limits, queue: queue, compactor: compactor, receipts: receipts, intents: intents, clock: clock)
        do {
            let replay = StoreReplay(shared: shared)
            try replay.run(journal, limits)
            try journal.trimReceipts(keepNewest: limits.receiptsMax, olderThan: clock() - limits.receiptAgeMax)
            if mayMissCommits { try Self.renew(&replay.lists, token, shared) }
            try journal.settleRecovery()
            let lists = replay.lists
            catalogue.withLock { $0.lists = lists }
            for list in lists.values { compactor?.look(at: list) }
            compactor?.noteEnd()
        } catch {
            compactor?.stop()
            throw error
        }
    }

    /// The threads hold what they work on until they stop, and with it the lists that hold them.
    deinit {
        shared.compactor?.stop()
        shared.queue?.stop()
    }

    /// Gives every list a new epoch, durably, before anyone sees it.
    private static func renew(
        _ lists: inout [ListID: ListActor], _ token: () -> String, _ shared: StoreShared
    ) throws(JournalError) {
        guard let queue = shared.queue else { return }
        let outcomes = Locked<[Result<Void, JournalError>]>([])
        for list in lists.values {
            let epoch = token()
            lists[list.id] = ListActor(renewing: list, epoch: epoch)
            let entry = JournalEntry(
                list: list.id, kind: .append, bytes: Record.renew(epoch: epoch).bytes, receipt: nil)
            queue.enqueue(entry) { outcome in outcomes.change { $0.append(outcome) } }
        }
        let count = lists.count
        let all = outcomes.wait(until: { $0.count == count }) { $0 }
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
    /// - Throws: `.full` if there is no room for that; else as the journal. Nothing is lost whenever this throws.
    public func compact() throws(JournalError) {
        let lists = Array(catalogue.withLock { $0.lists }.values)
        if let compactor = shared.compactor { return try compactor.compact(lists) }
        guard let queue = shared.queue else { return }
        let work = Compactor.Work(queue: queue, growth: LogGrowth(rows: 1, bytes: 1))
        for list in lists { try work.compact(list, isForced: true, isStopping: { false }) }
        try work.removeAll(isStopping: { false })
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
        shared.compactor?.stop()
        shared.queue?.stop()
        journal?.close()
    }
}

// MARK: - Lists

extension Store {
    /// A list that readers may see.
    public func list(_ id: ListID) -> ListActor? {
        guard let list = catalogue.withLock({ $0.lists[id] }) else { return nil }
        return list.enter { $0.isReadable } ? list : nil
    }

    /// The list as the catalogue holds it, readable or not yet; for readers that find its published answer.
    public func listed(_ id: ListID) -> ListActor? { catalogue.withLock { $0.lists[id] } }

    /// Lists in the order of their ids.
    ///
    /// - Parameter id: Only lists behind this one.
    public func lists(after id: ListID?, limit: Int) -> [ListActor] {
        let all = catalogue.withLock { catalogue in
            let order = catalogue.order ?? catalogue.lists.keys.sorted { $0.rawValue < $1.rawValue }
            catalogue.order = order
            return order.compactMap { catalogue.lists[$0] }
        }
        let start = id.map { id in all.firstIndex { $0.id.rawValue > id.rawValue } ?? all.endIndex } ?? 0
        return Array(all[start...].lazy.filter { list in list.enter { $0.isReadable } }.prefix(limit))
    }
}

// MARK: - Writing

extension Store {
    /// Applies a transaction to a list.
    public func submit(_ id: ListID, _ write: Write) -> Submission {
        keyed(write) { write in
            guard let list = listed(id) else { return Submission(.failure(.noSuchList(id)), durability: nil) }
            return list.enter { $0.submit(write) }
        }
    }

    /// Makes a list, or applies to the one that is there.
    ///
    /// - Parameters:
    ///   - write: What a new list starts with, applied to an empty one; a base is ignored then.
    ///   - mustNotExist: `If-None-Match: *`.
    public func create(_ id: ListID, _ write: Write, mustNotExist: Bool = false) -> Submission {
        keyed(write) { write in
            guard write.match == nil, !write.isDryRun else {
                return listed(id).map { apply($0, write, mustNotExist: mustNotExist) } ?? absent(id, write)
            }
            while true {
                guard let list = listed(id) else {
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
            guard catalogue.lists[list.id] == nil else { return false }
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
        keyed(write) { write in
            guard let list = listed(id) else { return Submission(.failure(.noSuchList(id)), durability: nil) }
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
    private func keyed(_ write: Write, _ body: (Write) -> Submission) -> Submission {
        guard let key = write.key else { return body(write) }
        #if PLANTED_FAULTS
            if Fault.isPlanted(.ignoresKeys) {
                var keyless = write
                keyless.key = nil
                return body(keyless)
            }
        #endif
        switch shared.receipts.begin(key, now: shared.clock()) {
        case .inFlight: return Submission(.failure(.keyInFlight), durability: nil)
        case .otherRequest: return Submission(.failure(.keyReused), durability: nil)
        case .kept(let bytes): return replayed(bytes, view: write)
        case .new: break
        }
        let submission = body(write)
        if case .failure = submission.result { shared.receipts.abandon(key) }
        if write.isDryRun { shared.receipts.abandon(key) }
        return submission
    }

    private func replayed(_ bytes: [UInt8], view write: Write) -> Submission {
        guard let kept = try? KeptAnswer(bytes) else { return Submission(.failure(.keyReused), durability: nil) }
        guard let list = listed(kept.list), list.epoch == kept.version.epoch else {
            return Submission(.success(kept.result()), durability: nil)
        }
        return Submission(.success(list.enter { $0.answer(kept, view: write.view) }), durability: nil)
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
    let clock: @Sendable () -> Int

    init(
        limits: Store.Limits, queue: CommitQueue?, compactor: Compactor?, receipts: Receipts, intents: IntentCoding?,
        clock: @escaping @Sendable () -> Int
    ) {
        self.limits = limits
        self.queue = queue
        self.compactor = compactor
        self.receipts = receipts
        self.intents = intents
        self.clock = clock
    }

    var withoutJournal: StoreShared {
        StoreShared(
            limits: limits, queue: nil, compactor: nil, receipts: receipts, intents: intents, clock: clock)
    }
}
