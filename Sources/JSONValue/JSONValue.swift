// A file that imports this module needs `ByteText` too, so it gets `Texts` with it.
@_exported public import Texts

/// A JSON value that keeps its spelling: the digits of numbers, the code points of strings, the order of members.
///
/// Strings are equal if their bytes are, so é composed and é decomposed differ. Numbers are equal if their digits are,
/// so `1` and `1.0` differ. Objects are equal if they have the same members in any order.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(ByteText)
    case array([JSONValue])
    case object(JSONObject)

    /// The largest number of arrays and objects inside each other in a value that belongs to a client, such as a
    /// content.
    ///
    /// Arrays and objects around such a value, in a request body or a file, do not count.
    public static let depthMax = 32

    /// Reads a whole document by the strict rules of RFC 8259 and I-JSON.
    ///
    /// - Parameter bytes: UTF-8 without a byte order mark.
    /// - Throws: The first fault, with its offset in `bytes`; see `JSONError.Reason`.
    /// - Complexity: O(*n*), *n* = `bytes.count`.
    ///
    /// Source: RFC 8259; the interoperability rules of RFC 7493 (I-JSON) sections 2.1 and 2.3.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        try self.init(parsing: bytes, levelsAround: 0)
    }

    /// Reads a whole document that holds values that belong to clients.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 without a byte order mark.
    ///   - levelsAround: The largest number of arrays and objects that the document has around such a value. They may
    ///     be inside each other in addition to `depthMax`. For a value with fewer of them around it, the caller checks
    ///     `isDeeper(than:)`.
    /// - Throws: As `init(parsing:)`.
    public init(parsing bytes: [UInt8], levelsAround: Int) throws(JSONError) {
        self.init(try JSONSlice(checking: bytes, levelsAround: levelsAround))
    }

    /// Whether the value has more than `levels` arrays and objects inside each other, counting itself.
    ///
    /// - Complexity: O(*n*), *n* = the number of values in it.
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
