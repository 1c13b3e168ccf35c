import Testing
import Texts

@testable import ListAPI
@testable import ListWire

@Suite struct PercentDecodingTests {
    static let readable: [(text: String, segment: String, form: String)] = [
        ("", "", ""), ("a", "a", "a"), ("a%2Fb", "a/b", "a/b"), ("%2e%2E", "..", ".."), ("a+b", "a+b", "a b"),
        ("%2B%20", "+ ", "+ "), ("e%CC%81", "e\u{301}", "e\u{301}"), ("%C3%A9", "\u{e9}", "\u{e9}"),
        ("%F0%9F%98%B6%E2%80%8D%F0%9F%8C%AB%EF%B8%8F", "😶‍🌫️", "😶‍🌫️"), ("%2525", "%25", "%25"),
    ]

    @Test(arguments: readable)
    func decodes(_ row: (text: String, segment: String, form: String)) {
        #expect(percentDecoded(row.text.utf8.span).map { Array($0.utf8) } == Array(row.segment.utf8))
        #expect(formDecoded(ByteText(row.text)).map { Array($0.utf8) } == Array(row.form.utf8))
    }

    @Test(arguments: [
        "%", "a%", "%4", "%zz", "%4g", "%%41", "%+1", "% 41", "%FF", "%C0%AF", "%ED%A0%80", "%F4%90%80%80", "%F0%9F%98",
        "é", "a b", "a\tb", "\u{7f}",
    ])
    func refuses(_ text: String) {
        #expect(percentDecoded(text.utf8.span) == nil)
        #expect(formDecoded(ByteText(text)) == nil)
    }
}
