public import ListModel

/// Carries everything from one journal to another: lists with their logs, receipts and keyed records.
///
/// The source is only read. The target gets each list whole or not at all. So a migration that was interrupted at any
/// moment is simply run again: it finds the lists that are there, and goes on with the others.
public struct Migration {
    /// An error of one of the two journals.
    public enum Fault: Error, Sendable {
        case source(JournalError)
        case target(JournalError)
    }

    /// The target has something else under names that the source has too.
    public struct Conflict: Error, Sendable {
        /// The lists that are another one in the target, in the order of their ids.
        public var lists: [ListID] = []
        /// The number of receipts and keyed records that are another one in the target.
        public var otherCount = 0
        /// Whether nothing was changed.
        public var isEarly = true

        var isEmpty: Bool { lists.isEmpty && otherCount == 0 }
    }

    /// The result of a migration.
    public struct Report: Sendable {
        /// The number of all lists of the source.
        public fileprivate(set) var listCount = 0
        /// The number of lists that were in the target already.
        public fileprivate(set) var foundCount = 0
        /// The number of lists that were written.
        public fileprivate(set) var writtenCount = 0
        /// The lists that cannot be read, or that the target cannot hold. The target has nothing of them.
        public fileprivate(set) var unreadable: [UnreadableList] = []
        /// The numbers of receipts and of keyed records of the source, all of which are in the target.
        public fileprivate(set) var receiptCount = 0
        public fileprivate(set) var recordCount = 0
        /// Whether the migration was stopped before its end.
        public fileprivate(set) var isStopped = false
        /// Whether others have changed lists of the source meanwhile, so that the target may lack some of that.
        public fileprivate(set) var hasMoved = false
    }

    private let source: any Journal
    private let target: any TakesWholeLists
    /// The lists of the source, and the ends of their logs.
    private let lists: [ListID]
    private let places: [LogPlace?]
    private let receipts: [Receipt]
    /// The receipts of the target that have a key of the source.
    private let foundReceipts: [[UInt8]: Receipt]
    private var found: Set<ListID> = []
    private var report = Report()

    /// The lists, the bytes and the receipts that are written at once.
    private static let listsOfBatch = 64
    private static let bytesOfBatch = 4 << 20
    private static let receiptsOfBatch = 256
    /// The lists that are looked up, and the keyed records that are read and written, at once.
    private static let listsOfPage = 1_000
    private static let recordsOfPage = 100

    /// Carries everything over. Both journals have not been opened yet.
    ///
    /// - Parameter progress: It is called with the number of lists that are done, and that of all lists. The migration
    ///   stops if it returns false.
    /// - Throws: `Conflict` if the target has something else of the same name; nothing was changed then, unless others
    ///   write to the target meanwhile. `Fault` if a journal fails. What was written is whole.
    public static func run(
        from source: any Journal, to target: any TakesWholeLists, progress: (_ done: Int, _ all: Int) -> Bool
    ) throws -> Report {
        var migration = try Migration(source, target)
        try migration.compare()
        try migration.write(progress)
        return migration.report
    }

    private init(_ source: any Journal, _ target: any TakesWholeLists) throws {
        (self.source, self.target) = (source, target)
        var receipts: [Receipt] = []
        var newest: [[UInt8]: Int] = [:]
        try Self.reading {
            try source.open(
                receipt: { receipt in
                    newest[receipt.key] = receipts.count
                    receipts.append(receipt)
                }, receiptsMax: .max, since: 0)
        }
        var found: [[UInt8]: Receipt] = [:]
        try Self.writing {
            try target.open(
                receipt: { if newest[$0.key] != nil { found[$0.key] = $0 } }, receiptsMax: .max, since: 0)
        }
        // Of several receipts of a key the newest counts.
        self.receipts = receipts.enumerated().filter { newest[$1.key] == $0 }.map(\.element)
        foundReceipts = found
        (lists, places) = try Self.reading {
            let lists = try source.lists(after: nil, limit: .max)
            return (lists, try Self.places(of: lists, in: source))
        }
        (report.listCount, report.receiptCount) = (lists.count, self.receipts.count)
    }

    private static func places(of lists: [ListID], in journal: any Journal) throws(JournalError) -> [LogPlace?] {
        var places: [LogPlace?] = []
        for start in stride(from: 0, to: lists.count, by: listsOfPage) {
            places += try journal.places(of: Array(lists[start..<min(lists.count, start + listsOfPage)]))
        }
        return places
    }

    private static func reading<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as JournalError { throw Fault.source(error) }
    }

    private static func writing<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as JournalError { throw Fault.target(error) }
    }
}

// MARK: - Comparing

