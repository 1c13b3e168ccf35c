public import Texts

/// Reads a document piece by piece, so that a long array in it need not become a value.
///
/// A method throws `Refusal` if the document goes on in another way than its caller can take, and the cursor must not be
/// used any more then. A document that is read to its end without a refusal is one that `JSONSlice(checking:)` takes,
/// too. A refused one may be right all the same: only `JSONSlice(checking:)` finds out what is wrong, if anything is.
public struct JSONCursor {
    /// The document is not as the caller can take it.
    public struct Refusal: Error {
        public init() {}
    }

    private let source: [UInt8]
    private let depthMax: Int
    private var scan: MinifiedScan
    /// The number of arrays and objects that are open.
    private var depth = 0
    /// The names of the objects that a scan has gone into. It is kept because its memory is used again.
    private var names: [Range<Int>] = []

    /// Reads a whole document.
    ///
    /// - Parameters:
    ///   - levelsAround: As in `JSONValue(parsing:levelsAround:)`.
    ///   - body: Gets the cursor at the first value, and moves it behind that. It must not keep the cursor.
    public static func read<Result>(
        _ bytes: [UInt8], levelsAround: Int, _ body: (inout JSONCursor) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        try bytes.withUnsafeBufferPointer { buffer throws(Refusal) in
            var cursor = JSONCursor(bytes, buffer, depthMax: JSONValue.depthMax + levelsAround)
            cursor.scan.skipSpace()
            let result = try body(&cursor)
            cursor.scan.skipSpace()
            guard cursor.scan.position == bytes.count else { throw Refusal() }
            return result
        }
    }

    private init(_ source: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>, depthMax: Int) {
        self.source = source
        self.depthMax = depthMax
        scan = MinifiedScan(bytes: bytes)
    }
}

// MARK: - Arrays and objects

extension JSONCursor {
    /// Moves over an object.
    ///
    /// - Parameters:
    ///   - names: The names that its members may have.
    ///   - body: Gets the cursor at the value of each member, with the index of its name, and moves it behind the value.
    public mutating func members(
        of names: JSONNames, _ body: (inout JSONCursor, Int) throws(Refusal) -> Void
    ) throws(Refusal) {
        var seen: UInt64 = 0
        var next = 0
        guard try enter(UInt8(ascii: "{"), end: UInt8(ascii: "}")) else { return }
        repeat {
            let index = try name(of: names, from: next)
            guard seen & 1 << UInt64(index) == 0 else { throw Refusal() }
            seen |= 1 << UInt64(index)
            next = index + 1
            try body(&self, index)
        } while try goesOn(end: UInt8(ascii: "}"))
    }

    /// Moves over an array.
    ///
    /// - Parameter body: Gets the cursor at each element, and moves it behind that.
    public mutating func elements(_ body: (inout JSONCursor) throws(Refusal) -> Void) throws(Refusal) {
        guard try enter(UInt8(ascii: "["), end: UInt8(ascii: "]")) else { return }
        repeat { try body(&self) } while try goesOn(end: UInt8(ascii: "]"))
    }

    /// Moves over an opening bracket, and over `end` if that follows. Returns false then.
    private mutating func enter(_ bracket: UInt8, end: UInt8) throws(Refusal) -> Bool {
        guard scan.take(bracket) else { throw Refusal() }
        scan.skipSpace()
        guard !scan.take(end) else { return false }
        depth += 1
        return true
    }

    /// Moves over the comma or the bracket behind an element. Returns false if it was the bracket.
    private mutating func goesOn(end: UInt8) throws(Refusal) -> Bool {
        scan.skipSpace()
        if scan.take(UInt8(ascii: ",")) {
            scan.skipSpace()
            return true
        }
        guard scan.take(end) else { throw Refusal() }
        depth -= 1
        return false
    }

    /// Moves over the name of a member, and over its colon.
    private mutating func name(of names: JSONNames, from first: Int) throws(Refusal) -> Int {
        guard scan.take(UInt8(ascii: "\"")),
            let index = names.index(in: scan.bytes, at: scan.position, from: first)
        else { throw Refusal() }
        scan.position += names.byteCount(at: index) + 1
        scan.skipSpace()
        guard scan.take(UInt8(ascii: ":")) else { throw Refusal() }
        scan.skipSpace()
        return index
    }
}

// MARK: - Values

extension JSONCursor {
    /// Whether the value at the cursor is a string.
    public var isAtString: Bool { scan.current == UInt8(ascii: "\"") }

    /// Moves over a null. Returns false if the value is another one.
    public mutating func null() throws(Refusal) -> Bool {
        guard scan.current == UInt8(ascii: "n") else { return false }
        guard scan.word("null") else { throw Refusal() }
        return true
    }

