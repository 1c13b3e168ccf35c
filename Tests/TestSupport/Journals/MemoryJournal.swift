public import ListModel
public import ListStore
import Threads

/// A journal in memory: the reference for what a `Journal` does. It can be made faulty, so that tests of journals are
/// tested themselves.
public final class MemoryJournal: Journal, WritesAhead {
    struct Life: Sendable {
        let number: Int
        /// All entries, without their receipts.
        var entries: [JournalEntry] = []
        /// The number of entries that the snapshot stands for.
        var covered = 0
        var snapshot: [SnapshotPart] = []
        var unfinished: [SnapshotPart] = []

        var end: LogPlace { LogPlace(life: number, position: entries.count) }
        var isRetired: Bool { entries.last?.kind == .retire }
    }

    struct State: Sendable {
        var lives: [ListID: Life] = [:]
        var lifeCount = 0
        var receipts: [Receipt] = []
        var records: [KeyedRecord.Key: KeyedRecord.Content] = [:]
        /// Everything that was ever written, in order.
        var log: [JournalEntry] = []
        var isClosed = false
        /// The records that were written ahead and have no entries yet, by their names.
        var ahead: [[UInt8]: [[UInt8]]] = [:]
        var aheadCount = 0
        /// The lists that stores have locked.
        var locked: Set<ListID> = []
        let fault: Fault?
    }

    let state: Locked<State>
    private let followers = JournalFollowers()

    /// Nil if the journal takes every record whole.
    private let partBytesIfAny: Int?

    public init(
        entries: [JournalEntry] = [], receipts: [Receipt] = [], partBytes: Int? = nil, fault: Fault? = nil
    ) {
        partBytesIfAny = partBytes
        state = Locked(State(fault: fault))
        state.withLock { state in
            state.receipts = receipts
            for entry in entries { _ = state.commit([Commit(entry, .unconditional)], isShared: false) }
        }
    }

    /// Everything that was ever written, in order.
    public var log: [JournalEntry] { state.withLock { $0.log } }
    public var receipts: [Receipt] { state.withLock { $0.receipts } }

