import Foundation
import JSONValue
import ListModel
import TestSupport
import Testing

@testable import ListDiff

/// The characters of texts from clients. `String` may compare them, because no run of marks in them is long.
@Suite struct CharacterReaderTests {
    /// Scalars of all kinds that matter for composition: letters, marks of several classes, composed letters, jamo,
    /// joiners, emoji, and letters that only lower-casing changes.
    private static let scalars: [Unicode.Scalar] = [
        "a", "E", "\u{E9}", "\u{1E69}", "\u{301}", "\u{327}", "\u{323}", "\u{344}", "\u{345}", "\u{34F}", "\u{1100}",
        "\u{1161}", "\u{11A8}", "\u{AC00}", "\u{200D}", "\u{1F469}", "\u{1F3FB}", "\u{130}", "\u{3A3}", "\u{212A}",
        "\u{5B0}",
        "\u{94D}", "\u{915}", "\u{FE0F}", "\u{1D165}", "\u{1D16E}", "\r", "\n",
    ]

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.canonicalCombiningClass != .notReordered
    }

    private static func longestRun(_ text: String) -> Int {
        var (run, longest) = (0, 0)
        for scalar in text.unicodeScalars {
            run = isMark(scalar) ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }

    @Test(arguments: Soak.seeds(40))
    func noRunIsLong(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let marks = Self.scalars.filter(Self.isMark)
        var text = String.UnicodeScalarView()
        for _ in 0..<random.below(12) {
            text.append(random.pick(Self.scalars))
            for _ in 0..<random.below(100) { text.append(random.pick(marks)) }
        }
        let (sent, read) = (String(text), CharacterReader(ByteText(String(text))).lowercased)
        #expect(Self.longestRun(read) <= CharacterReader.runMax)
        let added = read.unicodeScalars.count { $0 == "\u{34F}" } - sent.unicodeScalars.count { $0 == "\u{34F}" }
        #expect(added <= sent.unicodeScalars.count / CharacterReader.runMax)
        let kept = read.unicodeScalars.filter { $0 != "\u{34F}" }
        #expect(kept.elementsEqual(sent.lowercased().unicodeScalars.filter { $0 != "\u{34F}" }))
    }

    /// A text in any normalization form is found in every other form.
    @Test(arguments: Soak.seeds(200))
    func formsAreAlike(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // Three scalars have at most nine marks when they are decomposed.
        let text = String(String.UnicodeScalarView((0..<3).map { _ in random.pick(Self.scalars) }))
        let forms = [text, text.decomposedStringWithCanonicalMapping, text.precomposedStringWithCanonicalMapping]
        for sought in forms {
            let filter = try #require(TextFilter(ByteText(sought)))
            for found in forms {
                #expect(filter.matches(JSONText(["t": .string(found)])), "\(Array(sought.unicodeScalars))")
            }
        }
    }

    /// Comparing 200 such texts with `String` took 48 seconds. The test does not measure time: if the filter compared
    /// in this way, the suite would not come to an end.
    @Test(
        "Long runs of marks are looked through once",
        arguments: ["x", "e\u{301}", "a" + String(repeating: "\u{327}\u{301}", count: 60), "\u{301}"])
    func longRuns(_ sought: String) throws {
        let filter = try #require(TextFilter(ByteText(sought)))
        for letter in ["", "a", "e", "\u{E9}"] {
            let text = letter + String(repeating: "\u{301}\u{327}", count: 16_000)
            let content = JSONText(["t": .string(text), "u": .array([.string(text), .string(text)])])
            for _ in 0..<5 { _ = filter.matches(content) }
        }
    }

    @Test func aLongRunIsFoundAsItIsWritten() throws {
        let run = "e" + String(repeating: "\u{301}\u{327}", count: 50)
        let filter = try #require(TextFilter(ByteText(run)))
        #expect(filter.matches(JSONText(["t": .string("x" + run.uppercased() + "y")])))
        #expect(!filter.matches(JSONText(["t": .string(run + "\u{301}")])))
    }
}
