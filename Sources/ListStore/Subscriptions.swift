import Threads
public import Texts

/// The stored bodies of requests to follow lists. Each has a name that nobody can guess, so that its client can come
/// back with the name alone. No list depends on them.
///
/// Subscriptions outlive the process if there is a journal. They are bounded by count, bytes and age. Those that were
/// used longest ago go first; those of an owner that has more than its share go before those of others.
public final class Subscriptions: Sendable {
    public struct Limits: Sendable {
        public var countMax: Int
        /// The most bytes of all subscriptions together.
        public var bytesMax: Int
        /// The seconds without use for which a subscription is kept.
        public var ageMax: Int

        /// What one owner has for sure: a tenth.
        fileprivate var share: (count: Int, bytes: Int) { (max(1, countMax / 10), bytesMax / 10) }

        public init(countMax: Int = 10_000, bytesMax: Int = 64 << 20, ageMax: Int = 7 * 86_400) {
            self.countMax = countMax
            self.bytesMax = bytesMax
            self.ageMax = ageMax
        }
    }

    fileprivate struct Kept: Sendable {
        let bytes: [UInt8]
        /// Empty for one of nobody.
        let owner: ByteText
        /// The time of the last use, in seconds since 1970.
        var used: Int
        /// The time of the last use that the journal has, or is about to have.
        var noted: Int
        /// The time of the last use in the newest record that was handed to the journal; nil if there was none.
        var stored: Int?

        /// The record as the journal has it, unless another store has changed it.
        var content: KeyedRecord.Content? { stored.map { KeyedRecord.Content(used: $0, value: bytes) } }
    }

    fileprivate struct State: Sendable {
        var memory: MemoryShare
        var kept: [ByteText: Kept] = [:]
        var byteCount = 0 {
            didSet { memory.add(byteCount - oldValue) }
        }
        /// What each owner has.
        var owned: [ByteText: (count: Int, bytes: Int)] = [:]
        /// The subscriptions to write, by name, and the removals.
        var added: Set<ByteText> = []
        var removals: [RecordWrite] = []
        /// Removals that the journal had no room for. They are tried again with the next work, and are no work alone, so
        /// that no thread tries them without end.
        var refusedRemovals: [KeyedRecord.Key: RecordWrite] = [:]
        var waiting: [Waiting] = []
        /// Whether a thread writes.
        var isWriting = false
        var isStopping = false

        var hasWork: Bool { !added.isEmpty || !removals.isEmpty || !waiting.isEmpty }
    }

    fileprivate struct Waiting: Sendable {
        let added: Added
        let completion: @Sendable (Added, JournalError?) -> Void
    }

    /// A subscription that has been added.
    public struct Added: Sendable {
        public let name: ByteText
        /// The time until which the subscription is kept if nobody uses it, in seconds since 1970.
        public let until: Int
    }

    public let limits: Limits
    private let clock: @Sendable () -> Int
    private let token: @Sendable () -> ByteText
    private let state: Locked<State>
    /// Nil if nothing outlives the process.
    private let queue: CommitQueue?
    private let journal: (any Journal)?

    /// The seconds after a noted use in which further uses are not noted in the journal.
    private static let useInterval = 3_600
    /// It stands before the owner in a name. No token has it.
    private static let ownerSign: ByteText = "~"
    /// The records that are read at once at the start.
    private static let recordsAtOnce = 1_000

    /// - Parameters:
    ///   - journal: The journal, whose subscriptions are read now; nil if nothing outlives the process.
    ///   - queue: The queue of the journal.
    ///   - memory: The memory of the process.
    ///   - token: Returns a random text of letters and digits.
    /// - Throws: `JournalError` if the journal cannot be read.
    init(
        _ journal: (any Journal)?, _ limits: Limits, queue: CommitQueue?, memory: MemoryBudget,
        clock: @escaping @Sendable () -> Int, token: @escaping @Sendable () -> ByteText
    ) throws(JournalError) {
        state = Locked(State(memory: MemoryShare(of: memory, for: .subscriptions)))
        self.limits = limits
        self.journal = journal
        self.queue = queue
        self.clock = clock
        self.token = token
        var last: [UInt8]?
        while let journal {
            let page = try journal.records(of: .subscription, after: last, limit: Self.recordsAtOnce)
            state.withLock { state in for record in page { state.take(record) } }
            last = page.last?.key.bytes
            guard page.count == Self.recordsAtOnce else { break }
        }
    }

    deinit {
        stop()
        state.withLock { $0.memory.end() }
    }

