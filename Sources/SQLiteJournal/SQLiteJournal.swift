internal import Threads
public import ListModel
public import ListStore

/// The embedded engine: one log, snapshots and receipts in one SQLite database, written by one connection. Another one
/// reads lists, and waits for no write.
///
/// A folder holds `liststate.db` with SQLite's `-wal` beside it, `acknowledged` (how far commits were acknowledged)
/// and `lock`, sometimes `may-miss-commits`; other files in it are left alone. Every row has a checksum, and
/// says which of its list's versions it holds.
/// What does not fit is refused before anything is written, and every file stays as it was.
public final class SQLiteJournal: Journal {
    /// What opening found that its user should hear of.
    public struct Recovery: Sendable, Equatable {
        /// Bytes at the end of the write-ahead log that were no whole commit, as a crash leaves them; dropped.
        /// Nothing that was acknowledged was in them.
        public var bytesDropped: Int
        /// Why acknowledged commits may be missing; nil if none can be.
        public var doubt: Doubt?
        /// Acknowledged commits may be missing, so no list may go on in its epoch.
        public var mayMissCommits: Bool { doubt != nil }
    }

    /// Why acknowledged commits may be missing.
    public enum Doubt: Sendable, Equatable {
        /// There is no mark of what was acknowledged, or none that can be read.
        case noMark
        /// The folder was put back from a copy, and commits may have come after the copy.
        case copy
        /// The last run did not wait for the disk and was not ended properly, or a restore or repair was not followed
        /// by new epochs yet.
        case notSettled
    }

    /// What `append` has done when it returns.
    public enum Durability: Sendable {
        /// The disk has the batch: it outlives a power failure.
        case sync
        /// The system has the batch: it outlives the process, but not always the machine.
        case async
    }

    /// What opening found.
    public let recovery: Recovery

    private struct Files: Sendable {
        var database: Database?
        /// Whether no commits are missing, or every list has a new epoch.
        var isSettled: Bool
        /// Held until the database is closed.
        var lock: (any DiskFile)?

        func opened() throws(JournalError) -> Database {
            guard let database else { throw .closed }
            return database
        }
    }

    private let files: Locked<Files>
    /// Nobody who holds this waits for a write; nil before the first look at everything, and after the end.
    private let reader = Locked<DatabaseReader?>(nil)
    private let index: SharedIndex
    private let folder: Folder
    private let durability: Durability

    /// Opens the journal in a folder, which is made if missing.
    ///
    /// - Throws: `.locked` if a process has it open, `.readOnly` if it may not be written, `.corrupt` if the files
    ///   are not what was written, or acknowledged commits are missing. No file that was there has changed then.
    ///
    /// - Parameters:
    ///   - opener: What others are told who find it open.
    ///   - patience: Seconds to wait for another process that has it open for a moment.
    public convenience init(
        directory: String, durability: Durability = .sync, opener: Opener = .command, patience: Int = 0
    ) throws(JournalError) {
        try self.init(
            directory: directory, durability: durability, pageSize: 4096, opener: opener, patience: patience)
    }

    /// As `init(directory:durability:)`; a new database has pages of `pageSize` bytes, and the log is moved into it
    /// once it has `logPagesMax` of them.
    init(
        directory: String, durability: Durability = .sync, pageSize: Int, logPagesMax: Int = 1000,
        opener: Opener = .command, patience: Int = 0, on disk: any Disk = SystemDisk()
    ) throws(JournalError) {
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
        files = Locked(Files(database: database, isSettled: doubt == nil, lock: lock))
        index = database.sharedIndex
        self.folder = folder
        self.durability = durability
    }

    /// Opens a folder, or a copy by itself, only to read it: no file changes, and nothing can be appended.
    ///
    /// - Throws: As `init(directory:)`; `.io` if there is nothing.
    public convenience init(reading path: String, patience: Int = 0) throws(JournalError) {
        let isFolder = File.exists(path + "/.")
        let folder = isFolder ? Folder(path: path) : Folder(copy: path)
        guard File.exists(folder.database) else { throw .io("\(folder.database) is not there") }
        try self.init(reading: folder, lock: isFolder ? try folder.takeLock(patience: patience) : nil)
    }

    /// As `init(reading:)`, of a folder whose lock somebody has taken.
    ///
    /// - Parameter lock: Given back when the journal is closed.
    init(reading folder: Folder, lock: (any DiskFile)?) throws(JournalError) {
        self.folder = folder
        durability = .sync
        try folder.checkHeader()
        let (acknowledged, doubt) = try folder.acknowledged()
        recovery = Recovery(bytesDropped: 0, doubt: doubt)
        let database = try Database(
            folder: folder, log: try WriteAheadLog.contents(folder.log, on: folder.disk),
            acknowledged: acknowledged, isInDoubt: false, durability: .sync, isReadOnly: true)
        files = Locked(Files(database: database, isSettled: false, lock: lock))
        index = database.sharedIndex
    }

    deinit { close() }

    public func append(_ batch: [JournalEntry]) throws(JournalError) {
        try files.withLock { files throws(JournalError) in
            try files.opened().append(batch)
        }
    }

    public func open(
        receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int
    ) throws -> [ListID] {
        try files.withLock { files in
            let lists = try files.opened().open(receipt: receipt, receiptsMax: receiptsMax, since: since)
            let opened = try DatabaseReader(folder, isReadOnly: files.opened().isReadOnly)
            reader.withLock { $0 = opened }
            return lists
        }
    }

