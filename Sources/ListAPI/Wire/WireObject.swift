import JSONValue
import ListModel
internal import Texts

/// A JSON object that has no members but those allowed.
struct WireObject {
    /// No more than are allowed.
    private let members: [JSONObject.Member]

    /// - Throws: `.wrongType` for anything but an object; `.unknownMember` for the first that `allowed` lacks.
    init(
        _ value: JSONValue, _ allowed: [ByteText], expected: WireFault.Expected = .object
    ) throws(WireError) {
        guard case .object(let object) = value else { throw WireError(.wrongType(expected: expected)) }
        members = object.members
        guard let stranger = members.firstIndex(where: { !allowed.contains($0.key) }) else { return }
        throw WireError(.unknownMember).at(members[stranger].key)
    }

    func has(_ key: ByteText) -> Bool { self[key] != nil }

    /// The member's value; nil if it is left out. A null is a value like any other.
    subscript(key: ByteText) -> JSONValue? {
        guard let index = members.firstIndex(where: { $0.key == key }) else { return nil }
        return members[index].value
    }

    /// Decodes a member that must be there.
    func required<Value>(
        _ key: ByteText, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Value {
        guard let value = self[key] else { throw WireError(.missingMember).at(key) }
        return try Self.decode(value, at: key, decode)
    }

    /// Decodes a member that may be left out, but not be null.
    func optional<Value>(
        _ key: ByteText, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        guard let value = self[key] else { return nil }
        return try Self.decode(value, at: key, decode)
    }

    /// Decodes a member that keeps its stored value when it is left out.
    func change<Value>(
        _ key: ByteText, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Change<Value> {
        guard let value = self[key] else { return .keep }
        return .set(try Self.decode(value, at: key, decode))
    }

    /// Decodes a member that keeps its stored value when it is left out, and goes back to `initial` when it is null.
    func change<Value>(
        _ key: ByteText, orNull initial: Value, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Change<Value> {
        guard let value = self[key] else { return .keep }
        if case .null = value { return .set(initial) }
        return .set(try Self.decode(value, at: key, decode))
    }

    /// Decodes a member that keeps its stored value when it is left out, and is taken away when it is null.
    func removable<Value>(
        _ key: ByteText, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Change<Value?> {
        guard let value = self[key] else { return .keep }
        if case .null = value { return .set(nil) }
        return .set(try Self.decode(value, at: key, decode))
    }

    private static func decode<Value>(
        _ value: JSONValue, at key: ByteText, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Value {
        do throws(WireError) {
            return try decode(value)
        } catch {
            throw error.at(key)
        }
    }
}
