/// Base64url without padding (RFC 4648 section 5), as JOSE has it (RFC 7515 section 2).
enum Base64URL {
    /// The value of each byte as a digit; 64 for bytes that are none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 64, count: 256)
        let ranges: [ClosedRange<UInt8>] = [0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D...0x2D, 0x5F...0x5F]
        for (value, digit) in ranges.joined().enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// The bytes that `text` stands for.
    ///
    /// - Returns: Nil if a byte is no digit, also `=` and white space, or if other digits would stand for the same
    ///   bytes. So there is one text for each array of bytes.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var bitCount = 0
        for digit in text {
            let value = values[Int(digit)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            bits &= (1 << UInt32(bitCount)) - 1
        }
        // Six bits are a digit too many. Fewer are what is left of the last digit, and must be 0.
        return bitCount < 6 && bits == 0 ? bytes : nil
    }
}
