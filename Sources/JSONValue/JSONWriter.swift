extension JSONValue {
    /// The value as JSON, without white space, members in their order.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    /// Appends the value as JSON, without white space, members in their order.
    ///
    /// Only what RFC 8259 section 7 demands is escaped; all else is UTF-8.
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

/// Pieces of JSON for output that is spliced by hand.
extension [UInt8] {
    /// Appends `text` as it is; the caller answers for what it means in JSON.
    public mutating func append(utf8 text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// Appends the decimal digits of `integer`.
    public mutating func appendJSON(integer: Int) {
        append(contentsOf: String(integer).utf8)
    }

    /// Appends `string` as a JSON string, with its quotes and the escapes that RFC 8259 section 7 demands.
    public mutating func appendJSON(string: String) {
        append(UInt8(ascii: "\""))
        string.withBytes { appendEscaped($0) }
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

/// Whether no byte of a string's UTF-8 needs an escape in JSON.
public func isPlainJSON(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var special: UInt8 = 0
    // It looks at all of them, because a loop without an exit is vectorised.
    for byte in text { special |= needsEscape(byte) ? 1 : 0 }
    return special == 0
}

private func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
}
