import JSONValue
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// The depth to which a content may nest does not depend on the place of the content in the body.
@Suite struct DepthTests {
    /// Bodies with a `*` for a content, a header or the like, in every place where one is allowed.
    static let bodies: [(method: String, target: String, body: String)] = [
        ("PUT", "/v1/lists/new", #"{"sections":[{"id":"s","items":[{"id":"n","content":*}]}]}"#),
        ("PUT", "/v1/lists/new", #"{"sections":[{"id":"s","header":*}]}"#),
        ("PUT", "/v1/lists/l/sections/s", #"{"items":["a",{"id":"n","content":*}]}"#),
        ("PUT", "/v1/lists/l/sections/s", #"{"footer":*,"items":["a"]}"#),
        ("PATCH", "/v1/lists/l/sections/s", #"{"header":*}"#), ("PATCH", "/v1/lists/l/items/a", #"{"content":*}"#),
        ("POST", "/v1/lists/l/items", #"{"items":[{"id":"n","content":*}]}"#),
        operation(#"{"op":"appendSections","sections":[{"id":"u","header":*}]}"#),
        operation(#"{"op":"appendSections","sections":[{"id":"u","items":[{"id":"n","content":*}]}]}"#),
        operation(#"{"op":"insertSections","before":"s","sections":[{"id":"u","footer":*}]}"#),
        operation(#"{"op":"updateSection","section":"s","header":*}"#),
        operation(#"{"op":"appendItems","items":[{"id":"n","content":*}]}"#),
        operation(#"{"op":"insertItems","before":"a","items":[{"id":"n","content":*}]}"#),
        operation(#"{"op":"updateItem","item":"a","content":*}"#),
        operation(#"{"op":"updateItem","item":"a","merge":true,"content":*}"#),
        operation(#"{"op":"replaceChildren","parent":"p","items":[{"id":"n","content":*}]}"#),
        operation(#"{"op":"applySnapshot","sections":[{"id":"s","items":[{"id":"n","content":*}]}]}"#),
        operation(#"{"op":"applySnapshot","snapshot":{"sections":[{"id":"s","items":[{"id":"n","content":*}]}]}}"#),
        operation(#"{"op":"applySectionSnapshot","id":"s","items":[{"id":"n","content":*}]}"#),
        operation(#"{"op":"applySectionSnapshot","section":{"id":"s","items":[{"id":"n","content":*}]}}"#),
    ]

    private static func operation(_ operation: String) -> (method: String, target: String, body: String) {
        ("POST", "/v1/lists/l/transactions", #"{"operations":[\#(operation)]}"#)
    }

    /// A content of `depth` objects inside each other.
    static func nested(_ depth: Int) -> String {
        String(repeating: #"{"a":"#, count: depth - 1) + "{}" + String(repeating: "}", count: depth - 1)
    }

    @Test("A content may nest as deep wherever it stands, and no deeper", arguments: bodies.indices)
    func limit(_ index: Int) throws {
        let (method, target, body) = Self.bodies[index]
        let harness = try Harness(textBytesMax: 1 << 20)
        let deeper = body.replacing("*", with: Self.nested(JSONValue.depthMax + 1))
        let before = try harness.ask("GET", "/v1/lists/l").text
        let refused = try harness.ask(method, target, Harness.json, deeper)
        #expect(refused.status == 400)
        #expect(refused.code == "not_json")
        #expect(try harness.ask("GET", "/v1/lists/l").text == before)
        let deep = body.replacing("*", with: Self.nested(JSONValue.depthMax))
        let reply = try harness.ask(method, target, Harness.json, deep)
        #expect(reply.status < 300, "\(reply.text)")
        try requireServedCanBePutBack(harness, target == "/v1/lists/new" ? target : "/v1/lists/l")
    }

    private func requireServedCanBePutBack(_ harness: Harness, _ target: String) throws {
        let served = try harness.ask("GET", target)
        // The merged content begins with the members that it had before.
        let nested = String(Self.nested(JSONValue.depthMax).dropFirst())
        try #require(served.text.contains(nested))
        let same = try harness.ask("PUT", target, Harness.json, served.text)
        try #require(same.status == 200, "\(same.text)")
        #expect(same.text.contains(#""changed":false"#))
        try #require(harness.ask("DELETE", target).status == 204)
        #expect(try harness.ask("PUT", target, Harness.json, served.text).status == 201)
        let anew = try harness.ask("GET", target).text
        #expect(anew.contains(nested))
    }

    /// These bodies hold nothing that may nest, so the depth is counted for the whole body.
    @Test(
        "Other bodies nest no deeper than what they hold",
        arguments: [
            ("POST", "/v1/lists/l/items/a/star"), ("POST", "/v1/lists/l/reorders"), ("POST", "/v1/lists/l/undo"),
        ])
    func plain(_ method: String, _ target: String) throws {
        let harness = try Harness(textBytesMax: 1 << 20)
        let (deep, deeper) = (Self.nested(JSONValue.depthMax), Self.nested(JSONValue.depthMax + 1))
        #expect(try harness.ask(method, target, Harness.json, deep).status == 422)
        #expect(try harness.ask(method, target, Harness.json, deeper).status == 400)
    }
}