    public func retired() throws -> [ListID: [UInt8]] {
        // In the order of the log, so that the disk is asked for the same in every run.
        var retired: [ListID: [UInt8]] = [:]
        for (list, row) in index.retired.sorted(by: { $0.value < $1.value }) {
            retired[list] = try reading { reader in try reader.entries([row], after: 0) }.last?.bytes
        }
        return retired
    }

    public func read(
        _ list: ListID, snapshot: (SnapshotPart) throws -> Void, entry: (JournalEntry) throws -> Void
    ) throws {
        guard let stored = index.stored(list) else { return }
        // In pieces, so that whoever reads another list gets a turn between them.
        if let header = stored.header { try read(header, of: list, snapshot) }
        for start in stride(from: 0, to: stored.rows.count, by: Self.rowsAtOnce) {
            let rows = stored.rows[start..<min(stored.rows.count, start + Self.rowsAtOnce)]
            let entries = try reading { reader in try reader.entries(rows, after: stored.covered) }
            for each in entries { try entry(each) }
        }
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

    /// What `read` reads before another read gets its turn.
    private static let chunksAtOnce = 8
    private static let rowsAtOnce = 256

    public func write(_ part: SnapshotPart) throws(JournalError) {
        try files.withLock { files throws(JournalError) in try files.opened().write(part) }
    }

    public func removeSome(all: Bool) throws(JournalError) -> Bool {
        try files.withLock { files throws(JournalError) in try files.opened().removeSome(all: all) }
    }

    @discardableResult
    public func trimReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool {
        try files.withLock { files throws(JournalError) in
            let database = try files.opened()
            guard !database.isReadOnly else { return true }
            return try database.trimSomeReceipts(keepNewest: keepNewest, olderThan: olderThan)
        }
    }

    /// How much of the past the folder's lists keep; nil if no server has said it yet.
    ///
    /// - Throws: `.corrupt` if that is damaged.
    public func retention() throws(JournalError) -> Retention? {
        try files.withLock { files throws(JournalError) in
            try Retention.read(files.opened().connection, folder.database)
        }
    }

    /// Sets how much of the past the folder's lists keep; writes nothing if that is so already.
    ///
    /// - Throws: As `append`.
    public func keep(_ retention: Retention) throws(JournalError) {
        try files.withLock { files throws(JournalError) in try files.opened().keep(retention) }
    }

    /// Receipts that are on the disk.
    var receiptCount: Int { files.withLock { $0.database?.receiptCount ?? 0 } }

    /// Begins a copy of everything into a new file, to be made in steps by any one thread.
    public func backUp(to path: String) throws(JournalError) -> SQLiteBackup { try SQLiteBackup(self, to: path) }

    func beginCopy() throws(JournalError) -> SQLiteBackup.Source {
        try files.withLock { files throws(JournalError) in try files.opened().beginCopy() }
    }

    /// As `Database.standStill(_:)`.
    func standStill(_ pages: CopiedPages) throws(JournalError) -> Bool {
        try files.withLock { files throws(JournalError) in try files.opened().standStill(pages) }
    }

    public func subscriptions() throws(JournalError) -> [StoredSubscription] {
        try files.withLock { files throws(JournalError) in try files.opened().subscriptions() }
    }

    public func keep(_ subscriptions: [StoredSubscription], removing numbers: [Int]) throws(JournalError) {
        try files.withLock { files throws(JournalError) in
            try files.opened().keep(subscriptions, removing: numbers)
        }
    }

    public func settleRecovery() throws(JournalError) {
        try files.withLock { files throws(JournalError) in
            guard try !files.opened().isReadOnly else { return }
            if durability == .sync { try folder.settleDoubt() }
            files.isSettled = true
        }
    }

    public func close() {
        // First: SQLite tidies up when the last connection closes, and that is to be the one that writes.
        reader.withLock { $0 = nil }
        files.withLock { files in
            let isWhole = files.database?.close() ?? false
            files.database = nil
            // The log is in the database now, and that on the disk.
            if isWhole, files.isSettled, durability == .async { try? folder.settleDoubt() }
            files.lock = nil
        }
    }

    /// Reads and checks everything; returns the lists that are there.
    func lists() throws(JournalError) -> [ListID] {
        do { return try open(receipt: { _ in }, receiptsMax: 0, since: 0) } catch let error as JournalError {
            throw error
        } catch {
            throw .io("\(error)")
        }
    }

    /// Whether opening needed no second look at anything.
    var isSkimmed: Bool { files.withLock { $0.database?.isSkimmed ?? false } }

    /// Makes the file as small as what is in it; takes as long as writing all of it, and room for a copy.
    public func shrink() throws(JournalError) {
        try files.withLock { files throws(JournalError) in try files.opened().shrink() }
    }

    /// Lets a row have so many bytes only.
    func limitRows(to bytes: Int) throws(JournalError) {
        try files.withLock { files throws(JournalError) in try files.opened().connection.limitRows(to: bytes) }
    }

    /// Lets the database grow to so many pages only, as a full disk would.
    func limitPages(to count: Int) throws(JournalError) {
        try files.withLock { files throws(JournalError) in try files.opened().limitPages(to: count) }
    }
}
