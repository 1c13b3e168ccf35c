import JSONValue
package import Texts

/// An error of a body against the schema of the contract, with its place.
///
/// Nothing has been done when one is thrown. It becomes a problem with status 422, with 413 for a limit, or with 400
/// for a value that nests too deep.
package struct WireError: Error, Sendable, Equatable {
    /// A step of a JSON pointer.
    package enum Step: Sendable, Equatable {
        case member(ByteText)
        case element(Int)
    }

    /// The kind of the error.
    let fault: WireFault
    /// The steps from the inside out. Each caller that passes the error on adds its own step, so correct values cost
    /// nothing.
    package private(set) var steps: [Step] = []
    /// The index of the operation with the error, in a body of operations.
    package private(set) var operation: Int?
    /// Sentences that tell how to send the value right, with an example; nil gives those of the fault, if there are
    /// any.
    private(set) var advice: String?

    init(_ fault: WireFault) {
        self.fault = fault
    }

    /// A text that does not have its form.
    package init(_ format: WireFormat) { self.init(.invalidFormat(format)) }

    /// An error in a part of a layout, with an example of that part's form.
    init(_ fault: WireFault, in form: LayoutForm?) {
        self.fault = fault
        advice = form?.advice
    }

    /// The same error with one more step: that of the object or array around.
    func at(_ step: Step) -> WireError {
        var error = self
        error.steps.append(step)
        return error
    }

    /// The same error, seen from the top of the body.
    ///
    /// - Parameter path: The steps from the top to the place where the error was thrown.
    func below(_ path: [Step]) -> WireError {
        var error = self
        error.steps.append(contentsOf: path.reversed())
        return error
    }

    /// The same error with the step of an object to its member `key`.
    func at(_ key: ByteText) -> WireError { at(.member(key)) }

    /// The same error, with the index of its operation.
    func inOperation(_ index: Int) -> WireError {
        var error = self
        error.operation = index
        return error
    }

    /// Returns the error with this advice in the place of the one that it had; nil removes it.
    package func advising(_ advice: String?) -> WireError {
        var error = self
        error.advice = advice
        return error
    }

    /// The place of the error, as a JSON pointer from the top of the body. The empty string is the body itself.
    ///
    /// For a missing member it is the place where the member should be. For a name of more than 255 bytes it is the
    /// object of the member.
    ///
    /// Source: RFC 6901.
    package var pointer: ByteText {
        steps.reversed().map(\.token).joined()
    }
}

extension WireError.Step {
    /// The step with a slash before it; empty for a name of more than 255 bytes.
    package var token: ByteText {
        switch self {
        case .element(let index): return "/\(index)"
        case .member(let key):
            // Every known name is shorter, and a problem must not be as large as its request.
            guard key.utf8.count <= 255 else { return "" }
            let isPlain = !key.utf8.contains { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }
            guard !isPlain else { return "/\(key)" }
            return ByteText(
                decoding: key.utf8.reduce(into: Array("/".utf8)) { token, byte in
                    switch byte {
                    case UInt8(ascii: "~"): token += "~0".utf8
                    case UInt8(ascii: "/"): token += "~1".utf8
                    default: token.append(byte)
                    }
                })
        }
    }
}

/// An error in a value of a body.
enum WireFault: Sendable, Equatable {
    /// The types of JSON values, and the unions of them that the contract has.
    enum Expected: String, Sendable {
        case object = "an object, {…}"
        case array = "an array, […]"
        case sections = "an array of objects, […], one for each section"
        case string = "a string in double quotes"
        case boolean = "true or false, without quotes"
        case integer = "a whole number from 0 to 9007199254740991"
        case itemArgument =
            #"the id of an existing item, or an object: "milk" or {"id":"milk","content":{"name":"Milk"}}"#
        case sectionArgument = #"the id of a new section, or an object: "fruit" or {"id":"fruit","title":"Fruit"}"#
        case stringOrObject = "a string or an object"
        case itemID = #"the id of an item, a string in double quotes such as "milk""#
        case sectionID = #"the id of a section, a string in double quotes such as "fruit""#
        case version =
            #"a version in double quotes such as "k3v9-42", copied whole from "version" or List-Version of an answer"#
        case follow = #"an object, such as {"lists":[{"list":"groceries","since":"k3v9-42"}]}"#
        case followedList = #"an object, such as {"list":"groceries"}"#
    }

