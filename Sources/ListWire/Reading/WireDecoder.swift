package import JSONValue
import ListModel
package import Texts

/// Reads bodies into types that cannot hold invalid values. It is the border between clients and the model.
///
/// Every method throws the first error, with its place: see `WireFault`. With `errors` all errors are noted there
/// instead, and the returned value must not be used.
package struct WireDecoder: Sendable {
    /// The limits of a body.
    package struct Limits: Sendable {
        /// The most bytes of a content, layout, header or footer, minified.
        var contentBytesMax: Int
        /// The most operations of a transaction.
        var operationsMax: Int

        package init(contentBytesMax: Int, operationsMax: Int) {
            (self.contentBytesMax, self.operationsMax) = (contentBytesMax, operationsMax)
        }
    }

    /// The greatest length of the title of a list or a section, in bytes.
    static let titleBytesMax = 4096
    /// The greatest length of a label, in bytes.
    static let labelBytesMax = 1000

    let limits: Limits
    /// Makes an id for an item that comes without one.
    let identifier: @Sendable () -> ByteText
    /// Collects all errors of a body; nil throws the first error.
    package private(set) var errors: WireErrors?

    package init(limits: Limits, identifier: @escaping @Sendable () -> ByteText) {
        self.limits = limits
        self.identifier = identifier
    }

    /// Returns a decoder that notes all errors in `errors` instead of throwing the first one.
    package func telling(_ errors: WireErrors) -> WireDecoder {
        var decoder = self
        decoder.errors = errors
        return decoder
    }

    /// Reads a part of a value. If there are `errors`, the error of a wrong part is noted there, and the result is nil.
    @discardableResult
    func part<Value>(
        _ step: WireError.Step, _ read: () throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        if let errors { return try errors.attempt(step, read) }
        do throws(WireError) { return try read() } catch { throw error.at(step) }
    }

    /// Reads two parts of an object. With `errors` the second part is read even if the first has an error.
    func both<First, Second>(
        _ first: @autoclosure () throws(WireError) -> First, _ second: @autoclosure () throws(WireError) -> Second
    ) throws(WireError) -> (First, Second) {
        guard let errors else { return (try first(), try second()) }
        let (left, right) = (try errors.attempt(first), try errors.attempt(second))
        guard let left, let right else { throw WireError(.noted) }
        return (left, right)
    }
}

// MARK: - Plain values

extension WireDecoder {
    package func string(_ value: JSONSlice) throws(WireError) -> ByteText { try string(value, expected: .string) }

    private func string(_ value: JSONSlice, expected: WireFault.Expected) throws(WireError) -> ByteText {
        guard case .string(let string) = value.form else { throw WireError(.wrongType(expected: expected)) }
        return string
    }

    /// Reads one of the raw values of an enumeration.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ value: JSONSlice) throws(WireError) -> Word {
        let words = Word.allCases.map { ByteText($0.rawValue) }
        return try word(value, among: words) { Word(rawText: $0) }
    }

    /// Reads one of some words.
    ///
    /// - Parameter meaning: What a word stands for; nil for any other text.
    package func word<Meaning>(
        _ value: JSONSlice, among words: [ByteText], _ meaning: (ByteText) -> Meaning?
    ) throws(WireError) -> Meaning {
        guard case .string(let text) = value.form else { throw WireError(.noWord(words)) }
        guard let word = meaning(text) else { throw WireError(.unknownValue(KnownNames(text, among: words))) }
        return word
    }

    func boolean(_ value: JSONSlice) throws(WireError) -> Bool {
        guard case .bool(let bool) = value.form else { throw WireError(.wrongType(expected: .boolean)) }
        return bool
    }

    /// Reads an integer from 0 to 2^53 − 1, in any notation.
    package func count(_ value: JSONSlice) throws(WireError) -> Int {
        guard case .number(let number) = value.form else { throw WireError(.wrongType(expected: .integer)) }
        guard let integer = number.integer, integer >= 0 else { throw WireError(.integerOutOfBounds) }
        return integer
    }

    /// Reads each element of an array.
    package func array<Element>(
        _ value: JSONSlice, _ decode: (JSONSlice) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        guard case .array(let values) = value.form else { throw WireError(.wrongType(expected: .array)) }
        var elements: [Element] = []
        reserve(values, in: &elements)
        for (index, value) in values.enumerated() {
            let element = try part(.element(index)) { () throws(WireError) in try decode(value) }
            if let element { elements.append(element) }
        }
        return elements
    }

    /// Makes room for the values of a long array, so that memory need not double as it is filled. The room takes at most
    /// twice the bytes of the body, because the values may be wrong.
    func reserve<Element>(_ values: JSONSlice.Elements, in elements: inout [Element]) {
        guard errors == nil, values.countMax > 1000 else { return }
        elements.reserveCapacity(min(values.count, 4 * values.countMax / MemoryLayout<Element>.stride))
    }

    private func string(_ value: JSONSlice, bytesMax: Int) throws(WireError) -> ByteText {
        let string = try string(value)
        guard string.utf8.count <= bytesMax else { throw WireError(.tooLong(bytesMax: bytesMax)) }
        return string
    }
}

