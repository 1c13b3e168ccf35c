internal import ListModel
internal import ListStore

/// An open database, its place in the log, and whether it may be written.
///
/// - Safety: `@unchecked` is sound because it is only reached under the lock of the `SQLiteJournal` that owns it.
final class Database: @unchecked Sendable {
    private enum Phase {
        /// Opened, but the rows have not been read yet: nothing may be written.
        case unverified
        case writable(AcknowledgedMark)
        /// A write failed with unknown outcome.
        case poisoned(JournalError)
    }

    private let folder: Folder
    private let connection: SQLiteConnection
    private let statements: Statements
    private var phase = Phase.unverified
    private var end: AcknowledgedMark.Position
    private var receiptsTrimmed: Int

    /// A checkpoint moves the log into the database once it has so many pages: short, for a flipped byte in it
    /// costs all commits behind it.
    private static let logPagesMax = 1000

    /// Opens the database, and checks all but the rows' content.
    ///
    /// - Throws: `.corrupt` if it is not ours, or ends before `acknowledged`.
    init(folder: Folder, acknowledged: AcknowledgedMark.Position?) throws(JournalError) {
        self.folder = folder
        connection = try SQLiteConnection(path: folder.database, create: false)
        try Self.configure(connection, folder.database)
        try Schema.verify(connection, folder.database)
        receiptsTrimmed = try Schema.value(.receiptsTrimmed, in: connection, folder.database)
        let log = try connection.run("SELECT max(seq) FROM log").first?.first??.integer
        let receipt = try connection.run("SELECT max(seq) FROM receipts").first?.first??.integer
        end = .init(log: log ?? 0, receipt: receipt ?? receiptsTrimmed)
        statements = try Statements(connection)
        guard Self.numbers.contains(end.log), Self.numbers.contains(end.receipt), receiptsTrimmed <= end.receipt else {
            throw .corrupt("\(folder.database) ends at row \(end.log) and receipt \(end.receipt), which cannot be")
        }
        guard let acknowledged, !end.covers(acknowledged) else { return }
        throw .corrupt(
            "\(folder.database) ends at row \(end.log) and receipt \(end.receipt), but row \(acknowledged.log) and "
                + "receipt \(acknowledged.receipt) were acknowledged (\(folder.mark))")
    }

    /// Rows that a damaged number may claim to have, without overflow in what follows.
    private static let numbers = 0..<1 << 53

    /// One connection, alone with the file: other processes cannot write behind our back, and the log's index needs
    /// no file. Reads the settings that durability rests on back.
    private static func configure(_ connection: SQLiteConnection, _ path: String) throws(JournalError) {
        try connection.run("PRAGMA busy_timeout=1000")
        try connection.run("PRAGMA locking_mode=EXCLUSIVE")
        try connection.run("PRAGMA mmap_size=0")
        try connection.run("PRAGMA cell_size_check=ON")
        try connection.run("PRAGMA synchronous=FULL")
        let mode = try connection.run("PRAGMA journal_mode").first?.first??.text
        let synchronous = try connection.run("PRAGMA synchronous").first?.first??.integer
        guard mode == "wal", synchronous == 2 else {
            throw .io("\(path): journal_mode=\(mode ?? "?") synchronous=\(synchronous ?? -1)")
        }
    }

    func close() {
        guard case .writable = phase else { return }
        // If this fails, the log stays as it is and is read at the next start.
        try? connection.setCloseKeepsLog(false)
    }

    // MARK: Reading

    func replay(
        entry: (JournalEntry) throws -> Void, receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int
    ) throws {
        var last = 0
        try connection.prepare("SELECT seq, list, kind, bytes, checksum FROM log ORDER BY seq").read([]) { row in
            for each in try self.entries(row, after: last) { try entry(each) }
            last += 1
        }
        try check(last == end.log, "log", last + 1)
        var lastReceipt = max(receiptsTrimmed, end.receipt - max(0, receiptsMax))
        let sql = "SELECT seq, key, time, bytes, checksum FROM receipts WHERE seq > ? ORDER BY seq"
        try connection.prepare(sql).read([lastReceipt]) { row in
            let each = try self.receipt(row, after: lastReceipt)
            lastReceipt += 1
            if each.time >= since { try receipt(each) }
        }
        try check(lastReceipt == end.receipt, "receipts", lastReceipt + 1)
        try checkStructure()
        try becomeWritable()
    }

    private func entries(_ row: SQLiteConnection.Statement.Row, after last: Int) throws(JournalError) -> [JournalEntry]
    {
        let seq = row.integer(0)
        try check(seq == last + 1, "log", last + 1)
        let list = row.bytes(1)
        let name = String(decoding: list, as: UTF8.self)
        guard let kind = LogRow.Kind(rawValue: row.integer(2)),
            case let row = (content: LogRow(list: list, kind: kind, bytes: row.bytes(3)), checksum: row.integer(4)),
            row.content.checksum(seq: seq) == row.checksum, let entries = row.content.entries()
        else { throw .corrupt("\(folder.database): row \(seq) of log (list \(name)) is damaged") }
        return entries
    }