    public func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome] {
        let isShared = isShared
        let mustWait = { (state: State) in
            commits.contains { $0.condition.isNoPlace && state.locked.contains($0.list) } && !state.isClosed
                && state.fault != .keepsLocks
        }
        let outcomes: [CommitOutcome]? = state.wait(until: { !mustWait($0) }) { state in
            state.isClosed ? nil : state.commit(commits, isShared: isShared, passingOver: state.locked)
        }
        guard let outcomes else { throw .closed }
        tell(of: commits, outcomes)
        return outcomes
    }

    /// Tells the followers what was written.
    func tell(of commits: [Commit], _ outcomes: [CommitOutcome]) {
        let written = zip(commits, outcomes).filter(\.1.isWritten).map(\.0.list)
        if isShared, state.withLock({ $0.fault }) != .givesNoHints { followers.tell(written) }
    }

    public func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws {
        for each in receipts.suffix(receiptsMax) where each.time >= since { try receipt(each) }
    }

    public func lists(after id: ListID?, limit: Int) throws(JournalError) -> [ListID] {
        try open { state in
            let all =
                state.fault == .pagesWithoutOrder
                ? state.lives.keys.sorted { $0.rawValue > $1.rawValue }
                : state.lives.keys.sorted { $0.rawValue < $1.rawValue }
            let isBehind = { (list: ListID) in
                guard let id else { return true }
                return id.rawValue < list.rawValue || state.fault == .pagesFromTheLast && id == list
            }
            return Array(all.filter(isBehind).prefix(limit))
        }
    }

    public func retired() throws(JournalError) -> [RetiredList] {
        try open { state in
            state.lives.compactMap { list, life in
                let entry = state.fault == .keepsRetired ? life.entries.last { $0.kind == .retire } : life.entries.last
                guard let entry, entry.kind == .retire else { return nil }
                return RetiredList(list: list, place: life.end, bytes: entry.bytes)
            }
        }
    }

    public func places(of lists: [ListID]) throws(JournalError) -> [LogPlace?] {
        try open { state in lists.map { state.lives[$0]?.end } }
    }

    public func load(
        _ list: ListID, after place: LogPlace?, snapshot: (SnapshotPart) throws -> Void,
        entry: (JournalEntry) throws -> Void
    ) throws -> LogPlace? {
        let (found, fault) = try open { ($0.lives[list], $0.fault) }
        guard let life = found else { return nil }
        var first = life.covered
        if let place {
            let isThere =
                (place.life == life.number || fault == .loadsBehindAnotherLife)
                && (place.position >= life.covered || fault == .loadsBehindSnapshot)
                && place.position <= life.entries.count
            guard isThere else { throw JournalError.moved }
            first = max(place.position, life.covered)
            if fault == .loadsTooMuch { first -= 1 }
            if fault == .loadsTooLittle { first += 1 }
        } else {
            for part in life.snapshot { try snapshot(part) }
            if fault == .loadsCoveredEntries { first = 0 }
        }
        for each in life.entries.dropFirst(max(0, first)) { try entry(each) }
        return life.end
    }

    public func receipt(_ key: [UInt8]) throws(JournalError) -> Receipt? {
        try open { state in
            state.fault == .givesOldestReceipt
                ? state.receipts.first { $0.key == key } : state.receipts.last { $0.key == key }
        }
    }

    public var ahead: (any WritesAhead)? { partBytesIfAny == nil ? nil : self }
    public var partBytes: Int { partBytesIfAny ?? .max }
    /// The number of records that were written ahead and have no entries yet.
    public var runningRecords: Int { state.withLock { $0.ahead.count } }

    public func write(ahead parts: consuming [[UInt8]]) throws(JournalError) -> [UInt8] {
        let parts = parts
        return try open { state in
            state.aheadCount += 1
            let name = Array("record \(state.aheadCount)".utf8)
            state.ahead[name] = parts
            return name
        }
    }

    public func forget(ahead name: [UInt8]) {
        state.withLock { if $0.fault != .keepsForgottenRecords { $0.ahead[name] = nil } }
    }

    public var isShared: Bool { followers.areSeveral }

    public func onHint(_ hint: @escaping @Sendable ([ListID]) -> Void) { followers.add(hint) }

    /// Gives a hint that names no list.
    public func tellOfAny() { followers.tellOfAny() }

    public func write(_ part: SnapshotPart) throws(JournalError) { try open { $0.write(part) } }

    public func removeSome(all: Bool) throws(JournalError) -> Bool {
        try open { state in
            if state.fault == .removesRunningRecords { state.ahead = [:] }
            return true
        }
    }

    public func trimReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool {
        try open { state in
            let surplus = max(0, state.receipts.count - keepNewest)
            if state.fault == .trimsNewestReceipts {
                state.receipts.removeLast(surplus)
            } else {
                state.receipts.removeFirst(surplus)
            }
            state.receipts = Array(state.receipts.drop { $0.time < olderThan })
            return true
        }
    }

    public func record(_ key: KeyedRecord.Key) throws(JournalError) -> KeyedRecord.Content? {
        try open { $0.records[key] }
    }

    public func records(
        of kind: KeyedRecord.Kind, after key: [UInt8]?, limit: Int
    ) throws(JournalError) -> [KeyedRecord] {
        try open { $0.records(of: kind, after: key, limit: limit) }
    }

    public func keep(_ records: [RecordWrite]) throws(JournalError) -> [Bool] {
        for one in records where state.withLock({ $0.fault != .takesLongRecords }) { try one.requireFitting() }
        return try open { state in records.map { state.keep($0) } }
    }

    public func settleRecovery() throws(JournalError) {}
    public func close() { state.change { $0.isClosed = $0.fault != .staysOpen } }

    /// Lets a closed journal be used again, as a file can be opened again.
    public func reopen() { state.withLock { ($0.isClosed, $0.ahead) = (false, [:]) } }

    func open<Result: Sendable>(_ body: (inout State) -> Result) throws(JournalError) -> Result {
        let result: Result? = state.withLock { $0.isClosed ? nil : body(&$0) }
        guard let result else { throw .closed }
        return result
    }
}