// MARK: - Words of the contract

extension WireDecoder {
    func itemID(_ value: JSONSlice) throws(WireError) -> ItemID {
        guard let id = ItemID(try string(value, expected: .itemID)) else { throw WireError(.idOutOfBounds) }
        return id
    }

    func sectionID(_ value: JSONSlice) throws(WireError) -> SectionID {
        guard let id = SectionID(try string(value, expected: .sectionID)) else { throw WireError(.idOutOfBounds) }
        return id
    }

    func listID(_ value: JSONSlice) throws(WireError) -> ListID {
        guard let id = ListID(try string(value)) else { throw WireError(.invalidFormat(.listID)) }
        return id
    }

    func itemIDs(_ value: JSONSlice) throws(WireError) -> [ItemID] { try ids(value, itemID) }
    func sectionIDs(_ value: JSONSlice) throws(WireError) -> [SectionID] { try ids(value, sectionID) }

    /// Reads the ids of one argument. An id may occur only once.
    private func ids<ID: Hashable>(
        _ value: JSONSlice, _ read: (JSONSlice) throws(WireError) -> ID
    ) throws(WireError) -> [ID] {
        // The ids are nearly always right, and a set of them would take several times their bytes. If something is wrong,
        // they are read once more, and the set finds which of them is.
        if errors == nil, let ids = try? array(value, read), !ids.hasRepeats { return ids }
        var seen = Set<ID>()
        return try array(value) { value throws(WireError) in try first(read(value), in: &seen) }
    }

    /// Returns the id.
    ///
    /// - Throws: `.repeatedID` if it was seen before.
    func first<ID: Hashable>(
        _ id: ID, in seen: inout Set<ID>, advising advice: StaticString? = nil
    ) throws(WireError) -> ID {
        guard seen.insert(id).inserted else { throw WireError(.repeatedID).advising(advice, in: nil) }
        return id
    }

    func version(_ value: JSONSlice) throws(WireError) -> Version {
        guard let version = Version(try string(value, expected: .version)) else {
            throw WireError(.invalidFormat(.version))
        }
        return version
    }

    func label(_ value: JSONSlice) throws(WireError) -> ByteText {
        try string(value, bytesMax: Self.labelBytesMax)
    }

    func title(_ value: JSONSlice) throws(WireError) -> ByteText {
        try string(value, bytesMax: Self.titleBytesMax)
    }

    func kind(_ value: JSONSlice) throws(WireError) -> ByteText { try kind(string(value)) }

    func kind(_ text: ByteText) throws(WireError) -> ByteText {
        guard Item.isKind(text) else { throw WireError(.invalidFormat(.kind)) }
        return text
    }

    /// Reads a content: any object within the limits of minified bytes and depth.
    func object(_ value: JSONSlice) throws(WireError) -> JSONText {
        guard case .object = value.form else { throw WireError(.wrongType(expected: .object)) }
        return try bounded(value)
    }

    /// Reads a header or a footer: a string, or any object within the limits of minified bytes and depth.
    func stringOrObject(_ value: JSONSlice) throws(WireError) -> JSONText {
        switch value.form {
        case .string, .object: return try bounded(value)
        case .null, .bool, .number, .array: throw WireError(.wrongType(expected: .stringOrObject))
        }
    }

    private func bounded(_ value: JSONSlice) throws(WireError) -> JSONText {
        let extent = value.extent
        guard extent.depth <= JSONValue.depthMax else { throw WireError(.tooDeep) }
        guard extent.byteCount <= limits.contentBytesMax else {
            throw WireError(.overLimit(.contentBytes, max: limits.contentBytesMax))
        }
        return JSONText(unchecked: value.bytes(extent))
    }
}

extension Array where Element: Hashable {
    /// Whether an element is there twice. The table that finds it has 6 to 12 bytes for each element.
    var hasRepeats: Bool {
        guard count > 1 else { return false }
        var size = 4
        while 2 * size < 3 * count { size *= 2 }
        var slots = [Int32](repeating: -1, count: size)
        for index in indices {
            var slot = self[index].hashValue & (size - 1)
            while slots[slot] >= 0 {
                guard self[Int(slots[slot])] != self[index] else { return true }
                slot = (slot + 1) & (size - 1)
            }
            slots[slot] = Int32(truncatingIfNeeded: index)
        }
        return false
    }
}
