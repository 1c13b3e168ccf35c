import JSONValue
import TestSupport
import Testing

/// The schema check that the contract's tests use finds every error, and no others.
@Suite struct SchemaCheckTests {
    static let rows: [(schema: JSONValue, right: JSONValue, wrong: JSONValue)] = [
        (["type": "integer"], number("144.0"), number("1.5")),
        (["type": ["string", "null"]], .null, 1),
        (["const": "+"], "+", "-"),
        (["enum": ["a", 1]], 1, 2),
        (["minimum": 0], 0, -1),
        (["maximum": 9], 9, 10),
        (["pattern": "^[a-z]+-(0|[1-9][0-9]*)$"], "k-10", "k-01"),
        (["pattern": "^[^\\u0000-\\u001F]+$"], "é\u{1F98A}", "a\r\n"),
        (["minLength": 2], "\u{1F3D4}\u{FE0F}", "a"),
        (["maxLength": 2], "\u{1F3D4}\u{FE0F}", "e\u{301}\u{301}"),
        (["items": ["type": "string"]], ["a"], ["a", 1]),
        (["minItems": 1], [0], []),
        (["maxItems": 1], [0], [0, 1]),
        (["uniqueItems": true], ["a", "b"], ["a", "a"]),
        (["required": ["a"]], ["a": .null], [:]),
        (["properties": ["a": ["const": 1]]], ["a": 1, "b": 2], ["a": 2]),
        (["properties": ["a": true], "additionalProperties": false], ["a": 1], ["a": 1, "b": 2]),
        (["additionalProperties": ["type": "null"]], ["b": .null], ["b": 2]),
        (["propertyNames": ["maxLength": 1]], ["b": 2], ["bb": 2]),
        (["dependentRequired": ["a": ["b"]]], ["b": 1], ["a": 1]),
        (["minProperties": 1], ["a": 1], [:]),
        (["maxProperties": 1], ["a": 1], ["a": 1, "b": 2]),
        (["properties": ["a": true], "x-closed": true], ["a": 1], ["a": 1, "b": 2]),
        (["x-rules": ["required": ["a"]]], ["a": 1], [:]),
        (["x-known-values": ["a", "b"]], "b", "c"),
        (["x-max-bytes": 2], "é", "éa"),
        (["allOf": [["minimum": 1], ["maximum": 2]]], 2, 3),
        (["anyOf": [["minimum": 5], ["maximum": 2]]], 6, 3),
        (["oneOf": [["minimum": 1], ["minimum": 2]]], 1, 2),
        (["not": ["type": "null"]], 1, .null),
        (["$ref": "#/schemas/a~1b"], "here", "there"),
    ]

    @Test(arguments: rows)
    func tellsRightFromWrong(_ schema: JSONValue, _ right: JSONValue, _ wrong: JSONValue) {
        let check = SchemaCheck(document: ["schemas": ["a/b": ["const": "here"]]])
        #expect(check.faults(in: right, against: schema) == [])
        #expect(!check.faults(in: wrong, against: schema).isEmpty)
    }

    @Test(arguments: [["format": "uri"], ["$ref": "#/nowhere"], ["pattern": "("], "no schema"] as [JSONValue])
    func refusesWhatItCannotCheck(_ schema: JSONValue) {
        #expect(!SchemaCheck(document: [:]).faults(in: "text", against: schema).isEmpty)
    }

    @Test func differencesNameTheirPlace() {
        let value: JSONValue = ["a": [["b": 1, "free": 2]], "n": number("1.0")]
        #expect(value.differences(from: ["a": [["b": 1]]]) == [])
        #expect(value.differences(from: ["a": [["b": 2]]]) == ["/a/0/b is 1, not 2"])
        #expect(value.differences(from: ["a": [["b": 1], ["b": 2]]]).count == 1)
        #expect(value.differences(from: ["c": 1]) == [" lacks c"])
        #expect(value.differences(from: ["n": 1]) == ["/n is 1.0, not 1"])
    }
}

private func number(_ literal: String) -> JSONValue { JSONNumber(literal: literal).map(JSONValue.number) ?? .null }
