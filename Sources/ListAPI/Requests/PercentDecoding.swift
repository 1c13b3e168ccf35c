internal import Texts

/// Decodes one segment of a path. A `+` is a plus sign.
///
/// A path must be split before its segments are decoded, because `%2F` is a slash within an id.
///
/// - Returns: Nil if a percent sign is not followed by two hexadecimal digits, if a byte is not encoded that must be
///   (white space, a control character, anything beyond ASCII), or if the result is not UTF-8.
///
/// Source: RFC 3986 sections 2.1 and 3.3.
func percentDecoded(_ text: some Collection<UInt8>) -> ByteText? {
    decoded(text, plus: UInt8(ascii: "+"))
}

/// Decodes a name or a value of a query. A `+` is a space, as forms and `URLSearchParams` write it.
///
/// - Returns: Nil in the same cases as `percentDecoded(_:)`.
///
/// Source: the `application/x-www-form-urlencoded` parser of the URL standard, which is less strict.
func formDecoded(_ text: some Collection<UInt8>) -> ByteText? {
    decoded(text, plus: UInt8(ascii: " "))
}

private func decoded(_ text: some Collection<UInt8>, plus: UInt8) -> ByteText? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text[...]
    while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "%"):
            guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        case UInt8(ascii: "+"):
            bytes.append(plus)
        case 0x21...0x7E:
            bytes.append(byte)
        default:
            return nil
        }
    }
    return ByteText(validating: bytes)
}
