import ListModel
internal import Texts

/// Encodes numbers in LEB128, and bytes behind their count. `ByteReader` decodes them.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []
    private var pieces: [[UInt8]] = []
    private let pieceBytes: Int

    /// Most records are no longer than this: an item and a note.
    private static let capacity = 240

    /// - Parameter pieceBytes: The number of bytes of the whole pieces that `finish()` returns.
    init(pieceBytes: Int = .max) {
        self.pieceBytes = pieceBytes
        bytes.reserveCapacity(Self.capacity)
    }

    /// Takes whole pieces out of `bytes`. If this is done again and again, a long record is never in memory as one array.
    mutating func cut() {
        guard bytes.count > pieceBytes else { return }
        var start = 0
        while bytes.count - start > pieceBytes {
            pieces.append(Array(bytes[start..<start + pieceBytes]))
            start += pieceBytes
        }
        bytes.removeFirst(start)
    }

    /// All bytes: whole pieces, and the rest behind them.
    ///
    /// The writer ends, so the caller alone has the pieces and can free them one by one.
    consuming func finish() -> (whole: [[UInt8]], rest: [UInt8]) {
        cut()
        return (pieces, bytes)
    }

    mutating func write(_ byte: UInt8) { bytes.append(byte) }

    mutating func write(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    /// - Precondition: `number` is not negative.
    mutating func write(_ number: Int) {
        var rest = UInt64(number)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func write(_ chunk: some Collection<UInt8>) {
        write(chunk.count)
        bytes += chunk
    }

    mutating func write(_ text: ByteText) {
        write(text.utf8.count)
        bytes += text.utf8
    }

    mutating func write<Value>(_ value: Value?, _ body: (inout ByteWriter, Value) -> Void) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    mutating func write<Value>(all values: some Collection<Value>, _ body: (inout ByteWriter, Value) -> Void) {
        write(values.count)
        for value in values { body(&self, value) }
    }
}

/// Decodes what `ByteWriter` wrote. Bytes that it did not write are an error, never a trap.
struct ByteReader {
    /// The bytes are not a record of this program.
    struct Malformed: Error {}

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    @inline(__always)
    mutating func byte() throws(Malformed) -> UInt8 {
        guard position < bytes.count else { throw Malformed() }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func flag() throws(Malformed) -> Bool { try byte() != 0 }

    @inline(__always)
    mutating func number() throws(Malformed) -> Int {
        // Most numbers have one byte.
        guard position < bytes.count, bytes[position] < 0x80 else { return try longNumber() }
        defer { position += 1 }
        return Int(bytes[position])
    }

    private mutating func longNumber() throws(Malformed) -> Int {
        var result = 0
        for shift in stride(from: 0, to: 56, by: 7) {
            let byte = try byte()
            result |= Int(byte & 0x7F) << shift
            guard byte & 0x80 == 0 else { continue }
            guard result <= Self.numberMax else { break }
            return result
        }
        throw Malformed()
    }

    /// The greatest number in a record: the greatest revision that clients know. Counts, indexes and times are far
    /// smaller. A greater number comes from damage, and calculations with it could overflow.
    private static let numberMax = 1 << 53 - 1

    /// Reads a count, and moves over that many bytes. Returns their range.
    @inline(__always)
    mutating func place() throws(Malformed) -> Range<Int> {
        let count = try number()
        guard count <= bytes.count - position else { throw Malformed() }
        defer { position += count }
        return position..<position + count
    }

    /// Moves over a JSON text behind its count. The text must have the form in which contents are stored.
    ///
    /// - Precondition: The reader has at most `Int32.max` bytes.
    /// - Returns: The offset of the count.
    @inline(__always)
    mutating func jsonPlace() throws(Malformed) -> Int32 {
        let start = Int32(truncatingIfNeeded: position)
        let place = try place()
        guard JSONText.canBe(bytes.span.extracting(place)) else { throw Malformed() }
        return start
    }

    /// Reads a JSON text, which must have the form in which contents are stored.
    mutating func jsonText() throws(Malformed) -> JSONText {
        let place = try place()
        guard JSONText.canBe(bytes.span.extracting(place)) else { throw Malformed() }
        return JSONText(unchecked: Array(bytes[place]))
    }

    /// Reads an epoch. Its characters are checked, because answers show it as it is.
    mutating func epoch() throws(Malformed) -> ByteText {
        let text = try text()
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
        guard isPlain, (1...32).contains(text.utf8.count) else { throw Malformed() }
        return text
    }

    mutating func chunk() throws(Malformed) -> [UInt8] { Array(bytes[try place()]) }

    mutating func text() throws(Malformed) -> ByteText {
        let place = try place()
        guard let text = try? UTF8Span(validating: bytes.span.extracting(place)) else { throw Malformed() }
        return ByteText(copying: text)
    }

    mutating func optional<Value>(_ body: (inout ByteReader) throws(Malformed) -> Value) throws(Malformed) -> Value? {
        try flag() ? try body(&self) : nil
    }

    mutating func all<Value>(_ body: (inout ByteReader) throws(Malformed) -> Value) throws(Malformed) -> [Value] {
        let count = try number()
        guard count <= bytes.count - position else { throw Malformed() }
        var values: [Value] = []
        // A damaged count may be as great as the number of bytes that follow. So the space that is reserved for a long
        // array is at most as large as those bytes.
        let plausible = (bytes.count - position) / MemoryLayout<Value>.stride
        values.reserveCapacity(min(count, max(16, plausible)))
        for _ in 0..<count { values.append(try body(&self)) }
        return values
    }
}
