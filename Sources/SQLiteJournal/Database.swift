internal import ListModel
internal import ListStore
internal import Threads

/// An open database: its connection, the end of its log, and whether it may be written.
///
/// - Safety: `@unchecked` is sound because it is only reached under the lock of the `SQLiteJournal` that owns it.
final class Database: @unchecked Sendable {
    private enum Phase {
        /// The rows have not been checked yet, so nothing may be written.
        case unverified
        case writable(AcknowledgedMark)
        /// A write failed, and nobody knows whether the disk has it.
        case poisoned(JournalError)
    }

    let folder: Folder
    /// The write-ahead log as it was before SQLite opened it; empty once everything has been read.
    var log: WriteAheadLog.Contents
    /// Whether the walk through the pages was sure of everything, so that SQLite did not have to read it again.
    var isSkimmed = false
    private let isInDoubt: Bool
    private let durability: SQLiteJournal.Durability
    let isReadOnly: Bool
    let connection: SQLiteConnection
    let statements: Statements
    private var phase = Phase.unverified
    private(set) var end: AcknowledgedMark.Position
    private(set) var receiptsTrimmed: Int
    /// The format of the file.
    var format: Int
    /// The index of the records. Other threads look records up in it.
    let records = Locked(RecordIndex())
    let sharedIndex = SharedIndex()
    var index: LogIndex {
        _read { yield sharedIndex.ofWriter }
        _modify { yield &sharedIndex.ofWriter }
    }
    /// The numbers in `meta`: of removed rows, and of snapshots.
    var numbers: [Schema.Name: Int] = [:]
    var nextSnapshot = 1
    var unfinished: [ListID: Unfinished] = [:]
    /// The records that were written ahead and have no entries yet, by their numbers.
    var ahead: [Int: AheadRecord] = [:]
    /// Nil if the table of summaries has not been made.
    var summaryStatements: SummaryStatements?
    /// The descriptor is closed after the connection. Closing any descriptor of a file releases all locks that the
    /// process has on the file (POSIX `fcntl`), and another process could then write to it.
    let file: any DiskFile

    /// A checkpoint is due once the write-ahead log has so many pages. The number is small, because a flipped byte in
    /// the log costs all commits behind it.
    private let logPagesMax: Int
    /// The same number while a copy needs the database to stand still.
    private static let heldLogPagesMax = 16_384
    /// The copies that are being made.
    private var copies: [CopiedPages] = []

    /// Opens the database, and checks everything but the content of its rows.
    ///
    /// - Throws: `.corrupt` if it is not a database of this program, or ends before `acknowledged`.
    init(
        folder: Folder, log: WriteAheadLog.Contents, acknowledged: AcknowledgedMark.Position?, isInDoubt: Bool,
        durability: SQLiteJournal.Durability, logPagesMax: Int = 1000, isReadOnly: Bool = false
    ) throws(JournalError) {
        self.folder = folder
        self.log = log
        self.isInDoubt = isInDoubt
        self.durability = durability
        self.logPagesMax = logPagesMax
        self.isReadOnly = isReadOnly
        file = try folder.disk.open(folder.database, 0)
        connection = try Self.connection(folder, durability, isReadOnly: isReadOnly)
        format = try Schema.verify(connection, folder.database)
        receiptsTrimmed = try Schema.value(.receiptsTrimmed, in: connection, folder.database)
        let row = try connection.run("SELECT max(seq) FROM log").first?.first??.integer
        let receipt = try connection.run("SELECT max(seq) FROM receipts").first?.first??.integer
        for name in Schema.Name.all(of: format) {
            numbers[name] = try Schema.value(name, in: connection, folder.database)
        }
        end = .init(log: max(row ?? 0, numbers[.logRemovedLast] ?? 0), receipt: receipt ?? receiptsTrimmed)
        statements = try Statements(connection)
        guard Self.rows.contains(end.log), Self.rows.contains(end.receipt), receiptsTrimmed <= end.receipt else {
            throw .corrupt("\(folder.database) ends at row \(end.log) and receipt \(end.receipt), which cannot be")
        }
        guard let acknowledged, !end.covers(acknowledged) else { return }
        throw .corrupt(
            "\(folder.database) ends at row \(end.log) and receipt \(end.receipt), but row \(acknowledged.log) and "
                + "receipt \(acknowledged.receipt) were acknowledged (\(folder.mark))")
    }

    /// The numbers that a row may have. Counts of rows, times and settings are in this range too. A larger one comes
    /// from damage, and calculations with it could overflow.
    static let rows = 0..<1 << 53

