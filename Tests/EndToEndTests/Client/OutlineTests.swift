import Foundation
import JSONValue
import TestSupport
import Testing

@testable import liststate

/// The list that `watch` holds is the server's, whatever change sets it replays.
@Suite struct OutlineTests {
    @Test("Change sets of random writes lead to the state of the server", arguments: UInt64(1)...12)
    func replays(seed: UInt64) throws {
        let server = try ServerProcess(["--memory"])
        var random = SeededGenerator(seed: seed)
        let names = (0..<24).map { "i\($0)" }
        let body = #"""
            {"sections":[{"id":"a","items":[{"id":"i0"},{"id":"i1"}]},{"id":"b","items":[{"id":"i3"}]},{"id":"c"}]}
            """#
        try #require(try server.client.send("PUT", "/v1/lists/l", json: body).status == 201)
        func snapshot() throws -> JSONObject {
            try #require(JSONObject(answer: Array(server.client.send("GET", "/v1/lists/l").text.utf8)))
        }
        let start = try #require(Outline(snapshot: snapshot()))
        var outline = start
        for step in 0..<60 {
            let operations = (0...Int.random(in: 0..<4, using: &random)).map { _ in
                Self.operation(names, using: &random)
            }
            let sent = "{\"operations\":[\(operations.joined(separator: ","))]}"
            let answer = try server.client.send("POST", "/v1/lists/l/transactions", json: sent)
            guard answer.status == 200 else { continue }
            let changes = try #require(JSONObject(answer: Array(answer.text.utf8))?["changes"]?.objectValue)
            do { try outline.apply(changes) } catch {
                Issue.record("step \(step): \(sent) made \(answer.text)")
                return
            }
        }
        let end = try #require(Outline(snapshot: snapshot()))
        try #require(outline.version != start.version)
        #expect(outline == end)
        // The net change over all of it leads to the same state, if the server has not found it too long.
        let net = try server.client.send("GET", "/v1/lists/l/changes?since=\(start.version)")
        var other = start
        try other.apply(#require(JSONObject(answer: Array(net.text.utf8))))
        #expect(other == end)
    }

    private static func operation(_ names: [String], using random: inout SeededGenerator) -> String {
        let item = names.randomElement(using: &random) ?? ""
        let other = names.randomElement(using: &random) ?? ""
        let section = ["a", "b", "c", "d"].randomElement(using: &random) ?? ""
        let operations = [
            #"{"op":"appendItems","items":[{"id":"\#(item)"}],"section":"\#(section)"}"#,
            #"{"op":"insertItems","items":[{"id":"\#(item)"}],"before":"\#(other)"}"#,
            #"{"op":"moveItem","item":"\#(item)","after":"\#(other)"}"#,
            #"{"op":"moveItem","item":"\#(item)","section":"\#(section)","at":"first"}"#,
            #"{"op":"moveItem","item":"\#(item)","parent":"\#(other)"}"#,
            #"{"op":"deleteItems","items":["\#(item)"]}"#, #"{"op":"starItems","items":["\#(item)"]}"#,
            #"{"op":"updateItem","item":"\#(item)","content":{"title":"\#(other)"}}"#,
            #"{"op":"reloadItems","items":["\#(item)"]}"#, #"{"op":"updateList","title":"\#(other)"}"#,
            #"{"op":"updateSection","section":"\#(section)","title":"\#(other)"}"#,
            #"{"op":"appendSections","sections":["\#(section)"]}"#,
            #"{"op":"moveSection","section":"\#(section)","before":"b"}"#,
            #"{"op":"deleteSections","sections":["\#(section)"]}"#,
            #"{"op":"reloadSections","sections":["\#(section)"]}"#,
        ]
        return operations.randomElement(using: &random) ?? ""
    }

    /// Change sets that do not belong to the state, which has one section with two rows.
    @Test(arguments: [
        #"{"from":"e-2","to":"e-3"}"#, #"{"from":"e-1"}"#,
        #"{"from":"e-1","to":"e-2","items":{"deleted":[{"id":"a","section":0,"index":1}]}}"#,
        #"{"from":"e-1","to":"e-2","items":{"deleted":[{"id":"a","section":1,"index":0}]}}"#,
        #"{"from":"e-1","to":"e-2","items":{"deleted":[{"id":"a","section":0,"index":-1}]}}"#,
        #"{"from":"e-1","to":"e-2","items":{"inserted":[{"section":0,"index":4,"item":{"id":"c"}}]}}"#,
        #"{"from":"e-1","to":"e-2","items":{"inserted":[{"section":2,"index":0,"item":{"id":"c"}}]}}"#,
        #"{"from":"e-1","to":"e-2","items":{"moved":[{"id":"a","from":{"section":0,"index":0}}]}}"#,
        #"{"from":"e-1","to":"e-2","items":{"reconfigured":[{"section":0,"index":0,"item":{"id":"b"}}]}}"#,
        #"{"from":"e-1","to":"e-2","sections":{"deleted":[{"id":"s","index":9007199254740991}]}}"#,
        #"{"from":"e-1","to":"e-2","sections":{"inserted":[{"index":9,"section":{"id":"t"}}]}}"#,
        #"{"from":"e-1","to":"e-2","sections":{"inserted":[{"index":0,"section":{"id":"t","items":[1]}}]}}"#,
    ])
    func aForeignChangeIsRefused(_ json: String) throws {
        let snapshot = #"{"id":"l","version":"e-1","sections":[{"id":"s","items":[{"id":"a"},{"id":"b"}]}]}"#
        var outline = try #require(JSONObject(answer: Array(snapshot.utf8)).flatMap { Outline(snapshot: $0) })
        let changes = try #require(JSONObject(answer: Array(json.utf8)))
        #expect(throws: Outline.Mismatch.self) { try outline.apply(changes) }
    }
}

extension Outline {
    fileprivate static func == (left: Outline, right: Outline) -> Bool {
        left.version == right.version && left.title == right.title
            && left.sections.map(\.properties) == right.sections.map(\.properties)
            && left.sections.map(\.rows) == right.sections.map(\.rows)
    }
}
