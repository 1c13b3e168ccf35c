internal import JSONValue
internal import ListWire
internal import Texts

// The problem of a body that is not JSON. It tells the place of the error, the text that is there, and what was
// expected.

extension Problem {
    /// - Parameter body: The body that is not JSON.
    init(_ error: JSONError, in body: [UInt8]) {
        let found = FoundText(at: error.offset, in: body)
        let sentence = Self.sentence(error, found, Self.place(error.offset, in: body))
        let advice = found.advice(error.expected).map { " \($0)" } ?? ""
        self.init(.notJSON, "The body is not JSON: \(sentence).\(advice)")
    }

    /// The place of a byte, counted from 0. If there are several lines, the line and column follow, counted from 1.
    private static func place(_ offset: Int, in body: [UInt8]) -> String {
        let isLineFeed = { (byte: UInt8) in byte == UInt8(ascii: "\n") }
        guard body.contains(where: isLineFeed) else { return "at byte \(offset)" }
        let before = body.prefix(offset)
        let line = before.count(where: isLineFeed) + 1
        // Continuation bytes of UTF-8 are not counted, because a column is a character.
        let lineStart = (before.lastIndex(where: isLineFeed) ?? -1) + 1
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        return "at byte \(offset) (line \(line), column \(column))"
    }

    private static func sentence(_ error: JSONError, _ found: FoundText, _ place: String) -> String {
        let missing = error.expected.map { " where \(words($0)) should be" } ?? ""
        return switch error.reason {
        case .empty: "there is nothing in it"
        case .unexpectedEnd: "it ends \(place)\(missing)"
        case .unexpectedByte: "\(place) there is \(found.words)\(missing)"
        case .trailingBytes: "\(place) there is \(found.words) after the end of its value"
        case .byteOrderMark: "it begins with a byte order mark, which must be left out"
        case .tooDeep:
            """
            \(place) more than \(JSONValue.depthMax) arrays and objects are inside each other, not counting those \
            around a content
            """
        case .duplicateKey(let name):
            "\(place) \(shown(name)) occurs twice: leave out one of them"
        case .invalidUTF8: "\(place) there are bytes that are not UTF-8"
        case .loneSurrogate: "\(place) there is half a surrogate pair: characters beyond U+FFFF are two \\u escapes"
        case .controlCharacter: "\(place) there is \(found.words) inside a string: write it as \(found.escape)"
        case .invalidEscape:
            #"""
            \#(place) there is a backslash that begins none of \" \\ \/ \b \f \n \r \t and \u with four hexadecimal \#
            digits: one that is part of a text is written as \\
            """#
        case .invalidNumber where error.expected == nil: "\(place) a number has a leading zero, which must be left out"
        case .invalidNumber: "\(place) there is \(found.words)\(missing)"
        case .numberTooLong: "\(place) there is a number of more than \(JSONNumber.literalBytesMax) bytes"
        }
    }

    private static func shown(_ name: ByteText) -> String {
        KnownNames.isShown(name) ? "the member \"\(name)\"" : "a member"
    }

    private static func words(_ expected: JSONError.Expected) -> String {
        switch expected {
        case .value: "a value"
        case .valueOrArrayEnd: "a value or \"]\""
        case .name: "a name in double quotes"
        case .nameOrObjectEnd: "a name in double quotes or \"}\""
        case .colon: "a colon"
        case .commaOrArrayEnd: "a comma or \"]\""
        case .commaOrObjectEnd: "a comma or \"}\""
        case .word: "the rest of true, false or null"
        case .digit: "a digit"
        case .stringEnd: "the double quote that ends a string"
        }
    }
}

/// The text at the byte where JSON goes wrong. Only characters that are safe in a terminal are shown.
private struct FoundText {
    private let byte: UInt8
    /// The letters and digits from there on, at most 24; empty if there is another character.
    private let word: ByteText
    private let isCurlyQuote: Bool

    init(at offset: Int, in body: [UInt8]) {
        let rest = offset < body.count ? body[offset...] : []
        byte = rest.first ?? 0
        word = Self.isLetter(byte) ? ByteText(decoding: rest.prefix(24).prefix(while: Self.isOfWord)) : ""
        isCurlyQuote = Self.curlyQuotes.contains { rest.starts(with: $0.utf8) }
    }

    private static let curlyQuotes: [ByteText] = ["“", "”", "‘", "’", "„", "«", "»"]

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    var words: String {
        guard word.isEmpty else { return "the word \"\(word)\"" }
        guard !isCurlyQuote else { return "a curly quote" }
        return switch byte {
        case UInt8(ascii: ","): "a comma"
        case UInt8(ascii: ":"): "a colon"
        case UInt8(ascii: "\""): "a double quote"
        case UInt8(ascii: "'"): "a single quote"
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): "a line break"
        case UInt8(ascii: "\t"): "a tab"
        case 0x21..<0x7F: "\"\(Unicode.Scalar(byte))\""
        case 0x80...: "a character beyond ASCII"
        default: "a control character (0x\(String(byte, radix: 16)))"
        }
    }

    /// A control character as a JSON string escapes it.
    var escape: String {
        switch byte {
        case UInt8(ascii: "\n"): "\\n"
        case UInt8(ascii: "\r"): "\\r"
        case UInt8(ascii: "\t"): "\\t"
        default: "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))"
        }
    }

    /// Words of other languages for the words of JSON.
    private static let otherWords: [(word: ByteText, meant: String)] = [
        ("true", "true"), ("false", "false"), ("null", "null"), ("none", "null"), ("nil", "null"),
        ("undefined", "null"),
        ("nan", "null"),
    ]

    /// How to correct the usual mistake at this place; nil if none is known.
    func advice(_ expected: JSONError.Expected?) -> String? {
        guard word.isEmpty else {
            if expected == .commaOrObjectEnd || expected == .commaOrArrayEnd {
                return #"A double quote that is part of a text is written as \"."#
            }
            let meant = Self.otherWords.first { $0.word == word.lowercasedASCII }?.meant
            return meant.map { "In JSON it is \($0)." } ?? Self.quotes
        }
        guard !isCurlyQuote else { return Self.quotes }
        switch (byte, expected) {
        case (UInt8(ascii: "'"), _): return Self.quotes
        case (UInt8(ascii: "}"), .name), (UInt8(ascii: "]"), .value): return "Leave out the comma before it."
        case (UInt8(ascii: ","), .name), (UInt8(ascii: ","), .nameOrObjectEnd), (UInt8(ascii: ","), .valueOrArrayEnd):
            return "Leave out the comma."
        case (UInt8(ascii: "."), .value), (UInt8(ascii: "."), .valueOrArrayEnd):
            return "A number begins with a digit: 0.5."
        case (UInt8(ascii: "/"), _), (UInt8(ascii: "#"), _): return "JSON has no comments."
        default: return nil
        }
    }

    private static let quotes = #"Names and texts go in double quotes, and ids are texts: {"id":"1"}."#
}
