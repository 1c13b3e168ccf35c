internal import Texts

/// Checks one JSON document. A cursor moves over its bytes, and a method throws the first fault.
///
/// Nothing is kept of the values. Arrays and objects are gone into by recursion, which `depthMax` limits.
struct JSONReader {
    private var scan: MinifiedScan
    private let depthMax: Int
    /// The names of all short objects that are open.
    private var names = OpenNames()

    init(_ bytes: UnsafeBufferPointer<UInt8>, from position: Int = 0, depthMax: Int) {
        scan = MinifiedScan(bytes: bytes)
        scan.position = position
        self.depthMax = depthMax
    }

    var bytes: UnsafeBufferPointer<UInt8> { scan.bytes }
    var position: Int {
        get { scan.position }
        set { scan.position = newValue }
    }
    var isAtEnd: Bool { position >= bytes.count }

    /// The byte at the cursor; nil at the end.
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Moves over a whole document.
    ///
    /// - Returns: The index at which its value begins.
    mutating func document() throws(JSONError) -> Int {
        guard !hasByteOrderMark else { throw JSONError(reason: .byteOrderMark, offset: 0) }
        scan.skipSpace()
        guard !isAtEnd else { throw JSONError(reason: .empty, offset: position) }
        let start = position
        try value(depth: 0, expecting: .value)
        scan.skipSpace()
        guard isAtEnd else { throw JSONError(reason: .trailingBytes, offset: position) }
        return start
    }

    /// The error for the byte at the cursor. At the end of the bytes its reason is `.unexpectedEnd`.
    func unexpected(
        _ reason: JSONError.Reason = .unexpectedByte, expecting expected: JSONError.Expected
    ) -> JSONError {
        JSONError(reason: isAtEnd ? .unexpectedEnd : reason, offset: position, expected: expected)
    }

    private var hasByteOrderMark: Bool {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) || bytes.starts(with: [0xFE, 0xFF])
            || bytes.starts(with: [0xFF, 0xFE])
    }

    /// Moves over a value.
    ///
    /// - Parameters:
    ///   - depth: The number of arrays and objects that are open around the value.
    ///   - expected: The error names this if no value begins here.
    mutating func value(depth: Int, expecting expected: JSONError.Expected) throws(JSONError) {
        guard let byte = current else { throw unexpected(expecting: expected) }
        switch byte {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "{"): try object(depth: depth + 1)
        case UInt8(ascii: "["): try array(depth: depth + 1)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: throw unexpected(expecting: expected)
        }
    }

    private mutating func array(depth: Int) throws(JSONError) {
        guard try !open(depth: depth, closing: UInt8(ascii: "]")) else { return }
        var expected = JSONError.Expected.valueOrArrayEnd
        repeat {
            scan.skipSpace()
            try value(depth: depth, expecting: expected)
            expected = .value
        } while try separated(closing: UInt8(ascii: "]"), orElse: .commaOrArrayEnd)
    }

    private mutating func object(depth: Int) throws(JSONError) {
        guard try !open(depth: depth, closing: UInt8(ascii: "}")) else { return }
        var object = names.opened()
        var expected = JSONError.Expected.nameOrObjectEnd
        repeat {
            scan.skipSpace()
            guard current == UInt8(ascii: "\"") else { throw unexpected(expecting: expected) }
            try name(of: &object)
            expected = .name
            scan.skipSpace()
            guard scan.take(UInt8(ascii: ":")) else { throw unexpected(expecting: .colon) }
            scan.skipSpace()
            try value(depth: depth, expecting: .value)
        } while try separated(closing: UInt8(ascii: "}"), orElse: .commaOrObjectEnd)
        names.close(object)
    }

    /// Moves over the name of a member.
    private mutating func name(of object: inout OpenNames.Object) throws(JSONError) {
        let start = position
        scan.hasEscapes = false
        try skipString()
        guard names.add(start..<position, to: &object, hasEscapes: scan.hasEscapes, in: bytes) else { return }
        position = start
        throw JSONError(reason: .duplicateKey(try string()), offset: start)
    }

    /// Moves the cursor over an opening bracket, and over `closing` if that follows.
    ///
    /// - Returns: Whether `closing` followed.
    private mutating func open(depth: Int, closing: UInt8) throws(JSONError) -> Bool {
        guard depth <= depthMax else { throw JSONError(reason: .tooDeep, offset: position) }
        position += 1
        scan.skipSpace()
        return scan.take(closing)
    }

    /// Moves the cursor over the byte that must follow an element: a comma or `closing`.
    ///
    /// - Returns: Whether it was a comma.
    private mutating func separated(
        closing: UInt8, orElse expected: JSONError.Expected
    ) throws(JSONError) -> Bool {
        scan.skipSpace()
        if scan.take(UInt8(ascii: ",")) { return true }
        guard scan.take(closing) else { throw unexpected(expecting: expected) }
        return false
    }

    private mutating func word(_ word: StaticString) throws(JSONError) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard current == word.utf8Start[offset] else { throw unexpected(expecting: .word) }
            position += 1
        }
    }

    /// Moves over a string. A quick scan that finds a fault does not know which.
    private mutating func skipString() throws(JSONError) {
        let start = position
        guard !scan.string() else { return }
        position = start
        _ = try string()
    }

    /// Moves over a number, as over a string.
    private mutating func skipNumber() throws(JSONError) {
        let start = position
        let isRight = scan.number() && position - start <= JSONNumber.literalBytesMax
        guard !isRight || isAtDigit else { return }
        position = start
        _ = try number()
    }
}
