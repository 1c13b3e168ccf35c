internal import ListStore
internal import Texts

/// The tables, and the checks that a file is a database of this program.
enum Schema {
    static let format = 3
    /// The formats that are read. A database of an older one gets the newest when it is opened to be written.
    static let formats = 2...format
    /// Whether a database has keyed records, and may have entries whose records were written ahead.
    static func hasRecords(_ format: Int) -> Bool { format >= 3 }
    /// The text "LSTJ", which the header of the database file holds.
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
            "records",
            "CREATE TABLE records(id INTEGER PRIMARY KEY, kind INTEGER, key BLOB, used INTEGER, value BLOB, "
                + "checksum INTEGER)"
        ),
        (
            "snapshots",
            "CREATE TABLE snapshots(id INTEGER PRIMARY KEY, list TEXT, since INTEGER, position INTEGER, "
                + "chunks INTEGER, content INTEGER, checksum INTEGER)"
        ),
    ]

    /// The table of subscriptions, which a database of format 2 has once somebody has subscribed.
    static let subscriptions = (
        name: "subscriptions",
        sql: "CREATE TABLE subscriptions(number INTEGER PRIMARY KEY, name BLOB, used INTEGER, bytes BLOB, "
            + "checksum INTEGER)"
    )

    /// The table of summaries. It is made when the first one is kept.
    static let summaries = (
        name: "summaries",
        sql: "CREATE TABLE summaries(life INTEGER PRIMARY KEY, list TEXT, position INTEGER, bytes BLOB, "
            + "checksum INTEGER)"
    )

    /// The tables that are not in every database. They come behind the others by name.
    static let laterTables = [subscriptions, summaries]

    private static func tables(of format: Int) -> [(String, String)] {
        hasRecords(format) ? tables : tables.filter { $0.0 != KeyedRecord.InPlace.table }
    }

    /// Makes an empty database at `path`, which is complete only once this returns.
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

    /// Checks that the file has the tables of a format that this program reads, and returns the format.
    ///
    /// - Throws: `.corrupt` if it has not, `.otherFormat` if the program does not know the format.
    static func verify(_ connection: SQLiteConnection, _ path: String) throws(JournalError) -> Int {
        let found = try connection.run("SELECT name, sql FROM sqlite_schema ORDER BY name").map { row in
            row.map { $0?.text ?? "" }
        }
        func rows(_ tables: [(String, String)]) -> [[ByteText]] {
            tables.map { [ByteText($0.0), ByteText($0.1)] }
        }
        let isOurs = try connection.run("PRAGMA application_id").first?.first??.integer == applicationID
        guard isOurs, found.contains(where: { $0.first == "meta" }) else {
            throw .corrupt("\(path) is not a database of this program")
        }
        let format = try value(.format, in: connection, path)
        guard formats.contains(format) else { throw .otherFormat(format, newest: Self.format) }
        let (first, later) = (rows(tables(of: format)), rows(laterTables.map { ($0.name, $0.sql) }))
        guard Array(found.prefix(first.count)) == first, found.dropFirst(first.count).allSatisfy(later.contains) else {
            throw .corrupt("\(path) is not a database of this program")
        }
        return format
    }

    /// The numbers that `meta` always has.
    enum Name: String, CaseIterable {
        case format
        /// The number of the last receipt that was removed. The receipts begin after it.
        case receiptsTrimmed
        /// The highest number of a row that was removed from the log.
        case logRemovedLast
        /// The count of the rows that were removed from the log, and the sum of their numbers.
        case logRemovedCount
        case logRemovedSum
        /// The count of the snapshots, and the sum of their numbers.
        case snapshotCount
        case snapshotSum
        /// The count of the records, and the sum of their checksums.
        case recordCount
        case recordSum

        /// Whether the number is a sum, modulo 2^64. The others are counts and row numbers.
        fileprivate var isSum: Bool { self == .logRemovedSum || self == .snapshotSum || self == .recordSum }

        static func all(of format: Int) -> [Name] {
            allCases.filter { format >= 3 || $0 != .recordCount && $0 != .recordSum }
        }
    }

    /// Further numbers in `meta`. They are there once a server has set them.
    enum Setting: String, CaseIterable {
        case receiptsMax
        case receiptAgeSeconds
        case historyVersionsMax
        case historyBytesMax
        /// 0 stands for no limit.
        case historyAgeSeconds
    }

    static func value(_ name: Name, in connection: SQLiteConnection, _ path: String) throws(JournalError) -> Int {
        guard let value = try value(named: name.rawValue, in: connection, path),
            name.isSum || Database.rows.contains(value)
        else { throw .corrupt("\(path): \(name.rawValue) is damaged") }
        return value
    }

    static func value(_ name: Setting, in connection: SQLiteConnection, _ path: String) throws(JournalError) -> Int? {
        guard let value = try value(named: name.rawValue, in: connection, path) else { return nil }
        guard Database.rows.contains(value) else { throw .corrupt("\(path): \(name.rawValue) is damaged") }
        return value
    }

    /// Nil if `meta` has no such number.
    private static func value(
        named name: String, in connection: SQLiteConnection, _ path: String
    ) throws(JournalError) -> Int? {
        guard let row = try connection.run("SELECT value, checksum FROM meta WHERE name='\(name)'").first else {
            return nil
        }
        guard let value = row.first??.integer, let sum = row.last??.integer, sum == checksum(name, value) else {
            throw .corrupt("\(path): \(name) is damaged")
        }
        return value
    }

    static func set(_ name: Name, _ value: Int, in connection: SQLiteConnection) throws(JournalError) {
        try set(named: name.rawValue, value, in: connection)
    }

    static func set(_ name: Setting, _ value: Int, in connection: SQLiteConnection) throws(JournalError) {
        try set(named: name.rawValue, value, in: connection)
    }

    private static func set(named name: String, _ value: Int, in connection: SQLiteConnection) throws(JournalError) {
        try connection.run("INSERT OR REPLACE INTO meta VALUES('\(name)', \(value), \(checksum(name, value)))")
    }

    private static func checksum(_ name: String, _ value: Int) -> Int {
        var checksum = CRC32C()
        checksum.add(Array(name.utf8))
        checksum.add(value)
        return Int(checksum.value)
    }
}

