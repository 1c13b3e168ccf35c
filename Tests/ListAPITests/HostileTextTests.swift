import HTTPTypes
import JSONValue
import Microhttpd
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Texts that are expensive to compare by canonical equivalence, in every place where a client can put text.
///
/// One such comparison takes seconds for each text, and there are hundreds of texts. The tests do not measure time: if
/// the server compared in this way, the suite would not come to an end.
@Suite struct HostileTextTests {
    /// Marks of different combining classes in the wrong order, behind a letter.
    private static let marks = "a" + String(repeating: "\u{301}\u{327}", count: 16_384)
    /// The same text as it stands in a path or a query.
    private static let encodedMarks = "a" + String(repeating: "%CC%81%CC%A7", count: 16_384)

    /// A correct body for each resource that has one. Together they have every operation and every member.
    static let bodies: [(method: String, target: String, body: String)] =
        [
            ("PUT", "/v1/lists/l", snapshot), ("PUT", "/v1/lists/new", snapshot),
            ("PATCH", "/v1/lists/l", #"{"title":"T","layout":{"kind":"list"},"base":"e2-1","label":"x"}"#),
            ("PUT", "/v1/lists/l/sections/s", #"{"id":"s","list":"l","version":"e2-1","items":["a",{"id":"n"}]}"#),
            (
                "PATCH", "/v1/lists/l/sections/s",
                #"{"title":"T","layout":{"kind":"list"},"header":"H","footer":{"f":"F"}}"#
            ),
            ("POST", "/v1/lists/l/items", #"{"items":["a",{"id":"n","kind":"k","content":{"t":"x"}}],"section":"s"}"#),
            ("POST", "/v1/lists/l/items", #"{"items":[{"id":"n","parent":"p"}],"before":"c","parent":"p"}"#),
            ("PATCH", "/v1/lists/l/items/a", #"{"content":{"t":"x","o":{"p":null}},"kind":"k","label":"x"}"#),
            ("POST", "/v1/lists/l/items/a/star", #"{"base":"e2-1","label":"x"}"#),
            ("POST", "/v1/lists/l/undo", #"{"transaction":"e2-1"}"#), ("POST", "/v1/samples/wifi", #"{"seed":7}"#),
            (
                "POST", "/v1/lists/l/reorders",
                #"{"base":"e2-1","view":"items","sections":{"s":{"final":["b","a"]},"t":{"difference":{"insertions":[{"offset":0,"element":"a","associatedOffset":null}],"removals":[]}}}}"#
            ),
        ] + operations.map { ("POST", "/v1/lists/l/transactions", #"{"label":"x","operations":[\#($0)]}"#) }

    private static let snapshot = """
        {"id":"l","title":"T","version":"e2-1","layout":{"kind":"grid","group":{"direction":"horizontal",\
        "width":{"absolute":1},"height":{"absolute":1},"item":{"width":{"absolute":1},"height":{"absolute":1},\
        "badges":[{"field":"f","edges":["top"],"width":{"absolute":1},"height":{"absolute":1}}]}},\
        "cells":{"k":{"configuration":"custom","name":"n","text":"t","accessories":["star"]}}},\
        "sections":[{"id":"s","title":"S","header":"H","footer":"F","items":["a",\
        {"id":"b","kind":"k","content":{"t":"x"}},{"id":"c","parent":"b"}]}]}
        """

    static let operations = [
        #"{"op":"appendSections","sections":["u",{"id":"v","title":"V","header":"H","items":[{"id":"n"}]}]}"#,
        #"{"op":"insertSections","sections":["u"],"before":"s"}"#, #"{"op":"deleteSections","sections":["s"]}"#,
        #"{"op":"reloadSections","sections":["s"]}"#, #"{"op":"moveSection","section":"s","after":"t"}"#,
        #"{"op":"updateSection","section":"s","title":"T","header":"H","footer":"F","layout":{"kind":"list"}}"#,
        #"{"op":"updateList","title":"T"}"#, #"{"op":"appendItems","items":["a",{"id":"n","kind":"k"}],"parent":"p"}"#,
        #"{"op":"insertItems","items":["n"],"after":"a","section":"s"}"#, #"{"op":"deleteItems","items":["a"]}"#,
        #"{"op":"deleteAllItems"}"#, #"{"op":"moveItem","item":"a","section":"t","at":"first"}"#,
        #"{"op":"updateItem","item":"a","content":{"t":"x"},"kind":"k","merge":true}"#,
        #"{"op":"reconfigureItems","items":["a"]}"#, #"{"op":"reloadItems","items":["a"]}"#,
        #"{"op":"starItems","items":["a"]}"#, #"{"op":"unstarItems","items":["a"]}"#,
        #"{"op":"expandItems","items":["p"]}"#, #"{"op":"collapseItems","items":["p"]}"#,
        #"{"op":"replaceChildren","parent":"p","items":["n"]}"#,
        #"{"op":"applySnapshot","snapshot":{"title":"T","sections":[{"id":"s","items":["a"]}]}}"#,
        #"{"op":"applySectionSnapshot","section":{"id":"s","items":["a"]}}"#,
    ]

    @Test("Each string and each name of a body may be hostile", arguments: bodies.indices)
    func everyString(_ index: Int) throws {
        let (method, target, body) = Self.bodies[index]
        let harness = try Harness(textBytesMax: 1 << 20)
        let value = try JSONValue(parsing: Array(body.utf8))
        let count = value.stringCount
        #expect(count > 0)
        for place in 0..<count {
            let hostile = value.replacingString(at: place, with: ByteText(Self.marks))
            let reply = try harness.ask(method, target, Harness.json, hostile.text)
            #expect(reply.status < 500, "\(method) \(target): string \(place)")
            // No text is echoed as a whole, least of all one that was not understood.
            #expect(reply.status < 300 || reply.response.body.count < 4_096, "\(method) \(target): string \(place)")
        }
    }

    @Test(
        "Each field may be hostile",
        arguments: [
            "Prefer", "Accept", "Accept-Encoding", "If-Match", "If-None-Match", "Content-Type", "Content-Encoding",
            "Idempotency-Key", "X-Request-Id", "Origin", "Last-Event-ID",
        ])
    func everyField(_ name: String) throws {
        let harness = try Harness(origins: .these(["https://a.test"]))
        for value in [Self.marks, "\"" + Self.marks + "\"", "a=" + Self.marks, "return=minimal;" + Self.marks] {
            for (method, body) in [("GET", ""), ("PATCH", "{}")] {
                let reply = try harness.ask(method, "/v1/lists/l", Harness.json.merging([name: value]) { $1 }, body)
                #expect(reply.status < 500)
                #expect(reply.response.fields.allSatisfy { $0.value.utf8.count < 4_096 })
            }
        }
    }

    @Test("Each parameter may be hostile", arguments: QueryParameter.allCases)
    func everyParameter(_ parameter: QueryParameter) throws {
        try answers("\(parameter.rawValue)=\(Self.encodedMarks)")
    }

    @Test func theNameOfAParameter() throws { try answers("\(Self.encodedMarks)=1") }

    private func answers(_ query: String) throws {
        let harness = try Harness()
        for target in ["/v1/lists/l", "/v1/lists/l/changes", "/v1/lists", "/v1/emoji", "/v1/changes"] {
            let headers = ["Accept": target == "/v1/changes" ? "text/event-stream" : "*/*"]
            #expect(try harness.ask("GET", "\(target)?\(query)", headers).status < 500)
        }
    }

    @Test func everySegment() throws {
        let harness = try Harness()
        for target in ["/v1/lists/l/items/", "/v1/lists/l/sections/", "/v1/lists/", "/v1/", "/page/", "/v1/samples/"] {
            #expect(try harness.ask("GET", target + Self.encodedMarks).status < 500)
        }
    }

    /// Texts that are canonically equivalent are different texts.
    @Test(
        "What is equivalent has changed",
        arguments: [
            ("/v1/lists/l", #"{"title":"*"}"#), ("/v1/lists/l/sections/s", #"{"title":"*"}"#),
            ("/v1/lists/l/sections/s", #"{"header":"*"}"#), ("/v1/lists/l/items/a", #"{"content":{"t":"*"}}"#),
            ("/v1/lists/l/items/a", #"{"content":{"*":1}}"#),
        ])
    func equivalentIsNotEqual(_ target: String, _ body: String) throws {
        let harness = try Harness()
        for text in ["\u{E9}", "e\u{301}", "\u{212A}", "K"] {
            let sent = body.replacing("*", with: text)
            #expect(try harness.ask("PATCH", target, Harness.json, sent).json["changed"] == true, "\(text)")
            #expect(try harness.ask("PATCH", target, Harness.json, sent).json["changed"] == false, "\(text)")
        }
    }

    /// U+212A and U+37E are canonically equivalent to ASCII characters.
    @Test func wordsAreNoLongerThanTheirBytes() throws {
        let harness = try Harness()
        #expect(try harness.ask("GET", "/v1/lists/l?view=items%CC%81").status == 422)
        #expect(
            try harness.ask("GET", "/v1/lists/l", ["Accept": "application/json\u{37E}q=0, */*;q=0.5"]).status == 200)
        let reply = try harness.ask("PATCH", "/v1/lists/l", Harness.json, "{\"title\u{301}\":\"x\"}")
        #expect(reply.status == 422)
    }
}

extension JSONValue {
    /// The number of strings, including the names of members.
    fileprivate var stringCount: Int {
        var count = 0
        _ = mappingStrings { string in
            count += 1
            return string
        }
        return count
    }

    fileprivate func replacingString(at place: Int, with text: ByteText) -> JSONValue {
        var index = -1
        return mappingStrings { string in
            index += 1
            return index == place ? text.string : string
        }
    }
}
