import JSONValue
import TestSupport

extension JSONValue {
    /// Reads `text`, for tests that are not about the reader.
    init(_ text: String) throws(JSONError) {
        try self.init(parsing: Array(text.utf8))
    }

    /// Whether the value has a number that no `Double` can hold.
    var hasHugeNumber: Bool {
        switch self {
        case .null, .bool, .string: false
        case .number(let number): number.double == nil
        case .array(let array): array.contains { $0.hasHugeNumber }
        case .object(let object): object.members.contains { $0.value.hasHugeNumber }
        }
    }

    /// A random value of any kind, with at most `depth` nested containers.
    static func random(depth: Int, using random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
        case 0: .null
        case 1: .bool(Bool.random(using: &random))
        case 2: .number(randomNumber(using: &random))
        case 3, 4: .string(randomString(using: &random))
        case 5: .array(randomArray(depth: depth - 1, using: &random))
        default: .object(randomObject(depth: depth - 1, using: &random))
        }
    }

    static func randomArray(depth: Int, using random: inout SeededGenerator) -> [JSONValue] {
        (0..<Int.random(in: 0...5, using: &random)).map { _ in JSONValue.random(depth: depth, using: &random)
        }
    }

    static func randomObject(depth: Int, using random: inout SeededGenerator) -> JSONObject {
        // The count goes beyond the number of members from which on names are hashed.
        let pairs = (0..<Int.random(in: 0...14, using: &random)).map { _ in
            (key: randomString(using: &random), value: JSONValue.random(depth: depth, using: &random))
        }
        return JSONObject(pairs)
    }

    static func randomNumber(using random: inout SeededGenerator) -> JSONNumber {
        let literals = ["0", "-0", "1.10", "1e400", "-1E-7", "9223372036854775808", "0.000", "144.0", "1e+2"]
        let position = Int.random(in: 0..<20, using: &random)
        guard position < literals.count, let number = JSONNumber(literal: literals[position]) else {
            return JSONNumber(Int.random(in: -1000...1000, using: &random))
        }
        return number
    }

    /// Pieces that must be escaped, that combine, and that have one to four bytes.
    static func randomString(using random: inout SeededGenerator) -> String {
        let pieces = [
            "a", "b", "item-", "0", "\"", "\\", "/", "\n", "\r\n", "\t", "\u{0}", "\u{1F}", "\u{7F}", "é",
            "e\u{301}",
            "\u{301}", "\u{200D}", "\u{FE0F}", "\u{FFFF}", "漢", "😶\u{200D}🌫️", "\u{2028}", "\u{10FFFF}",
        ]
        return (0..<Int.random(in: 0...6, using: &random)).reduce(into: "") { text, _ in
            text += pieces.randomElement(using: &random) ?? ""
        }
    }
}
