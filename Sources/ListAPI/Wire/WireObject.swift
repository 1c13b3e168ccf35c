import JSONValue
import ListModel

/// A JSON object that has no members but those allowed.
struct WireObject {
    private let object: JSONObject

    /// - Throws: `.wrongType` for anything but an object; `.unknownMember` for the first that `allowed` lacks.
    init(
        _ value: JSONValue, _ allowed: [String], expected: WireFault.Expected = .object
    ) throws(WireError) {
        guard case .object(let object) = value else { throw WireError(.wrongType(expected: expected)) }
        for member in object.members where !allowed.contains(where: { $0.utf8.elementsEqual(member.key.utf8) }) {
            throw WireError(.unknownMember).at(member.key)
        }
        self.object = object
    }

    func has(_ key: String) -> Bool { object[key] != nil }

    /// The member's value; nil if it is left out. A null is a value like any other.
    subscript(key: String) -> JSONValue? { object[key] }

    /// Decodes a member that must be there.
    func required<Value>(
        _ key: String, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Value {
        guard let value = object[key] else { throw WireError(.missingMember).at(key) }
        return try Self.decode(value, at: key, decode)
    }

    /// Decodes a member that may be left out, but not be null.
    func optional<Value>(
        _ key: String, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        guard let value = object[key] else { return nil }
        return try Self.decode(value, at: key, decode)
    }

    /// Decodes a member that keeps its stored value when it is left out.
    func change<Value>(
        _ key: String, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Change<Value> {
        guard let value = object[key] else { return .keep }
        return .set(try Self.decode(value, at: key, decode))
    }

    /// Decodes a member that keeps its stored value when it is left out, and goes back to `initial` when it is null.
    func change<Value>(
        _ key: String, orNull initial: Value, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Change<Value> {
        guard object[key] != .null else { return .set(initial) }
        return try change(key, decode)
    }

    /// Decodes a member that keeps its stored value when it is left out, and is taken away when it is null.
    func removable<Value>(
        _ key: String, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Change<Value?> {
        guard let value = object[key] else { return .keep }
        guard value != .null else { return .set(nil) }
        return .set(try Self.decode(value, at: key, decode))
    }

    private static func decode<Value>(
        _ value: JSONValue, at key: String, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Value {
        do throws(WireError) {
            return try decode(value)
        } catch {
            throw error.at(key)
        }
    }
}
