import JSONValue
import TestSupport
import Testing

@Suite struct MergePatchTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var original: String
        var patch: String
        var result: String
        var testDescription: String { "\(original) with \(patch)" }
    }

    /// The examples of RFC 7396, appendix A.
    static let appendix = [
        Row(original: #"{"a":"b"}"#, patch: #"{"a":"c"}"#, result: #"{"a":"c"}"#),
        Row(original: #"{"a":"b"}"#, patch: #"{"b":"c"}"#, result: #"{"a":"b","b":"c"}"#),
        Row(original: #"{"a":"b"}"#, patch: #"{"a":null}"#, result: "{}"),
        Row(original: #"{"a":"b","b":"c"}"#, patch: #"{"a":null}"#, result: #"{"b":"c"}"#),
        Row(original: #"{"a":["b"]}"#, patch: #"{"a":"c"}"#, result: #"{"a":"c"}"#),
        Row(original: #"{"a":"c"}"#, patch: #"{"a":["b"]}"#, result: #"{"a":["b"]}"#),
        Row(original: #"{"a":{"b":"c"}}"#, patch: #"{"a":{"b":"d","c":null}}"#, result: #"{"a":{"b":"d"}}"#),
        Row(original: #"{"a":[{"b":"c"}]}"#, patch: #"{"a":[1]}"#, result: #"{"a":[1]}"#),
        Row(original: #"["a","b"]"#, patch: #"["c","d"]"#, result: #"["c","d"]"#),
        Row(original: #"{"a":"b"}"#, patch: #"["c"]"#, result: #"["c"]"#),
        Row(original: #"{"a":"foo"}"#, patch: "null", result: "null"),
        Row(original: #"{"a":"foo"}"#, patch: #""bar""#, result: #""bar""#),
        Row(original: #"{"e":null}"#, patch: #"{"a":1}"#, result: #"{"e":null,"a":1}"#),
        Row(original: "[1,2]", patch: #"{"a":"b","c":null}"#, result: #"{"a":"b"}"#),
        Row(original: "{}", patch: #"{"a":{"bb":{"ccc":null}}}"#, result: #"{"a":{"bb":{}}}"#),
    ]

    /// More cases than the appendix has: the order of members, names compared as bytes, and nulls inside arrays.
    static let further = [
        Row(
            original: #"{"a":1,"b":2,"c":3}"#, patch: #"{"z":9,"b":0,"y":8,"a":null}"#,
            result: #"{"b":0,"c":3,"z":9,"y":8}"#),
        Row(original: "{\"é\":1}", patch: "{\"e\u{301}\":null}", result: "{\"é\":1}"),
        Row(original: #"{"a":1}"#, patch: #"{"a":[null,{"b":null}]}"#, result: #"{"a":[null,{"b":null}]}"#),
        Row(original: #"{"a":1.10}"#, patch: "{}", result: #"{"a":1.10}"#),
        Row(original: #"{"a":5}"#, patch: #"{"a":{"b":1,"c":null}}"#, result: #"{"a":{"b":1}}"#),
    ]

    /// Results are compared as bytes, so the order of members must be the same too.
    @Test(arguments: appendix + further)
    func merges(_ row: Row) throws {
        #expect(try JSONValue(row.original).merging(patch: JSONValue(row.patch)).text == row.result)
    }

    /// The pseudo code of RFC 7396, section 2, one member at a time.
    private static func reference(_ target: JSONValue, _ patch: JSONValue) -> JSONValue {
        guard case .object(let patch) = patch else { return patch }
        var result = JSONObject()
        if case .object(let object) = target {
            result = object
        }
        for (key, value) in patch.members {
            if value == .null {
                result.remove(key)
            } else {
                result.set(reference(result[key] ?? .null, value), for: key)
            }
        }
        return .object(result)
    }

    @Test(arguments: Soak.seeds(200))
    func agreesWithTheReference(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            var target = JSONValue.object(JSONValue.randomObject(depth: 3, using: &random))
            for _ in 0..<3 {
                let patch = JSONValue.object(JSONValue.randomObject(depth: 3, using: &random))
                let expected = Self.reference(target, patch)
                let merged = target.merging(patch: patch)
                try #require(merged.bytes == expected.bytes, "\(target.text) with \(patch.text)")
                target = merged
            }
        }
    }
}