    /// Reads a boolean.
    public mutating func boolean() throws(Refusal) -> Bool {
        let isTrue = scan.current == UInt8(ascii: "t")
        guard scan.word(isTrue ? "true" : "false") else { throw Refusal() }
        return isTrue
    }

    /// Reads a string.
    public mutating func string() throws(Refusal) -> ByteText {
        let start = scan.position
        scan.hasEscapes = false
        guard scan.string() else { throw Refusal() }
        guard !scan.hasEscapes else { return try text(at: start) }
        return ByteText(decoding: UnsafeBufferPointer(rebasing: scan.bytes[start + 1..<scan.position - 1]))
    }

    private func text(at start: Int) throws(Refusal) -> ByteText {
        var reader = JSONReader(scan.bytes, from: start, depthMax: depthMax)
        guard let text = try? reader.string() else { throw Refusal() }
        return text
    }

    /// Moves over any value.
    public mutating func skip() throws(Refusal) {
        _ = try slice()
    }

    /// Appends the value at the cursor to `buffer` as it stands in the document.
    public mutating func copy(to buffer: inout [UInt8]) throws(Refusal) {
        let start = scan.position
        try skip()
        buffer.append(contentsOf: UnsafeBufferPointer(rebasing: scan.bytes[start..<scan.position]))
    }

    /// Moves over any value, and checks it strictly.
    private mutating func slice() throws(Refusal) -> JSONSlice {
        let start = scan.position
        var reader = JSONReader(scan.bytes, from: start, depthMax: depthMax)
        do throws(JSONError) { try reader.value(depth: depth, expecting: .value) } catch { throw Refusal() }
        scan.position = reader.position
        return JSONSlice(checked: source, at: start)
    }

    /// Appends the object at the cursor to `buffer`, as `JSONValue.write(to:)` does. It has at most
    /// `JSONValue.depthMax` arrays and objects inside each other.
    public mutating func copyObject(to buffer: inout [UInt8]) throws(Refusal) {
        guard scan.current == UInt8(ascii: "{") else { throw Refusal() }
        let start = scan.position
        (scan.hasEscapes, scan.hasSpace) = (false, false)
        names.removeAll(keepingCapacity: true)
        guard scan.plainValue(depth: 0, &names), !scan.hasEscapes else {
            scan.position = start
            let slice = try slice()
            let extent = slice.extent
            guard extent.depth <= JSONValue.depthMax else { throw Refusal() }
            return slice.write(to: &buffer, extent)
        }
        let text = UnsafeBufferPointer(rebasing: scan.bytes[start..<scan.position])
        scan.hasSpace ? buffer.append(minifying: text) : buffer.append(contentsOf: text)
    }
}

/// The names that the members of an object may have, at most 64, in the order in which they mostly come.
public struct JSONNames: Sendable {
    private struct Name: Sendable {
        let byteCount: Int
        /// The first eight bytes, the first one lowest.
        let head: UInt64
        let tail: [UInt8]
    }

    private let names: [Name]

    /// - Parameter names: Names without quotes, backslashes and control characters.
    public init(_ names: [ByteText]) {
        self.names = names.map { name in
            let bytes = Array(name.utf8)
            let head = bytes.prefix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            return Name(byteCount: bytes.count, head: head, tail: Array(bytes.dropFirst(8)))
        }
    }

    func byteCount(at index: Int) -> Int { names[index].byteCount }

    /// The index of the name that begins at `start` and ends at a quote; nil if it is none of these.
    ///
    /// - Parameter first: The index of the name that is tried first.
    func index(in bytes: UnsafeBufferPointer<UInt8>, at start: Int, from first: Int) -> Int? {
        for offset in names.indices {
            let index = first + offset < names.count ? first + offset : first + offset - names.count
            if isAt(start, of: bytes, names[index]) { return index }
        }
        return nil
    }

    @inline(__always)
    private func isAt(_ start: Int, of bytes: UnsafeBufferPointer<UInt8>, _ name: borrowing Name) -> Bool {
        let end = start + name.byteCount
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return false }
        guard Self.head(of: bytes, at: start, upTo: end) == name.head else { return false }
        return name.byteCount <= 8 || bytes[start + 8..<end].elementsEqual(name.tail)
    }

    @inline(__always)
    private static func head(of bytes: UnsafeBufferPointer<UInt8>, at start: Int, upTo end: Int) -> UInt64 {
        guard start + 8 <= bytes.count else {
            return bytes[start..<end].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: start, as: UInt64.self)
        let count = end - start
        return count >= 8 ? UInt64(littleEndian: word) : UInt64(littleEndian: word) & (1 << UInt64(8 * count) - 1)
    }
}
