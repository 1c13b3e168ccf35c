import Foundation
import JSONValue
import TestSupport
import Testing

@Suite struct JSONProperties {
    static let sample = """
        {"base":"k3v9-42", "operations":[{"op":"star","item":"é\u{301}😶","on":true},
         {"op":"move","items":["a\\u0062","\\ud83d\\ude36\\n"],"after":null,"n":-12.50e+3},
         {"content":{"a":0,"b":[],"c":{},"d":false,"e":[1,2,[3]],"f":"","g":"\\"","h":1e400,"i":144.0,"j":"漢"}}]}
        """

    @Test(arguments: Soak.seeds(300))
    func writtenIsReadBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let value = JSONValue.random(depth: 4, using: &random)
            let written = value.bytes
            let read = try JSONValue(parsing: written)
            try #require(read == value, "\(value.text)")
            try #require(read.hashValue == value.hashValue)
            try #require(read.bytes == written)
        }
    }

    @Test func everyCutIsNoticed() throws {
        let bytes = Array(Self.sample.utf8)
        _ = try JSONValue(parsing: bytes)
        for length in 1..<bytes.count {
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: Array(bytes[..<length])) }
            #expect(error?.reason == .unexpectedEnd && error?.offset == length && error?.expected != nil)
        }
    }

    /// Damaged bytes are refused with an offset inside them, or are read as a value that stays the same when written
    /// and read again. A more lenient reader never refuses bytes that are accepted here.
    @Test(arguments: Soak.seeds(300))
    func damageIsRefusedOrRead(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let bytes = Self.damaged(Array(Self.sample.utf8), using: &random)
            switch Self.read(bytes) {
            case .success(let value):
                try #require(try JSONValue(parsing: value.bytes) == value, "\(bytes)")
                try #require(value.hasHugeNumber || Self.isReadByFoundation(bytes), "\(bytes)")
            case .failure(let error):
                try #require((0...bytes.count).contains(error.offset), "\(bytes)")
            }
        }
    }

    private static func read(_ bytes: [UInt8]) -> Result<JSONValue, JSONError> {
        do throws(JSONError) {
            return .success(try JSONValue(parsing: bytes))
        } catch {
            return .failure(error)
        }
    }

    private static func isReadByFoundation(_ bytes: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
    }

    /// One to three bytes are flipped, replaced by a significant one, removed or doubled.
    private static func damaged(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        let meaningful = Array("{}[]:,\"\\u0123456789.-+eEtfn \n\u{0}".utf8) + [0x80, 0xC0, 0xED, 0xF4, 0xFF]
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let position = bytes.indices.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[position] = meaningful.randomElement(using: &random) ?? 0
            case 2: bytes.remove(at: position)
            default: bytes.insert(bytes[position], at: position)
            }
        }
        return bytes
    }
}