    /// Opens the connection that writes, and reads back the settings on which durability depends.
    private static func connection(
        _ folder: Folder, _ durability: SQLiteJournal.Durability, isReadOnly: Bool
    ) throws(JournalError) -> SQLiteConnection {
        guard !isReadOnly else { return try SQLiteConnection(reading: folder.database) }
        let path = folder.database
        let connection = try SQLiteConnection(path: path, create: false, on: folder.disk)
        // With NORMAL only a checkpoint waits for the disk. The database is whole after a power failure all the same.
        let level: (name: String, number: Int) = durability == .sync ? ("FULL", 2) : ("NORMAL", 1)
        try connection.run("PRAGMA busy_timeout=1000")
        try connection.run("PRAGMA mmap_size=0")
        try connection.run("PRAGMA cell_size_check=ON")
        // The file of the write-ahead log shrinks again after a copy or a long transaction has made it long.
        try connection.run("PRAGMA journal_size_limit=\(logBytesKept)")
        try connection.run("PRAGMA synchronous=\(level.name)")
        let mode = try connection.run("PRAGMA journal_mode").first?.first??.text
        let synchronous = try connection.run("PRAGMA synchronous").first?.first??.integer
        guard mode == "wal", synchronous == level.number else {
            throw .io("\(path): journal_mode=\(mode ?? "?") synchronous=\(synchronous ?? -1)")
        }
        return connection
    }

    /// The bytes that the file of the write-ahead log keeps when the log starts over.
    private static let logBytesKept = 16 << 20

    /// Moves the write-ahead log into the database. Returns whether the disk has everything.
    func close() -> Bool {
        for copy in copies { copy.end() }
        guard case .writable = phase else { return false }
        do {
            try checkpoint()
            try connection.setCloseKeepsLog(false)
            return true
        } catch {
            // The log stays as it is, and the next start reads it.
            return false
        }
    }

    // MARK: Phases

    func becomeWritable() throws(JournalError) {
        guard case .unverified = phase, !isReadOnly else { return }
        try folder.synchronizeLog()
        if isInDoubt || durability == .async { try folder.raiseDoubt() }
        phase = .writable(try AcknowledgedMark(folder.mark, end, beside: file.identity(), on: folder.disk))
    }

    // MARK: Writing

