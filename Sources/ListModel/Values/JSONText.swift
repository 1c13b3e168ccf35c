public import JSONValue

/// A JSON value kept as its minified bytes, so that it is written out without being encoded again.
///
/// Two texts are equal if their values are: members in any order, numbers as written.
public struct JSONText: Sendable {
    /// The text is the end of its buffer. What stands before it is no part of it, but what an item wants written in
    /// front of its content (`Item.sealed()`).
    private let storage: [UInt8]
    /// Narrow, because a list has one for each item.
    private let start: Int32

    /// Encodes `value` once.
    public init(_ value: JSONValue) {
        self.init(unchecked: value.bytes)
    }

    /// Takes bytes that `init(_:)` made, such as those of our own log.
    public init(unchecked bytes: [UInt8]) {
        storage = bytes
        start = 0
    }

    /// Takes a buffer of which the text is the end.
    init(_ buffer: [UInt8], startingAt start: Int) {
        storage = buffer
        self.start = Int32(truncatingIfNeeded: start)
    }

    /// The empty object.
    public static let emptyObject = JSONText(unchecked: Array("{}".utf8))

    /// Minified JSON, UTF-8.
    public var bytes: ArraySlice<UInt8> { storage[Int(start)...] }

    /// How many bytes the text has.
    public var byteCount: Int { storage.count - Int(start) }

    /// The value, decoded again; null if the bytes are no JSON, which cannot happen to checked ones.
    public var value: JSONValue {
        (try? JSONValue(parsing: start == 0 ? storage : Array(bytes))) ?? .null
    }
}

// MARK: - The buffer

extension JSONText {
    /// Where the text starts in its buffer.
    var bufferOffset: Int { Int(start) }

    /// Calls `body` with a part of the buffer, from an index of it to the end or to another.
    func withBuffer(from index: Int, upTo end: Int? = nil, _ body: (UnsafeRawBufferPointer) -> Void) {
        storage.span.extracting(index..<(end ?? storage.count)).withUnsafeBytes(body)
    }

    /// Whether both are parts of the same memory.
    func hasSameBuffer(as other: JSONText) -> Bool {
        storage.span.withUnsafeBytes { $0.baseAddress }
            == other.storage.span.withUnsafeBytes { $0.baseAddress }
    }

    /// Calls `body` with the text, where it is.
    func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        body(storage.span.extracting(Int(start)..<storage.count))
    }
}

extension JSONText: Equatable {
    public static func == (left: JSONText, right: JSONText) -> Bool {
        left.hasSameBytes(as: right) || left.value == right.value
    }

    func hasSameBytes(as other: JSONText) -> Bool { bytes == other.bytes }
}