    /// Keeps a body under a new name.
    ///
    /// - Parameters:
    ///   - owner: The one whose share it takes: letters and digits, which become a part of the name, so that every store
    ///     knows them. Empty for nobody, who has no share.
    ///   - completion: It is called once, on any thread: without an error once the journal has the body, or if there is no
    ///     journal; with the error if the journal failed or the store has stopped.
    @discardableResult
    public func add(
        _ bytes: [UInt8], owner: ByteText, completion: @escaping @Sendable (Added, JournalError?) -> Void
    ) -> Added {
        let now = clock()
        // The name is long enough that nobody can guess it.
        var name: ByteText = ""
        while name.utf8.count < 24 { name = "\(name)\(token())" }
        if !owner.isEmpty { name = [name, owner].joined(separator: Self.ownerSign) }
        let added = Added(name: name, until: now + limits.ageMax)
        // The writing begins in the same step. Otherwise a stop between the two would leave the completion uncalled.
        let (isTaken, isDue) = state.change { state in
            guard queue == nil || !state.isStopping else { return (false, false) }
            state.makeRoom(for: bytes.count, of: owner, limits, now: now)
            state.insert(added.name, Kept(bytes: bytes, owner: owner, used: now, noted: now))
            guard queue != nil else { return (false, false) }
            state.added.insert(added.name)
            state.waiting.append(Waiting(added: added, completion: completion))
            return (true, state.beginWriting())
        }
        if !isTaken { completion(added, queue == nil ? nil : .closed) }
        if isDue { startWriting() }
        return added
    }

    /// The body under a name; nil if there is none, or it is too old. The call is noted as a use of the subscription.
    ///
    /// - Throws: `JournalError` if another store may have it, and the journal cannot be asked.
    public func find(_ name: ByteText) throws(JournalError) -> [UInt8]? {
        let now = clock()
        defer { write() }
        if let known = use(name, now) { return known }
        guard let journal, journal.isShared, name.utf8.count <= KeyedRecord.keyBytesMax else { return nil }
        let key = KeyedRecord.Key(.subscription, Array(name.utf8))
        guard let content = try journal.record(key), content.used + limits.ageMax >= now else { return nil }
        state.change { state in
            guard state.kept[name] == nil else { return }
            state.makeRoom(for: content.value.count, of: Self.owner(of: name), limits, now: now)
            state.take(KeyedRecord(key, content))
        }
        return use(name, now)
    }

    /// The owner that a name tells.
    fileprivate static func owner(of name: ByteText) -> ByteText {
        let parts = name.split(at: "~", splitsMax: 1)
        return parts.count == 2 ? parts[1] : ""
    }

    /// As `find(_:)`, but only in memory.
    private func use(_ name: ByteText, _ now: Int) -> [UInt8]? {
        state.change { state in
            guard let found = state.kept[name] else { return nil }
            guard found.used + limits.ageMax >= now else {
                state.remove(name)
                return nil
            }
            state.kept[name]?.used = max(found.used, now)
            if now >= found.noted + Self.useInterval {
                state.kept[name]?.noted = now
                state.added.insert(name)
            }
            return found.bytes
        }
    }

    /// The number of subscriptions.
    var count: Int { state.withLock { $0.kept.count } }

    /// Waits until everything is written that is to be written. Later changes are not written.
    func stop() {
        state.change { $0.isStopping = true }
        waitUntilWritten()
    }

    /// Waits until no thread writes.
    func waitUntilWritten() { state.wait(until: { !$0.isWriting }) { _ in } }

    /// Starts a thread that writes, if there is something to write and no thread does so.
    private func write() {
        guard queue != nil else { return state.withLock { ($0.added, $0.removals) = ([], []) } }
        if state.change({ $0.beginWriting() }) { startWriting() }
    }

    private func startWriting() {
        guard let queue else { return }
        let state = state
        do throws(ThreadError) {
            try Thread { while Self.writeSome(state, queue) {} }.detach()
        } catch {
            while Self.writeSome(state, queue) {}
        }
    }

    /// - Returns: Whether there may be more. If not, no thread writes any more.
    private static func writeSome(_ state: Locked<State>, _ queue: CommitQueue) -> Bool {
        let work: Work? = state.change { state in
            let work = state.hasWork ? state.takeWork() : nil
            state.isWriting = work != nil
            return work
        }
        guard let work else { return false }
        let outcomes = Locked<[Bool]>([])
        var failure: JournalError?
        do throws(JournalError) {
            try queue.journal.write { journal throws(JournalError) in
                let written = try journal.keep(work.uses.map(\.write) + work.removals)
                outcomes.withLock { $0 = written }
            }
        } catch {
            failure = error
        }
        let written = outcomes.withLock { $0 }
        state.change { $0.end(work, written, failure) }
        for one in work.waiting { one.completion(one.added, failure) }
        return true
    }

    fileprivate struct Work: Sendable {
        let uses: [Use]
        let removals: [RecordWrite]
        let waiting: [Waiting]
    }

    /// The record of a new subscription, or of one that was used again.
    fileprivate struct Use: Sendable {
        let name: ByteText
        /// `Kept.stored` from before the write.
        let before: Int?
        let write: RecordWrite
    }
}

extension Subscriptions.State {
    /// Keeps a subscription that the journal has.
    fileprivate mutating func take(_ record: KeyedRecord) {
        let (used, value) = (record.content.used, record.content.value)
        let name = ByteText(decoding: record.key.bytes)
        let owner = Subscriptions.owner(of: name)
        insert(name, Subscriptions.Kept(bytes: value, owner: owner, used: used, noted: used, stored: used))
        refusedRemovals[record.key] = nil
    }

