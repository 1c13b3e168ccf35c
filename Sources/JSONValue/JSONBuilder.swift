internal import Texts

extension JSONValue {
    /// Decodes a value, with memory of its own.
    ///
    /// - Complexity: O(*n*), *n* = the bytes of the value.
    public init(_ slice: JSONSlice) {
        self = slice.document.withUnsafeBufferPointer { bytes in
            var builder = JSONBuilder(scan: MinifiedScan(bytes: bytes))
            builder.scan.position = slice.start
            return builder.value()
        }
    }
}

/// Makes values of a checked document. A cursor moves over its bytes.
private struct JSONBuilder {
    var scan: MinifiedScan

    mutating func value() -> JSONValue {
        switch scan.current {
        case UInt8(ascii: "\""): return .string(string())
        case UInt8(ascii: "{"): return .object(object())
        case UInt8(ascii: "["): return .array(array())
        case UInt8(ascii: "t"): return word(4, .bool(true))
        case UInt8(ascii: "f"): return word(5, .bool(false))
        case UInt8(ascii: "n"): return word(4, .null)
        default: return .number(number())
        }
    }

    private mutating func array() -> [JSONValue] {
        var elements: [JSONValue] = []
        guard !opens(closing: UInt8(ascii: "]")) else { return elements }
        repeat {
            scan.skipSpace()
            elements.append(value())
        } while goesOn()
        return elements
    }

    private mutating func object() -> JSONObject {
        var members: [JSONObject.Member] = []
        guard !opens(closing: UInt8(ascii: "}")) else { return JSONObject() }
        repeat {
            scan.skipSpace()
            let key = string()
            scan.skipSpace()
            scan.position += 1
            scan.skipSpace()
            members.append((key: key, value: value()))
        } while goesOn()
        return JSONObject(distinct: members)
    }

    /// Moves over an opening bracket, and over `closing` if that follows.
    ///
    /// - Returns: Whether `closing` followed.
    private mutating func opens(closing: UInt8) -> Bool {
        scan.position += 1
        scan.skipSpace()
        return scan.take(closing)
    }

    /// Moves over the byte behind an element.
    ///
    /// - Returns: Whether it was a comma.
    private mutating func goesOn() -> Bool {
        scan.skipSpace()
        defer { scan.position += 1 }
        return scan.current == UInt8(ascii: ",")
    }

    private mutating func word(_ byteCount: Int, _ value: JSONValue) -> JSONValue {
        scan.position += byteCount
        return value
    }

    private mutating func string() -> ByteText {
        let start = scan.position
        scan.hasEscapes = false
        _ = scan.string()
        guard scan.hasEscapes else {
            return ByteText(decoding: UnsafeBufferPointer(rebasing: scan.bytes[start + 1..<scan.position - 1]))
        }
        var reader = JSONReader(scan.bytes, from: start, depthMax: 0)
        return (try? reader.string()) ?? ""
    }

    private mutating func number() -> JSONNumber {
        let start = scan.position
        _ = scan.number()
        return JSONNumber(checked: UnsafeBufferPointer(rebasing: scan.bytes[start..<scan.position]))
    }
}
