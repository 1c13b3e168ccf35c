/// A JSON value that keeps what it was read from: digits, code points, the order of members.
///
/// Two values are equal when their strings have the same bytes in UTF-8 (é composed and é decomposed differ,
/// unlike in `String`), their numbers the same digits (`1` and `1.0` differ), and their objects the same
/// members in any order.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// How many arrays and objects may be open at once in a document.
    public static let depthMax = 32

    /// Reads a whole document, strictly.
    ///
    /// - Parameter bytes: UTF-8 without a byte order mark.
    /// - Throws: What is wrong first, with its offset in `bytes`; see `JSONError.Reason`.
    /// - Complexity: O(*n*), *n* = `bytes.count`.
    ///
    /// Source: RFC 8259; the interoperability rules of RFC 7493 (I-JSON) sections 2.1 and 2.3.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        var reader = JSONReader(bytes)
        self = try reader.document()
    }

    /// Makes a number.
    public static func integer(_ integer: Int) -> JSONValue {
        .number(JSONNumber(integer))
    }
}

extension JSONValue: Hashable {
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null:
            hasher.combine(0 as UInt8)
        case .bool(let bool):
            hasher.combine(1 as UInt8)
            hasher.combine(bool)
        case .number(let number):
            hasher.combine(2 as UInt8)
            hasher.combine(number)
        case .string(let string):
            hasher.combine(3 as UInt8)
            string.hashBytes(into: &hasher)
        case .array(let array):
            hasher.combine(4 as UInt8)
            hasher.combine(array)
        case .object(let object):
            hasher.combine(5 as UInt8)
            hasher.combine(object)
        }
    }
}

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    public init(integerLiteral value: Int) {
        self = .integer(value)
    }

    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { (key: $0.0, value: $0.1) }))
    }
}