    /// Returns whether the caller must write.
    fileprivate mutating func beginWriting() -> Bool {
        guard hasWork, !isWriting, !isStopping else { return false }
        isWriting = true
        return true
    }

    /// The writes that wait. They are compared, so that no store removes or changes what another has just used.
    fileprivate mutating func takeWork() -> Subscriptions.Work {
        let uses = added.compactMap { name -> Subscriptions.Use? in
            guard let one = kept[name] else { return nil }
            kept[name]?.stored = one.used
            let write = RecordWrite(
                KeyedRecord.Key(.subscription, Array(name.utf8)), .isStill(one.content),
                KeyedRecord.Content(used: one.used, value: one.bytes))
            return Subscriptions.Use(name: name, before: one.stored, write: write)
        }
        defer { (added, removals, refusedRemovals, waiting) = ([], [], [:], []) }
        return Subscriptions.Work(uses: uses, removals: Array(refusedRemovals.values) + removals, waiting: waiting)
    }

    /// Notes the outcomes of writes. If the journal may have another record, the subscription is dropped, and whoever
    /// asks for it reads that one. A new one that was not written is dropped as well: its client was refused.
    fileprivate mutating func end(_ work: Subscriptions.Work, _ written: [Bool], _ failure: JournalError?) {
        for (index, use) in work.uses.enumerated() {
            guard let failure else {
                if !written[index] { drop(use.name) }
                continue
            }
            if failure.consequence == .unknown || use.before == nil {
                drop(use.name)
            } else {
                kept[use.name]?.stored = use.before
            }
        }
        // A removal is compared, so it may be tried again although nobody knows whether it was written.
        if failure != nil { for one in work.removals { refusedRemovals[one.key] = one } }
    }

    fileprivate mutating func insert(_ name: ByteText, _ one: Subscriptions.Kept) {
        drop(name)
        kept[name] = one
        byteCount += one.bytes.count
        count(one, 1)
    }

    private mutating func drop(_ name: ByteText) {
        added.remove(name)
        guard let one = kept.removeValue(forKey: name) else { return }
        byteCount -= one.bytes.count
        count(one, -1)
    }

    /// Adds one to those of its owner, or takes it away.
    private mutating func count(_ one: Subscriptions.Kept, _ sign: Int) {
        guard !one.owner.isEmpty else { return }
        let (count, bytes) = owned[one.owner] ?? (0, 0)
        owned[one.owner] = count + sign > 0 ? (count + sign, bytes + sign * one.bytes.count) : nil
    }

    fileprivate mutating func remove(_ name: ByteText) {
        if let content = kept[name]?.content {
            removals.append(RecordWrite(KeyedRecord.Key(.subscription, Array(name.utf8)), .isStill(content), nil))
        }
        drop(name)
    }

    /// The turns in which subscriptions go if there is no room.
    private enum Turn: CaseIterable {
        case own, beyondShare, any
    }

    /// Removes what is too old first, then what the owner of the new one has beyond its share, then what others have
    /// beyond theirs, and then any.
    ///
    /// - Complexity: O(*n* log *n*) if there is no room. A sixteenth then goes, so that the next ones find room.
    fileprivate mutating func makeRoom(
        for bytes: Int, of owner: ByteText, _ limits: Subscriptions.Limits, now: Int
    ) {
        guard !hasRoom(for: bytes, limits) else { return }
        let goal = (
            count: limits.countMax - limits.countMax / 16 - 1,
            bytes: limits.bytesMax - limits.bytesMax / 16 - bytes
        )
        let oldest = kept.sorted { ($0.value.used, $0.key) < ($1.value.used, $1.key) }
        for (name, one) in oldest where one.used + limits.ageMax < now { remove(name) }
        for turn in Turn.allCases {
            for (name, one) in oldest where kept[name] != nil {
                guard kept.count > goal.count || byteCount > goal.bytes else { return }
                let mayGo =
                    switch turn {
                    case .own: one.owner == owner && isBeyondShare(owner, limits, adding: (1, bytes))
                    case .beyondShare: isBeyondShare(one.owner, limits, adding: (0, 0))
                    case .any: true
                    }
                if mayGo { remove(name) }
            }
            // Who has more than its share makes room for itself alone.
            guard !hasRoom(for: bytes, limits) else { return }
        }
    }

    private func hasRoom(for bytes: Int, _ limits: Subscriptions.Limits) -> Bool {
        kept.count < limits.countMax && byteCount + bytes <= limits.bytesMax
    }

    private func isBeyondShare(
        _ owner: ByteText, _ limits: Subscriptions.Limits, adding more: (count: Int, bytes: Int)
    ) -> Bool {
        guard let own = owned[owner] else { return false }
        return own.count + more.count > limits.share.count || own.bytes + more.bytes > limits.share.bytes
    }
}
