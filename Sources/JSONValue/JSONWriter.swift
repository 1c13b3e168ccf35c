public import Texts

extension JSONValue {
    /// The value as JSON, without white space.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    /// Appends the value as JSON, without white space, the members in their order.
    ///
    /// Only the characters that RFC 8259 section 7 requires to be escaped are escaped.
    public func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(utf8: "null")
        case .bool(true): bytes.append(utf8: "true")
        case .bool(false): bytes.append(utf8: "false")
        case .number(let number): bytes.append(contentsOf: number.literal.utf8)
        case .string(let string): bytes.appendJSON(string: string)
        case .array(let array): Self.write(array, to: &bytes)
        case .object(let object): object.write(to: &bytes)
        }
    }

    private static func write(_ array: [JSONValue], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for element in array {
            if !isFirst {
                bytes.append(UInt8(ascii: ","))
            }
            isFirst = false
            element.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }
}

extension JSONObject {
    /// Appends the object as JSON, as `JSONValue.write(to:)` does.
    public func write(to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for member in members {
            if !isFirst {
                bytes.append(UInt8(ascii: ","))
            }
            isFirst = false
            bytes.appendJSON(string: member.key)
            bytes.append(UInt8(ascii: ":"))
            member.value.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

/// Functions that write JSON piece by piece.
extension [UInt8] {
    /// Appends `text` unchanged. The caller must see to it that the whole is valid JSON.
    public mutating func append(utf8 text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// Appends `string` as a JSON string, with its quotes and the escapes that RFC 8259 section 7 demands.
    public mutating func appendJSON(string: ByteText) {
        append(UInt8(ascii: "\""))
        string.withBytes { appendEscaped($0.assumingMemoryBound(to: UInt8.self)) }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        guard !isPlainJSON(text) else {
            append(contentsOf: text)
            return
        }
        var run = 0
        for position in text.indices where needsEscape(text[position]) {
            append(contentsOf: text[run..<position])
            appendEscape(of: text[position])
            run = position + 1
        }
        append(contentsOf: text[run...])
    }

    private mutating func appendEscape(of byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(utf8: "\\\"")
        case UInt8(ascii: "\\"): append(utf8: "\\\\")
        case 0x08: append(utf8: "\\b")
        case 0x09: append(utf8: "\\t")
        case 0x0A: append(utf8: "\\n")
        case 0x0C: append(utf8: "\\f")
        case 0x0D: append(utf8: "\\r")
        default:
            append(utf8: "\\u00")
            append(UInt8(ascii: byte < 0x10 ? "0" : "1"))
            let low = byte & 0x0F
            append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        }
    }
}

extension ByteText {
    /// The number of bytes of the text as a JSON string, with its quotes and escapes.
    var byteCountInJSON: Int {
        withBytes { bytes in
            let text = bytes.assumingMemoryBound(to: UInt8.self)
            guard !isPlainJSON(text) else { return 2 + text.count }
            return text.reduce(2) { $0 + (needsEscape($1) ? escapedCount($1) : 1) }
        }
    }
}

/// The number of bytes of the escape of a byte.
private func escapedCount(_ byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08, 0x09, 0x0A, 0x0C, 0x0D: 2
    default: 6
    }
}

/// Whether no byte of a UTF-8 text needs an escape in JSON. It checks eight bytes at a time.
public func isPlainJSON(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(text)
    var special: UInt64 = 0
    var index = 0
    while index &+ 8 <= bytes.count {
        special |= needingEscape(in: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        index &+= 8
    }
    var rest = each(UInt8(ascii: "a"))
    while index < bytes.count {
        rest = rest << 8 | UInt64(bytes[index])
        index &+= 1
    }
    return special | needingEscape(in: rest) == 0
}

/// A number that is not 0 if one of the eight bytes needs an escape.
@inline(__always)
private func needingEscape(in word: UInt64) -> UInt64 {
    let quote = word ^ each(UInt8(ascii: "\""))
    let backslash = word ^ each(UInt8(ascii: "\\"))
    // Subtracting 0x20 from a byte below 0x20, or 1 from a zero byte, borrows from the byte's highest bit and so sets
    // it.
    let control = (word &- each(0x20)) & ~word
    return (control | (quote &- each(1)) & ~quote | (backslash &- each(1)) & ~backslash) & each(0x80)
}

/// The same byte eight times.
@inline(__always)
private func each(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

private func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
}
