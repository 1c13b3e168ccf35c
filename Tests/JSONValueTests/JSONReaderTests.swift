import JSONValue
import TestSupport
import Testing

@Suite struct JSONReaderTests {
    struct Accepted: Sendable, CustomTestStringConvertible {
        var text: String
        var value: JSONValue
        var testDescription: String { text.count < 60 ? text : "\(text.prefix(60))…" }
    }

    static func number(_ literal: String) throws -> JSONValue {
        .number(try #require(JSONNumber(literal: literal)))
    }

    static let accepted = [
        Accepted(text: "null", value: .null),
        Accepted(text: "true", value: true),
        Accepted(text: " \t\r\n false \t\r\n ", value: false),
        Accepted(text: "0", value: 0),
        Accepted(text: "-12", value: -12),
        Accepted(text: "\"\"", value: ""),
        Accepted(text: "[]", value: []),
        Accepted(text: "[ ]", value: []),
        Accepted(text: "{}", value: [:]),
        Accepted(text: "{ }", value: [:]),
        Accepted(text: "[1,[2,[]],{}]", value: [1, [2, []], [:]]),
        Accepted(text: "[ 1 , 2 ]", value: [1, 2]),
        Accepted(text: #"{"a":1,"b":{"a":null}}"#, value: ["a": 1, "b": .object(["a": .null])]),
        Accepted(text: #" { "a" : [ true ] } "#, value: ["a": [true]]),
        Accepted(text: #"{"":0}"#, value: ["": 0]),
        Accepted(text: #""\"\\\/\b\f\n\r\t""#, value: "\"\\/\u{8}\u{C}\n\r\t"),
        Accepted(text: #""a\u0000b""#, value: "a\u{0}b"),
        Accepted(text: #""\u00e9\u00E9\u6f22""#, value: "éé漢"),
        Accepted(text: #""\ud83d\ude36\uD83D\uDE36""#, value: "😶😶"),
        Accepted(text: #""\udbff\udfff\ud800\udc00""#, value: "\u{10FFFF}\u{10000}"),
        Accepted(text: #""\ud7ff\ue000\uffff""#, value: "\u{D7FF}\u{E000}\u{FFFF}"),
        Accepted(
            text: "\"\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}\"",
            value: "\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}"),
        Accepted(text: "\"\u{FEFF}\"", value: "\u{FEFF}"),
        Accepted(text: "\"\u{200D}\u{FE0F}\u{202E}<script>\"", value: "\u{200D}\u{FE0F}\u{202E}<script>"),
        Accepted(text: "[\"é\",\"e\u{301}\"]", value: ["é", "e\u{301}"]),
        Accepted(text: "{\"é\":1,\"e\u{301}\":2}", value: ["é": 1, "e\u{301}": 2]),
        Accepted(
            text: String(repeating: "[", count: 32) + String(repeating: "]", count: 32), value: nested(31)),
    ]

    static func nested(_ count: Int) -> JSONValue {
        (0..<count).reduce([]) { value, _ in [value] }
    }

    @Test(arguments: accepted)
    func accepts(_ row: Accepted) throws {
        #expect(try JSONValue(row.text) == row.value)
    }

    @Test(arguments: [
        "0", "-0", "1.10", "1e400", "-1E-7", "1E+2", "0e0", "0.0", "9223372036854775808", "144.0",
        "0.1000000000000000055511151231257827", String(repeating: "9", count: 1024),
    ])
    func keepsDigits(_ literal: String) throws {
        let value = try JSONValue(literal)
        #expect(value == .number(try #require(JSONNumber(literal: literal))))
        #expect(value.text == literal)
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var bytes: [UInt8]
        var reason: JSONError.Reason
        var offset: Int
        var testDescription: String {
            "\(String(decoding: bytes.prefix(40), as: UTF8.self)) \(reason)"
        }

        init(_ text: String, _ reason: JSONError.Reason, _ offset: Int) {
            self.init(Array(text.utf8), reason, offset)
        }

        init(_ bytes: [UInt8], _ reason: JSONError.Reason, _ offset: Int) {
            self.bytes = bytes
            self.reason = reason
            self.offset = offset
        }

        /// Puts `bytes` between quotes.
        init(inString bytes: [UInt8], _ reason: JSONError.Reason, _ offset: Int) {
            self.init([0x22] + bytes + [0x22], reason, offset)
        }
    }

    static let structure = [
        Refused("", .empty, 0),
        Refused("   ", .empty, 3),
        Refused("[", .unexpectedEnd, 1),
        Refused("[1", .unexpectedEnd, 2),
        Refused("[1,", .unexpectedEnd, 3),
        Refused("{", .unexpectedEnd, 1),
        Refused(#"{"a"#, .unexpectedEnd, 3),
        Refused(#"{"a""#, .unexpectedEnd, 4),
        Refused(#"{"a":"#, .unexpectedEnd, 5),
        Refused(#"{"a":1"#, .unexpectedEnd, 6),
        Refused(#"{"a":1,"#, .unexpectedEnd, 7),
        Refused("tru", .unexpectedEnd, 3),
        Refused("\"", .unexpectedEnd, 1),
        Refused("]", .unexpectedByte, 0),
        Refused("[1,]", .unexpectedByte, 3),
        Refused("[,1]", .unexpectedByte, 1),
        Refused("[1 2]", .unexpectedByte, 3),
        Refused("[1}", .unexpectedByte, 2),
        Refused("[1,,2]", .unexpectedByte, 3),
        Refused(#"{"a":1,}"#, .unexpectedByte, 7),
        Refused(#"{"a" 1}"#, .unexpectedByte, 5),
        Refused(#"{"a":}"#, .unexpectedByte, 5),
        Refused(#"{"a":1]"#, .unexpectedByte, 6),
        Refused("{1:2}", .unexpectedByte, 1),
        Refused("{a:2}", .unexpectedByte, 1),
        Refused("'a'", .unexpectedByte, 0),
        Refused("{'a':1}", .unexpectedByte, 1),
        Refused("// x\n1", .unexpectedByte, 0),
        Refused("[1/* x */]", .unexpectedByte, 2),
        Refused("1 // x", .trailingBytes, 2),
        Refused("1 2", .trailingBytes, 2),
        Refused("{}{}", .trailingBytes, 2),
        Refused("[]]", .trailingBytes, 2),
        Refused("{},", .trailingBytes, 2),
        Refused("null\u{0}", .trailingBytes, 4),
        Refused("True", .unexpectedByte, 0),
        Refused("nul1", .unexpectedByte, 3),
        Refused("truefalse", .trailingBytes, 4),
        Refused("\u{A0}1", .unexpectedByte, 0),
        Refused("\u{C}1", .unexpectedByte, 0),
        Refused("undefined", .unexpectedByte, 0),
    ]

    static let numbers = [
        Refused("NaN", .unexpectedByte, 0),
        Refused("Infinity", .unexpectedByte, 0),
        Refused("-Infinity", .invalidNumber, 1),
        Refused("+1", .unexpectedByte, 0),
        Refused("01", .invalidNumber, 1),
        Refused("-01", .invalidNumber, 2),
        Refused("00", .invalidNumber, 1),
        Refused(".5", .unexpectedByte, 0),
        Refused("[1.]", .invalidNumber, 3),
        Refused("[-]", .invalidNumber, 2),
        Refused("[1.e5]", .invalidNumber, 3),
        Refused("[1e]", .invalidNumber, 3),
        Refused("[1e+]", .invalidNumber, 4),
        Refused("[1e+-1]", .invalidNumber, 4),
        Refused("1.", .unexpectedEnd, 2),
        Refused("-", .unexpectedEnd, 1),
        Refused("1e", .unexpectedEnd, 2),
        Refused("0x10", .trailingBytes, 1),
        Refused("1_000", .trailingBytes, 1),
        Refused("[1.5.2]", .unexpectedByte, 4),
        Refused("１", .unexpectedByte, 0),
        Refused(" " + String(repeating: "1", count: 1025), .numberTooLong, 1),
        Refused("[0." + String(repeating: "1", count: 1_000_000) + "]", .numberTooLong, 1),
    ]

    static let strings = [
        Refused(#""a\x""#, .invalidEscape, 2),
        Refused(#""\'""#, .invalidEscape, 1),
        Refused(#""\U0041""#, .invalidEscape, 1),
        Refused(#""\u12g4""#, .invalidEscape, 1),
        Refused(#""\u 123""#, .invalidEscape, 1),
        Refused(#""\u12""#, .invalidEscape, 1),
        Refused(#""\u123"#, .unexpectedEnd, 6),
        Refused(#""\"#, .unexpectedEnd, 2),
        Refused(#""a\ud83d""#, .loneSurrogate, 2),
        Refused(#""\ud83dx""#, .loneSurrogate, 1),
        Refused(#""\ud83d\n""#, .loneSurrogate, 1),
        Refused(#""\ud83d\u0041""#, .loneSurrogate, 1),
        Refused(#""\ud83d\ud83d\ude36""#, .loneSurrogate, 1),
        Refused(#""\ude36\ud83d""#, .loneSurrogate, 1),
        Refused(#""\udc00""#, .loneSurrogate, 1),
        Refused(#""\ud83d\uzzzz""#, .invalidEscape, 7),
        Refused(#""\ud83d"#, .unexpectedEnd, 7),
        Refused(#""\ud83d\ude3"#, .unexpectedEnd, 12),
        Refused("\"a\nb\"", .controlCharacter, 2),
        Refused("\"\t\"", .controlCharacter, 1),
        Refused("\"\u{0}\"", .controlCharacter, 1),
        Refused("\"\u{1F}\"", .controlCharacter, 1),
        Refused("\"\\n\u{1}\"", .controlCharacter, 3),
    ]

    static let encodings = [
        Refused(inString: [0xFF], .invalidUTF8, 1),
        Refused(inString: [0x80], .invalidUTF8, 1),
        Refused(inString: [0x61, 0xC0, 0xAF], .invalidUTF8, 2),
        Refused(inString: [0xC1, 0xBF], .invalidUTF8, 1),
        Refused(inString: [0xE0, 0x9F, 0xBF], .invalidUTF8, 1),
        Refused(inString: [0xF0, 0x8F, 0xBF, 0xBF], .invalidUTF8, 1),
        Refused(inString: [0xED, 0xA0, 0x80], .invalidUTF8, 1),
        Refused(inString: [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0xB6], .invalidUTF8, 1),
        Refused(inString: [0xF4, 0x90, 0x80, 0x80], .invalidUTF8, 1),
        Refused(inString: [0xF5, 0x80, 0x80, 0x80], .invalidUTF8, 1),
        Refused(inString: [0xF0, 0x9F, 0x98], .invalidUTF8, 1),
        Refused(inString: [0xC3], .invalidUTF8, 1),
        Refused(inString: [0xE6, 0xBC, 0x61], .invalidUTF8, 1),
        Refused(inString: [0x5C, 0x6E, 0xFF], .invalidUTF8, 3),
        Refused([0x22, 0xF0, 0x9F, 0x98], .unexpectedEnd, 4),
        Refused([0xFF], .unexpectedByte, 0),
        Refused([0xEF, 0xBB, 0xBF, 0x31], .byteOrderMark, 0),
        Refused([0xEF, 0xBB, 0xBF], .byteOrderMark, 0),
        Refused([0x20, 0xEF, 0xBB, 0xBF, 0x31], .unexpectedByte, 1),
        Refused([0xFF, 0xFE, 0x31, 0x00], .byteOrderMark, 0),
        Refused([0xFE, 0xFF, 0x00, 0x31], .byteOrderMark, 0),
        Refused([0x5B, 0x00, 0x5D, 0x00], .unexpectedByte, 1),
        Refused([0x00, 0x5B, 0x00, 0x5D], .unexpectedByte, 0),
        Refused([0x31, 0x00, 0x00, 0x00], .trailingBytes, 1),
        Refused([0x00, 0x00, 0xFE, 0xFF, 0x00, 0x00, 0x00, 0x31], .unexpectedByte, 0),
    ]

    static let bounds = [
        Refused(String(repeating: "[", count: 33) + String(repeating: "]", count: 33), .tooDeep, 32),
        Refused(String(repeating: "[", count: 5_000_000), .tooDeep, 32),
        Refused(String(repeating: #"{"a":"#, count: 1_000_000), .tooDeep, 32 * 5),
        Refused("{\"a\":" + String(repeating: "[", count: 32), .tooDeep, 36),
        Refused(#"{"a":1,"a":1}"#, .duplicateKey("a"), 7),
        Refused(#"{"v":1, "\u0076":2}"#, .duplicateKey("v"), 8),
        Refused(#"{"\u0000":1,"\u0000":2}"#, .duplicateKey("\u{0}"), 12),
        Refused(#"{"é":1,"\u00e9":2}"#, .duplicateKey("é"), 8),
        Refused(#"{"":1,"":2}"#, .duplicateKey(""), 6),
        Refused(#"[{"a":{"b":1,"c":2,"b":3}}]"#, .duplicateKey("b"), 19),
        // The name is the 10th, from which on the names of a value are hashed.
        Refused(
            #"{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"a":0}"#, .duplicateKey("a"), 55),
        Refused(
            #"{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"i":0}"#, .duplicateKey("i"), 55),
    ]

    @Test(arguments: structure + numbers + strings + encodings + bounds)
    func refuses(_ row: Refused) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: row.bytes) }
        #expect(error?.reason == row.reason)
        #expect(error?.offset == row.offset)
    }

    @Test(
        "It says what is missing",
        arguments: [
            ("{\"a\":,", .value), ("[1,]", .value), ("x", .value), ("[x", .valueOrArrayEnd), ("[", .valueOrArrayEnd),
            ("{a", .nameOrObjectEnd), ("{", .nameOrObjectEnd), ("{\"a\":1,}", .name), ("{\"a\" 1}", .colon),
            ("[1 2]", .commaOrArrayEnd), ("[1}", .commaOrArrayEnd), ("{\"a\":1]", .commaOrObjectEnd), ("trux", .word),
            ("[-]", .digit), ("[1.", .digit), ("\"a", .stringEnd), ("\"\\", .stringEnd), ("\"\\u00", .stringEnd),
            ("\"\u{E9}", .stringEnd), ("01", nil), ("1 2", nil), ("", nil),
        ] as [(String, JSONError.Expected?)])
    func expects(_ text: String, _ expected: JSONError.Expected?) {
        let error = #expect(throws: JSONError.self) { try JSONValue(text) }
        #expect(error?.expected == expected)
    }

    @Test func acceptsManyNamesAndFindsTheLastTwice() throws {
        let names = (0..<200_000).map { "\"k\($0)\":0" }
        let text = "{" + names.joined(separator: ",")
        guard case .object(let object) = try JSONValue(text + "}") else {
            Issue.record("not an object")
            return
        }
        #expect(object.count == 200_000)
        #expect(object.members.last?.key == "k199999")
        #expect(throws: JSONError(reason: .duplicateKey("k0"), offset: text.utf8.count + 1)) {
            try JSONValue(text + #","\u006b0":1}"#)
        }
    }
}
