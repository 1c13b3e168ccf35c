public import JSONValue

/// Ways to read a value whose form the test knows.
extension JSONValue {
    /// The member with this name; nil if there is none or if this is not an object.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[ByteText(key)]
    }

    /// The element at this index; nil if there is none or if this is not an array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The members of an object; empty for any other value.
    public var members: [JSONObject.Member] {
        guard case .object(let object) = self else { return [] }
        return object.members
    }

    /// The elements of an array; empty for any other value.
    public var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    public var string: String? {
        guard case .string(let string) = self else { return nil }
        return string.string
    }

    public var integer: Int? {
        guard case .number(let number) = self else { return nil }
        return number.integer
    }

    /// The value as JSON.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The value at a JSON Pointer (RFC 6901); nil if there is none.
    public func value(at pointer: String) -> JSONValue? {
        let tokens = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        return tokens.reduce(self as JSONValue?) { value, token in
            let key = String(token).replacing("~1", with: "/").replacing("~0", with: "~")
            guard case .array? = value else { return value?[key] }
            return Int(key).flatMap { value?[$0] }
        }
    }

    /// Whether the value has a type of JSON Schema. `144.0` is an integer.
    func isOf(type: String) -> Bool {
        switch (self, type) {
        case (.null, "null"), (.bool, "boolean"), (.number, "number"), (.string, "string"), (.array, "array"),
            (.object, "object"):
            true
        case (.number(let number), "integer"): number.integer != nil
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }

    /// The differences from an expected value; empty if there are none. Members that `expected` does not name are
    /// ignored. Arrays must have the same length.
    public func differences(from expected: JSONValue, at place: String = "") -> [String] {
        switch (self, expected) {
        case (.object(let object), .object(let wanted)):
            return wanted.members.flatMap { name, value in
                object[name]?.differences(from: value, at: "\(place)/\(name)") ?? ["\(place) lacks \(name)"]
            }
        case (.array(let elements), .array(let wanted)) where elements.count == wanted.count:
            return zip(elements, wanted).enumerated().flatMap { index, pair in
                pair.0.differences(from: pair.1, at: "\(place)/\(index)")
            }
        default:
            return self == expected ? [] : ["\(place) is \(text), not \(expected.text)"]
        }
    }

    /// The value with every string changed, also the names of members.
    public func mappingStrings(_ change: (String) -> String) -> JSONValue {
        switch self {
        case .null, .bool, .number: self
        case .string(let string): .string(ByteText(change(string.string)))
        case .array(let elements): .array(elements.map { $0.mappingStrings(change) })
        case .object(let object):
            .object(
                JSONObject(object.members.map { (ByteText(change($0.key.string)), $0.value.mappingStrings(change)) }))
        }
    }
}

extension JSONObject {
    public var isEmpty: Bool { members.isEmpty }

    /// Removes the member named `key`, and returns its value; nil if there was no such member.
    @discardableResult
    public mutating func remove(_ key: ByteText) -> JSONValue? {
        let value = self[key]
        self = JSONObject(members.filter { $0.key != key })
        return value
    }
}
