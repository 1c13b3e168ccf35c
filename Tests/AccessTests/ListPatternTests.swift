import Access
import TestSupport
import Testing
import Texts

@Suite struct ListPatternTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var pattern: ByteText
        var meant: [ByteText]
        var others: [ByteText]
        var testDescription: String { "\(pattern)" }
    }

    static let rows = [
        Row(pattern: "groceries", meant: ["groceries"], others: ["grocerie", "groceries2", "a", "xgroceries"]),
        Row(pattern: "*", meant: ["a", "groceries", "team-a.b_c"], others: []),
        Row(pattern: "team-a-*", meant: ["team-a-", "team-a-x", "team-a-x-y"], others: ["team-a", "team-b-x"]),
        Row(pattern: "*-x", meant: ["-x", "a-x", "a-x-x"], others: ["a-y", "x", "a-x-"]),
        Row(pattern: "a*b*c", meant: ["abc", "aXbYc", "abbcc", "abcbc"], others: ["ab", "acb", "abcd", "bc"]),
        Row(pattern: "**", meant: ["a", "ab"], others: []),
        Row(pattern: "a**b", meant: ["ab", "axb"], others: ["a", "b", "abx"]),
    ]

    @Test(arguments: rows)
    func matches(_ row: Row) throws {
        let pattern = try #require(ListPattern(row.pattern))
        for name in row.meant { #expect(pattern.matches(name), "\(name)") }
        for name in row.others { #expect(!pattern.matches(name), "\(name)") }
    }

    @Test(arguments: ["", "A", "a b", "é", "a/b", "a?"] as [ByteText])
    func refusesWhatNoListIsNamed(_ text: ByteText) {
        #expect(ListPattern(text) == nil)
    }

    @Test func isBounded() {
        #expect(ListPattern(ByteText(String(repeating: "a", count: 128))) != nil)
        #expect(ListPattern(ByteText(String(repeating: "a", count: 129))) == nil)
    }

    /// The slow and obvious meaning: a star tries every length.
    private static func matchesSlowly(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        guard first == UInt8(ascii: "*") else {
            return name.first == first && matchesSlowly(pattern.dropFirst(), name.dropFirst())
        }
        return (0...name.count).contains { matchesSlowly(pattern.dropFirst(), name.dropFirst($0)) }
    }

    @Test(arguments: UInt64(1)...200)
    func agreesWithTheReference(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let pattern = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                "ab*".utf8.randomElement(using: &random)!
            }
            let name = (0..<Int.random(in: 1...10, using: &random)).map { _ in "ab".utf8.randomElement(using: &random)!
            }
            let wanted = Self.matchesSlowly(pattern[...], name[...])
            guard let parsed = ListPattern(ByteText(decoding: pattern)) else {
                #expect(pattern.filter { $0 == UInt8(ascii: "*") }.count > ListPattern.starsMax)
                continue
            }
            let found = parsed.matches(ByteText(decoding: name))
            try #require(found == wanted, "\(ByteText(decoding: pattern)) \(ByteText(decoding: name))")
        }
    }

    /// A pattern that includes another means each list that the other means.
    @Test(arguments: UInt64(1)...100)
    func includesOnlyWhatItMeans(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func pattern() throws -> ListPattern {
            let bytes = (0..<Int.random(in: 1...4, using: &random)).map { _ in "ab*".utf8.randomElement(using: &random)!
            }
            return try #require(ListPattern(ByteText(decoding: bytes)))
        }
        for _ in 0..<20 {
            let (outer, inner) = (try pattern(), try pattern())
            guard outer.includes(inner) else { continue }
            for _ in 0..<20 {
                let bytes = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    "ab".utf8.randomElement(using: &random)!
                }
                let name = ByteText(decoding: bytes)
                try #require(!inner.matches(name) || outer.matches(name), "\(outer.text) \(inner.text) \(name)")
            }
        }
    }
}
