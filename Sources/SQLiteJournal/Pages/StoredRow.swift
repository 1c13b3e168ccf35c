/// Where the columns of a row are in its bytes.
///
/// Source: "Record Format" in SQLite's file format page.
struct StoredRow {
    /// As many as the widest of our tables has.
    private var types = [7 of Int](repeating: 0)
    private var offsets = [7 of Int](repeating: 0)

    /// - Returns: Nil if these are not the bytes of a row with so many columns.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, columns: Int) {
        var offset = 0
        guard let headerLength = bytes.varint(&offset), headerLength >= 0, headerLength <= bytes.count else {
            return nil
        }
        var content = headerLength
        for column in 0..<columns {
            guard offset < headerLength, let type = bytes.varint(&offset), type >= 0 else { return nil }
            types[column] = type
            offsets[column] = content
            // A damaged length may be as long as a number can be.
            let (end, isBeyond) = content.addingReportingOverflow(Self.length(type))
            guard !isBeyond, end <= bytes.count else { return nil }
            content = end
        }
        guard offset == headerLength, content == bytes.count else { return nil }
    }

    @inline(__always)
    private static func length(_ type: Int) -> Int {
        switch type {
        case 0...4: type
        case 5: 6
        case 6, 7: 8
        case 8...11: 0
        default: (type - 12) / 2
        }
    }

    /// A whole number; nil if the column has none.
    @inline(__always)
    func integer(_ column: Int, in bytes: Span<UInt8>) -> Int? {
        let type = types[column]
        switch type {
        case 1...6:
            let start = offsets[column]
            var number = Int(Int8(bitPattern: bytes[start]))
            for offset in 1..<max(1, Self.length(type)) { number = number << 8 | Int(bytes[start + offset]) }
            return number
        case 8: return 0
        case 9: return 1
        default: return nil
        }
    }

    /// Where a text is; nil if the column has none.
    @inline(__always)
    func text(_ column: Int) -> Range<Int>? { types[column] >= 13 && types[column] & 1 == 1 ? place(column) : nil }

    /// Where a blob is; nil if the column has none.
    @inline(__always)
    func blob(_ column: Int) -> Range<Int>? { types[column] >= 12 && types[column] & 1 == 0 ? place(column) : nil }

    @inline(__always)
    private func place(_ column: Int) -> Range<Int> {
        offsets[column]..<offsets[column] + Self.length(types[column])
    }
}
