import JSONValue
import TestSupport
import Testing

@Suite struct JSONWriterTests {
    struct Row: Sendable {
        var value: JSONValue
        var text: String
    }

    static let rows = [
        Row(value: .null, text: "null"),
        Row(value: true, text: "true"),
        Row(value: false, text: "false"),
        Row(value: .integer(Int.min), text: "-9223372036854775808"),
        Row(value: [], text: "[]"),
        Row(value: [:], text: "{}"),
        Row(value: [1, .null, [2]], text: "[1,null,[2]]"),
        Row(value: ["b": 1, "a": [:], "é": "x"], text: #"{"b":1,"a":{},"é":"x"}"#),
        Row(value: ["a\"b\n": 1], text: #"{"a\"b\n":1}"#),
        Row(value: "", text: #""""#),
        Row(value: "\"\\/", text: #""\"\\/""#),
        Row(value: "\u{8}\t\n\u{C}\r", text: #""\b\t\n\f\r""#),
        Row(
            value: "\u{0}\u{1}\u{B}\u{F}\u{10}\u{1F} \u{7F}",
            text: "\"\\u0000\\u0001\\u000b\\u000f\\u0010\\u001f \u{7F}\""),
        Row(value: "é e\u{301} 漢 😶\u{200D}🌫️\u{2028}", text: "\"é e\u{301} 漢 😶\u{200D}🌫️\u{2028}\""),
        Row(value: "a longer text that ends in a quote\"", text: #""a longer text that ends in a quote\"""#),
        Row(
            value: "\na longer text 漢 that starts with one",
            text: #""\na longer text 漢 that starts with one""#),
    ]

    @Test(arguments: rows)
    func writes(_ row: Row) throws {
        #expect(row.value.bytes == Array(row.text.utf8))
        #expect(try JSONValue(parsing: row.value.bytes) == row.value)
    }

    @Test func appends() {
        var bytes = Array("x".utf8)
        bytes.append(utf8: #"{"é":"#)
        bytes.appendJSON(string: "a\u{1}")
        JSONValue.array([true]).write(to: &bytes)
        JSONObject([("k", .null)]).write(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == #"x{"é":"a\u0001"[true]{"k":null}"#)
    }

    /// Every character below U+0100 comes back, and only those are escaped that must be.
    @Test(arguments: UInt8.min...UInt8.max)
    func escapesOnlyWhatMustBe(_ byte: UInt8) throws {
        let text = String(Unicode.Scalar(byte))
        let written = JSONValue.string(text).bytes
        let mustEscape = byte < 0x20 || byte == 0x22 || byte == 0x5C
        #expect(written.contains(0x5C) == mustEscape)
        #expect(try JSONValue(parsing: written) == .string(text))
    }

    /// Tests every byte at every place of a text of up to three words. Checking byte by byte is the oracle.
    @Test(arguments: UInt8.min...UInt8.max)
    func findsWhatMustBeEscapedAnywhere(_ byte: UInt8) {
        for count in 1...20 {
            for place in 0..<count {
                for filler: UInt8 in [0x20, 0x61, 0x7F, 0xFF] {
                    var text = [UInt8](repeating: filler, count: count)
                    text[place] = byte
                    let isPlain = text.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
                    #expect(text.withUnsafeBufferPointer(isPlainJSON) == isPlain, "\(text)")
                }
            }
        }
        #expect([UInt8]().withUnsafeBufferPointer(isPlainJSON))
    }
}
