internal import Threads
public import ListModel
public import ListStore

/// A journal in one SQLite database, with a log, stored snapshots and receipts. One connection writes it. Another one
/// reads lists, and waits for no write.
///
/// A folder holds `liststate.db` with SQLite's `-wal` beside it, `acknowledged` (how far commits were acknowledged),
/// `lock` and sometimes `may-miss-commits`. Other files in it are left alone. Every row has a checksum, and says which
/// versions of its list it holds. Damaged files are refused before anything is written, and stay as they are.
public final class SQLiteJournal: TakesWholeLists, WritesAhead {
    /// The findings of an opening that people should hear of.
    public struct Recovery: Sendable, Equatable {
        /// The bytes behind the last whole commit of the write-ahead log, as a crash leaves them. They were dropped,
        /// and held nothing that was acknowledged.
        public var bytesDropped: Int
        /// The reason why acknowledged commits may be missing; nil if none can be.
        public var doubt: Doubt?
        /// Whether acknowledged commits may be missing. No list may then go on in its epoch.
        public var mayMissCommits: Bool { doubt != nil }
    }

    /// A reason why acknowledged commits may be missing.
    public enum Doubt: Sendable, Equatable {
        /// The mark of acknowledged commits is missing or cannot be read.
        case noMark
        /// The folder was restored from a copy, and commits may have come after that copy.
        case copy
        /// The last run did not wait for the disk and did not end properly, or the lists have no new epochs yet after a
        /// restore or a repair.
        case notSettled
    }

    /// The place that a batch has reached when `commit` returns.
    public enum Durability: Sendable {
        /// The disk has the batch. It outlives a power failure.
        case sync
        /// The system has the batch. It outlives the process, but perhaps not a power failure.
        case async
    }

    /// The findings of the opening.
    public let recovery: Recovery

    struct Files: Sendable {
        var database: Database?
        /// Whether no commits are missing, or every list has a new epoch.
        var isSettled: Bool
        /// The lock of the folder, which is held until the database is closed.
        var lock: (any DiskFile)?

        func opened() throws(JournalError) -> Database {
            guard let database else { throw .closed }
            return database
        }
    }

    let files: CommitsFirst<Files>
    /// A thread that holds this lock does not wait for writes. Nil before `open` has checked everything, and after
    /// `close`.
    private let reader = Locked<DatabaseReader?>(nil)
    private let index: SharedIndex
    private let recordIndex: Locked<RecordIndex>
    let folder: Folder
    private let durability: Durability
    public let partBytes: Int
    public var ahead: (any WritesAhead)? { self }
    /// A part and its sync should delay a commit by a few milliseconds at most.
    private static let partBytes = 1 << 18

    /// Opens the journal in a folder. A missing folder is made.
    ///
    /// - Throws: `.locked` if another process has it open, `.readOnly` if it may not be written, `.corrupt` if the
    ///   files are damaged or acknowledged commits are missing, `.otherFormat` if the program does not know
    ///   them. Files that were there are then unchanged.
    ///
    /// - Parameters:
    ///   - opener: The kind of program that other processes are told has the folder open.
    ///   - patience: Seconds to wait while a process other than a server has it open.
    public convenience init(
        directory: String, durability: Durability = .sync, opener: Opener = .command, patience: Int = 0
    ) throws(JournalError) {
        try self.init(
            directory: directory, durability: durability, pageSize: 4096, opener: opener, patience: patience)
    }

