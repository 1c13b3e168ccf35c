extension JSONNumber {
    /// The value for sorting. It is exact, however the number is written; only exponents beyond about 10^18 may compare
    /// as equal.
    public var magnitudeOrder: Order { Order(literal) }

    /// Orders numbers by value, so that `1`, `1.0` and `10e-1` are equal.
    public struct Order: Sendable, Hashable, Comparable {
        private let isNegative: Bool
        /// The significant digits, without zeros at either end; empty if the value is 0.
        private let digits: [UInt8]
        /// The place of the decimal point, as a number of digits behind the start of `digits`. It may be negative.
        private let point: Int

        /// - Parameter literal: A number in the grammar of RFC 8259 section 6.
        fileprivate init(_ literal: String) {
            var digits: [UInt8] = []
            var point = 0
            var isFraction = false
            var bytes = literal.utf8[...]
            while let byte = bytes.popFirst() {
                switch byte {
                case UInt8(ascii: "."): isFraction = true
                case UInt8(ascii: "0")...UInt8(ascii: "9"):
                    if !digits.isEmpty || byte != UInt8(ascii: "0") {
                        digits.append(byte)
                        point += isFraction ? 0 : 1
                    } else if isFraction {
                        point -= 1
                    }
                case UInt8(ascii: "e"), UInt8(ascii: "E"):
                    point += Self.exponent(bytes)
                    bytes = bytes[bytes.endIndex...]
                default: break
                }
            }
            while digits.last == UInt8(ascii: "0") { digits.removeLast() }
            self.digits = digits
            self.point = digits.isEmpty ? 0 : point
            isNegative = !digits.isEmpty && literal.utf8.first == UInt8(ascii: "-")
        }

        /// The greatest exponent. It replaces larger ones, so that adding the number of digits cannot overflow.
        private static let exponentMax = Int.max / 4

        private static func exponent(_ bytes: Substring.UTF8View) -> Int {
            var value = 0
            for byte in bytes where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") {
                value = value > exponentMax / 16 ? exponentMax : value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return bytes.first == UInt8(ascii: "-") ? -value : value
        }

        public static func < (left: Self, right: Self) -> Bool {
            switch (left.isNegative, right.isNegative) {
            case (true, false): true
            case (false, true): false
            case (false, false): left.isSmaller(than: right)
            case (true, true): right.isSmaller(than: left)
            }
        }

        /// Whether this value is nearer to zero than the other. Both have the same sign, or are 0.
        private func isSmaller(than other: Self) -> Bool {
            guard !digits.isEmpty, !other.digits.isEmpty else { return digits.isEmpty && !other.digits.isEmpty }
            guard point == other.point else { return point < other.point }
            return digits.lexicographicallyPrecedes(other.digits)
        }
    }
}
