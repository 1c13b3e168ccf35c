import TestSupport
import Testing

@testable import JSONValue

/// Texts in the form in which contents are kept, and other texts.
@Suite struct MinifiedJSONTests {
    static let kept = [
        "{}", "[]", "null", "true", "false", "0", "-0", "-1.50e+7", "1E9", "\"\"", "\"é😶‍🌫️\"",
        #""\"\\\/\b\f\n\r\t\u0000""#,
        #""\ud83d\ude36""#, #"{"a":[1,{"b":null}],"c":"d"}"#, "[[],{},[[]]]",
        String(repeating: "[", count: 32) + String(repeating: "]", count: 32),
    ]
    static let refused = [
        "", " {}", "{} ", "{ }", "[1, 2]", "{\"a\": 1}", "{\"a\":1,}", "[1,]", "[,1]", "{a:1}", "{\"a\"}", "{\"a\":}",
        "nul",
        "truee", "01", "+1", ".5", "1.", "1e", "-", "--1", "\"", "\"a\nb\"", "\"\u{1f}\"", "\"\t\"", #""\x""#,
        #""\u12""#,
        #""\ud800""#, #""\ud800a""#, #""\ude36\ud83d""#, "{}{}", "[1]]", "[}", "{]", "\u{FEFF}{}", "NaN",
        String(repeating: "[", count: 33) + String(repeating: "]", count: 33),
    ]

    private func isValid(_ bytes: [UInt8]) -> Bool { MinifiedJSON.isValid(bytes.span) }

    @Test(arguments: kept) func isOfTheForm(text: String) {
        #expect(isValid(Array(text.utf8)))
    }

    @Test(arguments: refused) func isNotOfTheForm(text: String) {
        #expect(!isValid(Array(text.utf8)))
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0x80],
            [0xE0, 0x80, 0x80],
        ] as [[UInt8]])
    func whatIsNoUTF8IsNot(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(!isValid([quote] + bytes + [quote]))
        #expect(!isValid([quote] + bytes))
    }

    /// Everything that the writer writes has the form. Of other texts, the strict reader accepts all that have it.
    @Test(arguments: Soak.seeds(200)) func agreesWithReaderAndWriter(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for text in Self.kept {
            let value = try JSONValue(parsing: Array(text.utf8))
            #expect(isValid(value.bytes))
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = Array("{}[]\",:\\u0e1-. \n\u{1}né".utf8).randomElement(using: &random) ?? 0
            }
            if isValid(bytes) {
                do { _ = try JSONValue(parsing: bytes) } catch let error {
                    if case .duplicateKey = error.reason { continue }
                    Issue.record("\(String(decoding: bytes, as: UTF8.self)): \(error)")
                }
            }
        }
    }
}
