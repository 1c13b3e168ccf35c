/// A weight: how much a client wants something that a field names, in thousandths (RFC 9110, section 12.4.2).
enum QualityValue {
    /// The weight of something that is named without one.
    static let most = 1000

    /// Reads `q=0.5`; nil if that is not a weight.
    static func parse(_ parameter: Substring.UTF8View) -> Int? {
        var rest = parameter
        guard let name = rest.popFirst(), name | 0x20 == UInt8(ascii: "q"), rest.popFirst() == UInt8(ascii: "="),
            let whole = rest.popFirst(), whole == UInt8(ascii: "0") || whole == UInt8(ascii: "1")
        else { return nil }
        guard rest.popFirst() ?? UInt8(ascii: ".") == UInt8(ascii: "."), rest.count <= 3 else { return nil }
        var (weight, unit) = (Int(whole - UInt8(ascii: "0")) * most, most / 10)
        for digit in rest {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            weight += Int(digit - UInt8(ascii: "0")) * unit
            unit /= 10
        }
        return weight <= most ? weight : nil
    }
}
