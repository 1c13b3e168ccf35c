import TestSupport
import Testing
import Texts

@Suite struct ByteTextTests {
    /// Pairs of texts that are equal as `String`.
    static let equivalents: [(ByteText, ByteText)] = [
        ("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("\u{1100}\u{1161}", "\u{AC00}"),
        ("a\u{301}\u{327}", "a\u{327}\u{301}"), ("\u{2126}", "\u{3A9}"),
    ]

    @Test("Texts that are only canonically equivalent are two", arguments: equivalents)
    func comparesBytes(_ left: ByteText, _ right: ByteText) {
        #expect(left.string == right.string)
        #expect(left != right)
        #expect(left < right || right < left)
        #expect(Set([left, right]).count == 2)
        #expect(![left].contains(right))
        #expect(!left.hasPrefix(right))
        #expect(!left.hasSuffix(right))
        switch left {
        case right: Issue.record("equal")
        default: break
        }
    }

    private enum Word: String {
        case kelvin = "K"
        case semicolon = ";"
    }

    @Test func wordsAreFoundByBytes() {
        #expect(Word(rawText: "K") == .kelvin)
        #expect(Word(rawText: "\u{212A}") == nil)
        #expect(Word(rawText: "\u{37E}") == nil)
        #expect(Word(rawText: ";") == .semicolon)
        #expect(Word(rawText: "") == nil)
    }

    /// Long texts are compared eight bytes at a time, and short ones are stored inline.
    @Test func differencesAreSeenAtEachByte() {
        for count in 1..<40 {
            let text = ByteText(decoding: [UInt8](repeating: 0x61, count: count))
            for index in 0..<count {
                var bytes = Array(text.utf8)
                #expect(text == ByteText(decoding: bytes))
                bytes[index] = 0x62
                #expect(text != ByteText(decoding: bytes))
                #expect(text < ByteText(decoding: bytes))
            }
        }
    }

    @Test func partsAreFound() {
        let text: ByteText = "a,b,,c"
        #expect(text.split(at: ",") == ["a", "b", "", "c"])
        #expect(text.split(at: ",", splitsMax: 1) == ["a", "b,,c"])
        #expect(("" as ByteText).split(at: ",") == [""])
        #expect((" \t a b\t" as ByteText).trimmed == "a b")
        #expect((" \t" as ByteText).trimmed == "")
        #expect(text.dropping(prefix: "a,") == "b,,c")
        #expect(text.dropping(prefix: "b") == nil)
        #expect(text.dropping(suffix: ",c") == "a,b,")
        #expect(text.dropping(suffix: "longer than the text") == nil)
        #expect((["a", "b", ""] as [ByteText]).joined(separator: ", ") == "a, b, ")
        #expect(([] as [ByteText]).joined(separator: ",") == "")
        #expect(("GZip É" as ByteText).lowercasedASCII == "gzip É")
        #expect(Int("042" as ByteText) == 42)
        #expect(Int("٣" as ByteText) == nil)
    }

    /// A mark may follow a separator and form one character with it.
    @Test func marksHideNoSeparator() {
        #expect(("a,\u{301}b" as ByteText).split(at: ",") == ["a", "\u{301}b"])
        #expect(("q\u{301}=1" as ByteText).hasPrefix("q"))
        #expect((" \u{301}" as ByteText).trimmed == "\u{301}")
    }

    @Test func messagesShowABeginning() {
        let id = ByteText(decoding: [UInt8](repeating: 0x61, count: 255))
        #expect("\(id)".utf8.count == 255)
        for width in ["a", "é", "€", "😀"] {
            for offset in 0..<4 {
                let long = ByteText(String(repeating: "-", count: offset) + String(repeating: width, count: 1_000_000))
                let shown = long.description
                #expect(shown.utf8.count <= 255 + 3 && shown.utf8.count > 251)
                #expect(!shown.unicodeScalars.contains("\u{FFFD}"))
                #expect(shown.unicodeScalars.last == "…")
            }
        }
    }

    @Test func messagesShowTheBeginningOfATextInAnotherValue() {
        let long = ByteText(String(repeating: "a", count: 1_000_000))
        #expect("\(["a" as ByteText])" == #"["a"]"#)
        #expect("\([long])".utf8.count < 300)
        #expect("\(Optional(long) as Any)".utf8.count < 300)
    }

    @Test func onlyUTF8IsValid() {
        #expect(ByteText(validating: [0x61, 0xCC, 0x81]) == "a\u{301}")
        #expect(ByteText(validating: [0x61, 0xCC]) == nil)
        #expect(ByteText(decoding: [0x61, 0xCC]) == "a\u{FFFD}")
    }
}
