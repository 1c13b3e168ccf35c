/// A JSON number as it was written.
///
/// Nothing is rounded: `1.10`, `1e400` and 2^63 are written with the same digits as they were read. Two numbers are
/// equal if they are written alike.
public struct JSONNumber: Sendable, Hashable {
    /// The largest number of bytes that a number may have.
    public static let literalBytesMax = 1024
    /// The largest integer that every JSON reader handles exactly: 2^53 − 1 (RFC 7493 section 2.2).
    public static let integerMax = 9_007_199_254_740_991

    /// The number as written: ASCII, in the grammar of RFC 8259 section 6.
    public let literal: String

    init(checked literal: String) {
        self.literal = literal
    }

    /// Makes a number from an integer.
    public init(_ integer: Int) {
        literal = String(integer)
    }

    /// Makes a number from its JSON form; nil if RFC 8259 section 6 or `literalBytesMax` forbids it.
    public init?(literal: String) {
        let number = Array(literal.utf8).withUnsafeBufferPointer { bytes in
            var reader = JSONReader(bytes, depthMax: 0)
            let number = try? reader.number()
            return reader.isAtEnd ? number : nil
        }
        guard let number else { return nil }
        self = number
    }

    /// The nearest floating-point value; nil if the number is too large for one.
    public var double: Double? {
        guard let value = Double(literal), value.isFinite else { return nil }
        return value
    }

    /// The exact value if it is an integer from −(2^53 − 1) to 2^53 − 1, in any spelling; otherwise nil.
    ///
    /// `144.0`, `1e2` and `-0.0` are integers; `1.5`, `1e400` and 2^53 are not.
    public var integer: Int? {
        guard let magnitude = Decimal(literal).magnitude, magnitude <= Self.integerMax else { return nil }
        return literal.utf8.first == UInt8(ascii: "-") ? -magnitude : magnitude
    }
}

/// The absolute value of a number: `significand` times 10 to the power of `exponent`.
///
/// `significand` has no zeros at either end, and is exact only up to `digitsMax` digits.
private struct Decimal {
    /// The number of digits that `significand` keeps. No integer up to 2^53 − 1 has more.
    private static let digitsMax = 16
    /// The greatest exponent. It replaces larger ones. No number has as many digits, so the result is the same.
    private static let exponentMax = 1_000_000

    private var significand = 0
    private var digitCount = 0
    /// The number of zeros since the last other digit. They belong to `significand` only if another digit follows.
    private var pendingZeros = 0
    private var exponent = 0

    init(_ literal: String) {
        var inFraction = false
        var bytes = literal.utf8[...]
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "."):
                inFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                append(Int(byte - UInt8(ascii: "0")), inFraction: inFraction)
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent += Self.exponent(bytes)
                bytes = bytes[bytes.endIndex...]
            default:
                continue
            }
        }
        exponent += pendingZeros
    }

    /// Nil if the value is not an integer, or has more than 16 digits.
    var magnitude: Int? {
        guard digitCount > 0 else { return 0 }
        guard exponent >= 0, digitCount + exponent <= Self.digitsMax else { return nil }
        return (0..<exponent).reduce(significand) { value, _ in value * 10 }
    }

    private mutating func append(_ digit: Int, inFraction: Bool) {
        if inFraction {
            exponent -= 1
        }
        guard digit != 0 else {
            pendingZeros += digitCount > 0 ? 1 : 0
            return
        }
        digitCount += pendingZeros + 1
        if digitCount <= Self.digitsMax {
            significand = (0..<pendingZeros).reduce(significand) { value, _ in value * 10 } * 10 + digit
        }
        pendingZeros = 0
    }

    private static func exponent(_ bytes: Substring.UTF8View) -> Int {
        var value = 0
        for byte in bytes where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") {
            value = min(value * 10 + Int(byte - UInt8(ascii: "0")), exponentMax)
        }
        return bytes.first == UInt8(ascii: "-") ? -value : value
    }
}
