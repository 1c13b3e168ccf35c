internal import Texts

extension JSONReader {
    /// Reads a string, slowly. The cursor must be on its opening quote.
    ///
    /// Source: RFC 8259 section 7. Lone surrogates (section 8.2) are refused.
    mutating func string() throws(JSONError) -> ByteText {
        position += 1
        let start = position
        try skipPlain()
        guard current == UInt8(ascii: "\\") else {
            let text = ByteText(decoding: bytes[start..<position])
            position += 1
            return text
        }
        return try escapedString(from: start)
    }

    /// Reads the rest of a string that began at `start`. The cursor must be on its first escape.
    private mutating func escapedString(from start: Int) throws(JSONError) -> ByteText {
        var text = Array(bytes[start..<position])
        while current == UInt8(ascii: "\\") {
            try escape(into: &text)
            let run = position
            try skipPlain()
            text.append(contentsOf: bytes[run..<position])
        }
        position += 1
        return ByteText(decoding: text)
    }

    /// Moves the cursor over unescaped characters, to a quote or a backslash.
    private mutating func skipPlain() throws(JSONError) {
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                return
            case 0x20..<0x80:
                position += 1
            case 0..<0x20:
                throw unexpected(.controlCharacter, expecting: .stringEnd)
            default:
                try skipMultibyte(lead: byte)
            }
        }
        throw unexpected(expecting: .stringEnd)
    }

    /// Moves the cursor over one character of two to four bytes.
    private mutating func skipMultibyte(lead: UInt8) throws(JSONError) {
        guard let (length, second) = utf8Sequence(lead: lead) else {
            throw unexpected(.invalidUTF8, expecting: .stringEnd)
        }
        for offset in 1..<length {
            guard position + offset < bytes.count else {
                throw JSONError(reason: .unexpectedEnd, offset: bytes.count, expected: .stringEnd)
            }
            guard (offset == 1 ? second : 0x80...0xBF).contains(bytes[position + offset]) else {
                throw unexpected(.invalidUTF8, expecting: .stringEnd)
            }
        }
        position += length
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        let start = position
        position += 1
        guard let byte = current else { throw unexpected(expecting: .stringEnd) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: try scalar(from: start).utf8)
        default: throw JSONError(reason: .invalidEscape, offset: start)
        }
    }
}

extension JSONReader {
    /// Reads the rest of the `\u` escape that began at `start`. After a high surrogate it reads a second escape.
    private mutating func scalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let unit = try hexadecimal(from: start)
        if let scalar = Unicode.Scalar(unit) {
            return scalar
        }
        guard unit < 0xDC00 else { throw JSONError(reason: .loneSurrogate, offset: start) }
        for byte in "\\u".utf8 {
            guard current == byte else { throw loneSurrogate(from: start) }
            position += 1
        }
        let low = try hexadecimal(from: position - 2)
        guard UTF16.isTrailSurrogate(low), let scalar = Self.scalar(high: unit, low: low) else {
            throw JSONError(reason: .loneSurrogate, offset: start)
        }
        return scalar
    }

    private func loneSurrogate(from start: Int) -> JSONError {
        isAtEnd ? unexpected(expecting: .stringEnd) : JSONError(reason: .loneSurrogate, offset: start)
    }

    private static func scalar(high: UInt16, low: UInt16) -> Unicode.Scalar? {
        Unicode.Scalar(0x10000 + (UInt32(high) - 0xD800) * 0x400 + (UInt32(low) - 0xDC00))
    }

    private mutating func hexadecimal(from start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = current else { throw unexpected(expecting: .stringEnd) }
            guard let digit = byte.hexDigitValue else {
                throw JSONError(reason: .invalidEscape, offset: start)
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
