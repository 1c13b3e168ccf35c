import JSONValue
import TestSupport
import Testing

@Suite struct JSONNumberTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var literal: String
        var integer: Int?
        var testDescription: String { String(literal.prefix(40)) }
    }

    static let zeros = String(repeating: "0", count: 1000)

    static let rows = [
        Row(literal: "0", integer: 0),
        Row(literal: "-0", integer: 0),
        Row(literal: "-0.0", integer: 0),
        Row(literal: "0e999999999999999999999", integer: 0),
        Row(literal: "0.000e-5", integer: 0),
        Row(literal: "7", integer: 7),
        Row(literal: "-7", integer: -7),
        Row(literal: "144.0", integer: 144),
        Row(literal: "1e2", integer: 100),
        Row(literal: "1E+2", integer: 100),
        Row(literal: "1.5e1", integer: 15),
        Row(literal: "100e-2", integer: 1),
        Row(literal: "10.10e1", integer: 101),
        Row(literal: "0.001e3", integer: 1),
        Row(literal: "0.0010e3", integer: 1),
        Row(literal: "-120.0e-1", integer: -12),
        Row(literal: "1.\(zeros)", integer: 1),
        Row(literal: "1\(zeros)e-1000", integer: 1),
        Row(literal: "0.\(zeros)1e1001", integer: 1),
        Row(literal: "9007199254740991", integer: 9_007_199_254_740_991),
        Row(literal: "-9007199254740991", integer: -9_007_199_254_740_991),
        Row(literal: "9007199254740991.0", integer: 9_007_199_254_740_991),
        Row(literal: "900719925474099.1e1", integer: 9_007_199_254_740_991),
        Row(literal: "9e15", integer: 9_000_000_000_000_000),
        Row(literal: "9007199254740992", integer: nil),
        Row(literal: "-9007199254740992", integer: nil),
        Row(literal: "9007199254740993.0", integer: nil),
        Row(literal: "9007199254740991.5", integer: nil),
        Row(literal: "1e16", integer: nil),
        Row(literal: "9223372036854775808", integer: nil),
        Row(literal: "18446744073709551617", integer: nil),
        Row(literal: "1e400", integer: nil),
        Row(literal: "1e99999999999999999999", integer: nil),
        Row(literal: "1e-99999999999999999999", integer: nil),
        Row(literal: "1.5", integer: nil),
        Row(literal: "-0.5", integer: nil),
        Row(literal: "1.10", integer: nil),
        Row(literal: "1e-1", integer: nil),
        Row(literal: "1.\(zeros)1", integer: nil),
    ]

    @Test(arguments: rows)
    func integer(_ row: Row) throws {
        let number = try #require(JSONNumber(literal: row.literal))
        #expect(number.integer == row.integer)
        #expect(number.literal == row.literal)
    }

    @Test(arguments: ["", " 1", "1 ", "+1", "01", "1.", ".5", "NaN", "1e", "0x1", "１", "1,2", "\"1\""])
    func refuses(literal: String) {
        #expect(JSONNumber(literal: literal) == nil)
    }

    @Test func boundsTheLength() {
        #expect(JSONNumber(literal: String(repeating: "1", count: 1024)) != nil)
        #expect(JSONNumber(literal: String(repeating: "1", count: 1025)) == nil)
    }

    @Test func ofAnInteger() {
        #expect(JSONNumber(-12).literal == "-12")
        #expect(JSONNumber(-12).integer == -12)
        #expect(JSONNumber(Int.max).literal == "9223372036854775807")
        #expect(JSONNumber(Int.max).integer == nil)
    }

    @Test func double() throws {
        #expect(JSONNumber(literal: "1.10")?.double == 1.1)
        #expect(JSONNumber(literal: "-1e-2")?.double == -0.01)
        #expect(JSONNumber(literal: "1e400")?.double == nil)
        #expect(JSONNumber(literal: "1e400") != nil)
    }

    /// An integer is written with its point moved and its exponent adjusted. The digits themselves are the oracle.
    @Test(arguments: Soak.seeds(200))
    func integerWhereverThePointIs(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let valueMax = 9_007_199_254_740_991 >> Int.random(in: 0...50, using: &random)
        let value = Int.random(in: 1...valueMax, using: &random)
        let digits = String(value) + String(repeating: "0", count: Int.random(in: 0...5, using: &random))
        let added = digits.count - String(value).count
        let cut = Int.random(in: 1...digits.count, using: &random)
        let fraction = digits.dropFirst(cut)
        let exponent = fraction.count - added
        let literal = digits.prefix(cut) + (fraction.isEmpty ? "" : ".\(fraction)") + "e\(exponent)"
        try #require(JSONNumber(literal: String(literal))?.integer == value, "\(literal)")
    }
}
