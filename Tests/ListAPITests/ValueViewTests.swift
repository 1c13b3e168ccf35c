import JSONValue
import Microhttpd
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Views of items that have a given value in their content, and of items without a star.
@Suite struct ValueViewTests {
    /// The ids of the rows of a snapshot.
    private func rowIDs(_ snapshot: JSONValue) -> [String] {
        parts(snapshot["sections"]).flatMap { parts($0["items"]) }.compactMap { $0["id"]?.string }
    }

    /// Makes four items with values to compare. One is done, two are not done, and one has no `done`.
    private static func values(_ harness: Harness) throws {
        let items = [
            #"{"id":"a","content":{"done":true,"n":1,"name":"Apple"}}"#,
            #"{"id":"b","content":{"done":false,"n":1.0,"name":"apple","x":{"y":{"z":1e1}}}}"#,
            #"{"id":"c","content":{"done":false,"n":"1","name":"\u0041pple","x":{"y":null}}}"#,
            #"{"id":"d","content":{"n":null,"name":"é","x":["y"]}}"#,
        ]
        let body = #"{"sections":[{"id":"s","items":[\#(items.joined(separator: ","))]}]}"#
        try #require(try harness.put("/v1/lists/l", body).status == 200)
    }

    @Test(arguments: [
        ("where=content.done:false", ["b", "c"]), ("where=content.done:true", ["a"]),
        ("where=content.done:null", ["d"]), ("where=content.n:1", ["a", "b"]), ("where=content.n:100e-2", ["a", "b"]),
        ("where=content.n:-1", []), ("where=content.n:%221%22", ["c"]), ("where=content.n:null", ["d"]),
        ("where=content.name:\"Apple\"", ["a", "c"]), ("where=content.name:%22apple%22", ["b"]),
        ("where=content.name:%22%C3%A9%22", ["d"]), ("where=content.name:%22e%CC%81%22", []),
        ("where=content.name:%22%5Cu00e9%22", ["d"]), ("where=content.name:%22%22", []),
        ("where=content.x.y.z:10", ["b"]), ("where=content.x.y:null", ["a", "c", "d"]),
        ("where=content.x.y.z:null", ["a", "c", "d"]), ("where=content.x:1", []),
        ("where=content.done:%20false%20", ["b", "c"]), ("where=content.a:%22b:c%22", []),
        ("where=content.done:false&where=content.n:1", ["b"]), ("where=content.done:false&where=content.done:true", []),
        ("where=content.done:false&sort=-content.n", ["b", "c"]),
        ("where=content.done:false&filter=APPLE", ["b", "c"]),
        ("where=content.done:false&starred=false&kind=item&section=s", ["b", "c"]),
        ("where=content.done:false&limit=1", ["b"]), ("where=content.done:false&around=c&before=0", ["c"]),
    ])
    func selectsByValue(_ query: String, _ ids: [String]) throws {
        let harness = try Harness()
        try Self.values(harness)
        let reply = try harness.ask("GET", "/v1/lists/l?" + query)
        #expect(reply.status == 200 && rowIDs(reply.json) == ids, "\(reply.text)")
        // The link to the next page keeps the filter.
        guard query.hasSuffix("limit=1") else { return }
        let link = try #require(reply["Link"]?.split(separator: ">").first?.dropFirst())
        #expect(rowIDs(try harness.ask("GET", String(link)).json) == ["c"])
    }

    @Test(arguments: [
        "where=", "where=content.done", "where=done:false", "where=content.:1", "where=content:1", "where=:1",
        "where=content.a..b:1", "where=content.done:", "where=content.name:Apple", "where=content.name:'Apple'",
        "where=content.a:{}", "where=content.a:[]", "where=content.a:1%202", "where=content.a:01",
        "where=content.a:%22\(String(repeating: "x", count: 512))%22",
        Array(repeating: "where=content.a:1", count: 9).joined(separator: "&"),
    ])
    func whatIsNoValueIsRefused(_ query: String) throws {
        let reply = try Harness().ask("GET", "/v1/lists/l?" + query)
        #expect(reply.status == 422 && reply.code == "invalid")
        #expect(reply.json["errors"]?[0]?["pointer"] == "?where")
        if query.hasSuffix("Apple") { #expect(reply.text.contains(#"content.name:\"Apple\""#), "\(reply.text)") }
    }

    /// A row that becomes done leaves the view. A row that was done before was never in it.
    @Test func changesOfAView() throws {
        let harness = try Harness()
        try Self.values(harness)
        for item in ["a", "b"] {
            _ = try harness.ask("PATCH", "/v1/lists/l/items/\(item)", Harness.json, #"{"content":{"done":true,"m":1}}"#)
        }
        let target = "/v1/lists/l/changes?since=e1-2&where=content.done:false"
        #expect(try harness.ask("GET", target).changes == "del 0.0")
        #expect(try harness.ask("GET", target + "&view=visible&sort=content.n").changes == "del 0.0")
        _ = try harness.ask("PATCH", "/v1/lists/l/items/b", Harness.json, #"{"content":{"done":false}}"#)
        #expect(try harness.ask("GET", target).changes == "cfg 0.0")
        #expect(try harness.ask("GET", "/v1/lists/l/changes?since=e1-2&starred=false").changes == "cfg 0.0, cfg 0.1")
        _ = try harness.ask("PUT", "/v1/lists/l/items/b/star")
        #expect(try harness.ask("GET", "/v1/lists/l/changes?since=e1-5&starred=false").changes == "del 0.1")
        #expect(
            parts(try harness.ask("GET", "/v1/lists/l/sections/s?where=content.done:true").json["items"]).count == 1)
    }

    @Test func aStreamByValueTellsWhatConcernsIt() throws {
        try Harness("A:a,b").serve { port, client, _ in
            let stream = try EventClient(port: port, "/v1/lists/l/changes?since=e1-1&where=content.done:true")
            let writes = [("a", #"{"content":{"other":1}}"#), ("b", #"{"content":{"done":true}}"#)]
            for (item, body) in writes {
                #expect(try client.send("PATCH", "/v1/lists/l/items/\(item)", json: body).status == 200)
            }
            var events: [EventClient.Event] = []
            repeat { events.append(try #require(try stream.next())) } while events.last?.name == nil
            #expect(events.dropLast().allSatisfy { $0.data == nil })
            #expect(events.last?.json.changeText == "ins 0.0")
            #expect(events.last?.json["items"]?["inserted"]?[0]?["item"]?["id"] == "b")
            let many = try EventClient(port: port, "/v1/changes?list=l@e1-1&where=content.done:true")
            #expect(try many.next()?.json.changeText == "ins 0.0")
        }
    }
}