    case unknownMember(KnownNames)
    case missingMember
    /// One of several members is needed, and there is none of them.
    case missingOneOf([ByteText])
    /// A member that may not stand beside this other one.
    case conflictsWith(ByteText)
    case wrongType(expected: Expected)
    /// The value is not a string, and one of some words is needed.
    case noWord([ByteText])
    /// The value is not an object, and an object with some of these members is needed.
    case noObject(expected: Expected, [ByteText])
    /// An id that is empty, too long, or holds a control character.
    case idOutOfBounds
    case tooLong(bytesMax: Int)
    /// A number that is not an integer from 0 to 2^53 − 1.
    case integerOutOfBounds
    case invalidFormat(WireFormat)
    case repeatedID
    case unknownOperation(KnownNames)
    case unknownValue(KnownNames)
    /// An id that differs from the one in the path.
    case idMismatch(path: ByteText, body: ByteText)
    /// A snapshot that is not whole, which cannot be applied.
    case partialSnapshot
    /// A value over a limit of the server.
    case overLimit(WireLimit, max: Int)
    /// More nested arrays and objects than a content may have.
    case tooDeep
    /// The value is not a number, and a layout needs one within bounds.
    case noNumber(ClosedRange<Double>)
    case numberOutOfBounds(ClosedRange<Double>)
    /// An array or an object with too few or too many elements.
    case badCount(ClosedRange<Int>)
    /// A word that occurs twice.
    case repeatedWord
    /// The name of a member of a content that is empty or too long.
    case badField
    case groupsTooDeep(max: Int)
    /// The errors were noted in `WireErrors` before, or it has no room for more, so this one is not reported.
    case noted
}

/// The forms of texts, described for people.
package enum WireFormat: String, Sendable {
    case id = "1 to 255 bytes of UTF-8 without control characters"
    case kind = "1 to 64 characters from A-Z, a-z, 0-9, '.', '_' and '-'"
    case version = #"a version such as "k3v9-42", copied whole from "version" or List-Version of an answer"#
    case listID = "1 to 128 characters from a-z, 0-9, '.', '_' and '-', beginning with a letter or a digit"
    case tokenName =
        "1 to 64 characters from a-z, 0-9, '.', '_' and '-', beginning with a letter or a digit, and not anonymous"
    case lifetime = "a whole number of seconds from 1 to 315360000, which are ten years"
    case listPattern = "1 to 128 characters of a list's id, or * for any number of them, such as \"team-a-*\""
    case grants = "at most 64 grants"
    case target =
        "the path and query of a stream of this server, such as \"/v1/lists/{list}/changes\", of at most 4096 bytes"
    case grant = "1 to 64 patterns of lists, and at least one right"
}

/// A limit that a body can exceed. The raw value is its name for clients.
package enum WireLimit: String, Sendable {
    case contentBytes = "contentBytesMax"
    case operations = "operationsMax"
}

extension WireError {
    package enum Kind: Sendable, Equatable {
        /// Status 422.
        case schema
        /// Status 413, with the name of the limit and its value.
        case tooLarge(limit: WireLimit, max: Int)
        /// Status 400, as for all JSON that readers need not accept.
        case notJSON
    }

    /// The kind of the error, which decides the status.
    package var kind: Kind {
        switch fault {
        case .overLimit(let limit, let max): .tooLarge(limit: limit, max: max)
        case .tooDeep: .notJSON
        default: .schema
        }
    }

    /// The stable name of the error, for programs.
    package var code: String {
        switch fault {
        case .unknownMember: "unknown_member"
        case .missingMember, .missingOneOf: "missing_member"
        case .conflictsWith: "conflicting_members"
        case .wrongType, .noWord, .noNumber, .noObject: "wrong_type"
        case .idOutOfBounds, .tooLong, .integerOutOfBounds, .numberOutOfBounds, .badCount, .badField, .groupsTooDeep:
            "out_of_bounds"
        case .invalidFormat: "invalid_format"
        case .repeatedID: "repeated_id"
        case .unknownOperation: "unknown_op"
        case .unknownValue: "unknown_value"
        case .idMismatch: "id_mismatch"
        case .partialSnapshot: "partial_snapshot"
        case .overLimit(.contentBytes, _): "content_too_large"
        case .overLimit(.operations, _): "too_many_operations"
        case .tooDeep: "too_deep"
        case .repeatedWord: "repeated_value"
        case .noted: "noted"
        }
    }

