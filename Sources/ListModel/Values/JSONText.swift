public import JSONValue

/// A JSON value kept as its minified bytes, so that it is written out without being encoded again.
///
/// Two texts are equal if their values are: members in any order, numbers as written.
public struct JSONText: Sendable {
    /// Holds the text, and before it what an item wants written in front of its content (`Item.sealed()`): one alone,
    /// or one after another, each behind a frame.
    private let storage: [UInt8]
    /// Where the text starts, if it is the end of its storage; the complement of where its frame is, if it is one of
    /// several. Narrow, because a list has one for each item.
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

    /// Takes a text of several in a buffer.
    ///
    /// - Parameter frame: Where its frame is, followed by what stands before the text, and the text.
    init(_ buffer: [UInt8], framedAt frame: Int) {
        storage = buffer
        place = ~Int32(truncatingIfNeeded: frame)
    }

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

/// What stands before one of several texts in a buffer: how long it is, and what belongs to it.
struct JSONTextFrame {
    static let byteCount = 6

    /// How many bytes stand between the frame and the text.
    var leading: UInt16
    /// How many bytes the text has.
    var count: UInt32
}

extension JSONText {
    /// Where the text starts in its part of the buffer.
    var bufferOffset: Int { place < 0 ? Int(frame(at: Int(~place)).leading) : Int(place) }

    /// Where the text is in the storage.
    private var textRange: Range<Int> {
        guard place < 0 else { return Int(place)..<storage.count }
        let frame = frame(at: Int(~place))
        let start = Int(~place) + JSONTextFrame.byteCount + Int(frame.leading)
        return start..<start + Int(frame.count)
    }

    /// Where the part of the storage is that belongs to the text.
    private var partRange: Range<Int> {
        guard place < 0 else { return 0..<storage.count }
        let frame = frame(at: Int(~place))
        let start = Int(~place) + JSONTextFrame.byteCount
        return start..<start + Int(frame.leading) + Int(frame.count)
    }

    private func frame(at index: Int) -> JSONTextFrame {
        storage.span.withUnsafeBytes { bytes in
            JSONTextFrame(
                leading: bytes.loadUnaligned(fromByteOffset: index, as: UInt16.self),
                count: bytes.loadUnaligned(fromByteOffset: index + 2, as: UInt32.self))
        }
    }

    /// Calls `body` with a part of the buffer, from an index of it to the end or to another.
    func withBuffer(from index: Int, upTo end: Int? = nil, _ body: (UnsafeRawBufferPointer) -> Void) {
        let part = partRange
        let range = part.lowerBound + index..<(end.map { part.lowerBound + $0 } ?? part.upperBound)
        storage.span.extracting(range).withUnsafeBytes(body)
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
        left.hasSameBytes(as: right) || left.value == right.value
    }

    func hasSameBytes(as other: JSONText) -> Bool { bytes == other.bytes }
}
