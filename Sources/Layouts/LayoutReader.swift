internal import JSONValue
internal import Texts

/// A JSON value that is to be read as a part of a layout.
struct LayoutValue {
    let json: JSONValue
    /// Collects the errors; nil if the first error is thrown instead.
    let errors: LayoutErrors?

    /// The members of the object. Throws if the value is not an object.
    func object(
        _ form: LayoutForm, expected: LayoutError.Expected = .object
    ) throws(LayoutError) -> JSONObject {
        guard case .object(let object) = json else { throw LayoutError(.wrongType(expected)).of(form) }
        return object
    }

    /// Another value of the same layout, whose errors go to the same place.
    func with(_ json: JSONValue) -> LayoutValue { LayoutValue(json: json, errors: errors) }

    /// Reads a value inside this one; nil if it is wrong and its error was noted. Throws the error if `errors` is nil.
    func attempt<Value>(
        _ step: LayoutError.Step, _ json: JSONValue, _ read: (LayoutValue) throws(LayoutError) -> Value
    ) throws(LayoutError) -> Value? {
        guard let errors else {
            do throws(LayoutError) { return try read(with(json)) } catch { throw error.at(step) }
        }
        return errors.attempt(step) { () throws(LayoutError) in try read(with(json)) }
    }

    /// Notes an error, or throws it if `errors` is nil.
    func tell(_ error: LayoutError) throws(LayoutError) {
        guard let errors else { throw error }
        errors.note(error)
    }
}

/// Collects the errors of a layout, up to a limit.
final class LayoutErrors {
    private let most: Int
    private(set) var errors: [LayoutError] = []
    /// The steps from the layout to the value that is being read.
    private var path: [LayoutError.Step] = []

    init(most: Int) { self.most = most }

    func note(_ error: LayoutError) {
        guard error.fault != .noted, errors.count < most else { return }
        errors.append(error.below(path))
    }

    /// Reads a value; nil if it is wrong, after its error was noted. At the limit it reads nothing and returns nil.
    func attempt<Value>(
        _ step: LayoutError.Step, _ read: () throws(LayoutError) -> Value
    ) -> Value? {
        guard errors.count < most else { return nil }
        path.append(step)
        defer { path.removeLast() }
        do throws(LayoutError) { return try read() } catch {
            note(error)
            return nil
        }
    }
}

/// Reads the members of a JSON object. Members outside the allowed ones are errors.
struct LayoutReader {
    private let value: LayoutValue
    private let object: JSONObject
    private let form: LayoutForm

    init(
        _ value: LayoutValue, _ form: LayoutForm, _ allowed: [ByteText], expected: LayoutError.Expected = .object
    ) throws(LayoutError) {
        (self.value, self.form) = (value, form)
        object = try value.object(form, expected: expected)
        for member in object.members where !allowed.contains(member.key) {
            try value.tell(LayoutError(.unknownMember(member.key, known: allowed)).at(member.key).of(form))
        }
    }

    func has(_ key: ByteText) -> Bool { object[key] != nil }

    /// - Parameter placeholder: Stands in for a member that is missing or wrong, once its error was noted. The layout
    ///   is then not used.
    func required<Value>(
        _ key: ByteText, orElse placeholder: @autoclosure () -> Value,
        _ read: (LayoutValue) throws(LayoutError) -> Value
    ) throws(LayoutError) -> Value {
        guard let json = object[key] else {
            try value.tell(LayoutError(.missingMember).at(key).of(form))
            return placeholder()
        }
        return try value.attempt(.member(key), json, read) ?? placeholder()
    }

    func optional<Value>(
        _ key: ByteText, _ read: (LayoutValue) throws(LayoutError) -> Value
    ) throws(LayoutError) -> Value? {
        guard let json = object[key] else { return nil }
        return try value.attempt(.member(key), json, read)
    }

    /// Reports an error if the member `key` stands beside `other`.
    func refuse(_ key: ByteText, beside other: ByteText) throws(LayoutError) {
        guard has(key) else { return }
        try value.tell(LayoutError(.conflictsWith(other)).at(key).of(form))
    }

