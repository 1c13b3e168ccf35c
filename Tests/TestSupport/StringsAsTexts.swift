public import JSONValue
public import ListModel

// Tests may make texts of their own strings directly, because these strings are not hostile.

extension JSONValue {
    public static func string(_ string: String) -> JSONValue { .string(ByteText(string)) }
}

extension JSONObject {
    public subscript(key: String) -> JSONValue? { self[ByteText(key)] }
    public mutating func set(_ value: JSONValue, for key: String) { set(value, for: ByteText(key)) }
    public init(_ pairs: [(key: String, value: JSONValue)]) { self.init(pairs.map { (ByteText($0.key), $0.value) }) }
}

extension Identifier {
    public init?(_ string: String) { self.init(ByteText(string)) }
    public init(unchecked string: String) { self.init(unchecked: ByteText(string)) }
}

extension ListID {
    public init?(_ string: String) { self.init(ByteText(string)) }
}

extension Version {
    public init?(_ string: String) { self.init(ByteText(string)) }
}
