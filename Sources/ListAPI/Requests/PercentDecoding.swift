internal import Texts

/// Decodes one segment of a path. A `+` is a plus sign.
///
/// A path must be split before its segments are decoded, because `%2F` is a slash within an id.
///
/// - Returns: Nil if a percent sign is not followed by two hexadecimal digits, if a byte is not encoded that must be
///   (white space, a control character, anything beyond ASCII), or if the result is not UTF-8.
///
/// Source: RFC 3986 sections 2.1 and 3.3.
func percentDecoded(_ text: Span<UInt8>) -> ByteText? {
    decoded(text, plus: UInt8(ascii: "+"))
}

/// Decodes a name or a value of a query. A `+` is a space, as forms and `URLSearchParams` write it.
///
/// - Returns: Nil in the same cases as `percentDecoded(_:)`.
///
/// Source: the `application/x-www-form-urlencoded` parser of the URL standard, which is less strict.
func formDecoded(_ text: ByteText) -> ByteText? {
    isPlain(text.utf8.span) ? text : decoded(text.utf8.span, plus: UInt8(ascii: " "))
}

/// Whether every byte stands for itself.
private func isPlain(_ text: Span<UInt8>) -> Bool {
    for index in text.indices {
        let byte = text[index]
        guard (0x21...0x7E).contains(byte), byte != UInt8(ascii: "%"), byte != UInt8(ascii: "+") else { return false }
    }
    return true
}

private func decoded(_ text: Span<UInt8>, plus: UInt8) -> ByteText? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
        switch text[index] {
        case UInt8(ascii: "%"):
            guard index + 2 < text.count,
                let high = text[index + 1].hexDigitValue, let low = text[index + 2].hexDigitValue
            else { return nil }
            bytes.append(high << 4 | low)
            index += 2
        case UInt8(ascii: "+"):
            bytes.append(plus)
        case 0x21...0x7E:
            bytes.append(text[index])
        default:
            return nil
        }
        index += 1
    }
    return ByteText(validating: bytes)
}
