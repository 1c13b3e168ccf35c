/// Text from outside, or that may be: UTF-8 that is compared, hashed, ordered and searched as bytes.
///
/// Swift's `String` compares by canonical equivalence. That is another relation than the contract's, in which `é` and
/// `e` with U+0301 are two texts, and it takes time that is quadratic in runs of combining marks, of which a client
/// can send as many as a body holds. Nothing here does either: every operation is at most linear in the bytes.
///
/// A literal is a text, so that `text == "abc"` and `case "abc":` compare bytes.
public struct ByteText: Sendable {
    @usableFromInline let storage: String

    /// Takes a text as it is.
    @inlinable
    public init(_ string: String) { storage = string }

    /// Takes a part of a text.
    public init(_ part: Substring.UTF8View) { storage = String(decoding: part, as: UTF8.self) }

    /// Takes bytes that are UTF-8; in others U+FFFD stands for what is wrong.
    @inlinable
    public init(decoding bytes: some Collection<UInt8>) { storage = String(decoding: bytes, as: UTF8.self) }

    /// Takes bytes that are UTF-8; in others U+FFFD stands for what is wrong.
    public init(decoding bytes: Span<UInt8>) {
        storage = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Takes the bytes up to a NUL; U+FFFD stands for what is not UTF-8.
    public init(cString start: UnsafePointer<CChar>) { storage = String(cString: start) }

    /// Takes bytes; nil if they are no UTF-8.
    public init?(validating bytes: some Sequence<UInt8>) {
        guard let string = String(validating: bytes, as: UTF8.self) else { return nil }
        storage = string
    }

    /// Takes bytes that were found to be UTF-8.
    public init(copying bytes: UTF8Span) { storage = String(copying: bytes) }

    /// The bytes.
    @inlinable
    public var utf8: String.UTF8View { storage.utf8 }

    @inlinable
    public var isEmpty: Bool { storage.utf8.isEmpty }

    /// How many Unicode scalars there are.
    public var scalarCount: Int { utf8.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) } }

    /// Whether all bytes are below 0x80. Such a text is one that `String` compares as bytes, too.
    public var isASCII: Bool { withBytes { bytes in bytes.allSatisfy { $0 < 0x80 } } }

    /// The text as what Swift compares by canonical equivalence: for texts that are handed on, never for comparisons.
    ///
    /// Where it is used is listed in `Tests/TidyTests/TextTests.swift`.
    @inlinable
    public var string: String { storage }

    /// Calls `body` with the bytes.
    @inlinable
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        // The door to the bytes is mutating, because a string bridged from elsewhere is copied first.
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

    /// Reads eight bytes at a time: ids are compared on every write.
    ///
    /// - Precondition: Both have the same count.
    private static func haveSameBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        func isSame<Word: FixedWidthInteger & BitwiseCopyable>(at index: Int, _ word: Word.Type) -> Bool {
            left.loadUnaligned(fromByteOffset: index, as: word) == right.loadUnaligned(fromByteOffset: index, as: word)
        }
        let count = left.count
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
        // The last eight, some of which may be among those before.
        return isSame(at: count &- 8, UInt64.self)
    }

    public func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: $0) }
        // Where one text ends and the next begins.
        hasher.combine(0xFF as UInt8)
    }
}

extension ByteText: Comparable {
    /// By bytes, which is by code point.
    public static func < (left: ByteText, right: ByteText) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

extension ByteText: ExpressibleByStringInterpolation {
    @inlinable
    public init(stringLiteral value: String) { storage = value }

    public init(stringInterpolation: StringInterpolation) { storage = stringInterpolation.text }

    /// Puts a text together of others, whole.
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
    /// How many bytes of a text a message for people shows; every id is shorter.
    public static let describedBytesMax = 255

    /// The text for people: its beginning, where it is long.
    public var description: String {
        guard utf8.count > Self.describedBytesMax else { return storage }
        return String(decoding: beginning(bytesMax: Self.describedBytesMax), as: UTF8.self) + "…"
    }

    /// The description in quotes: what a message shows of a text in an array or an enumeration.
    public var debugDescription: String { description.debugDescription }

    /// Whole scalars of at most so many bytes.
    private func beginning(bytesMax: Int) -> Substring.UTF8View {
        var part = utf8.prefix(bytesMax + 1)
        repeat { part.removeLast() } while utf8[part.endIndex] & 0xC0 == 0x80
        return part
    }
}
