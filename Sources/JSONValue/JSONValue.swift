// Whoever speaks of these values speaks of texts.
@_exported public import Texts

/// A JSON value that keeps what it was read from: digits, code points, the order of members.
///
/// Two values are equal when their strings have the same bytes in UTF-8 (é composed and é decomposed differ), their
/// numbers the same digits (`1` and `1.0` differ), and their objects the same members in any order.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(ByteText)
    case array([JSONValue])
    case object(JSONObject)

    /// How many arrays and objects may be inside each other in a value that a client made, such as a content.
    ///
    /// What stands around it in a body or a file does not count.
    public static let depthMax = 32

    /// Reads a whole document, strictly.
    ///
    /// - Parameter bytes: UTF-8 without a byte order mark.
    /// - Throws: What is wrong first, with its offset in `bytes`; see `JSONError.Reason`.
    /// - Complexity: O(*n*), *n* = `bytes.count`.
    ///
    /// Source: RFC 8259; the interoperability rules of RFC 7493 (I-JSON) sections 2.1 and 2.3.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        try self.init(parsing: bytes, levelsAround: 0)
    }

    /// Reads a whole document that holds values of clients, strictly.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 without a byte order mark.
    ///   - levelsAround: How many arrays and objects the document has around such a value. Whoever takes a value out
    ///     of fewer asks `isDeeper(than:)`.
    /// - Throws: As `init(parsing:)`.
    public init(parsing bytes: [UInt8], levelsAround: Int) throws(JSONError) {
        var reader = JSONReader(bytes, depthMax: Self.depthMax + levelsAround)
        self = try reader.document()
    }

    /// Whether more than `levels` arrays and objects are inside each other, the value itself the first of them.
    ///
    /// - Complexity: O(*n*), *n* = values in it.
    public func isDeeper(than levels: Int) -> Bool {
        switch self {
        case .null, .bool, .number, .string: false
        case .array(let elements): levels == 0 || elements.contains { $0.isDeeper(than: levels - 1) }
        case .object(let object): levels == 0 || object.members.contains { $0.value.isDeeper(than: levels - 1) }
        }
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
        case (.string(let left), .string(let right)): left == right
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
            hasher.combine(string)
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
        self = .string(ByteText(value))
    }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    public init(dictionaryLiteral elements: (ByteText, JSONValue)...) {
        self = .object(JSONObject(elements.map { (key: $0.0, value: $0.1) }))
    }
}
