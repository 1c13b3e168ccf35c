internal import ListModel
internal import ListStore

/// A row of the log: one entry, or the appends of one list in one batch.
struct LogRow {
    var list: ListID
    var kind: Kind
    /// The position of the row's first entry in the life of its list, from 1. It is 0 until the row has one.
    var position = 0
    /// The number of entries in the row.
    var count = 0
    /// Whether the row has one entry, with the name of a record that was written ahead.
    var isAhead = false
    /// The bytes of the entries, each behind their length (four bytes, little-endian). Those of `longEntry` are missing.
    var bytes: [UInt8]
    /// The last entry if it is long. Its bytes are added when the row is written, so that a batch of long rows is not
    /// in memory twice.
    private var longEntry: [UInt8] = []

    /// The kind, as the number that the row stores. A `.receiptOnly` entry has no row.
    enum Kind: Int {
        case create = 1
        case append = 2
        case delete = 3
        /// Deletes the list, which can be restored. Earlier programs do not know this kind.
        case retire = 4
    }

    /// The number that is added to the stored kind of a row that names a record.
    static let aheadKinds = 8

    /// The kind as the row stores it.
    var storedKind: Int { kind.rawValue + (isAhead ? Self.aheadKinds : 0) }

    /// Appends are added to a row of their list until it has so many bytes. SQLite can hold far more in a row.
    private static let fusedBytesMax = 1 << 20

    init(list: ListID, kind: Kind, position: Int = 0, count: Int = 0, bytes: [UInt8]) {
        (self.list, self.kind, self.position, self.count, self.bytes) = (list, kind, position, count, bytes)
    }

    /// The number of bytes of the whole row.
    var byteCount: Int { bytes.count + longEntry.count }

    /// Whether the bytes of all entries are in `bytes`.
    var isWhole: Bool { longEntry.isEmpty }

    /// The row with the bytes of all entries in `bytes`.
    var whole: LogRow {
        guard !isWhole else { return self }
        var row = LogRow(list: list, kind: kind, position: position, count: count, bytes: bytes + longEntry)
        row.isAhead = isAhead
        return row
    }

    /// The rows of one list's entries in a batch, in their order.
    static func rows(_ entries: [JournalEntry]) -> [LogRow] {
        var rows: [LogRow] = []
        add(entries, to: &rows)
        return rows
    }

    /// Adds the rows of one list's entries in a batch, in their order.
    static func add(_ entries: [JournalEntry], to rows: inout [LogRow]) {
        let first = rows.count
        for index in entries.indices {
            guard let kind = Kind(entries[index].kind) else { continue }
            let isAhead = entries[index].isAhead
            if kind != .append || isAhead || rows.count == first || !rows[rows.count - 1].takesAppends {
                rows.append(LogRow(list: entries[index].list, kind: kind, bytes: []))
                rows[rows.count - 1].isAhead = isAhead
            }
            rows[rows.count - 1].add(entries[index].bytes)
        }
    }

    private var takesAppends: Bool { kind == .append && !isAhead && byteCount < Self.fusedBytesMax }

    private mutating func add(_ entry: [UInt8]) {
        if !isWhole { self = whole }
        let isLong = entry.count >= Self.fusedBytesMax
        if bytes.isEmpty { bytes.reserveCapacity(4 + (isLong ? 0 : entry.count)) }
        var length = UInt32(truncatingIfNeeded: entry.count)
        for _ in 0..<4 {
            bytes.append(UInt8(truncatingIfNeeded: length))
            length >>= 8
        }
        if isLong { longEntry = entry } else { bytes.append(contentsOf: entry) }
        count += 1
    }

    /// Whether a row may begin at such a position and have so many entries. Larger numbers come from damage, and
    /// calculations with them could overflow.
    static func isPlace(_ position: Int, _ count: Int) -> Bool {
        (1...1 << 52).contains(position) && (1...1 << 32).contains(count)
    }

    /// The position of the row's last entry in the life of its list.
    var last: Int { position + count - 1 }

    /// The entries of the row.
    ///
    /// - Returns: Nil if the bytes are not as `rows` makes them.
    func entries() -> [JournalEntry]? {
        var entries: [JournalEntry] = []
        var offset = 0
        while offset < bytes.count {
            guard bytes.count - offset >= 4 else { return nil }
            let length = (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
            offset += 4
            guard bytes.count - offset >= length else { return nil }
            let content = Array(bytes[offset..<offset + length])
            var entry = JournalEntry(list: list, kind: kind.entryKind, bytes: content, receipt: nil)
            entry.isAhead = isAhead
            entries.append(entry)
            offset += length
        }
        guard entries.count == count, count == 1 || (kind == .append && count > 1) else { return nil }
        return entries
    }

    /// The record that the row names; nil if it was not written ahead.
    var ahead: AheadRecord? { isAhead ? AheadRecord(name: bytes.dropFirst(4)) : nil }

    /// The row without the entries behind one.
    ///
    /// - Parameter end: The position of the last entry that stays, in the life of the list.
    /// - Returns: Nil if the row begins behind it, or its bytes are not as `rows` makes them.
    func upTo(_ end: Int) -> LogRow? {
        guard end < last else { return self }
        guard end >= position, let entries = entries() else { return nil }
        var row = LogRow(list: list, kind: kind, position: position, bytes: [])
        for entry in entries.prefix(end - position + 1) { row.add(entry.bytes) }
        return row
    }

    /// The checksum of the row's content and number.
    func checksum(seq: Int) -> Int {
        let name = list.rawValue.utf8
        return Self.checksum([seq, storedKind, position, count, name.count], name.span, bytes.span)
    }

    /// - Parameter numbers: The row's number, kind, position and count of entries, and the number of bytes of the name.
    static func checksum(_ numbers: [5 of Int], _ name: Span<UInt8>, _ bytes: Span<UInt8>) -> Int {
        var checksum = CRC32C()
        checksum.add(numbers)
        checksum.add(name)
        checksum.add(bytes)
        return Int(checksum.value)
    }
}

extension LogRow.Kind {
    /// - Parameter stored: The kind as the row stores it.
    init?(stored: Int) { self.init(rawValue: stored > LogRow.aheadKinds ? stored - LogRow.aheadKinds : stored) }

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
    /// The checksum of a receipt's content and number. The −1 in it keeps it from matching a log row with the same
    /// bytes.
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