    /// The names or words that are allowed at the place.
    package var known: [ByteText] {
        switch fault {
        case .unknownMember(let names), .unknownOperation(let names), .unknownValue(let names): names.known
        case .missingMember where isAtOperationName: OperationName.sent.map { ByteText($0.rawValue) }
        case .missingOneOf(let keys), .noWord(let keys), .noObject(_, let keys): keys
        default: []
        }
    }

    private var isAtOperationName: Bool { steps.first == .member("op") }

    /// The name of the member that is wrong; nil if it is an element, or too long to be told.
    var memberName: ByteText? {
        guard case .member(let name)? = steps.first, KnownNames.isShown(name) else { return nil }
        return name
    }

    /// The sentences for people. They repeat only short names that were sent. `known` has the allowed names.
    package var detail: String { howTo.map { "\(sentence) \($0)" } ?? sentence }

    /// The part of `detail` that says how the value is put right. Several errors may have it in common. It is nil if
    /// there is no advice.
    package var howTo: String? {
        if let advice { return Self.filled(advice, nil) }
        switch fault {
        case .wrongType(.itemID) where memberName == "before" || memberName == "after": return Self.neighbour
        case .wrongType, .integerOutOfBounds, .invalidFormat, .idOutOfBounds:
            return memberName.flatMap { Self.advice[$0] }
        case .missingMember:
            return memberName.flatMap { Self.needed[$0] }.map { "It is \($0.rawValue). \(Self.hasIDs)" }
        case .unknownMember(let names), .unknownOperation(let names), .unknownValue(let names): return names.howTo
        default: return nil
        }
    }

    /// The part of the detail that says what is wrong.
    package var sentence: String {
        switch fault {
        case .unknownMember(let names): names.sentence("member")
        case .missingMember where isAtOperationName:
            #"The member "op" is needed, the name of an operation."#
        case .missingMember: memberName.map { "The member \"\($0)\" is needed." } ?? "A member is needed."
        case .missingOneOf(let keys): "The object needs \(Self.oneOf(keys))."
        case .conflictsWith(let key):
            "\(memberName.map { "\"\($0)\"" } ?? "This") and \"\(key)\" cannot both be given: leave out one of them."
        case .wrongType(.array): "Expected an array, […]: even a single element goes in brackets."
        case .wrongType(let expected): "Expected \(expected.rawValue)."
        case .noWord(let words): "Expected \(Self.oneOf(words)), in double quotes."
        case .noObject(let expected, _): "Expected \(expected.rawValue)."
        case .idOutOfBounds: "An id is \(WireFormat.id.rawValue)."
        case .tooLong(let max): "At most \(max) bytes of UTF-8 are allowed."
        case .integerOutOfBounds: "Expected a whole number from 0 to \(JSONNumber.integerMax)."
        case .invalidFormat(let format): "Expected \(format.rawValue)."
        case .repeatedID: "This id occurs twice here: name it once."
        case .unknownOperation(let names): names.sentence("operation")
        case .unknownValue(let names): names.sentence("value")
        case .idMismatch(let path, let body):
            "The path says \(path), the body says \(KnownNames.isShown(body) ? "\(body)" : "something else")."
        case .partialSnapshot:
            "The snapshot is only a part. Read the list without view parameters and pages, and send that."
        case .overLimit(.contentBytes, let max): "At most \(max) bytes of minified JSON are allowed."
        case .overLimit(.operations, let max): "At most \(max) operations are allowed."
        case .tooDeep: "At most \(JSONValue.depthMax) arrays and objects may be nested here."
        case .noNumber(let range), .numberOutOfBounds(let range):
            "Expected a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))."
        case .badCount(let range): "Expected \(range.lowerBound) to \(range.upperBound) elements."
        case .repeatedWord: "This word occurs twice here: name it once."
        case .badField: "The name of a member of a content has 1 to 255 characters."
        case .groupsTooDeep(let max): "Groups nest at most \(max) deep."
        case .noted: ""
        }
    }

    private static func oneOf(_ names: [ByteText]) -> String {
        KnownNames.alternatives(names) ?? #"one of those that "known" in "errors" lists"#
    }
}
