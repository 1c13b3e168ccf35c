package import JSONValue
import ListModel
package import Texts

/// A JSON object with only the allowed members.
package struct WireObject {
    /// The members that were sent and are allowed.
    private let members: [(key: ByteText, value: JSONSlice)]
    private let errors: WireErrors?
    private let form: LayoutForm?

    /// - Parameters:
    ///   - form: The form of this part of a layout. The errors show its example. Nil outside of layouts.
    ///   - errors: Collects the errors of members, and reading goes on without those members; nil throws the first
    ///     error.
    /// - Throws: `.noObject` if the value is no object. Without `errors`, `.unknownMember` for the first member that is
    ///   not in `allowed`.
    init(
        _ value: JSONSlice, _ allowed: [ByteText], expected: WireFault.Expected = .object, of form: LayoutForm? = nil,
        telling errors: WireErrors?
    ) throws(WireError) {
        guard case .object(let object) = value.form else {
            throw WireError(.noObject(expected: expected, allowed), in: form)
        }
        var members: [(key: ByteText, value: JSONSlice)] = []
        var hasOthers = false
        for (key, value) in object {
            // The name is taken from `allowed`, because what was sent is a copy.
            if let index = allowed.firstIndex(of: key) {
                members.append((allowed[index], value))
            } else {
                hasOthers = true
            }
        }
        (self.members, self.errors, self.form) = (members, errors, form)
        if hasOthers { try refuseOthers(object, allowed) }
    }

    /// An object with some members.
    ///
    /// - Throws: An error if the value is no object, or, without `errors`, if it has another member.
    package init(_ value: JSONSlice, _ allowed: [ByteText], telling errors: WireErrors?) throws(WireError) {
        try self.init(value, allowed, expected: .object, of: nil, telling: errors)
    }

    /// Refuses the members that are not allowed.
    private func refuseOthers(_ object: JSONSlice.Members, _ allowed: [ByteText]) throws(WireError) {
        let present = allowed.filter(has)
        for (name, value) in object where !allowed.contains(name) {
            let names = KnownNames(name, among: allowed, besides: present, value: value.shown)
            let error = WireError(.unknownMember(names), in: form).at(name)
            guard let errors else { throw error }
            guard errors.note(error) else { break }
        }
    }

    func has(_ key: ByteText) -> Bool { self[key] != nil }
    func isNull(_ key: ByteText) -> Bool { self[key]?.isNull ?? false }

    /// The value of a member; nil if it is left out. A null is a value like any other.
    subscript(key: ByteText) -> JSONSlice? {
        guard let index = members.firstIndex(where: { $0.key == key }) else { return nil }
        return members[index].value
    }

    /// Reads a member that is required.
    ///
    /// - Parameter advice: A sentence with an example. An error has it if the member is missing, or if its value is
    ///   wrong as a whole.
    package func required<Value>(
        _ key: ByteText, advising advice: StaticString? = nil, _ decode: (JSONSlice) throws(WireError) -> Value
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

    /// Reads a member that is required.
    ///
    /// - Parameter placeholder: With `errors`, the result if the member is missing or wrong. The error is noted, and
    ///   the whole value that is read must not be used.
    func required<Value>(
        _ key: ByteText, orElse placeholder: @autoclosure () -> Value, _ decode: (JSONSlice) throws(WireError) -> Value
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

    /// Returns the one of `keys` that the object has. It is an error if the object has none of them or several.
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

    /// Reads a member that may be left out, but may not be null.
    ///
    /// - Parameter advice: A sentence with an example. An error has it if the value is wrong as a whole.
    package func optional<Value>(
        _ key: ByteText, advising advice: StaticString? = nil, _ decode: (JSONSlice) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        guard let value = self[key] else { return nil }
        return try decoded(value, at: key, advising: advice, decode)
    }

    /// Reads a member that keeps its stored value if it is left out.
    func change<Value>(
        _ key: ByteText, _ decode: (JSONSlice) throws(WireError) -> Value
    ) throws(WireError) -> Change<Value> {
        guard let value = self[key], let decoded = try decoded(value, at: key, decode) else { return .keep }
        return .set(decoded)
    }

    /// Reads a member that keeps its stored value if it is left out, and gets `initial` if it is null.
    func change<Value>(
        _ key: ByteText, orNull initial: Value, _ decode: (JSONSlice) throws(WireError) -> Value
    ) throws(WireError) -> Change<Value> {
        if isNull(key) { return .set(initial) }
        return try change(key, decode)
    }

    /// Reads a member that keeps its stored value if it is left out, and is removed if it is null.
    func removable<Value>(
        _ key: ByteText, _ decode: (JSONSlice) throws(WireError) -> Value
    ) throws(WireError) -> Change<Value?> {
        guard let value = self[key] else { return .keep }
        if value.isNull { return .set(nil) }
        guard let decoded = try decoded(value, at: key, decode) else { return .keep }
        return .set(decoded)
    }

    /// Decodes the value of the member `key`. With `errors` an error is noted, and the result is nil.
    private func decoded<Value>(
        _ value: JSONSlice, at key: ByteText, advising advice: StaticString? = nil,
        _ decode: (JSONSlice) throws(WireError) -> Value
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
