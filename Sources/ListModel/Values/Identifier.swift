// These values are texts, so every client of this module needs `Texts` too.
@_exported public import Texts

/// The name of an item or a section: 1 to 255 bytes of UTF-8 without control characters.
///
/// Identifiers are compared as bytes and never normalised: `é` composed and decomposed are two identifiers
/// (docs/contract.md section 1).
public struct Identifier<Namespace>: Sendable {
    /// The identifier as text, byte for byte as it was given.
    public let rawValue: ByteText

    /// Checks a name from outside.
    ///
    /// - Returns: Nil if `rawValue` is empty, longer than 255 bytes, or holds a control character.
    public init?(_ rawValue: ByteText) {
        guard (1...255).contains(rawValue.utf8.count) else { return nil }
        guard rawValue.withBytes({ !Self.mayHoldControlCharacter($0) || !Self.holdsControlCharacter($0) }) else {
            return nil
        }
        self.rawValue = rawValue
    }

    /// Whether a scalar of the general category Cc is in `text`: below U+0020, or from U+007F to U+009F.
    private static func holdsControlCharacter(_ text: UnsafeRawBufferPointer) -> Bool {
        var last: UInt8 = 0
        for byte in text {
            if byte < 0x20 || byte == 0x7F || (last == 0xC2 && byte < 0xA0) { return true }
            last = byte
        }
        return false
    }

    /// False for nearly every name. The loop has no exit, so that the compiler vectorises it.
    private static func mayHoldControlCharacter(_ text: UnsafeRawBufferPointer) -> Bool {
        var suspect: UInt8 = 0
        for byte in text { suspect |= (byte < 0x20 ? 1 : 0) | (byte == 0x7F ? 1 : 0) | (byte == 0xC2 ? 1 : 0) }
        return suspect != 0
    }

    /// Takes a name that was checked before, such as one from our own log.
    public init(unchecked rawValue: ByteText) {
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

extension Identifier: Hashable {}

extension Identifier: CustomStringConvertible {
    public var description: String { rawValue.description }
}

extension Identifier: ExpressibleByStringLiteral {
    /// Takes a name that is written in the source; it is not checked.
    public init(stringLiteral value: String) { rawValue = ByteText(value) }
}

/// The name of a list: `[a-z0-9][a-z0-9._-]{0,127}`.
public struct ListID: Sendable, Hashable, CustomStringConvertible {
    /// The name as text; always ASCII.
    public let rawValue: ByteText

    /// Checks a name from outside.
    public init?(_ rawValue: ByteText) {
        guard rawValue.withBytes(Self.isName) else { return nil }
        self.rawValue = rawValue
    }

    private static func isName(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard (1...128).contains(bytes.count), isAlphanumeric(bytes[0]) else { return false }
        // Nearly all are letters.
        for byte in bytes where byte &- UInt8(ascii: "a") >= 26 && !isAllowed(byte) { return false }
        return true
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    public var description: String { rawValue.description }
}