extension MemoryJournal.State {
    /// - Parameter locked: The lists that others have locked.
    mutating func commit(
        _ commits: [Commit], isShared: Bool, passingOver locked: Set<ListID> = []
    ) -> [CommitOutcome] {
        var moved: Set<ListID> = []
        var outcomes: [CommitOutcome] = []
        let receiptsBefore = receipts
        for commit in commits {
            let known = fault == .comparesKeysOfBatchTooLate ? receiptsBefore : receipts
            let isAnswered =
                isShared && fault != .answersKeysTwice && (commit.isAnswered(by: known) || isLate(commit))
            if locked.contains(commit.list), fault != .writesToLocked {
                moved.insert(commit.list)
                outcomes.append(.locked)
                continue
            }
            let isOver = fault == .movesTogether ? !moved.isEmpty : moved.contains(commit.list)
            guard isMet(commit), !isAnswered, !isOver || fault == .writesBehindMoved, let commit = whole(commit) else {
                moved.insert(commit.list)
                outcomes.append(.moved)
                if fault == .keepsReceiptOfMoved { keepReceipts(of: commit) }
                continue
            }
            let before = lives[commit.list]?.end
            for entry in fault == .turnsEntriesRound ? commit.entries.reversed() : commit.entries { write(entry) }
            keepReceipts(of: commit)
            for record in commit.entries.flatMap(\.records) where fault != .losesRecordsOfCommits {
                records[record.key] = record.content
            }
            outcomes.append(.written(fault == .tellsPlaceBefore ? before : lives[commit.list]?.end))
        }
        return outcomes
    }

    /// The commit with its records in the place of their names; nil if one is not there.
    private mutating func whole(_ commit: Commit) -> Commit? {
        var commit = commit
        for index in commit.entries.indices where commit.entries[index].isAhead {
            var name = commit.entries[index].bytes
            if fault == .takesPartsOfAnother, let last = ahead.keys.max(by: { $0.lexicographicallyPrecedes($1) }) {
                name = last
            }
            guard let parts = ahead[name] else { return nil }
            if fault != .takesRecordsTwice { ahead[name] = nil }
            let kept = fault == .forgetsParts ? Array(parts.prefix(1)) : parts
            commit.entries[index].bytes = Array(kept.joined())
            commit.entries[index].isAhead = false
        }
        return commit
    }

    private func isMet(_ commit: Commit) -> Bool {
        let life = lives[commit.list]
        switch commit.condition {
        case .unconditional: return true
        case .isNew:
            if fault == .writesNewOverLiving { return true }
            return life == nil || life?.isRetired == true && fault != .refusesNewOverRetired
        case .isAt(let place): return fault == .writesThoughMoved || life?.end == place
        }
    }

    /// Whether a record of the commit is not what it should be. Further ones of a key rest on the first.
    private func isLate(_ commit: Commit) -> Bool {
        guard commit.condition != .unconditional, fault != .comparesNoRecords else { return false }
        var seen: Set<KeyedRecord.Key> = []
        return commit.entries.flatMap(\.records).contains { write in
            guard seen.insert(write.key).inserted, case .isStill(let wanted) = write.condition else { return false }
            return records[write.key] != wanted
        }
    }

    private mutating func keepReceipts(of commit: Commit) {
        guard fault != .losesReceipts else { return }
        receipts += commit.entries.compactMap(\.receipt)
    }

    private mutating func write(_ entry: JournalEntry) {
        log.append(entry)
        var entry = entry
        (entry.receipt, entry.records) = (nil, [])
        let list = entry.list
        switch entry.kind {
        case .receiptOnly: return
        case .create:
            if fault != .usesLivesAgain || lifeCount == 0 { lifeCount += 1 }
            lives[list] = MemoryJournal.Life(number: lifeCount, entries: [entry])
        case .append, .retire, .revive:
            if lives[list] == nil {
                lifeCount += 1
                lives[list] = MemoryJournal.Life(number: lifeCount)
            }
            if entry.kind == .revive { entry.kind = .append }
            lives[list]?.entries.append(entry)
        case .delete:
            if fault == .losesReceiptsOfDeleted { receipts = [] }
            if fault != .keepsDeleted { lives[list] = nil }
        }
    }

