import JSONValue
import Layouts
import ListModel

extension WireDecoder {
    /// A layout: a word of the vocabulary, within the limit of minified bytes. It is kept as it was sent.
    func layout(_ value: JSONValue) throws(WireError) -> JSONText {
        do throws(LayoutError) {
            _ = try Layout(value)
        } catch {
            throw error.path.reversed().reduce(WireError(error.fault.wireFault)) { $0.at(WireError.Step($1)) }
        }
        return try object(value)
    }
}

extension WireError.Step {
    fileprivate init(_ step: LayoutError.Step) {
        switch step {
        case .member(let key): self = .member(key)
        case .element(let index): self = .element(index)
        }
    }
}

extension LayoutError.Fault {
    /// The same fault as elsewhere in a body, or one that only layouts have.
    fileprivate var wireFault: WireFault {
        switch self {
        case .unknownMember(let name, let known): .unknownMember(KnownNames(name, among: known))
        case .missingMember: .missingMember
        case .conflictsWith(let key): .conflictsWith(key)
        case .unknownWord(let word, let allowed): .unknownValue(KnownNames(word, among: allowed))
        case .missingOneOf, .wrongType, .outOfBounds, .badCount, .repeatedWord, .badName, .badField, .tooDeep:
            .layout(self)
        }
    }

    /// The stable word for programs.
    var code: String {
        switch self {
        case .unknownMember: "unknown_member"
        case .missingMember, .missingOneOf: "missing_member"
        case .conflictsWith: "conflicting_members"
        case .wrongType: "wrong_type"
        case .unknownWord: "unknown_value"
        case .outOfBounds, .badCount, .badField, .tooDeep: "out_of_bounds"
        case .repeatedWord: "repeated_value"
        case .badName: "invalid_format"
        }
    }

    /// The sentence for people. Never echoes what was sent.
    var detail: String {
        switch self {
        case .unknownMember(let name, let known): KnownNames(name, among: known).sentence("member")
        case .missingMember: "This member is needed."
        case .missingOneOf(let keys): "Exactly one of these members is needed: \(keys.joined(separator: ", "))."
        case .conflictsWith(let key): "This member and \"\(key)\" exclude each other here: leave out one of them."
        case .wrongType(let expected): "Expected \(expected.words)."
        case .unknownWord(let word, let allowed): KnownNames(word, among: allowed).sentence("value")
        case .outOfBounds(let range): "Expected a number from \(text(range.lowerBound)) to \(text(range.upperBound))."
        case .badCount(let range): "Expected \(range.lowerBound) to \(range.upperBound) elements."
        case .repeatedWord: "This word is there twice."
        case .badName: "Expected 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-'."
        case .badField: "The name of a member of a content has 1 to 255 characters."
        case .tooDeep(let max): "Groups nest at most \(max) deep."
        }
    }

    /// Bounds are whole numbers.
    private func text(_ bound: Double) -> String { String(Int(bound)) }
}

extension LayoutError.Expected {
    fileprivate var words: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .boolean: "true or false"
        case .number: "a number"
        case .integer: "an integer"
        case .stringOrObject: "a string or an object"
        }
    }
}
