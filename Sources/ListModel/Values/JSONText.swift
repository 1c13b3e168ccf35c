public import JSONValue
internal import Texts

/// A JSON value kept as its minified bytes, so that it is written out without being encoded again.
///
/// Two texts are equal if their values are equal: members may have any order, and numbers are compared as written.
public struct JSONText: Sendable {
    /// The buffer with the text. Before the text it may have the members that an answer has in front of an item's
    /// content (`Item.sealed()`). It may also be a larger buffer, such as the chunk of a snapshot.
    private let storage: [UInt8]
    /// The index at which the text starts, if it ends with its storage. Otherwise the complement of the index of its
    /// byte count, behind which the text starts. It has only 32 bits, because a list has one for each item.
    private let place: Int32

    /// Encodes `value` once.
    public init(_ value: JSONValue) {
        self.init(unchecked: value.bytes)
    }

    /// Takes bytes that `init(_:)` made, such as those of our own log.
    public init(unchecked bytes: [UInt8]) {
        storage = bytes
        place = 0
    }

    /// Takes a buffer that ends with the text.
    init(_ buffer: [UInt8], startingAt start: Int) {
        storage = buffer
        place = Int32(truncatingIfNeeded: start)
    }

    /// Takes a text in the middle of a buffer.
    ///
    /// - Parameters:
    ///   - bytes: The buffer, kept while the text is in use.
    ///   - index: The index of the text's byte count, in LEB128; the text follows it.
    package init(in bytes: [UInt8], countedAt index: Int32) {
        storage = bytes
        place = ~index
    }

    /// Whether bytes that come from a disk are in the form of a text, so that they can be copied into an answer.
    ///
    /// - Complexity: O(*n*), one look at each byte.
    package static func canBe(_ bytes: Span<UInt8>) -> Bool { MinifiedJSON.isValid(bytes) }

    /// The empty object.
    public static let emptyObject = JSONText(unchecked: Array("{}".utf8))

    /// The text as minified JSON in UTF-8.
    public var bytes: ArraySlice<UInt8> { storage[textRange] }

    /// How many bytes the text has.
    public var byteCount: Int { textRange.count }

    /// The value, decoded again; null if the bytes are no JSON, which cannot happen to checked ones.
    public var value: JSONValue {
        let range = textRange
        return (try? JSONValue(parsing: range.count == storage.count ? storage : Array(storage[range]))) ?? .null
    }
}

// MARK: - The buffer

extension JSONText {
    /// The index at which the text starts, in a buffer that ends with it.
    var bufferOffset: Int { Int(place) }

    /// The indexes of the text in the storage.
    private var textRange: Range<Int> {
        guard place < 0 else { return Int(place)..<storage.count }
        var index = Int(~place)
        var count = 0
        var shift = 0
        var byte: UInt8
        repeat {
            byte = storage[index]
            count |= Int(byte & 0x7F) << shift
            shift += 7
            index += 1
        } while byte >= 0x80
        return index..<index + count
    }

    /// Calls `body` with a part of a buffer that ends with the text, from one index to another or to the end.
    func withBuffer(from index: Int, upTo end: Int? = nil, _ body: (UnsafeRawBufferPointer) -> Void) {
        storage.withSpan { $0.extracting(index..<(end ?? storage.count)).withUnsafeBytes(body) }
    }

    /// Whether both are the same part of the same memory.
    func hasSameBuffer(as other: JSONText) -> Bool {
        place == other.place
            && storage.withUnsafeBytes { $0.baseAddress } == other.storage.withUnsafeBytes { $0.baseAddress }
    }

    /// Calls `body` with the text in place.
    func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        storage.withSpan { body($0.extracting(textRange)) }
    }
}

extension JSONText: Equatable {
    public static func == (left: JSONText, right: JSONText) -> Bool {
        // Equal texts have the same bytes in another order, because only the order of their members can differ.
        guard left.byteCount == right.byteCount else { return false }
        guard !left.hasSameBytes(as: right) else { return true }
        return left.byteSum == right.byteSum && left.value == right.value
    }

    func hasSameBytes(as other: JSONText) -> Bool {
        withSpan { left in
            other.withSpan { right in
                left.withUnsafeBytes { left in right.withUnsafeBytes { ByteText.haveSameBytes(left, $0) } }
            }
        }
    }

    private var byteSum: Int {
        withSpan { $0.withUnsafeBytes { bytes in bytes.reduce(0) { $0 &+ Int($1) } } }
    }
}