    func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome] {
        let mark = try writableMark()
        var placing = LogPlacing(firstRow: end.log + 1, count: commits.count, ahead: ahead)
        for commit in commits { placing.add(commit, &index) }
        guard !placing.isEmpty else { return placing.outcomes }
        // The one store of the folder knows all records, so they are not compared.
        let kept = placing.records.map { RecordWrite($0.key, .unconditional, $0.content) }
        for write in kept { try write.requireFitting() }
        try poisoningUnlessHarmless { () throws(JournalError) in
            try checkpointIfDue()
            var next = end
            var changes = RecordIndex.Changes(after: kept.isEmpty ? 0 : records.withLock { $0.lastRow })
            try transaction { () throws(JournalError) in
                for index in placing.rows.indices {
                    next.log += 1
                    try statements.insert(placing.rows[index], seq: next.log)
                }
                try removeSummaries(endedBy: placing.rows)
                for receipt in placing.receipts {
                    next.receipt += 1
                    try statements.insert(receipt, seq: next.receipt)
                }
                if !kept.isEmpty { _ = try carryOut(kept, &changes) }
            }
            if !kept.isEmpty { take(changes) }
            for offset in placing.rows.indices {
                index.add(placing.rows[offset], seq: end.log + 1 + offset)
                if let record = placing.rows[offset].ahead { ahead[record.number] = nil }
            }
            end = next
            do { try mark.write(end) } catch { throw JournalError.io("\(folder.mark): \(error)") }
        }
        return placing.outcomes
    }

    /// Notes that the disk has everything up to an end. A commit does this by itself.
    func acknowledge(_ next: AcknowledgedMark.Position) throws(JournalError) {
        let mark = try writableMark()
        end = next
        try poisoningUnlessHarmless { () throws(JournalError) in
            do { try mark.write(end) } catch { throw JournalError.io("\(folder.mark): \(error)") }
        }
    }

    /// The newest receipt under a key.
    func receipt(_ key: [UInt8]) throws(JournalError) -> Receipt? {
        let wanted = key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let sql = "SELECT seq, time, checksum, bytes FROM receipts WHERE key=x'\(wanted)' ORDER BY seq DESC LIMIT 1"
        guard let row = try connection.run(sql).first, row.count == 4, let seq = row[0]?.integer,
            let time = row[1]?.integer, let checksum = row[2]?.integer, case .blob(let bytes) = row[3]
        else { return nil }
        let receipt = Receipt(key: key, time: time, bytes: bytes)
        // A damaged receipt is as good as none: its client may try again.
        return receipt.checksum(seq: seq) == checksum ? receipt : nil
    }

    /// Deletes up to 4096 of the receipts that `trimReceipts` names. Returns true if no more are left.
    func trimSomeReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool {
        _ = try writableMark()
        var isDone = true
        try poisoningUnlessHarmless { () throws(JournalError) in
            try checkpointIfDue()
            // No receipt is younger than the last one. A later time comes from a clock that was set back since.
            let fresh = try statements.firstReceiptSince.rows([olderThan]).first?.first??.integer
            let wanted = max((fresh ?? end.receipt + 1) - 1, end.receipt - max(0, keepNewest))
            let last = min(wanted, receiptsTrimmed + 4096)
            guard last > receiptsTrimmed else { return }
            try transaction { () throws(JournalError) in
                try statements.deleteReceipts.run([.integer(last)])
                try Schema.set(.receiptsTrimmed, last, in: connection)
            }
            receiptsTrimmed = last
            isDone = last == wanted
        }
        return isDone
    }

    var receiptCount: Int { end.receipt - receiptsTrimmed }

    func shrink() throws(JournalError) {
        _ = try writableMark()
        try poisoningUnlessHarmless { () throws(JournalError) in
            try connection.run("VACUUM")
            try checkpoint()
        }
    }

    func limitPages(to count: Int) throws(JournalError) {
        try connection.run("PRAGMA max_page_count=\(count)")
    }

    func writableMark() throws(JournalError) -> AcknowledgedMark {
        switch phase {
        case .writable(let mark): return mark
        case .poisoned(let error): throw error
        case .unverified where isReadOnly: throw .readOnly("\(folder.database) was opened to be read")
        case .unverified: throw .io("\(folder.database) was not opened before the first write")
        }
    }

    func poisoningUnlessHarmless(_ body: () throws(JournalError) -> Void) throws(JournalError) {
        do { try body() } catch {
            if error.consequence == .failed { phase = .poisoned(error) }
            throw error
        }
    }

    /// Runs a checkpoint if one is due. A full disk is no reason to refuse the batch, which may still fit into the log:
    /// SQLite then lets the log grow.
    ///
    /// - Parameter share: One checkpoint is due for so many parts of the greatest length of the log.
    func checkpointIfDue(share: Int = 1) throws(JournalError) {
        guard connection.logPages >= logPagesMax / share, !isHeld else { return }
        do { try checkpoint() } catch .full {}
    }

    private var isHeld: Bool {
        connection.logPages < Self.heldLogPagesMax && copies.contains { $0.isLastRound }
    }

    /// Moves the write-ahead log into the database, and tells the copies which pages that changes. Returns whether all
    /// of it was moved.
    @discardableResult
    private func checkpoint() throws(JournalError) -> Bool {
        copies.removeAll { $0.isOver }
        guard !copies.isEmpty else { return try connection.checkpoint() }
        // If the log cannot be read, the copies end, but the journal goes on.
        guard let log = try? WriteAheadLog.pages(folder.log, on: folder.disk) else {
            for copy in copies { copy.end() }
            return try connection.checkpoint()
        }
        // The copies are told once the checkpoint has ended. A page that is read during it may be half old and half
        // new.
        defer {
            if log.count > 0 { for copy in copies { copy.note(changed: log.numbers, count: log.count) } }
        }
        return try connection.checkpoint()
    }

    func transaction(_ body: () throws(JournalError) -> Void) throws(JournalError) {
        try statements.begin.run([])
        do {
            try body()
            try statements.commit.run([])
        } catch {
            // SQLite may have rolled back on its own.
            if !connection.isIdle { try statements.rollback.run([]) }
            throw error
        }
    }
}

// MARK: - Copies

extension Database {
    /// Begins a copy, which is told of all later checkpoints.
    func beginCopy() throws(JournalError) -> SQLiteBackup.Source {
        if !isReadOnly { _ = try writableMark() }
        let pageSize = try pageSize()
        let pages = CopiedPages(count: try file.size() / pageSize)
        copies.append(pages)
        return SQLiteBackup.Source(pages: pages, pageSize: pageSize, file: file, folder: folder)
    }

    /// Begins the last round of a copy, in which the copied image must not change.
    ///
    /// - Returns: True if that round had begun before and all pages are taken.
    func standStill(_ pages: CopiedPages) throws(JournalError) -> Bool {
        guard !pages.isOver else { throw .closed }
        if !isReadOnly { _ = try writableMark() }
        if pages.isLastRound, pages.counts.left == 0 { return true }
        let log = try isMoved() ? .init() : WriteAheadLog.contents(folder.log, on: folder.disk)
        let count = try file.size() / pageSize()
        pages.standStill(with: log.frames, count: log.pageCount ?? count)
        return false
    }

    private func pageSize() throws(JournalError) -> Int {
        let header = try file.read(18, at: 0)
        let stated = Int(header[16]) << 8 | Int(header[17])
        return stated == 1 ? 65_536 : stated
    }

    /// Moves the write-ahead log into the database. Returns false if some of it stays, the disk is full, or the
    /// database was opened only to be read.
    private func isMoved() throws(JournalError) -> Bool {
        guard !isReadOnly else { return false }
        do { return try checkpoint() } catch .full { return false }
    }
}
