internal import ListModel
internal import ListStore

/// The statements that are run for every batch or piece. They are compiled once.
struct Statements {
    let begin: SQLiteConnection.Statement
    let commit: SQLiteConnection.Statement
    let rollback: SQLiteConnection.Statement
    private let insertRow: SQLiteConnection.Statement
    private let insertReceipt: SQLiteConnection.Statement
    private let insertChunk: SQLiteConnection.Statement
    private let insertHeader: SQLiteConnection.Statement
    let firstReceiptSince: SQLiteConnection.Statement
    let deleteReceipts: SQLiteConnection.Statement
    let deleteRows: SQLiteConnection.Statement
    let deleteChunks: SQLiteConnection.Statement
    let deleteHeader: SQLiteConnection.Statement

    init(_ connection: SQLiteConnection) throws(JournalError) {
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        insertRow = try connection.prepare("INSERT INTO log VALUES(?,?,?,?,?,?,?)")
        insertReceipt = try connection.prepare("INSERT INTO receipts VALUES(?,?,?,?,?)")
        insertChunk = try connection.prepare("INSERT INTO chunks VALUES(?,?,?)")
        insertHeader = try connection.prepare("INSERT INTO snapshots VALUES(?,?,?,?,?,?,?)")
        firstReceiptSince = try connection.prepare(
            "SELECT seq FROM receipts WHERE time BETWEEN ? AND (SELECT time FROM receipts ORDER BY seq DESC LIMIT 1) "
                + "ORDER BY seq LIMIT 1")
        deleteReceipts = try connection.prepare("DELETE FROM receipts WHERE seq <= ?")
        deleteRows = try connection.prepare("DELETE FROM log WHERE seq BETWEEN ? AND ?")
        deleteChunks = try connection.prepare("DELETE FROM chunks WHERE id BETWEEN ? AND ?")
        deleteHeader = try connection.prepare("DELETE FROM snapshots WHERE id = ?")
    }

    func insert(_ row: LogRow, seq: Int) throws(JournalError) {
        guard row.isWhole else { return try insert(row.whole, seq: seq) }
        try insertRow.run([
            .integer(seq), .text(Array(row.list.rawValue.utf8)), .integer(row.storedKind), .integer(row.position),
            .integer(row.count), .blob(row.bytes), .integer(row.checksum(seq: seq)),
        ])
    }

    func insert(_ receipt: Receipt, seq: Int) throws(JournalError) {
        try insertReceipt.run([
            .integer(seq), .blob(receipt.key), .integer(receipt.time), .blob(receipt.bytes),
            .integer(receipt.checksum(seq: seq)),
        ])
    }

    /// Inserts a chunk, and returns its checksum.
    func insert(chunk bytes: [UInt8], id: Int) throws(JournalError) -> Int {
        let checksum = SnapshotChunk.checksum(bytes.span, id: id)
        try insertChunk.run([.integer(id), .blob(bytes), .integer(checksum)])
        return checksum
    }

    func insert(_ header: LogIndex.Header, list: ListID) throws(JournalError) {
        try insertHeader.run([
            .integer(header.id), .text(Array(list.rawValue.utf8)), .integer(header.since), .integer(header.position),
            .integer(header.chunks), .integer(header.content), .integer(header.checksum(list: list)),
        ])
    }
}
