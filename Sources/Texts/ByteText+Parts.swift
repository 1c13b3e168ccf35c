// Parts of a text, found by bytes.

extension ByteText {
    /// Whether the text begins with these bytes.
    public func hasPrefix(_ prefix: ByteText) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the text ends with these bytes.
    public func hasSuffix(_ suffix: ByteText) -> Bool { utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

    /// What follows `prefix`; nil if the text begins otherwise.
    public func dropping(prefix: ByteText) -> ByteText? {
        hasPrefix(prefix) ? ByteText(utf8.dropFirst(prefix.utf8.count)) : nil
    }

    /// What stands before `suffix`; nil if the text ends otherwise.
    public func dropping(suffix: ByteText) -> ByteText? {
        hasSuffix(suffix) ? ByteText(utf8.dropLast(suffix.utf8.count)) : nil
    }

    /// The parts between separators, which are ASCII; empty ones too. The last one has what more than `splitsMax`
    /// separators would divide.
    public func split(at separator: Unicode.Scalar, splitsMax: Int = .max) -> [ByteText] {
        utf8.split(
            separator: UInt8(ascii: separator), maxSplits: splitsMax, omittingEmptySubsequences: false
        ).map { ByteText($0) }
    }

    /// Without the spaces and tabs at both ends.
    public var trimmed: ByteText { trimmed { $0 == 0x20 || $0 == 0x09 } }

    /// Without the bytes at both ends for which a test holds.
    public func trimmed(where isOutside: (UInt8) -> Bool) -> ByteText {
        guard let first = utf8.firstIndex(where: { !isOutside($0) }),
            let last = utf8.lastIndex(where: { !isOutside($0) })
        else { return "" }
        return first == utf8.startIndex && utf8.index(after: last) == utf8.endIndex
            ? self : ByteText(utf8[first...last])
    }

    /// Without any spaces and tabs.
    public var withoutSpaces: ByteText {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        return utf8.contains(where: isSpace) ? ByteText(decoding: utf8.filter { !isSpace($0) }) : self
    }

    /// With `a` to `z` for `A` to `Z`; nothing else has a case in the words of protocols.
    public var lowercasedASCII: ByteText {
        guard utf8.contains(where: Self.isUppercase) else { return self }
        return ByteText(decoding: utf8.map { Self.isUppercase($0) ? $0 | 0x20 : $0 })
    }

    private static func isUppercase(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
}

extension Collection<ByteText> {
    /// The texts, one behind the other, with a separator between them.
    public func joined(separator: ByteText = "") -> ByteText {
        guard count != 1, let first else { return first ?? "" }
        return dropFirst().reduce(into: TextJoin(first)) { $0.append($1, behind: separator) }.text
    }
}

/// Bytes that become one text at the end.
private struct TextJoin {
    private var bytes: [UInt8]

    init(_ text: ByteText) { bytes = Array(text.utf8) }

    mutating func append(_ text: ByteText, behind separator: ByteText) {
        bytes += separator.utf8
        bytes += text.utf8
    }

    var text: ByteText { ByteText(decoding: bytes) }
}

extension Int {
    /// Reads a decimal, as `Int.init(_:)` reads a string.
    public init?(_ text: ByteText) {
        guard let number = Int(text.storage) else { return nil }
        self = number
    }
}

extension RawRepresentable<String> {
    /// The case of an enumeration that has this raw value, byte for byte; raw values are ASCII.
    ///
    /// Some texts beyond ASCII are canonically equivalent to ASCII, such as U+212A to `K`.
    public init?(rawText text: ByteText) {
        guard text.isASCII else { return nil }
        self.init(rawValue: text.storage)
    }
}
