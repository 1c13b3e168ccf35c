import JSONValue
import TestSupport
import Testing

/// The net change set between two kept versions: `changes?since=A&until=B`.
@Suite struct UntilTests {
    private static let changes = "/v1/lists/l/changes"

    /// Ten changes of many kinds. They make the versions 1 to 11, of which ten are kept besides the head.
    private static func harness() throws -> Harness {
        let harness = try Harness()
        let operations = [
            #"{"op":"starItems","items":["a"]}"#, #"{"op":"moveItem","item":"a","after":"b"}"#,
            #"{"op":"appendItems","items":[{"id":"d","kind":"k","content":{"n":3}}],"section":"t"}"#,
            #"{"op":"expandItems","items":["p"]}"#, #"{"op":"deleteItems","items":["b"]}"#,
            #"{"op":"updateItem","item":"c","content":{"n":2}}"#, #"{"op":"moveSection","section":"t","before":"s"}"#,
            #"{"op":"collapseItems","items":["p"]}"#, #"{"op":"starItems","items":["c"]}"#,
            #"{"op":"appendItems","items":[{"id":"b"}],"section":"s"}"#,
        ]
        for operation in operations {
            let reply = try harness.post("/v1/lists/l/transactions", #"{"operations":[\#(operation)]}"#)
            try #require(reply.status == 200, "\(reply.text)")
        }
        return harness
    }

    @Test(arguments: [
        "", "view=visible", "view=visible&expanded=p", "filter=3&field=n", "starred=true", "kind=k", "sort=-content.n",
        "section=t", "around=a&before=1&after=1", "view=items&around=c&before=2&after=0&sort=content.n",
    ])
    func leadsFromAnyKeptVersionToAnyLaterOne(_ query: String) throws {
        let harness = try Self.harness()
        func snapshot(_ revision: Int) throws -> JSONList {
            let reply = try harness.ask("GET", "/v1/lists/l?at=e1-\(revision)&\(query)")
            try #require(reply.status == 200, "\(reply.text)")
            return JSONList(snapshot: reply.json)
        }
        for since in 1...11 {
            for until in since...11 {
                let target = "\(Self.changes)?since=e1-\(since)&until=e1-\(until)&\(query)"
                let reply = try harness.ask("GET", target)
                #expect(reply.status == 200)
                #expect(reply["ETag"] == "\"e1-\(until)\"")
                #expect(reply["List-Version"] == "e1-\(until)")
                #expect(reply["Cache-Control"] == "max-age=31536000, immutable")
                #expect(reply.json["from"]?.string == "e1-\(since)")
                #expect(reply.json["to"]?.string == "e1-\(until)")
                #expect(try snapshot(since).applying(reply.json) == snapshot(until), "\(target): \(reply.text)")
            }
        }
    }

    @Test func withoutAKnownVersionItIsTheSnapshotThere() throws {
        let harness = try Self.harness()
        let there = try harness.ask("GET", "/v1/lists/l?at=e1-4").json
        for query in ["", "&since=e9-1", "&since=e1-2&mode=reload"] {
            let reply = try harness.ask("GET", "\(Self.changes)?until=e1-4\(query)")
            #expect(reply["List-Version"] == "e1-4")
            #expect(reply.json["to"] == "e1-4")
            #expect(reply.json["snapshot"] == there, "\(query)")
        }
        // A cache may keep it without asking again only if the target names both ends.
        #expect(try harness.ask("GET", "\(Self.changes)?until=e1-4")["Cache-Control"] == "no-cache")
        #expect(try harness.ask("GET", "\(Self.changes)?since=e1-4")["Cache-Control"] == "no-cache")
        let strict = try harness.ask("GET", "\(Self.changes)?until=e1-4&since=e9-1", ["Prefer": "handling=strict"])
        #expect(strict.status == 410)
        #expect(strict["Cache-Control"] == "no-cache")
        let known = ["Prefer": "handling=strict, wait=9"]
        let kept = try harness.ask("GET", "\(Self.changes)?until=e1-4&since=e1-4", known)
        #expect(kept["Preference-Applied"] == "handling=strict", "nothing to wait for")
        #expect(kept.json["counts"] == there["counts"], "those of the version, not the head's")
    }

    @Test(arguments: [
        ("until=e1-12", 404), ("until=e9-1", 410), ("since=e1-5&until=e1-4", 422), ("until=4", 422), ("until=", 422),
        ("since=e9-5&until=e1-4", 200), ("since=e1-99&until=e1-4", 422), ("until=e1-4&wait=1", 422),
        ("until=e1-4&wait=0", 422), ("until=e1-4&until=e1-4", 422), ("until=e1-3&around=d", 404),
        ("until=e1-4&around=d", 200),
    ])
    func theEndIsChecked(_ query: String, _ status: Int) throws {
        let harness = try Self.harness()
        #expect(try harness.ask("GET", "\(Self.changes)?\(query)").status == status)
    }

    @Test func itIsNoStreamAndNotOlderThanHistory() throws {
        let harness = try Self.harness()
        let stream = ["Accept": "text/event-stream"]
        #expect(try harness.ask("GET", "\(Self.changes)?until=e1-4", stream).status == 422)
        #expect(try harness.ask("HEAD", "\(Self.changes)?until=e1-4", stream).status == 422)
        let many = try harness.ask("HEAD", "/v1/changes?list=l&until=e1-4", stream)
        #expect(many.status == 422, "no such parameter")
        for _ in 0..<8 { _ = try harness.ask("POST", "/v1/lists/l/items/a/star") }
        #expect(try harness.ask("GET", "\(Self.changes)?until=e1-4").code == "version_gone")
        // The end is kept, but the beginning is not.
        #expect(try harness.ask("GET", "\(Self.changes)?since=e1-4&until=e1-12").json["reset"] == true)
    }
}