    /// Opens the journal as `init(directory:durability:)` does. A new database has pages of `pageSize` bytes, and a
    /// checkpoint is due once the write-ahead log has `logPagesMax` pages. A record of more than `partBytes` bytes is
    /// written ahead.
    init(
        directory: String, durability: Durability = .sync, pageSize: Int, logPagesMax: Int = 1000,
        partBytes: Int = SQLiteJournal.partBytes, opener: Opener = .command, patience: Int = 0,
        on disk: any Disk = SystemDisk()
    ) throws(JournalError) {
        self.partBytes = partBytes
        let folder = Folder(path: directory, disk: disk)
        let lock = try folder.takeLock(opener, patience: patience)
        try folder.createDatabase(pageSize: pageSize)
        try folder.checkHeader()
        let (acknowledged, doubt) = try folder.acknowledged()
        let log = try WriteAheadLog.contents(folder.log, on: disk)
        recovery = Recovery(bytesDropped: log.bytesAfterLastCommit, doubt: doubt)
        let database = try Database(
            folder: folder, log: log, acknowledged: acknowledged, isInDoubt: doubt != nil,
            durability: durability, logPagesMax: logPagesMax)
        files = CommitsFirst(Files(database: database, isSettled: doubt == nil, lock: lock))
        (index, recordIndex) = (database.sharedIndex, database.records)
        self.folder = folder
        self.durability = durability
    }

    /// Opens a folder, or a single copy, only to read it. Nothing can be written.
    ///
    /// - Throws: As `init(directory:)`; `.io` if there is no database.
    public convenience init(reading path: String, patience: Int = 0) throws(JournalError) {
        let isFolder = File.exists(path + "/.")
        let folder = isFolder ? Folder(path: path) : Folder(copy: path)
        guard File.exists(folder.database) else { throw .io("\(folder.database) is not there") }
        try self.init(reading: folder, lock: isFolder ? try folder.takeLock(patience: patience) : nil)
    }

    /// Opens a folder as `init(reading:)` does, but somebody has taken its lock already.
    ///
    /// - Parameter lock: The lock, which is released when the journal is closed; nil if the caller keeps it.
    init(reading folder: Folder, lock: (any DiskFile)?) throws(JournalError) {
        partBytes = Self.partBytes
        self.folder = folder
        durability = .sync
        try folder.checkHeader()
        let (acknowledged, doubt) = try folder.acknowledged()
        recovery = Recovery(bytesDropped: 0, doubt: doubt)
        let database = try Database(
            folder: folder, log: try WriteAheadLog.contents(folder.log, on: folder.disk),
            acknowledged: acknowledged, isInDoubt: false, durability: .sync, isReadOnly: true)
        files = CommitsFirst(Files(database: database, isSettled: false, lock: lock))
        (index, recordIndex) = (database.sharedIndex, database.records)
    }

    deinit { close() }