extension Schema {
    /// The count of the rows that were removed from the log, and the sum of their numbers.
    ///
    /// All sums of row numbers are taken modulo 2^64. That of 4,294,967,296 rows has more than 63 bits, and there may be
    /// 2^53 rows.
    ///
    /// - Parameters:
    ///   - end: The number of the last row that there ever was.
    ///   - count: The count of the rows that the log has.
    ///   - sum: The sum of their numbers.
    static func removedRows(upTo end: Int, count: Int, sum: Int) -> (count: Int, sum: Int) {
        // The even one of the two factors is halved, because a product that has wrapped around cannot be halved.
        let isEven = end & 1 == 0
        let all = (isEven ? end / 2 : end) &* (isEven ? end &+ 1 : end / 2 &+ 1)
        return (end &- count, all &- sum)
    }
}

extension [Schema.Name: Int] {
    /// Checks that the rows that the log has and the rows that were removed are all rows that there ever were. The
    /// parameters are those of `Schema.removedRows(upTo:count:sum:)`.
    ///
    /// - Returns: Nil if that is so, otherwise the count of missing rows. It is 0 if others are there in their place.
    func missingRows(upTo end: Int, count: Int, sum: Int) -> Int? {
        let removed = Schema.removedRows(upTo: end, count: count, sum: sum)
        let missing = removed.count &- (self[.logRemovedCount] ?? 0)
        return missing == 0 && removed.sum == self[.logRemovedSum] ? nil : missing
    }
}

extension SQLiteConnection.Value {
    var integer: Int? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    var text: ByteText? {
        guard case .text(let bytes) = self else { return nil }
        return ByteText(decoding: bytes)
    }
}