extension Migration {
    /// Finds everything that is in the target already.
    ///
    /// - Throws: `Conflict` if some of it is something else than in the source.
    private mutating func compare() throws {
        var conflict = Conflict()
        let theirs = try Self.writing { try Self.places(of: lists, in: target) }
        for (index, list) in lists.enumerated() {
            guard let place = theirs[index] else { continue }
            if try isSame(list, at: place, as: places[index]) {
                found.insert(list)
            } else {
                conflict.lists.append(list)
            }
        }
        for receipt in receipts {
            if let other = foundReceipts[receipt.key], other != receipt { conflict.otherCount += 1 }
        }
        var recordCount = 0
        try forEachPageOfRecords { records in
            recordCount += records.count
            for record in records {
                let other = try Self.writing { try target.record(record.key) }
                if let other, other.value != record.content.value { conflict.otherCount += 1 }
            }
        }
        guard conflict.isEmpty else { throw conflict }
        (report.foundCount, report.recordCount) = (found.count, recordCount)
    }

    private func isSame(_ list: ListID, at place: LogPlace, as other: LogPlace?) throws -> Bool {
        guard place.position == other?.position else { return false }
        let wanted: WholeList?
        do throws(JournalError) { wanted = try ListCheck.whole(list, in: source) } catch {
            guard case .corrupt = error else { throw Fault.source(error) }
            return false
        }
        do throws(JournalError) { return try ListCheck.whole(list, in: target) == wanted } catch {
            guard case .corrupt = error else { throw Fault.target(error) }
            return false
        }
    }
}

// MARK: - Writing

extension Migration {
    private mutating func write(_ progress: (Int, Int) -> Bool) throws {
        guard progress(doneCount, lists.count) else { return report.isStopped = true }
        var batch: [WholeList] = []
        var bytes = 0
        for list in lists where !found.contains(list) {
            guard let whole = try read(list) else { continue }
            batch.append(whole)
            bytes += whole.byteCount
            guard batch.count >= Self.listsOfBatch || bytes >= Self.bytesOfBatch else { continue }
            try write(batch)
            (batch, bytes) = ([], 0)
            guard progress(doneCount, lists.count) else { return report.isStopped = true }
        }
        try write(batch)
        guard progress(doneCount, lists.count) else { return report.isStopped = true }
        try writeReceipts()
        try writeRecords()
        report.hasMoved = try Self.reading {
            try source.lists(after: nil, limit: .max) != lists || Self.places(of: lists, in: source) != places
        }
    }

    private var doneCount: Int { report.foundCount + report.writtenCount + report.unreadable.count }

    /// A list of the source; nil if it cannot be read, or is gone.
    private mutating func read(_ list: ListID) throws -> WholeList? {
        do throws(JournalError) { return try ListCheck.whole(list, in: source) } catch {
            guard case .corrupt = error else { throw Fault.source(error) }
            report.unreadable.append(UnreadableList(id: list, error: error))
            return nil
        }
    }

    private mutating func write(_ batch: [WholeList]) throws {
        guard !batch.isEmpty else { return }
        let outcomes: [CommitOutcome]
        do throws(JournalError) { outcomes = try target.write(batch) } catch {
            guard case .tooLarge = error else { throw Fault.target(error) }
            guard batch.count > 1 else {
                return report.unreadable.append(UnreadableList(id: batch[0].list, error: error))
            }
            // One of them is too long. The others are written alone.
            for list in batch { try write([list]) }
            return
        }
        let moved = zip(batch, outcomes).filter { !$1.isWritten }.map(\.0.list)
        report.writtenCount += batch.count - moved.count
        guard moved.isEmpty else { throw Conflict(lists: moved, isEarly: false) }
    }

    private func writeReceipts() throws {
        let missing = receipts.filter { foundReceipts[$0.key] == nil }
        // The journal keeps receipts with commits of lists. It makes no difference which list that is.
        guard !missing.isEmpty, let list = lists.first ?? ListID("migration") else { return }
        var rest = missing[...]
        while let first = rest.popFirst() {
            var commit = Commit(Self.entry(first, list), .unconditional)
            var bytes = first.bytes.count
            while let next = rest.first, commit.entries.count < Self.receiptsOfBatch, bytes < Self.bytesOfBatch {
                commit.entries.append(Self.entry(next, list))
                bytes += next.bytes.count
                rest.removeFirst()
            }
            _ = try Self.writing { try target.commit([commit]) }
        }
    }

    private static func entry(_ receipt: Receipt, _ list: ListID) -> JournalEntry {
        JournalEntry(list: list, kind: .receiptOnly, bytes: [], receipt: receipt)
    }

    private func writeRecords() throws {
        try forEachPageOfRecords { records in
            let writes = records.map { RecordWrite($0.key, .isStill(nil), $0.content) }
            // Those that are there are the same, but for the time of their last use.
            _ = try Self.writing { try target.keep(writes) }
        }
    }

    /// Calls `body` with all keyed records of the source, page by page.
    private func forEachPageOfRecords(_ body: ([KeyedRecord]) throws -> Void) throws {
        for kind in (UInt8.min...UInt8.max).map(KeyedRecord.Kind.init(rawValue:)) {
            var last: [UInt8]?
            repeat {
                let page = try Self.reading { try source.records(of: kind, after: last, limit: Self.recordsOfPage) }
                if !page.isEmpty { try body(page) }
                last = page.count == Self.recordsOfPage ? page.last?.key.bytes : nil
            } while last != nil
        }
    }
}
