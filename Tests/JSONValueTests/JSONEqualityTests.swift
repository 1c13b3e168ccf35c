import JSONValue
import TestSupport
import Testing

@Suite struct JSONEqualityTests {
    struct Row: Sendable {
        var left: String
        var right: String
        var areEqual: Bool
    }

    static let many = (0..<20).map { "\"k\($0)\":\($0)" }

    static let rows = [
        Row(left: "null", right: "null", areEqual: true),
        Row(left: "null", right: "false", areEqual: false),
        Row(left: "0", right: "false", areEqual: false),
        Row(left: "1", right: "1", areEqual: true),
        Row(left: "1", right: "1.0", areEqual: false),
        Row(left: "1e2", right: "1E2", areEqual: false),
        Row(left: "0", right: "-0", areEqual: false),
        Row(left: "1", right: "\"1\"", areEqual: false),
        Row(left: #""\u0061""#, right: #""a""#, areEqual: true),
        Row(left: "\"é\"", right: "\"e\u{301}\"", areEqual: false),
        Row(left: "\"\u{212B}\"", right: "\"\u{C5}\"", areEqual: false),
        Row(left: "\"\u{F900}\"", right: "\"\u{8C48}\"", areEqual: false),
        Row(left: "\"a\u{302}\u{323}\"", right: "\"a\u{323}\u{302}\"", areEqual: false),
        Row(left: "[1,2]", right: "[ 1, 2 ]", areEqual: true),
        Row(left: "[1,2]", right: "[2,1]", areEqual: false),
        Row(left: "[]", right: "{}", areEqual: false),
        Row(left: #"{"a":1,"b":2}"#, right: #"{"b":2,"a":1}"#, areEqual: true),
        Row(left: #"{"a":1,"b":2}"#, right: #"{"b":1,"a":2}"#, areEqual: false),
        Row(left: #"{"a":1}"#, right: #"{"a":1,"b":2}"#, areEqual: false),
        Row(left: #"{"a":null}"#, right: #"{"b":null}"#, areEqual: false),
        Row(left: #"{"a":null}"#, right: "{}", areEqual: false),
        Row(left: "{\"é\":1}", right: "{\"e\u{301}\":1}", areEqual: false),
        Row(left: #"[{"a":{"x":1,"y":2}}]"#, right: #"[{"a":{"y":2,"x":1}}]"#, areEqual: true),
        Row(
            left: "{\(many.joined(separator: ","))}", right: "{\(many.reversed().joined(separator: ","))}",
            areEqual: true),
        Row(
            left: "{\(many.joined(separator: ","))}",
            right: "{\((many.dropLast() + ["\"k19\":0"]).reversed().joined(separator: ","))}", areEqual: false
        ),
    ]

    @Test(arguments: rows)
    func compares(_ row: Row) throws {
        let left = try JSONValue(row.left)
        let right = try JSONValue(row.right)
        #expect((left == right) == row.areEqual)
        #expect((right == left) == row.areEqual)
        #expect(Set([left, right]).count == (row.areEqual ? 1 : 2))
    }
}

@Suite struct JSONObjectTests {
    @Test func findsAndSets() {
        var object: JSONObject = ["b": 1, "a": 2]
        #expect(object["b"] == 1)
        #expect(object["c"] == nil)

        object.set(3, for: "c")
        object.set("x", for: "b")
        #expect(JSONValue.object(object).text == #"{"b":"x","a":2,"c":3}"#)

        #expect(object.count == 3)
    }

    @Test func namesAreBytes() {
        var object: JSONObject = ["é": 1]
        #expect(object["e\u{301}"] == nil)
        object.set(2, for: "e\u{301}")
        #expect(object.count == 2)
        #expect(object["é"] == 1)
        #expect(object["e\u{301}"] == 2)
    }

    @Test(arguments: [1, 7, 8, 9, 30])
    func laterPairsCountInTheEarlierPlace(count: Int) {
        let names = (0..<count).map { "k\($0)" }
        let pairs =
            names.map { (key: $0, value: JSONValue.null) }
            + names.map { (key: $0, value: JSONValue.string($0)) }
        let object = JSONObject(pairs)
        #expect(object.members.map(\.key.string) == names)
        #expect(object.members.map(\.value) == names.map { .string($0) })
    }
}
