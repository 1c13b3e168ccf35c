internal import ListModel
internal import ListStore
internal import Texts

// The rows of the tables: which column holds what, and when a row is whole. No other code that reads rows knows this.
//
// A start, an examination, a repair and the reading of one list use the same rows. They differ in what they do about a
// row that is not whole: a start refuses the file, an examination reports the row and goes on, a repair leaves it out.
// They also differ in who finds the rows: SQLite or, at a start, first the walk through the pages, which is faster.

/// A row of a table, read in place. Its bytes belong to the source of the row, and are valid until the next row is
/// read.
protocol RowInPlace {
    static var table: String { get }
    static var columnCount: Int { get }
    /// - Parameter columns: The columns in the order of `Schema`.
    init(_ columns: some Columns)
}

/// The columns of a row.
protocol Columns {
    /// The whole number in a column. If the column holds something else, the result is any number.
    func integer(_ column: Int32) -> Int
    /// The bytes of a text or blob in a column, in place. If the column holds neither, the result is any bytes.
    func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8>
}

/// A source of the rows of tables.
protocol RowSource {
    /// Calls `body` with each row of a table, in the order of their numbers.
    mutating func read<Row: RowInPlace>(_: Row.Type, _ body: (Row) throws -> Void) throws
}

extension SQLiteConnection.Statement.Row: Columns {}

extension SQLiteConnection: RowSource {
    /// - Throws: `JournalError` if SQLite can read no further, or what `body` throws.
    func read<Row: RowInPlace>(_: Row.Type, _ body: (Row) throws -> Void) throws {
        try prepare("SELECT * FROM \(Row.table) ORDER BY rowid").read([]) { try body(Row($0)) }
    }
}

/// Reads rows of a table by their numbers.
struct NumberedRows<Row: RowInPlace> {
    private let statement: SQLiteConnection.Statement

    init(_ connection: SQLiteConnection) throws(JournalError) {
        statement = try connection.prepare("SELECT * FROM \(Row.table) WHERE rowid BETWEEN ? AND ? ORDER BY rowid")
    }

    /// Calls `body` with each row whose number is in the range, in order. Throws as `SQLiteConnection.read` does.
    func read(_ numbers: ClosedRange<Int>, _ body: (Row) throws -> Void) throws {
        try statement.read([numbers.lowerBound, numbers.upperBound]) { try body(Row($0)) }
    }
}

extension LogIndex.Header {
    /// A row of `snapshots`.
    struct InPlace: RowInPlace {
        static let table = "snapshots"
        static let columnCount = 7
        let header: LogIndex.Header
        /// The name of the list. It may be no valid id if the row is damaged.
        let name: ByteText
        /// The list; nil if the row is damaged.
        let list: ListID?

        init(_ columns: some Columns) {
            let header = LogIndex.Header(
                id: columns.integer(0), since: columns.integer(2), position: columns.integer(3),
                chunks: columns.integer(4), content: columns.integer(5))
            self.header = header
            name = ByteText(decoding: columns.bytes(1))
            list = ListID(name).flatMap { header.isWhole(list: $0, checksum: columns.integer(6)) ? $0 : nil }
        }
    }
}

extension SnapshotChunk {
    /// A row of `chunks`.
    struct InPlace: RowInPlace {
        static let table = "chunks"
        static let columnCount = 3
        let id: Int
        let bytes: UnsafeBufferPointer<UInt8>
        let checksum: Int

        init(_ columns: some Columns) {
            (id, bytes, checksum) = (columns.integer(0), columns.bytes(1), columns.integer(2))
        }

        var isWhole: Bool { SnapshotChunk.checksum(bytes.span, id: id) == checksum }
    }
}

extension LogRow {
    /// A row of `log`.
    struct InPlace: RowInPlace {
        static let table = "log"
        static let columnCount = 7
        let seq: Int
        /// The name of the list. It may be no valid id if the row is damaged.
        let name: UnsafeBufferPointer<UInt8>
        private let kindNumber: Int
        let position: Int
        let count: Int
        let bytes: UnsafeBufferPointer<UInt8>
        private let checksum: Int