    mutating func write(_ part: SnapshotPart) {
        guard var life = lives[part.list] else { return }
        let isOfLife = part.life == nil || part.life == life.number || fault == .takesSnapshotOfAnotherLife
        let end = life.entries.count - (life.isRetired ? 1 : 0)
        guard isOfLife, part.position > life.covered, part.position <= end else { return }
        if part.first == 0 { life.unfinished = [] }
        let isOfSnapshot = life.unfinished.allSatisfy { $0.number == part.number } || fault == .mixesSnapshots
        guard isOfSnapshot, part.first == life.unfinished.reduce(0, { $0 + $1.chunks.count }) else {
            if fault != .takesSnapshotWithGaps { life.unfinished = [] }
            lives[part.list] = life
            return
        }
        life.unfinished.append(part)
        if part.isLast || fault == .usesSnapshotTooSoon {
            (life.snapshot, life.covered) = (life.unfinished, part.position)
            if part.isLast { life.unfinished = [] }
        }
        lives[part.list] = life
    }
}

extension Commit {
    /// Whether one of the receipts is of a key that others have used.
    fileprivate func isAnswered(by receipts: [Receipt]) -> Bool {
        guard condition != .unconditional else { return false }
        let keys = Set(entries.compactMap(\.receipt?.key))
        return !keys.isEmpty && receipts.contains { keys.contains($0.key) }
    }
}

// MARK: - Keyed records

extension MemoryJournal.State {
    fileprivate func records(of kind: KeyedRecord.Kind, after key: [UInt8]?, limit: Int) -> [KeyedRecord] {
        let wanted = records.filter { one, _ in
            guard one.kind == kind || fault == .mixesKinds else { return false }
            guard let key else { return true }
            return key.lexicographicallyPrecedes(one.bytes) || fault == .pagesRecordsFromTheLast && key == one.bytes
        }
        let isBefore: ([UInt8], [UInt8]) -> Bool = { [fault] left, right in
            fault == .pagesRecordsWithoutOrder && left.count != right.count
                ? left.count > right.count : left.lexicographicallyPrecedes(right)
        }
        return wanted.sorted { isBefore($0.key.bytes, $1.key.bytes) }.prefix(limit).map { KeyedRecord($0, $1) }
    }

    fileprivate mutating func keep(_ write: RecordWrite) -> Bool {
        if case .isStill(let wanted) = write.condition, fault != .overwritesChangedRecord {
            let found = records[write.key]
            let isStill = fault == .comparesValuesOnly ? found?.value == wanted?.value : found == wanted
            guard isStill || fault == .writesOverRemovedRecord && found == nil else { return false }
        }
        switch write.content {
        case nil: if fault != .keepsRemovedRecord { records[write.key] = nil }
        case let content?: if fault != .keepsOldRecord || records[write.key] == nil { records[write.key] = content }
        }
        return true
    }
}

extension MemoryJournal {
    /// The ways in which a journal can be wrong.
    public enum Fault: String, Sendable, CaseIterable {
        case writesThoughMoved, writesNewOverLiving, refusesNewOverRetired, movesTogether, writesBehindMoved
        case tellsPlaceBefore, usesLivesAgain, turnsEntriesRound, keepsDeleted, keepsRetired
        case losesRecordsOfCommits, comparesNoRecords, answersKeysTwice, comparesKeysOfBatchTooLate, losesReceipts,
            keepsReceiptOfMoved, losesReceiptsOfDeleted,
            givesOldestReceipt, trimsNewestReceipts
        case loadsTooMuch, loadsTooLittle, loadsBehindAnotherLife, loadsBehindSnapshot, loadsCoveredEntries
        case mixesSnapshots, takesSnapshotOfAnotherLife, takesSnapshotWithGaps, usesSnapshotTooSoon
        case forgetsParts, takesPartsOfAnother, takesRecordsTwice, removesRunningRecords, keepsForgottenRecords
        case pagesFromTheLast, pagesWithoutOrder, givesNoHints, staysOpen
        case keepsOldRecord, keepsRemovedRecord, overwritesChangedRecord, comparesValuesOnly, writesOverRemovedRecord
        case mixesKinds, pagesRecordsFromTheLast, pagesRecordsWithoutOrder, takesLongRecords
        case writesToLocked, missesLastOfLocked, waitsForLocked, losesCommitsOfLocked, keepsLocks, passesOverTheFirst
        case writesWholeOverLiving, writesWholeOverRetired, movesWholeTogether, countsWholeFromSnapshot,
            losesSnapshotOfWhole, losesEntriesOfWhole, usesLifeOfWholeAgain
    }
}
