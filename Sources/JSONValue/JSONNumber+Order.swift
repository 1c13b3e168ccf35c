extension JSONNumber {
    /// The value as something to sort by: exact, however large the number and however it is written.
    public var magnitudeOrder: Order { Order(literal) }

    /// A number by its value: `1`, `1.0` and `10e-1` are equal.
    public struct Order: Sendable, Hashable, Comparable {
        private let isNegative: Bool
        /// Without zeros at either end; none for zero.
        private let digits: [UInt8]
        /// Where the point stands, counted from the first digit.
        private let point: Int

        /// - Parameter literal: In the grammar of RFC 8259 section 6.
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

        /// Beyond what can be told apart there is no order; no literal has that many digits.
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

        /// Of two of one sign, the one nearer to zero.
        private func isSmaller(than other: Self) -> Bool {
            guard !digits.isEmpty, !other.digits.isEmpty else { return digits.isEmpty && !other.digits.isEmpty }
            guard point == other.point else { return point < other.point }
            return digits.lexicographicallyPrecedes(other.digits)
        }
    }
}
