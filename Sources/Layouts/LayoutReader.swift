internal import JSONValue
internal import Texts

/// A JSON object that has no members but those allowed.
struct LayoutReader {
    private let object: JSONObject

    init(_ value: JSONValue, _ allowed: [ByteText], expected: LayoutError.Expected = .object) throws(LayoutError) {
        guard case .object(let object) = value else { throw LayoutError(.wrongType(expected)) }
        for member in object.members where !allowed.contains(member.key) {
            throw LayoutError(.unknownMember(member.key, known: allowed)).at(member.key)
        }
        self.object = object
    }

    func has(_ key: ByteText) -> Bool { object[key] != nil }

    func required<Value>(
        _ key: ByteText, _ read: (JSONValue) throws(LayoutError) -> Value
    ) throws(LayoutError) -> Value {
        guard let value = object[key] else { throw LayoutError(.missingMember).at(key) }
        do throws(LayoutError) { return try read(value) } catch { throw error.at(key) }
    }

    func optional<Value>(
        _ key: ByteText, _ read: (JSONValue) throws(LayoutError) -> Value
    ) throws(LayoutError) -> Value? {
        has(key) ? try required(key, read) : nil
    }

    /// The members that are one of `keys`, of which exactly one must be there.
    func choice(_ keys: [ByteText]) throws(LayoutError) -> ByteText {
        let present = keys.filter(has)
        guard let key = present.first else { throw LayoutError(.missingOneOf(keys)) }
        guard present.count == 1 else { throw LayoutError(.conflictsWith(key)).at(present[1]) }
        return key
    }
}

// MARK: - Plain values

func readNumber(_ value: JSONValue, in range: ClosedRange<Double>) throws(LayoutError) -> Double {
    guard case .number(let number) = value else { throw LayoutError(.wrongType(.number)) }
    guard let double = number.double, range.contains(double) else { throw LayoutError(.outOfBounds(range)) }
    return double
}

func readInteger(_ value: JSONValue, in range: ClosedRange<Int>) throws(LayoutError) -> Int {
    guard case .number(let number) = value else { throw LayoutError(.wrongType(.integer)) }
    guard let integer = number.integer, range.contains(integer) else {
        throw LayoutError(.outOfBounds(Double(range.lowerBound)...Double(range.upperBound)))
    }
    return integer
}

func readBoolean(_ value: JSONValue) throws(LayoutError) -> Bool {
    guard case .bool(let bool) = value else { throw LayoutError(.wrongType(.boolean)) }
    return bool
}

func readString(_ value: JSONValue) throws(LayoutError) -> ByteText {
    guard case .string(let string) = value else { throw LayoutError(.wrongType(.string)) }
    return string
}

/// One of an enumeration's raw values.
func readWord<Word: RawRepresentable<String> & CaseIterable>(_ value: JSONValue) throws(LayoutError) -> Word {
    let text = try readString(value)
    guard let word = Word(rawText: text) else {
        throw LayoutError(.unknownWord(text, allowed: Word.allCases.map(\.rawValue)))
    }
    return word
}

/// `[A-Za-z0-9._-]{1,64}`, as kinds of items are.
func readName(_ value: JSONValue) throws(LayoutError) -> ByteText {
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

/// The name of a member of a content.
func readField(_ value: JSONValue) throws(LayoutError) -> ByteText {
    let name = try readString(value)
    guard (1...255).contains(name.scalarCount) else { throw LayoutError(.badField) }
    return name
}

func readArray<Element>(
    _ counts: ClosedRange<Int>, _ read: @escaping (JSONValue) throws(LayoutError) -> Element
) -> (JSONValue) throws(LayoutError) -> [Element] {
    { (value: JSONValue) throws(LayoutError) in
        guard case .array(let values) = value else { throw LayoutError(.wrongType(.array)) }
        guard counts.contains(values.count) else { throw LayoutError(.badCount(counts)) }
        var elements: [Element] = []
        for (index, value) in values.enumerated() {
            do throws(LayoutError) { elements.append(try read(value)) } catch { throw error.at(.element(index)) }
        }
        return elements
    }
}

/// Words, each once.
func readWords<Word: RawRepresentable<String> & CaseIterable & Hashable>(
    atMost countMax: Int = Word.allCases.count
) -> (JSONValue) throws(LayoutError) -> [Word] {
    { (value: JSONValue) throws(LayoutError) in
        var seen = Set<Word>()
        return try readArray(1...countMax) { value throws(LayoutError) in
            let word: Word = try readWord(value)
            guard seen.insert(word).inserted else { throw LayoutError(.repeatedWord) }
            return word
        }(value)
    }
}
