// Parts of a text, found by comparing bytes.

extension ByteText {
    /// Whether the text begins with these bytes.
    public func hasPrefix(_ prefix: ByteText) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the text ends with these bytes.
    public func hasSuffix(_ suffix: ByteText) -> Bool { utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

    /// The text behind `prefix`; nil if the text does not begin with it.
    public func dropping(prefix: ByteText) -> ByteText? {
        hasPrefix(prefix) ? ByteText(utf8.dropFirst(prefix.utf8.count)) : nil
    }

    /// The text before `suffix`; nil if the text does not end with it.
    public func dropping(suffix: ByteText) -> ByteText? {
        hasSuffix(suffix) ? ByteText(utf8.dropLast(suffix.utf8.count)) : nil
    }

    /// The parts between separators, empty ones too. After `splitsMax` separators the rest is one part.
    ///
    /// - Parameter separator: An ASCII character.
    public func split(at separator: Unicode.Scalar, splitsMax: Int = .max) -> [ByteText] {
        utf8.split(
            separator: UInt8(ascii: separator), maxSplits: splitsMax, omittingEmptySubsequences: false
        ).map { ByteText($0) }
    }

    /// The text without the spaces and tabs at its ends.
    public var trimmed: ByteText { trimmed { $0 == 0x20 || $0 == 0x09 } }

    /// The text without the bytes at its ends for which `isOutside` is true. `isOutside` must be false for bytes of
    /// 0x80 and above.
    public func trimmed(where isOutside: (UInt8) -> Bool) -> ByteText {
        guard let first = utf8.firstIndex(where: { !isOutside($0) }),
            let last = utf8.lastIndex(where: { !isOutside($0) })
        else { return "" }
        return first == utf8.startIndex && utf8.index(after: last) == utf8.endIndex
            ? self : ByteText(utf8[first...last])
    }

    /// The text without its spaces and tabs.
    public var withoutSpaces: ByteText {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        return utf8.contains(where: isSpace) ? ByteText(decoding: utf8.filter { !isSpace($0) }) : self
    }

    /// The text with `a` to `z` in the place of `A` to `Z`. Other characters stay, because the words of protocols are
    /// ASCII.
    public var lowercasedASCII: ByteText {
        guard utf8.contains(where: Self.isUppercase) else { return self }
        return ByteText(decoding: utf8.map { Self.isUppercase($0) ? $0 | 0x20 : $0 })
    }

    private static func isUppercase(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
}

extension Collection<ByteText> {
    /// The texts one behind the other, with `separator` between them.
    public func joined(separator: ByteText = "") -> ByteText {
        guard count != 1, let first else { return first ?? "" }
        var bytes = Array(first.utf8)
        for text in dropFirst() {
            bytes += separator.utf8
            bytes += text.utf8
        }
        return ByteText(decoding: bytes)
    }
}

extension Int {
    /// Reads a decimal number, with or without a sign, as `Int.init(_:)` does; nil if the text is none or overflows.
    public init?(_ text: ByteText) {
        guard let number = Int(text.storage) else { return nil }
        self = number
    }
}

extension RawRepresentable<String> {
    /// The case with this raw value, compared by bytes. Raw values are ASCII.
    ///
    /// A text beyond ASCII is refused first, because `String` would find some equal to ASCII, such as U+212A to `K`.
    @inlinable
    public init?(rawText text: ByteText) {
        guard text.isASCII else { return nil }
        self.init(rawValue: text.storage)
    }
}

extension UInt8 {
    /// The value of this byte as a hexadecimal digit in ASCII; nil if it is none.
    public var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
