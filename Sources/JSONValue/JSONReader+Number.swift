extension JSONReader {
    /// Reads a number, slowly. The cursor must be on its first byte.
    ///
    /// Source: RFC 8259 section 6.
    mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        step(over: UInt8(ascii: "-"))
        if step(over: UInt8(ascii: "0")) {
            guard !isAtDigit else { throw JSONError(reason: .invalidNumber, offset: position) }
        } else {
            try digits()
        }
        if step(over: UInt8(ascii: ".")) {
            try digits()
        }
        if step(over: UInt8(ascii: "e")) || step(over: UInt8(ascii: "E")) {
            if !step(over: UInt8(ascii: "+")) {
                step(over: UInt8(ascii: "-"))
            }
            try digits()
        }
        guard position - start <= JSONNumber.literalBytesMax else {
            throw JSONError(reason: .numberTooLong, offset: start)
        }
        return JSONNumber(checked: UnsafeBufferPointer(rebasing: bytes[start..<position]))
    }

    var isAtDigit: Bool {
        guard let byte = current else { return false }
        return byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private mutating func digits() throws(JSONError) {
        guard isAtDigit else { throw unexpected(.invalidNumber, expecting: .digit) }
        repeat {
            position += 1
        } while isAtDigit
    }

    @discardableResult
    private mutating func step(over byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }
}

extension JSONNumber {
    /// - Parameter literal: A number in the grammar of RFC 8259 section 6.
    init(checked literal: UnsafeBufferPointer<UInt8>) {
        self.init(checked: String(decoding: literal, as: UTF8.self))
    }
}