        @inline(__always)
        init(_ columns: some Columns) {
            (seq, name, kindNumber) = (columns.integer(0), columns.bytes(1), columns.integer(2))
            (position, count) = (columns.integer(3), columns.integer(4))
            (bytes, checksum) = (columns.bytes(5), columns.integer(6))
        }

        var list: ByteText { ByteText(decoding: name) }

        /// The kind of the row; nil if its checksum is wrong, or it has numbers that no row has.
        var kind: Kind? {
            guard let kind = Kind(stored: kindNumber), LogRow.isPlace(position, count), Database.rows.contains(seq)
            else { return nil }
            let found = LogRow.checksum([seq, kindNumber, position, count, name.count], name.span, bytes.span)
            guard found == checksum else { return nil }
            return isAhead && (ahead == nil || count != 1) ? nil : kind
        }

        private var isAhead: Bool { kindNumber > LogRow.aheadKinds }

        /// The record that the row names; nil if the record was not written ahead. The row must not be damaged.
        var ahead: AheadRecord? { isAhead ? AheadRecord(name: bytes.dropFirst(4)) : nil }

        /// A copy of the row; nil if the row is damaged.
        var copy: LogRow? {
            guard let kind, let list = ListID(list) else { return nil }
            var row = LogRow(list: list, kind: kind, position: position, count: count, bytes: Array(bytes))
            row.isAhead = isAhead
            return row
        }

        /// - Parameter path: The path of the file, for the message.
        func damaged(_ path: String) -> JournalError {
            .corrupt("\(path): row \(seq) of log (list \(list), version \(position)) is damaged")
        }
    }
}

extension Receipt {
    /// A row of `receipts`.
    struct InPlace: RowInPlace {
        static let table = "receipts"
        static let columnCount = 5
        let seq: Int
        private let key: UnsafeBufferPointer<UInt8>
        let time: Int
        private let bytes: UnsafeBufferPointer<UInt8>
        private let checksum: Int

        init(_ columns: some Columns) {
            (seq, key, time) = (columns.integer(0), columns.bytes(1), columns.integer(2))
            (bytes, checksum) = (columns.bytes(3), columns.integer(4))
        }

        var isWhole: Bool { Receipt.checksum(seq: seq, key.span, time, bytes.span) == checksum }

        var copy: Receipt { Receipt(key: Array(key), time: time, bytes: Array(bytes)) }
    }
}

extension KeyedRecord {
    /// A row of `records`.
    struct InPlace: RowInPlace {
        static let table = "records"
        static let columnCount = 6
        let id: Int
        let kind: Int
        private let keyBytes: UnsafeBufferPointer<UInt8>
        private let used: Int
        private let value: UnsafeBufferPointer<UInt8>
        let checksum: Int

        init(_ columns: some Columns) {
            (id, kind, keyBytes) = (columns.integer(0), columns.integer(1), columns.bytes(2))
            (used, value, checksum) = (columns.integer(3), columns.bytes(4), columns.integer(5))
        }

        /// The key; nil if the row is damaged, or has numbers that no row has.
        var key: Key? {
            guard let kind = UInt8(exactly: kind), Database.rows.contains(id), Database.rows.contains(used),
                keyBytes.count <= keyBytesMax, value.count <= valueBytesMax
            else { return nil }
            let key = Key(Kind(rawValue: kind), Array(keyBytes))
            return KeyedRecord.checksum(id: id, key, used: used, value.span) == checksum ? key : nil
        }

        /// A copy of the row; nil if the row is damaged.
        var copy: KeyedRecord? {
            key.map { KeyedRecord($0, Content(used: used, value: Array(value))) }
        }
    }

    /// The checksum of a row of `records`. The −5 in it keeps it from matching another kind of row.
    static func checksum(id: Int, _ key: Key, used: Int, _ value: Span<UInt8>) -> Int {
        var checksum = CRC32C()
        checksum.add([id, -5, Int(key.kind.rawValue), used, key.bytes.count])
        checksum.add(key.bytes)
        checksum.add(value)
        return Int(checksum.value)
    }
}