    private func receipt(_ row: SQLiteConnection.Statement.Row, after last: Int) throws(JournalError) -> Receipt {
        let seq = row.integer(0)
        try check(seq == last + 1, "receipts", last + 1)
        let receipt = Receipt(key: row.bytes(1), time: row.integer(2), bytes: row.bytes(3))
        try check(receipt.checksum(seq: seq) == row.integer(4), "receipts", seq)
        return receipt
    }

    private func check(_ isWhole: Bool, _ table: String, _ seq: Int) throws(JournalError) {
        guard isWhole else { throw .corrupt("\(folder.database): row \(seq) of \(table) is damaged or missing") }
    }

    /// Checks what holds no content, such as the list of free pages: damage there would harm later commits.
    private func checkStructure() throws(JournalError) {
        let finding = try connection.run("PRAGMA quick_check(1)").first?.first??.text
        guard finding == "ok" else { throw .corrupt("\(folder.database): \(finding ?? "unreadable")") }
    }

    private func becomeWritable() throws(JournalError) {
        guard case .unverified = phase else { return }
        phase = .writable(try AcknowledgedMark(folder.mark, end))
    }

    // MARK: Writing

    func append(_ batch: [JournalEntry]) throws(JournalError) {
        let mark = try writableMark()
        guard !batch.isEmpty else { return }
        try poisoningUnlessFull { () throws(JournalError) in
            if connection.logPages >= Self.logPagesMax { try checkpointIfThereIsRoom() }
            var next = end
            try transaction { () throws(JournalError) in
                for row in LogRow.rows(batch) {
                    next.log += 1
                    try statements.insert(row, seq: next.log)
                }
                for case let receipt? in batch.lazy.map(\.receipt) {
                    next.receipt += 1
                    try statements.insert(receipt, seq: next.receipt)
                }
            }
            end = next
            do { try mark.write(end) } catch { throw JournalError.io("\(folder.mark): \(error)") }
        }
    }

    /// Deletes up to some thousand of the receipts that `trimReceipts` names; returns true if no more are left.
    func trimSomeReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool {
        _ = try writableMark()
        var isDone = true
        try poisoningUnlessFull { () throws(JournalError) in
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

    func limitPages(to count: Int) throws(JournalError) {
        try connection.run("PRAGMA max_page_count=\(count)")
    }

    private func writableMark() throws(JournalError) -> AcknowledgedMark {
        switch phase {
        case .writable(let mark): return mark
        case .poisoned(let error): throw error
        case .unverified: throw .io("\(folder.database) was not replayed before the first write")
        }
    }

    private func poisoningUnlessFull(_ body: () throws(JournalError) -> Void) throws(JournalError) {
        do { try body() } catch {
            if error != .full { phase = .poisoned(error) }
            throw error
        }
    }

    /// A full disk is no reason to refuse the batch: it may fit into the log, which SQLite then lets grow.
    private func checkpointIfThereIsRoom() throws(JournalError) {
        do { try connection.checkpoint() } catch .full {}
    }

    private func transaction(_ body: () throws(JournalError) -> Void) throws(JournalError) {
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

/// What is run for every batch, compiled once.
private struct Statements {
    let begin: SQLiteConnection.Statement
    let commit: SQLiteConnection.Statement
    let rollback: SQLiteConnection.Statement
    private let insertRow: SQLiteConnection.Statement
    private let insertReceipt: SQLiteConnection.Statement
    let firstReceiptSince: SQLiteConnection.Statement
    let deleteReceipts: SQLiteConnection.Statement

    init(_ connection: SQLiteConnection) throws(JournalError) {
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        insertRow = try connection.prepare("INSERT INTO log VALUES(?,?,?,?,?)")
        insertReceipt = try connection.prepare("INSERT INTO receipts VALUES(?,?,?,?,?)")
        firstReceiptSince = try connection.prepare("SELECT seq FROM receipts WHERE time >= ? ORDER BY seq LIMIT 1")
        deleteReceipts = try connection.prepare("DELETE FROM receipts WHERE seq <= ?")
    }

    func insert(_ row: LogRow, seq: Int) throws(JournalError) {
        try insertRow.run([
            .integer(seq), .text(row.list), .integer(row.kind.rawValue), .blob(row.bytes),
            .integer(row.checksum(seq: seq)),
        ])
    }

    func insert(_ receipt: Receipt, seq: Int) throws(JournalError) {
        try insertReceipt.run([
            .integer(seq), .blob(receipt.key), .integer(receipt.time), .blob(receipt.bytes),
            .integer(receipt.checksum(seq: seq)),
        ])
    }
}
