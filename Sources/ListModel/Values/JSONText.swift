public import JSONValue

/// A JSON value kept as its minified bytes, so that it is written out without being encoded again.
///
/// Two texts are equal if their values are: members in any order, numbers as written.
public struct JSONText: Sendable {
    /// Holds the text and before it what an item wants written in front of its content (`Item.sealed()`), or other
    /// things too, such as the chunk of a snapshot.
    private let storage: [UInt8]
    /// Where the text starts, if it is the end of its storage; else the complement of where its count is, which the
    /// text follows. Narrow, because a list has one for each item.
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

    /// Takes a buffer of which the text is the end.
    init(_ buffer: [UInt8], startingAt start: Int) {
        storage = buffer
        place = Int32(truncatingIfNeeded: start)
    }

    /// Takes a text among other things.
    ///
    /// - Parameters:
    ///   - bytes: Kept while the text is in use.
    ///   - index: Where in them its count of bytes is, in LEB128, which the text follows.
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

    /// Minified JSON, UTF-8.
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
    /// Where the text starts in the buffer of which it is the end.
    var bufferOffset: Int { Int(place) }

    /// Where the text is in the storage.
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

    /// Calls `body` with a part of the buffer of which the text is the end, from an index to another or to the end.
    func withBuffer(from index: Int, upTo end: Int? = nil, _ body: (UnsafeRawBufferPointer) -> Void) {
        storage.span.extracting(index..<(end ?? storage.count)).withUnsafeBytes(body)
    }

    /// Whether both are the same part of the same memory.
    func hasSameBuffer(as other: JSONText) -> Bool {
        place == other.place
            && storage.span.withUnsafeBytes { $0.baseAddress }
                == other.storage.span.withUnsafeBytes { $0.baseAddress }
    }

    /// Calls `body` with the text, where it is.
    func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        body(storage.span.extracting(textRange))
    }
}

extension JSONText: Equatable {
    public static func == (left: JSONText, right: JSONText) -> Bool {
        // What is equal has as many bytes: only the order of members can differ.
        guard left.byteCount == right.byteCount else { return false }
        return left.hasSameBytes(as: right) || left.value == right.value
    }

    func hasSameBytes(as other: JSONText) -> Bool { bytes == other.bytes }
}
