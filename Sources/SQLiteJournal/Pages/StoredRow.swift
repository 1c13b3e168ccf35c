/// Reads the columns of a row from the bytes of its record.
///
/// Source: "Record Format" in SQLite's file format page.
struct StoredRow: Columns {
    private let number: Int
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The most columns that a table may have.
    static let columnsMax = 7
    private var types = [7 of Int](repeating: 0)
    private var offsets = [7 of Int](repeating: 0)

    /// - Parameter number: The number of the row, which is its first column.
    /// - Returns: Nil if the bytes are not a record with that many columns.
    @inline(__always)
    init?(_ number: Int, _ bytes: UnsafeBufferPointer<UInt8>, columns: Int) {
        self.number = number
        self.bytes = bytes
        var offset = 0
        guard columns <= Self.columnsMax, let headerLength = bytes.span.varint(&offset), headerLength >= 0,
            headerLength <= bytes.count
        else { return nil }
        var content = headerLength
        for column in 0..<columns {
            guard offset < headerLength, let type = bytes.span.varint(&offset), type >= 0 else { return nil }
            types[column] = type
            offsets[column] = content
            // A damaged length may be so large that the addition overflows.
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

    @inline(__always)
    func integer(_ column: Int32) -> Int {
        guard column > 0 else { return number }
        let (type, start) = (types[Int(column)], offsets[Int(column)])
        guard (1...6).contains(type) else { return type == 9 ? 1 : 0 }
        var number = Int(Int8(bitPattern: bytes[start]))
        for offset in 1..<Self.length(type) { number = number << 8 | Int(bytes[start + offset]) }
        return number
    }

    @inline(__always)
    func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        let (type, start) = (types[Int(column)], offsets[Int(column)])
        guard type >= 12 else { return UnsafeBufferPointer(start: nil, count: 0) }
        return bytes.extracting(start..<start + Self.length(type))
    }
}
