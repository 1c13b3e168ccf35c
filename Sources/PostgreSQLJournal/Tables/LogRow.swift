internal import ListModel
internal import ListStore

/// A row of the log: the entries of one list in one batch.
struct LogRow {
    /// The number of entries of the life before this row.
    let first: Int
    let count: Int
    /// For each entry its kind in one byte, its length in four, and its bytes.
    let bytes: [UInt8]
    let checksum: Int

    /// - Parameter life: The life that the entries belong to.
    init(_ entries: [JournalEntry], after first: Int, of life: Int) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.reduce(0) { $0 + 5 + $1.bytes.count })
        for entry in entries {
            bytes.append(Self.code(of: entry.kind))
            withUnsafeBytes(of: UInt32(entry.bytes.count).littleEndian) { bytes += $0 }
            bytes += entry.bytes
        }
        (self.first, count, self.bytes) = (first, entries.count, bytes)
        checksum = Checksum.of([life, first, count], bytes)
    }

    /// A row as it was read; nil if it is damaged.
    ///
    /// - Parameter cells: Its first entry, their count, the checksum and the bytes.
    init?(_ cells: ArraySlice<Cell>, of life: Int) {
        let start = cells.startIndex
        guard cells.count == 4, let first = cells[start].integer, let count = cells[start + 1].integer,
            let checksum = cells[start + 2].integer, let bytes = cells[start + 3].bytes
        else { return nil }
        self.init(first: first, count: count, checksum: checksum, bytes: bytes, of: life)
    }

    /// A row as it was read; nil if it is damaged.
    init?(first: Int, count: Int, checksum: Int, bytes: [UInt8], of life: Int) {
        guard first >= 0, count > 0, first < 1 << 52, count < 1 << 32,
            Checksum.of([life, first, count], bytes) == checksum
        else { return nil }
        (self.first, self.count, self.bytes, self.checksum) = (first, count, bytes, checksum)
    }

    /// The number of entries of the life up to the end of this row.
    var end: Int { first + count }

    /// The entries; nil if the bytes are not as `init(_:after:of:)` makes them.
    func entries(of list: ListID) -> [JournalEntry]? {
        var entries: [JournalEntry] = []
        var place = 0
        while place < bytes.count {
            guard let kind = Self.kind(of: bytes[place]), bytes.count - place >= 5 else { return nil }
            let length = bytes[(place + 1)..<(place + 5)].reversed().reduce(0) { $0 << 8 | Int($1) }
            place += 5
            guard bytes.count - place >= length else { return nil }
            entries.append(
                JournalEntry(list: list, kind: kind, bytes: Array(bytes[place..<place + length]), receipt: nil))
            place += length
        }
        return entries.count == count ? entries : nil
    }

    private static func code(of kind: JournalEntry.Kind) -> UInt8 {
        switch kind {
        case .create: 1
        case .append, .revive: 2
        case .retire: 3
        // Neither is an entry of a life that goes on.
        case .delete, .receiptOnly: 0
        }
    }

    private static func kind(of code: UInt8) -> JournalEntry.Kind? {
        switch code {
        case 1: .create
        case 2: .append
        case 3: .retire
        default: nil
        }
    }
}
