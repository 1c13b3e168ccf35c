internal import Texts

/// The form in which contents are stored: one valid JSON value without white space, at most `JSONValue.depthMax` levels
/// deep.
///
/// Bytes of that form can be copied into an answer unchanged. The check reads them once and decodes nothing.
public enum MinifiedJSON {
    /// Whether bytes have that form. Duplicate names in an object are not detected.
    ///
    /// - Complexity: O(*n*), without allocations.
    public static func isValid(_ bytes: Span<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var scan = MinifiedScan(bytes: bytes)
            return scan.value(depth: 0) && scan.position == bytes.count
        }
    }
}

/// Moves a cursor over values. Each method returns false if the bytes are not as they must be.
struct MinifiedScan {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    /// Whether the cursor has moved over an escape sequence.
    var hasEscapes = false
    /// Whether the cursor has moved over white space.
    var hasSpace = false

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The byte at the cursor; 0 at the end. A zero byte is never valid in JSON, so it needs no other mark.
    var current: UInt8 {
        @inline(__always) get { position < bytes.count ? bytes[position] : 0 }
    }

    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position &+= 1
        return true
    }

    /// - Parameter depth: The number of arrays and objects that are open around the value.
    mutating func value(depth: Int) -> Bool {
        switch current {
        case UInt8(ascii: "\""): string()
        case UInt8(ascii: "{"): object(depth: depth + 1)
        case UInt8(ascii: "["): array(depth: depth + 1)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): number()
        case UInt8(ascii: "t"): word("true")
        case UInt8(ascii: "f"): word("false")
        case UInt8(ascii: "n"): word("null")
        default: false
        }
    }

    private mutating func object(depth: Int) -> Bool {
        guard depth <= JSONValue.depthMax else { return false }
        position &+= 1
        if take(UInt8(ascii: "}")) { return true }
        repeat {
            guard string(), take(UInt8(ascii: ":")), value(depth: depth) else { return false }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}"))
    }

    private mutating func array(depth: Int) -> Bool {
        guard depth <= JSONValue.depthMax else { return false }
        position &+= 1
        if take(UInt8(ascii: "]")) { return true }
        repeat {
            guard value(depth: depth) else { return false }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]"))
    }

    mutating func word(_ word: StaticString) -> Bool {
        for offset in 0..<word.utf8CodeUnitCount {
            guard take(word.utf8Start[offset]) else { return false }
        }
        return true
    }

    /// Source: RFC 8259 section 6.
    mutating func number() -> Bool {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")), !digits() { return false }
        if take(UInt8(ascii: ".")), !digits() { return false }
        guard current | 0x20 == UInt8(ascii: "e") else { return true }
        position &+= 1
        if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
        return digits()
    }

    private mutating func digits() -> Bool {
        let start = position
        while current &- UInt8(ascii: "0") < 10 { position &+= 1 }
        return position > start
    }

    mutating func string() -> Bool {
        guard take(UInt8(ascii: "\"")) else { return false }
        while true {
            skipPlainBytes()
            guard position < bytes.count else { return false }
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                position &+= 1
                return true
            case UInt8(ascii: "\\"): guard escape() else { return false }
            case 0x20..<0x80: position &+= 1
            case 0..<0x20: return false
            default: guard multibyte(lead: byte) else { return false }
            }
        }
    }

    /// Moves the cursor over printable ASCII other than the quotation mark and the backslash, eight bytes at a time. It
    /// may stop up to seven bytes before the end.
    @inline(__always)
    private mutating func skipPlainBytes() {
        let (each, highest): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        while position &+ 8 <= bytes.count, let start = bytes.baseAddress {
            let loaded = UnsafeRawPointer(start).loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let word = UInt64(littleEndian: loaded)
            // The highest bit of each byte that is not plain. Borrowing may also set it in a byte behind such a byte,
            // so only the lowest of these bits is used.
            let quotes = (word ^ each &* 0x22) &- each
            let backslashes = (word ^ each &* 0x5C) &- each
            let others = (quotes | backslashes | (word &- each &* 0x20) | word) & highest
            position &+= others.trailingZeroBitCount / 8
            if others != 0 { return }
        }
    }

    /// Moves the cursor over an escape sequence (RFC 8259 section 7). Returns false if the sequence is invalid, or a
    /// lone surrogate.
    private mutating func escape() -> Bool {
        hasEscapes = true
        position &+= 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position &+= 1
            return true
        case UInt8(ascii: "u"):
            position &+= 1
            guard let unit = hexadecimal(), !(0xDC00...0xDFFF).contains(unit) else { return false }
            guard (0xD800...0xDBFF).contains(unit) else { return true }
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let low = hexadecimal() else { return false }
            return (0xDC00...0xDFFF).contains(low)
        default: return false
        }
    }

    private mutating func hexadecimal() -> UInt16? {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = current.hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
            position &+= 1
        }
        return unit
    }

    private mutating func multibyte(lead: UInt8) -> Bool {
        guard let (length, second) = utf8Sequence(lead: lead) else { return false }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]) else { return false }
        for offset in 2..<max(2, length) {
            guard bytes[position + offset] & 0xC0 == 0x80 else { return false }
        }
        position &+= length
        return true
    }
}

/// The number of bytes of a character of more than one byte, and the range of its second byte, which excludes overlong
/// forms, surrogates and code points above U+10FFFF. Nil if no such character begins with `lead`.
///
/// Source: RFC 3629 section 4.
@inline(__always)
func utf8Sequence(lead: UInt8) -> (length: Int, second: ClosedRange<UInt8>)? {
    switch lead {
    case 0xC2...0xDF: (2, 0x80...0xBF)
    case 0xE0: (3, 0xA0...0xBF)
    case 0xED: (3, 0x80...0x9F)
    case 0xE1...0xEF: (3, 0x80...0xBF)
    case 0xF0: (4, 0x90...0xBF)
    case 0xF1...0xF3: (4, 0x80...0xBF)
    case 0xF4: (4, 0x80...0x8F)
    default: nil
    }
}
