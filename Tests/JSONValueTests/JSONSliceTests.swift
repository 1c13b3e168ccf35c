import JSONValue
import TestSupport
import Testing
import Texts

@Suite struct JSONSliceTests {
    /// Values in any spelling are decoded, measured and written as they are when they are built in memory.
    @Test(arguments: Soak.seeds(200)) func readsAnySpelling(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5 {
            let value = JSONValue.random(depth: 5, using: &random)
            var text: [UInt8] = []
            value.spell(in: &text, using: &random)
            let slice = try JSONSlice(checking: text)
            try #require(JSONValue(slice) == value, "\(String(decoding: text, as: UTF8.self))")
            try Self.requireSame(slice, value)
        }
    }

    private static func requireSame(_ slice: JSONSlice, _ value: JSONValue) throws {
        let extent = slice.extent
        try #require(slice.bytes(extent) == value.bytes && extent.byteCount == value.bytes.count)
        try #require(!value.isDeeper(than: extent.depth))
        try #require(extent.depth == 0 || value.isDeeper(than: extent.depth - 1))
        try #require(slice.isNull == (value == .null))
        switch (slice.form, value) {
        case (.null, .null): break
        case (.bool(let left), .bool(let right)): try #require(left == right)
        case (.number(let left), .number(let right)): try #require(left == right)
        case (.string(let left), .string(let right)): try #require(left == right)
        case (.array(let slices), .array(let values)):
            try #require(slices.count == values.count && slices.countMax >= values.count)
            for (slice, value) in zip(slices, values) { try requireSame(slice, value) }
        case (.object(let slices), .object(let object)):
            try #require(slices.count == object.count)
            for (slice, member) in zip(slices, object.members) {
                try #require(slice.key == member.key)
                try requireSame(slice.value, member.value)
                try requireSame(#require(slices[member.key]), member.value)
            }
            try #require(slices["no such name"] == nil)
        default: Issue.record("\(slice.form) is not \(value)")
        }
    }

    /// A part of a document is written without what stands around it.
    @Test func writesAPart() throws {
        let slice = try JSONSlice(checking: Array(#"{"a":[ 1 , {"b" : "\u0041\/ \" "} ] ,"c":2}"#.utf8))
        guard case .object(let members) = slice.form, let part = members["a"] else {
            Issue.record("no member")
            return
        }
        var buffer = Array("<".utf8)
        part.write(to: &buffer, part.extent)
        #expect(String(decoding: buffer, as: UTF8.self) == #"<[1,{"b":"A/ \" "}]"#)
        #expect(part.extent.byteCount == buffer.count - 1 && part.extent.depth == 2)
    }

    /// The length of a value in its document is compared with a bound, whatever follows.
    @Test(arguments: [#""a\"b""#, "[ 1 , 2 ]", #"{"a":"}"}"#, "12.5", "null"], ["", " ", "   "])
    func isWithinItsLength(value: String, space: String) throws {
        for text in [value + space, "[\(value)\(space)]", #"[\#(value)\#(space),"x"]"#] {
            let slice = try JSONSlice(checking: Array(text.utf8))
            var part = slice
            if text != value + space, case .array(let elements) = slice.form {
                part = try #require(elements.first { _ in true })
            }
            let length = value.utf8.count
            #expect(part.isWithin(length) && part.isWithin(1 << 20) && !part.isWithin(length - 1), "\(text)")
        }
    }

    // MARK: Names

    /// Long names with one beginning are told apart, and the first one that comes twice is found.
    @Test(arguments: [60, 61, 62, 63, 64, 10_000], [2, 16, 40])
    func findsLongNamesTwice(length: Int, count: Int) throws {
        let start = String(repeating: "x", count: length - 2)
        let names = (0..<count).map { start + String(10 + $0) }
        let members = names.map { #""\#($0)":0"# }.joined(separator: ",")
        #expect(throws: Never.self) { try JSONSlice(checking: Array("{\(members)}".utf8)) }
        for first in ["x", #"\u0078"#] {
            let text = #"{\#(members),"\#(first)\#(names[1].dropFirst())":0}"#
            let error = JSONError(reason: .duplicateKey(ByteText(names[1])), offset: members.utf8.count + 2)
            #expect(throws: error) { try JSONSlice(checking: Array(text.utf8)) }
        }
    }

    /// The first name that an object has twice is found, however many names it has, and however they are spelled.
    @Test(arguments: [2, 8, 16, 17, 18, 48, 49, 50, 1_000], [false, true])
    func findsNamesTwice(count: Int, isSpelled: Bool) throws {
        let names = (0..<count).map { isSpelled && $0 % 3 == 1 ? #""\u006e\#($0)""# : #""n\#($0)""# }
        let members = names.map { #"\#($0):{"n0":0}"# }.joined(separator: ",")
        #expect(throws: Never.self) { try JSONSlice(checking: Array("{\(members)}".utf8)) }
        for twice in [0, 1, count / 2, count - 1] {
            for name in [#""n\#(twice)""#, #""\u006E\#(twice)""#] {
                let text = "{\(members),\(name):0,\"n0\":x}"
                let error = JSONError(
                    reason: .duplicateKey("n\(twice)"), offset: members.utf8.count + 2)
                #expect(throws: error) { try JSONSlice(checking: Array(text.utf8)) }
            }
        }
    }

    /// A fault in front of a name that comes twice is told, and so is one behind it only if no name comes twice.
    @Test func tellsTheFirstFault() throws {
        let many = (0..<40).map { #""m\#($0)":0"# }.joined(separator: ",")
        let rows: [(String, JSONError.Reason)] = [
            (#"{"a":1,"b":x,"a":2}"#, .unexpectedByte), (#"{"a":1,"a":2,"b":x}"#, .duplicateKey("a")),
            (#"{"a":{"a":{"b":1,"b":1}},"a":1}"#, .duplicateKey("b")), (#"{\#(many),"m7":x}"#, .duplicateKey("m7")),
            (#"{\#(many),"x":{\#(many)},"x":1}"#, .duplicateKey("x")),
        ]
        for (text, reason) in rows {
            let error = #expect(throws: JSONError.self) { try JSONSlice(checking: Array(text.utf8)) }
            #expect(error?.reason == reason)
        }
    }
}

extension JSONValue {
    /// Appends the value with white space and with escapes that nobody needs.
    fileprivate func spell(in text: inout [UInt8], using random: inout SeededGenerator) {
        func space() { if random.once(in: 4) { text.append(random.pick([0x20, 0x09, 0x0A, 0x0D])) } }
        space()
        switch self {
        case .null, .bool, .number: text += bytes
        case .string(let string): string.spell(in: &text, using: &random)
        case .array(let values):
            text += "[".utf8
            for (index, value) in values.enumerated() {
                if index > 0 { text += ",".utf8 }
                value.spell(in: &text, using: &random)
            }
            space()
            text += "]".utf8
        case .object(let object):
            text += "{".utf8
            for (index, member) in object.members.enumerated() {
                if index > 0 { text += ",".utf8 }
                space()
                member.key.spell(in: &text, using: &random)
                space()
                text += ":".utf8
                member.value.spell(in: &text, using: &random)
            }
            space()
            text += "}".utf8
        }
        space()
    }
}

extension ByteText {
    fileprivate func spell(in text: inout [UInt8], using random: inout SeededGenerator) {
        text += "\"".utf8
        for scalar in string.unicodeScalars {
            guard random.once(in: 5) else {
                text += JSONValue.string(ByteText(String(scalar))).bytes.dropFirst().dropLast()
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16, uppercase: random.once(in: 2))
                text += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
            }
        }
        text += "\"".utf8
    }
}
