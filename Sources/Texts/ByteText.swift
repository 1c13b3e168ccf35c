/// A text whose UTF-8 is compared, hashed, ordered and searched as bytes, for every text that may come from outside.
///
/// Swift's `String` compares by canonical equivalence. By that relation `é` and `e` with U+0301 are equal, but by the
/// contract they are two texts. Its cost is also quadratic in the length of a run of combining marks, and a client can
/// send a body full of them. Every operation of this type compares bytes, at a cost that is at most linear.
///
/// A literal can be a `ByteText`, so `text == "abc"` and `case "abc":` compare bytes too.
public struct ByteText: Sendable {
    @usableFromInline let storage: String

    /// Makes a text of a string, unchanged.
    @inlinable
    public init(_ string: String) { storage = string }

    /// Makes a text of a part of a string.
    public init(_ part: Substring.UTF8View) { storage = String(decoding: part, as: UTF8.self) }

    /// Decodes UTF-8. Each invalid sequence becomes U+FFFD.
    @inlinable
    public init(decoding bytes: some Collection<UInt8>) { storage = String(decoding: bytes, as: UTF8.self) }

    /// Decodes UTF-8. Each invalid sequence becomes U+FFFD.
    public init(decoding bytes: Span<UInt8>) {
        storage = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Decodes UTF-8 up to a NUL. Each invalid sequence becomes U+FFFD.
    public init(cString start: UnsafePointer<CChar>) { storage = String(cString: start) }

    /// Decodes UTF-8; nil if a sequence is invalid.
    public init?(validating bytes: some Sequence<UInt8>) {
        #if canImport(Darwin)
            var valid: [UInt8] = []
            let isInvalid = transcode(
                bytes.makeIterator(), from: UTF8.self, to: UTF8.self, stoppingOnError: true, into: { valid.append($0) })
            guard !isInvalid else { return nil }
            storage = String(decoding: valid, as: UTF8.self)
        #else
            guard let string = String(validating: bytes, as: UTF8.self) else { return nil }
            storage = string
        #endif
    }

    /// Copies bytes that are known to be UTF-8.
    @available(macOS 26, iOS 26, *)
    public init(copying bytes: UTF8Span) { storage = String(copying: bytes) }

    /// The bytes of the UTF-8.
    @inlinable
    public var utf8: String.UTF8View { storage.utf8 }

    @inlinable
    public var isEmpty: Bool { storage.utf8.isEmpty }

    /// The number of Unicode scalars.
    public var scalarCount: Int { utf8.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) } }

    /// Whether all bytes are below 0x80. `String` compares such texts as bytes, too.
    public var isASCII: Bool { withBytes { bytes in bytes.allSatisfy { $0 < 0x80 } } }

    /// The text as a `String`, for code that takes one. It must not be compared, because `String` compares by canonical
    /// equivalence.
    ///
    /// `Tests/TidyTests/TextTests.swift` lists the files that may use it.
    @inlinable
    public var string: String { storage }

    /// Calls `body` with the bytes, which are valid only during the call.
    @inlinable
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        // `withUTF8` is mutating, because it may first have to copy the string to contiguous memory.
        var string = storage
        return string.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

extension ByteText: Hashable {
    public static func == (left: ByteText, right: ByteText) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        let isSame = left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right in
                haveSameBytes(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
            }
        }
        if case .some(.some(let isSame)) = isSame { return isSame }
        return left.utf8.elementsEqual(right.utf8)
    }

    /// Whether two pieces of memory have the same bytes. Eight are compared at a time, because every write compares ids.
    public static func haveSameBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        func isSame<Word: FixedWidthInteger & BitwiseCopyable>(at index: Int, _ word: Word.Type) -> Bool {
            left.loadUnaligned(fromByteOffset: index, as: word) == right.loadUnaligned(fromByteOffset: index, as: word)
        }
        let count = left.count
        guard count == right.count else { return false }
        guard count >= 8 else {
            guard count < 4 else { return isSame(at: 0, UInt32.self) && isSame(at: count &- 4, UInt32.self) }
            for index in 0..<count where left[index] != right[index] { return false }
            return true
        }
        var index = 0
        while index &+ 8 < count {
            guard isSame(at: index, UInt64.self) else { return false }
            index &+= 8
        }
        // The last eight bytes may overlap those that were compared before.
        return isSame(at: count &- 8, UInt64.self)
    }

    public func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: $0) }
        // The byte 0xFF, which UTF-8 never has, marks the end of the text, so that two texts in a row cannot hash as
        // two others.
        hasher.combine(0xFF as UInt8)
    }
}

extension ByteText: Comparable {
    /// Compares byte by byte. This is also the order of the code points.
    public static func < (left: ByteText, right: ByteText) -> Bool {
        left.withBytes { left in right.withBytes { right in precede(left, right) } }
    }

    /// Compares eight bytes at a time, because the ids of all lists are sorted.
    private static func precede(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        let count = min(left.count, right.count)
        var index = 0
        while index &+ 8 <= count {
            let word = UInt64(bigEndian: left.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let other = UInt64(bigEndian: right.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            guard word == other else { return word < other }
            index &+= 8
        }
        while index < count {
            guard left[index] == right[index] else { return left[index] < right[index] }
            index &+= 1
        }
        return left.count < right.count
    }
}

extension ByteText: ExpressibleByStringInterpolation {
    @inlinable
    public init(stringLiteral value: String) { storage = value }

    public init(stringInterpolation: StringInterpolation) { storage = stringInterpolation.text }

    /// Concatenates texts. A `ByteText` goes in whole, unlike its description, which may be shortened.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text: String

        public init(literalCapacity: Int, interpolationCount: Int) {
            text = ""
            text.reserveCapacity(literalCapacity + 8 * interpolationCount)
        }

        public mutating func appendLiteral(_ literal: String) { text += literal }
        public mutating func appendInterpolation(_ other: ByteText) { text += other.storage }
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) { text += value.description }
    }
}

extension ByteText: CustomStringConvertible, CustomDebugStringConvertible {
    /// The number of bytes after which a description is cut. Every id is shorter.
    public static let describedBytesMax = 255

    /// The text for messages. A long text is cut and gets an ellipsis.
    public var description: String {
        guard utf8.count > Self.describedBytesMax else { return storage }
        return String(decoding: beginning(bytesMax: Self.describedBytesMax), as: UTF8.self) + "…"
    }

    /// The description in quotes, as messages show it within an array or an enumeration.
    public var debugDescription: String { description.debugDescription }

    /// The longest beginning that has at most `bytesMax` bytes and ends between two scalars. The text must be longer.
    private func beginning(bytesMax: Int) -> Substring.UTF8View {
        var part = utf8.prefix(bytesMax + 1)
        repeat { part.removeLast() } while utf8[part.endIndex] & 0xC0 == 0x80
        return part
    }
}
