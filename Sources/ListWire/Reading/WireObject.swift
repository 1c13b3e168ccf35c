import JSONValue
import ListModel
internal import Texts

/// A JSON object with only the allowed members.
struct WireObject {
    /// The members. Without `errors` all of them are allowed ones.
    private let members: [JSONObject.Member]
    private let errors: WireErrors?
    private let form: LayoutForm?

    /// - Parameters:
    ///   - form: The form of this part of a layout, whose example the errors show; nil outside of layouts.
    ///   - errors: Collects the errors of members, so that reading goes on without them; nil throws the first one.
    /// - Throws: `.noObject` for anything but an object; `.unknownMember` for the first that `allowed` lacks.
    init(
        _ value: JSONValue, _ allowed: [ByteText], expected: WireFault.Expected = .object, of form: LayoutForm? = nil,
        telling errors: WireErrors?
    ) throws(WireError) {
        guard case .object(let object) = value else {
            throw WireError(.noObject(expected: expected, allowed), in: form)
        }
        members = object.members
        (self.errors, self.form) = (errors, form)
        guard members.contains(where: { !allowed.contains($0.key) }) else { return }
        let present = allowed.filter(has)
        for index in members.indices where !allowed.contains(members[index].key) {
            let name = members[index].key
            let names = KnownNames(name, among: allowed, besides: present, value: members[index].value.shown)
            let error = WireError(.unknownMember(names), in: form).at(name)
            guard let errors else { throw error }
            guard errors.note(error) else { break }
        }
    }

    func has(_ key: ByteText) -> Bool { self[key] != nil }

    /// The value of a member; nil if it is left out. A null is a value like any other.
    subscript(key: ByteText) -> JSONValue? {
        guard let index = members.firstIndex(where: { $0.key == key }) else { return nil }
        return members[index].value
    }

    /// Reads a member that is required.
    ///
    /// - Parameter advice: How it is done right, for a member that is left out or has another type.
    func required<Value>(
        _ key: ByteText, advising advice: StaticString? = nil, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Value {
        guard let value = self[key] else {
            let error = WireError(.missingMember).at(key).advising(advice, in: self["op"])
            guard let errors else { throw error }
            errors.note(error)
            throw WireError(.noted)
        }
        guard let decoded = try self.decoded(value, at: key, advising: advice, decode) else {
            throw WireError(.noted)
        }
        return decoded
    }

    /// Decodes a member that must be there.
    ///
    /// - Parameter placeholder: Stands in for a member that is missing or wrong, once its error is noted. The result
    ///   is then of no use.
    func required<Value>(
        _ key: ByteText, orElse placeholder: @autoclosure () -> Value, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Value {
        guard let value = self[key] else {
            try tell(WireError(.missingMember, in: form).at(key))
            return placeholder()
        }
        return try decoded(value, at: key, decode) ?? placeholder()
    }

    /// Refuses the member `key` beside `other`.
    func refuse(_ key: ByteText, beside other: ByteText) throws(WireError) {
        if has(key) { try tell(WireError(.conflictsWith(other), in: form).at(key)) }
    }

    /// The one of `keys` that the object has. None, or more than one, is an error.
    func choice(_ keys: [ByteText]) throws(WireError) -> ByteText {
        let present = keys.filter(has)
        if let key = present.first, present.count == 1 { return key }
        try tell(
            present.count > 1
                ? WireError(.conflictsWith(present[0]), in: form).at(present[1])
                : WireError(.missingOneOf(keys), in: form))
        throw WireError(.noted)
    }

    private func tell(_ error: WireError) throws(WireError) {
        guard let errors else { throw error }
        errors.note(error)
    }

    /// Decodes a member that may be left out, but not be null.
    ///
    /// - Parameter advice: How it is done right, for a member of another type.
    func optional<Value>(
        _ key: ByteText, advising advice: StaticString? = nil, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        guard let value = self[key] else { return nil }
        return try decoded(value, at: key, advising: advice, decode)
    }

    /// Reads a member that keeps its stored value if it is left out.
    func change<Value>(
        _ key: ByteText, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Change<Value> {
        guard let value = self[key], let decoded = try decoded(value, at: key, decode) else { return .keep }
        return .set(decoded)
    }

    /// Reads a member that keeps its stored value if it is left out, and gets `initial` if it is null.
    func change<Value>(
        _ key: ByteText, orNull initial: Value, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Change<Value> {
        if case .null? = self[key] { return .set(initial) }
        return try change(key, decode)
    }

    /// Reads a member that keeps its stored value if it is left out, and is removed if it is null.
    func removable<Value>(
        _ key: ByteText, _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Change<Value?> {
        guard let value = self[key] else { return .keep }
        if case .null = value { return .set(nil) }
        guard let decoded = try decoded(value, at: key, decode) else { return .keep }
        return .set(decoded)
    }

    /// The decoded value; nil if it has an error, which is then noted.
    private func decoded<Value>(
        _ value: JSONValue, at key: ByteText, advising advice: StaticString? = nil,
        _ decode: (JSONValue) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        func read() throws(WireError) -> Value {
            do throws(WireError) { return try decode(value) } catch {
                throw error.advisingHere(advice, value, in: self["op"])
            }
        }
        if let errors { return try errors.attempt(.member(key), read) }
        do throws(WireError) {
            return try read()
        } catch {
            throw error.at(key)
        }
    }
}
