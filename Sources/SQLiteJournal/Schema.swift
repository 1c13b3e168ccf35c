internal import ListStore

/// The tables, and what a database must look like to be ours.
enum Schema {
    static let format = 2
    /// "LSTJ", in the header of the database file.
    static let applicationID = 0x4C53_544A

    static let tables = [
        ("chunks", "CREATE TABLE chunks(id INTEGER PRIMARY KEY, bytes BLOB, checksum INTEGER)"),
        (
            "log",
            "CREATE TABLE log(seq INTEGER PRIMARY KEY, list TEXT, kind INTEGER, position INTEGER, count INTEGER, "
                + "bytes BLOB, checksum INTEGER)"
        ),
        ("meta", "CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER, checksum INTEGER) WITHOUT ROWID"),
        (
            "receipts",
            "CREATE TABLE receipts(seq INTEGER PRIMARY KEY, key BLOB, time INTEGER, bytes BLOB, checksum INTEGER)"
        ),
        (
            "snapshots",
            "CREATE TABLE snapshots(id INTEGER PRIMARY KEY, list TEXT, since INTEGER, position INTEGER, "
                + "chunks INTEGER, content INTEGER, checksum INTEGER)"
        ),
    ]

    /// Makes an empty database in `path`, which is complete only once this returns.
    static func create(_ path: String, pageSize: Int, on disk: any Disk = SystemDisk()) throws(JournalError) {
        let connection = try SQLiteConnection(path: path, create: true, on: disk)
        try connection.run("PRAGMA page_size=\(pageSize)")
        try connection.run("PRAGMA locking_mode=EXCLUSIVE")
        try connection.run("BEGIN IMMEDIATE")
        try connection.run("PRAGMA application_id=\(applicationID)")
        for (_, sql) in tables { try connection.run(sql) }
        try set(.format, format, in: connection)
        for name in Name.allCases where name != .format { try set(name, 0, in: connection) }
        try connection.run("COMMIT")
        try connection.run("PRAGMA journal_mode=WAL")
        try connection.setCloseKeepsLog(false)
    }

    /// Checks that the tables and the format are ours.
    ///
    /// - Throws: `.corrupt` otherwise.
    static func verify(_ connection: SQLiteConnection, _ path: String) throws(JournalError) {
        let found = try connection.run("SELECT name, sql FROM sqlite_schema ORDER BY name").map { row in
            row.map { $0?.text ?? "" }
        }
        guard found == tables.map({ [$0.0, $0.1] }),
            try connection.run("PRAGMA application_id").first?.first??.integer == applicationID
        else { throw .corrupt("\(path) is not a database of this program") }
        let format = try value(.format, in: connection, path)
        guard format == Self.format else { throw .corrupt("\(path) has the unknown format \(format)") }
    }

    /// The numbers in `meta`.
    enum Name: String, CaseIterable {
        case format
        /// The last receipt that was trimmed; the receipts begin after it.
        case receiptsTrimmed
        /// The last row of the log that was removed.
        case logRemovedLast
        /// How many rows of the log were removed, and the sum of their numbers.
        case logRemovedCount
        case logRemovedSum
        /// How many snapshots there are, and the sum of their numbers.
        case snapshotCount
        case snapshotSum
    }

    static func value(_ name: Name, in connection: SQLiteConnection, _ path: String) throws(JournalError) -> Int {
        let rows = try connection.run("SELECT value, checksum FROM meta WHERE name='\(name.rawValue)'")
        guard let row = rows.first, let value = row.first??.integer, let sum = row.last??.integer,
            sum == checksum(name, value)
        else { throw .corrupt("\(path): \(name.rawValue) is damaged") }
        return value
    }

    static func set(_ name: Name, _ value: Int, in connection: SQLiteConnection) throws(JournalError) {
        try connection.run(
            "INSERT OR REPLACE INTO meta VALUES('\(name.rawValue)', \(value), \(checksum(name, value)))")
    }

    private static func checksum(_ name: Name, _ value: Int) -> Int {
        var checksum = CRC32C()
        checksum.add(Array(name.rawValue.utf8))
        checksum.add(value)
        return Int(checksum.value)
    }
}

extension SQLiteConnection.Value {
    var integer: Int? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    var text: String? {
        guard case .text(let bytes) = self else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