    public func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome] {
        try files.commit { files throws(JournalError) in try files.opened().commit(commits) }
    }

    public func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws {
        try files.piece { files in
            try files.opened().open(receipt: receipt, receiptsMax: receiptsMax, since: since)
            let opened = try DatabaseReader(folder, isReadOnly: files.opened().isReadOnly)
            reader.withLock { $0 = opened }
        }
    }

    public func lists(after id: ListID?, limit: Int) throws(JournalError) -> [ListID] {
        try requireOpen()
        return index.lists(after: id, limit: limit)
    }

    public func retired() throws -> [RetiredList] {
        // The rows are read in the order of the log, so that every run asks the disk for the same.
        try index.retired.sorted { $0.row < $1.row }.compactMap { list, row, place in
            let bytes = try reading { reader in try reader.entries([row], after: 0) }.last?.bytes
            return bytes.map { RetiredList(list: list, place: place, bytes: $0) }
        }
    }

    public func places(of lists: [ListID]) throws(JournalError) -> [LogPlace?] {
        try requireOpen()
        return index.places(of: lists)
    }

    public func load(
        _ list: ListID, after place: LogPlace?, snapshot: (SnapshotPart) throws -> Void,
        entry: (JournalEntry) throws -> Void
    ) throws -> LogPlace? {
        try requireOpen()
        guard let stored = index.stored(list) else { return nil }
        do {
            try read(stored, of: list, after: place, snapshot, entry)
        } catch let error as JournalError where index.stored(list)?.isStill(stored) != true {
            // Rows may have been removed meanwhile.
            guard case .corrupt = error else { throw error }
            throw JournalError.moved
        }
        return stored.end
    }

    private func read(
        _ stored: LogIndex.StoredList, of list: ListID, after place: LogPlace?,
        _ snapshot: (SnapshotPart) throws -> Void, _ entry: (JournalEntry) throws -> Void
    ) throws {
        var covered = stored.covered
        if let place {
            guard place.life == stored.end.life, place.position >= covered, place.position <= stored.end.position
            else { throw JournalError.moved }
            covered = place.position
        } else if let header = stored.header {
            try read(header, of: list, snapshot)
        }
        let needed = stored.rows.drop { $0.last <= covered }
        // The list is read in pieces, so that threads that read other lists get their turns between them.
        for start in stride(from: needed.startIndex, to: needed.endIndex, by: Self.rowsAtOnce) {
            let rows = needed[start..<min(needed.endIndex, start + Self.rowsAtOnce)].map(\.seq)
            let entries = try reading { reader in try reader.entries(rows[...], after: covered) }
            for each in entries { try entry(each.isAhead ? whole(each) : each) }
        }
    }

    /// An entry with its record, which was written ahead. The record is in memory once, beside a few of its parts.
    private func whole(_ entry: JournalEntry) throws -> JournalEntry {
        guard let record = AheadRecord(name: entry.bytes) else {
            throw JournalError.corrupt("\(folder.database): a record has no name")
        }
        var entry = entry
        (entry.bytes, entry.isAhead) = ([], false)
        entry.bytes.reserveCapacity(record.byteCount)
        for start in stride(from: 0, to: record.chunks, by: Self.partsAtOnce) {
            let numbers = start..<min(record.chunks, start + Self.partsAtOnce)
            for chunk in try reading({ reader in try reader.chunks(numbers, of: record) }) { entry.bytes += chunk }
        }
        return entry
    }

    public func receipt(_ key: [UInt8]) throws(JournalError) -> Receipt? {
        try files.piece { files throws(JournalError) in try files.opened().receipt(key) }
    }

    /// - Throws: `.closed` before `open` and after `close`.
    private func requireOpen() throws(JournalError) {
        guard reader.withLock({ $0 != nil }) else { throw .closed }
    }

    private func read(
        _ header: LogIndex.Header, of list: ListID, _ body: (SnapshotPart) throws -> Void
    ) throws {
        let first = Locked(0)
        let next: @Sendable () throws -> SnapshotPart? = { [self] in
            let start = first.withLock { first in
                defer { first += Self.chunksAtOnce }
                return first
            }
            guard start < header.chunks else { return nil }
            let chunks = start..<min(header.chunks, start + Self.chunksAtOnce)
            return try reading { reader in try reader.part(header, of: list, chunks) }
        }
        guard header.chunks <= Self.chunksAtOnce else { return try Prefetch.forEach(next, body) }
        while let part = try next() { try body(part) }
    }

    private func reading<Result: Sendable>(_ body: (DatabaseReader) throws -> Result) throws -> Result {
        try reader.withLock { reader in
            guard let reader else { throw JournalError.closed }
            return try body(reader)
        }
    }

    /// The chunks, parts and rows that are read before another read gets its turn.
    private static let chunksAtOnce = 8
    private static let partsAtOnce = 2
    private static let rowsAtOnce = 256

    public func write(_ part: SnapshotPart) throws(JournalError) {
        try files.piece { files throws(JournalError) in try files.opened().write(part) }
    }

    public func write(ahead parts: consuming [[UInt8]]) throws(JournalError) -> [UInt8] {
        var running: Database.RunningRecord?
        do throws(JournalError) {
            for index in parts.indices {
                try files.piece { files throws(JournalError) in try files.opened().checkpointEarly() }
                let (part, before) = (parts[index], running)
                parts[index] = []
                running = try files.piece { files throws(JournalError) in
                    try files.opened().write(ahead: part, behind: before)
                }
            }
        } catch {
            if let running { forget(ahead: running.record.name) }
            throw error
        }
        return running?.record.name ?? []
    }

    public func forget(ahead name: [UInt8]) {
        guard let record = AheadRecord(name: name) else { return }
        files.piece { $0.database?.forget(record) }
    }

    public func removeSome(all: Bool) throws(JournalError) -> Bool {
        try files.piece { files throws(JournalError) in try files.opened().removeSome(all: all) }
    }

    @discardableResult
    public func trimReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool {
        // The thread that commits waits for it, and with it all writes.
        try files.commit { files throws(JournalError) in
            let database = try files.opened()
            guard !database.isReadOnly else { return true }
            return try database.trimSomeReceipts(keepNewest: keepNewest, olderThan: olderThan)
        }
    }

    /// The numbers of commits and of pieces of other work that wait for the database.
    var waiting: (commits: Int, pieces: Int) { files.waiting }

    /// The number of receipts on the disk.
    var receiptCount: Int { files.piece { $0.database?.receiptCount ?? 0 } }

    /// Begins a copy of everything into a new file. One thread then makes it, in steps.
    public func backUp(to path: String) throws(JournalError) -> SQLiteBackup { try SQLiteBackup(self, to: path) }

    func beginCopy() throws(JournalError) -> SQLiteBackup.Source {
        try files.piece { files throws(JournalError) in try files.opened().beginCopy() }
    }

    /// As `Database.standStill(_:)`.
    func standStill(_ pages: CopiedPages) throws(JournalError) -> Bool {
        try files.piece { files throws(JournalError) in try files.opened().standStill(pages) }
    }

    public func record(_ key: KeyedRecord.Key) throws(JournalError) -> KeyedRecord.Content? {
        try records([key]).first?.content
    }

    public func records(
        of kind: KeyedRecord.Kind, after key: [UInt8]?, limit: Int
    ) throws(JournalError) -> [KeyedRecord] {
        try records(recordIndex.withLock { $0.keys(of: kind, after: key, limit: limit) })
    }

    /// The records under some keys. Those that are not there are left out.
    private func records(_ keys: [KeyedRecord.Key]) throws(JournalError) -> [KeyedRecord] {
        let rows = recordIndex.withLock { index in keys.compactMap { index[$0]?.row } }
        do { return try reading { reader in try reader.records(rows) } } catch let error as JournalError {
            throw error
        } catch {
            throw .io("\(folder.database): \(error)")
        }
    }

    public func keep(_ records: [RecordWrite]) throws(JournalError) -> [Bool] {
        try files.piece { files throws(JournalError) in try files.opened().keep(records) }
    }

    public func summaries(of lists: [ListID]) -> [StoredSummary] {
        let places = index.summaryPlaces(lists).sorted { $0.place.life < $1.place.life }
        return (try? reading { reader in try reader.summaries(places) }) ?? []
    }

    public func keep(_ summaries: [StoredSummary]) throws(JournalError) {
        try files.piece { files throws(JournalError) in try files.opened().keep(summaries) }
    }

    public func settleRecovery() throws(JournalError) {
        try files.piece { files throws(JournalError) in
            guard try !files.opened().isReadOnly else { return }
            if durability == .sync { try folder.settleDoubt() }
            files.isSettled = true
        }
    }

    public func close() {
        // The reader is closed first. SQLite tidies up when the last connection closes, and that must be the one that
        // writes.
        reader.withLock { $0 = nil }
        files.piece { files in
            let isWhole = files.database?.close() ?? false
            files.database = nil
            // The database has the whole log now, and the disk has the database.
            if isWhole, files.isSettled, durability == .async { try? folder.settleDoubt() }
            files.lock = nil
        }
    }

    /// Reads and checks everything, and returns the lists that are there.
    func checkedLists() throws(JournalError) -> [ListID] {
        do { try open(receipt: { _ in }, receiptsMax: 0, since: 0) } catch let error as JournalError {
            throw error
        } catch {
            throw .io("\(error)")
        }
        return try lists(after: nil, limit: .max)
    }

    /// Whether the walk through the pages was sure of everything, so that SQLite did not have to read it again.
    var isSkimmed: Bool { files.piece { $0.database?.isSkimmed ?? false } }
}
