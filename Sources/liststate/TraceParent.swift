import Texts

/// The place of a request in a trace, as its sender names it (W3C Trace Context, section 3.2).
///
///     00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
struct TraceParent: Equatable {
    /// 16 bytes in hexadecimal, not all 0.
    let trace: ByteText
    /// 8 bytes in hexadecimal, not all 0: the span of the sender.
    let span: ByteText
    /// Whether the sender records the trace.
    let isSampled: Bool

    /// - Returns: Nil if the value is malformed. A request with such a value begins a trace of its own.
    init?(_ value: ByteText) {
        // A later version may have more behind these parts.
        let parts = value.split(at: "-", splitsMax: 4)
        guard parts.count >= 4, let version = Self.bytes(parts[0], count: 1), version[0] != 0xFF,
            version[0] != 0 || parts.count == 4, let trace = Self.bytes(parts[1], count: 16),
            let span = Self.bytes(parts[2], count: 8), let flags = Self.bytes(parts[3], count: 1),
            trace.contains(where: { $0 != 0 }), span.contains(where: { $0 != 0 })
        else { return nil }
        self.trace = parts[1]
        self.span = parts[2]
        isSampled = flags[0] & 1 == 1
    }

    /// The bytes of lower-case hexadecimal digits; nil if the text is not that.
    private static func bytes(_ text: ByteText, count: Int) -> [UInt8]? {
        let digits = text.utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        guard digits.count == 2 * count, text.utf8.count == 2 * count else { return nil }
        return (0..<count).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
    }
}
