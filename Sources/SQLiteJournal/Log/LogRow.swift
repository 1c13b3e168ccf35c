internal import ListModel
internal import ListStore

/// A row of the log: an entry, or the appends of one list in a batch fused into one.
struct LogRow {
    var list: ListID
    var kind: Kind
    /// Where the row's first entry stands in the life of its list: 1 for the entry that begins it.
    var position = 0
    /// Entries in the row.
    var count = 0
    /// Each entry's bytes behind their length (four bytes, the lowest first).
    var bytes: [UInt8]

    /// The number in the row; `.receiptOnly` has no row.
    enum Kind: Int {
        case create = 1
        case append = 2
        case delete = 3
        /// Deletes the list in a way that it can go on: unknown to programs from before there was such a thing.
        case retire = 4
    }

    /// Appends go into their list's open row until it is this long, far below what SQLite can hold in one.
    private static let fusedBytesMax = 1 << 20

    /// The rows of a batch, each list's entries in their order.
    static func rows(_ batch: [JournalEntry]) -> [LogRow] {
        var rows: [LogRow] = []
        var open: [ListID: Int] = [:]
        for entry in batch {
            guard let kind = Kind(entry.kind) else { continue }
            if kind == .append, let index = open[entry.list], rows[index].bytes.count < fusedBytesMax {
                rows[index].add(entry.bytes)
                continue
            }
            var row = LogRow(list: entry.list, kind: kind, bytes: [])
            row.add(entry.bytes)
            open[entry.list] = kind == .append ? rows.count : nil
            rows.append(row)
        }
        return rows
    }

    private mutating func add(_ entry: [UInt8]) {
        var length = UInt32(truncatingIfNeeded: entry.count)
        for _ in 0..<4 {
            bytes.append(UInt8(truncatingIfNeeded: length))
            length >>= 8
        }
        bytes.append(contentsOf: entry)
        count += 1
    }

    /// Whether a row may say that of where its first entry stands and how many it has: what is far beyond overflows.
    static func isPlace(_ position: Int, _ count: Int) -> Bool {
        (1...1 << 52).contains(position) && (1...1 << 32).contains(count)
    }

    /// Where the row's last entry stands in the life of its list.
    var last: Int { position + count - 1 }

    /// The entries of the row.
    ///
    /// - Returns: Nil if the row is not one that `rows` makes.
    func entries() -> [JournalEntry]? {
        var entries: [JournalEntry] = []
        var offset = 0
        while offset < bytes.count {
            guard bytes.count - offset >= 4 else { return nil }
            let length = (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
            offset += 4
            guard bytes.count - offset >= length else { return nil }
            let content = Array(bytes[offset..<offset + length])
            entries.append(JournalEntry(list: list, kind: kind.entryKind, bytes: content, receipt: nil))
            offset += length
        }
        guard entries.count == count, count == 1 || (kind == .append && count > 1) else { return nil }
        return entries
    }

    /// The row with the entries up to one.
    ///
    /// - Parameter end: Where that one stands in the life of the list.
    /// - Returns: Nil if the row begins behind it, or is not one that `rows` makes.
    func upTo(_ end: Int) -> LogRow? {
        guard end < last else { return self }
        guard end >= position, let entries = entries() else { return nil }
        var row = LogRow(list: list, kind: kind, position: position, bytes: [])
        for entry in entries.prefix(end - position + 1) { row.add(entry.bytes) }
        return row
    }

    /// The checksum over the row's content and its place.
    func checksum(seq: Int) -> Int {
        let name = Array(list.rawValue.utf8)
        return Self.checksum([seq, kind.rawValue, position, count, name.count], name.span, bytes.span)
    }

    /// - Parameter numbers: The number of the row, of its kind, position, count, and the bytes of the name.
    static func checksum(_ numbers: [5 of Int], _ name: Span<UInt8>, _ bytes: Span<UInt8>) -> Int {
        var checksum = CRC32C()
        checksum.add(numbers)
        checksum.add(name)
        checksum.add(bytes)
        return Int(checksum.value)
    }
}

extension LogRow.Kind {
    fileprivate init?(_ kind: JournalEntry.Kind) {
        switch kind {
        case .create: self = .create
        case .append, .revive: self = .append
        case .delete: self = .delete
        case .retire: self = .retire
        case .receiptOnly: return nil
        }
    }

    fileprivate var entryKind: JournalEntry.Kind {
        switch self {
        case .create: .create
        case .append: .append
        case .delete: .delete
        case .retire: .retire
        }
    }
}

extension Receipt {
    /// The checksum over a receipt's content and its place; never that of a log row with the same bytes.
    func checksum(seq: Int) -> Int { Self.checksum(seq: seq, key.span, time, bytes.span) }

    static func checksum(seq: Int, _ key: Span<UInt8>, _ time: Int, _ bytes: Span<UInt8>) -> Int {
        var checksum = CRC32C()
        checksum.add(seq)
        checksum.add(-1)
        checksum.add(time)
        checksum.add(key.count)
        checksum.add(key)
        checksum.add(bytes)
        return Int(checksum.value)
    }
}
