/// The name of an item or a section: 1 to 255 bytes of UTF-8 without control characters.
///
/// Identifiers are compared as bytes and never normalised: `é` composed and decomposed are two
/// identifiers, although Swift's `String` calls them equal (CONTRACT.md section 1).
public struct Identifier<Namespace>: Sendable {
    /// The identifier as text, byte for byte as it was given.
    public let rawValue: String

    /// Checks a name from outside.
    ///
    /// - Returns: Nil if `rawValue` is empty, longer than 255 bytes, or holds a control character.
    public init?(_ rawValue: String) {
        guard (1...255).contains(rawValue.utf8.count) else { return nil }
        guard !Self.holdsControlCharacter(rawValue.utf8.span) else { return nil }
        self.rawValue = rawValue
    }

    /// Whether a scalar of the general category Cc is in `text`: below U+0020, or from U+007F to U+009F.
    private static func holdsControlCharacter(_ text: Span<UInt8>) -> Bool {
        var last: UInt8 = 0
        for index in text.indices {
            let byte = text[index]
            if byte < 0x20 || byte == 0x7F || (last == 0xC2 && byte < 0xA0) { return true }
            last = byte
        }
        return false
    }

    /// Takes a name that was checked before, such as one from our own log.
    public init(unchecked rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The namespace of items: one for the whole list.
public enum ItemNamespace: Sendable {}
/// The namespace of sections, apart from that of items.
public enum SectionNamespace: Sendable {}

/// The name of an item, unique in its list.
public typealias ItemID = Identifier<ItemNamespace>
/// The name of a section, unique among the sections of its list.
public typealias SectionID = Identifier<SectionNamespace>

extension Identifier: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.hasSameBytes(as: right.rawValue)
    }

    public func hash(into hasher: inout Hasher) {
        let hashed: Void? = rawValue.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        guard hashed == nil else { return }
        for byte in rawValue.utf8 { hasher.combine(byte) }
    }
}

extension String {
    /// Whether both have the same UTF-8, read eight bytes at a time: identifiers are compared on every write.
    fileprivate func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isSame = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                Self.haveSameBytes(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
            }
        }
        if case .some(.some(let isSame)) = isSame { return isSame }
        return utf8.elementsEqual(other.utf8)
    }

    private static func haveSameBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index &+ 8 <= left.count {
            let isSame =
                left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                == right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard isSame else { return false }
            index &+= 8
        }
        while index < left.count {
            guard left[index] == right[index] else { return false }
            index &+= 1
        }
        return true
    }
}

extension Identifier: CustomStringConvertible {
    public var description: String { rawValue }
}

extension Identifier: ExpressibleByStringLiteral {
    /// For names written in source; they are not checked.
    public init(stringLiteral value: String) { rawValue = value }
}

/// The name of a list: `[a-z0-9][a-z0-9._-]{0,127}`.
public struct ListID: Sendable, Hashable, CustomStringConvertible {
    /// The name as text; always ASCII.
    public let rawValue: String

    /// Checks a name from outside.
    public init?(_ rawValue: String) {
        var name = rawValue
        guard name.withUTF8(Self.isName) else { return nil }
        self.rawValue = name
    }

    private static func isName(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard (1...128).contains(bytes.count), isAlphanumeric(bytes[0]) else { return false }
        for byte in bytes where !isAllowed(byte) { return false }
        return true
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    public var description: String { rawValue }
}