    /// Returns the one of `keys` that the object has. None, or more than one, is an error.
    func choice(_ keys: [ByteText]) throws(LayoutError) -> ByteText {
        let present = keys.filter(has)
        guard let key = present.first else { throw LayoutError(.missingOneOf(keys)).of(form) }
        guard present.count == 1 else { throw LayoutError(.conflictsWith(key)).at(present[1]).of(form) }
        return key
    }
}

// MARK: - Plain values

func readNumber(
    _ value: LayoutValue, _ form: LayoutForm, in range: ClosedRange<Double>
) throws(LayoutError) -> Double {
    guard case .number(let number) = value.json else { throw LayoutError(.noNumber(range)).of(form) }
    guard let double = number.double, range.contains(double) else { throw LayoutError(.outOfBounds(range)).of(form) }
    return double
}

func readInteger(
    _ value: LayoutValue, _ form: LayoutForm, in range: ClosedRange<Int>
) throws(LayoutError) -> Int {
    let bounds = Double(range.lowerBound)...Double(range.upperBound)
    guard case .number(let number) = value.json else { throw LayoutError(.noNumber(bounds)).of(form) }
    guard let integer = number.integer, range.contains(integer) else {
        throw LayoutError(.outOfBounds(bounds)).of(form)
    }
    return integer
}

func readBoolean(_ value: LayoutValue) throws(LayoutError) -> Bool {
    guard case .bool(let bool) = value.json else { throw LayoutError(.wrongType(.boolean)) }
    return bool
}

func readString(_ value: LayoutValue) throws(LayoutError) -> ByteText {
    guard case .string(let string) = value.json else { throw LayoutError(.wrongType(.string)) }
    return string
}

/// Reads one of the raw values of an enumeration.
func readWord<Word: RawRepresentable<String> & CaseIterable>(_ value: LayoutValue) throws(LayoutError) -> Word {
    let words = { Word.allCases.map(\.rawValue) }
    guard case .string(let text) = value.json else { throw LayoutError(.noWord(allowed: words())) }
    guard let word = Word(rawText: text) else { throw LayoutError(.unknownWord(text, allowed: words())) }
    return word
}

/// Reads a name of the form `[A-Za-z0-9._-]{1,64}`, as kinds of items have.
func readName(_ value: LayoutValue) throws(LayoutError) -> ByteText {
    let name = try readString(value)
    guard isName(name) else { throw LayoutError(.badName) }
    return name
}

func isName(_ text: ByteText) -> Bool {
    (1...64).contains(text.utf8.count)
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
}

/// Reads the name of a member of a content: 1 to 255 Unicode scalars.
func readField(_ value: LayoutValue) throws(LayoutError) -> ByteText {
    let name = try readString(value)
    guard (1...255).contains(name.scalarCount) else { throw LayoutError(.badField) }
    return name
}

func readArray<Element>(
    _ counts: ClosedRange<Int>, _ read: @escaping (LayoutValue) throws(LayoutError) -> Element
) -> (LayoutValue) throws(LayoutError) -> [Element] {
    { (value: LayoutValue) throws(LayoutError) in
        guard case .array(let values) = value.json else { throw LayoutError(.wrongType(.array)) }
        guard counts.contains(values.count) else { throw LayoutError(.badCount(counts)) }
        var elements: [Element] = []
        for (index, json) in values.enumerated() {
            if let element = try value.attempt(.element(index), json, read) { elements.append(element) }
        }
        return elements
    }
}

/// Reads an array of words, of which each may occur once.
func readWords<Word: RawRepresentable<String> & CaseIterable & Hashable>(
    atMost countMax: Int = Word.allCases.count
) -> (LayoutValue) throws(LayoutError) -> [Word] {
    { (value: LayoutValue) throws(LayoutError) in
        var seen = Set<Word>()
        return try readArray(1...countMax) { value throws(LayoutError) in
            let word: Word = try readWord(value)
            guard seen.insert(word).inserted else { throw LayoutError(.repeatedWord) }
            return word
        }(value)
    }
}
