internal import Texts

/// Reads one JSON document. A cursor moves over its bytes.
///
/// Arrays and objects are read by recursion, which `depthMax` limits.
struct JSONReader {
    let bytes: [UInt8]
    var position: Int
    private let depthMax: Int

    init(_ bytes: [UInt8], from position: Int = 0, depthMax: Int) {
        self.bytes = bytes
        self.position = position
        self.depthMax = depthMax
    }

    var isAtEnd: Bool { position >= bytes.count }

    /// The byte at the cursor; nil at the end.
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func document() throws(JSONError) -> JSONValue {
        guard !hasByteOrderMark else { throw JSONError(reason: .byteOrderMark, offset: 0) }
        skipWhitespace()
        guard !isAtEnd else { throw JSONError(reason: .empty, offset: position) }
        let value = try value(depth: 0, expecting: .value)
        skipWhitespace()
        guard isAtEnd else { throw JSONError(reason: .trailingBytes, offset: position) }
        return value
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

    /// - Parameters:
    ///   - depth: The number of arrays and objects that are open around the value.
    ///   - expected: The error names this if no value begins here.
    mutating func value(depth: Int, expecting expected: JSONError.Expected) throws(JSONError) -> JSONValue {
        guard let byte = current else { throw unexpected(expecting: expected) }
        switch byte {
        case UInt8(ascii: "\""):
            return .string(try string())
        case UInt8(ascii: "{"):
            return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["):
            return .array(try array(depth: depth + 1))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try number())
        case UInt8(ascii: "t"):
            try word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        default:
            throw unexpected(expecting: expected)
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        guard try !open(depth: depth, closing: UInt8(ascii: "]")) else { return [] }
        var elements: [JSONValue] = []
        repeat {
            skipWhitespace()
            elements.append(try value(depth: depth, expecting: elements.isEmpty ? .valueOrArrayEnd : .value))
        } while try separated(closing: UInt8(ascii: "]"), orElse: .commaOrArrayEnd)
        return elements
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        guard try !open(depth: depth, closing: UInt8(ascii: "}")) else { return JSONObject() }
        var members = MemberIndex()
        repeat {
            skipWhitespace()
            let key = try key(notIn: members)
            skipWhitespace()
            guard current == UInt8(ascii: ":") else { throw unexpected(expecting: .colon) }
            position += 1
            skipWhitespace()
            members.append(try value(depth: depth, expecting: .value), for: key)
        } while try separated(closing: UInt8(ascii: "}"), orElse: .commaOrObjectEnd)
        return JSONObject(distinct: members.members)
    }

    private mutating func key(notIn members: MemberIndex) throws(JSONError) -> ByteText {
        guard current == UInt8(ascii: "\"") else {
            throw unexpected(expecting: members.members.isEmpty ? .nameOrObjectEnd : .name)
        }
        let start = position
        let key = try string()
        guard members.position(of: key) == nil else {
            throw JSONError(reason: .duplicateKey(key), offset: start)
        }
        return key
    }

    /// Moves the cursor over an opening bracket, and over `closing` if that follows.
    ///
    /// - Returns: Whether `closing` followed.
    private mutating func open(depth: Int, closing: UInt8) throws(JSONError) -> Bool {
        guard depth <= depthMax else { throw JSONError(reason: .tooDeep, offset: position) }
        position += 1
        skipWhitespace()
        guard current == closing else { return false }
        position += 1
        return true
    }

    /// Moves the cursor over the byte that must follow an element: a comma or `closing`.
    ///
    /// - Returns: Whether it was a comma.
    private mutating func separated(
        closing: UInt8, orElse expected: JSONError.Expected
    ) throws(JSONError) -> Bool {
        skipWhitespace()
        guard let byte = current, byte == UInt8(ascii: ",") || byte == closing else {
            throw unexpected(expecting: expected)
        }
        position += 1
        return byte != closing
    }

    private mutating func word(_ word: StaticString) throws(JSONError) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard current == word.utf8Start[offset] else { throw unexpected(expecting: .word) }
            position += 1
        }
    }

    private mutating func skipWhitespace() {
        while let byte = current, isJSONSpace(byte) { position += 1 }
    }
}
