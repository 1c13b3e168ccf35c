import JSONValue
import ListStore
import Microhttpd
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Views of snapshots and of changes (docs/contract.md section 8).
@Suite struct ViewTests {
    /// The ids of the rows of a snapshot or of a reset.
    private static func ids(_ snapshot: JSONValue) -> [String] {
        (snapshot["sections"]?.elements ?? []).flatMap { $0["items"]?.elements ?? [] }.compactMap { $0["id"]?.string }
    }

    private static func ids(_ harness: Harness, _ query: String, list: String = "l") throws -> [String] {
        ids(try harness.ask("GET", "/v1/lists/\(list)?\(query)").json)
    }

    // MARK: Mountains

    private static let mountains = "/v1/lists/mountains"

    /// The expected rows by the rule of the model: those whose names contain the text, in the order of names.
    private static func expected(_ whole: JSONValue, _ filter: String) -> [String] {
        let items = (whole["sections"]?.elements ?? []).flatMap { $0["items"]?.elements ?? [] }
        let named = items.map { (id: $0["id"]?.string ?? "", name: $0["content"]?["name"]?.string ?? "") }
        return named.filter { filter.isEmpty || $0.name.lowercased().contains(filter.lowercased()) }
            .sorted { $0.name < $1.name }.map(\.id)
    }

    @Test(
        "case 62: a change of the filter inserts or deletes, and moves nothing",
        arguments: [
            ["m", "mo", "mou", "moun", "mount", "moun", "mou", "mo", "m", ""],
            ["", "MOUNT", "mount", "mountx", "x", "é"],
            ["e\u{301}", "\u{E9}", "z", "Zz", "", " "],
        ])
    func searchingAsYouType(_ texts: [String]) throws {
        let harness = try Harness(sample: "mountains")
        let whole = try harness.ask("GET", Self.mountains).json
        let version = try #require(whole["version"]?.string)
        var shown = JSONList(snapshot: whole)
        var last = ""
        for text in texts {
            let (old, new) = (Self.encoded(last), Self.encoded(text))
            let reply = try harness.ask(
                "GET", "\(Self.mountains)/changes?since=\(version)&filter=\(new)&field=name&previousFilter=\(old)")
            try #require(reply.status == 200, "\(reply.text)")
            let items = reply.json["items"]?.members.map(\.key) ?? []
            #expect(Set(items).isSubset(of: ["deleted", "inserted"]))
            #expect(reply.json["to"]?.string == version)
            shown = try shown.applying(reply.json)
            let expected = Self.expected(whole, text)
            #expect(shown.sections.flatMap(\.items).compactMap { $0["id"]?.string } == expected, "\(text)")
            #expect(shown.sections.count == 1, "the section stays, even when empty")
            #expect(try Self.ids(harness, "filter=\(new)", list: "mountains") == expected)
            last = text
        }
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = byte < 0x80 && (Character(UnicodeScalar(byte)).isLetter || byte == UInt8(ascii: "."))
            let hex = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (hex.count == 1 ? "0" + hex : hex)
        }
        .joined()
    }

    @Test func sortsByContent() throws {
        let harness = try Harness(sample: "mountains")
        let whole = try harness.ask("GET", Self.mountains + "?sort=-content.height").json
        let heights = (whole["sections"]?.elements ?? []).flatMap { $0["items"]?.elements ?? [] }
            .compactMap { $0["content"]?["height"]?.integer }
        #expect(heights.count == 236)
        #expect(heights == heights.sorted(by: >))
        let up = try Self.ids(harness, "sort=content.height", list: "mountains")
        #expect(Set(up) == Set(Self.ids(whole)))
    }

    // MARK: Each parameter

    /// The item `a` is starred, has the kind `k`, and is the only one with a number. `p` is a collapsed parent of `c`.
    @Test(arguments: [
        ("view=visible", ["a", "b", "p"]), ("view=visible&expanded=p", ["a", "b", "p", "c"]),
        ("view=visible&expanded=", ["a", "b", "p"]), ("view=visible&expanded=p&expanded=nobody", ["a", "b", "p", "c"]),
        ("section=s", ["a", "b", "p", "c"]), ("section=t", []), ("section=s&section=t", ["a", "b", "p", "c"]),
        ("section=nowhere", []), ("starred=true", ["a"]),
        ("starred=false", ["b", "p", "c"]), ("starred=false&view=visible", ["b", "p"]), ("kind=k", ["a"]),
        ("kind=item", ["b", "p", "c"]),
        ("kind=item&starred=true", []), ("filter=", ["a", "b", "p", "c"]), ("filter=x", []),
        ("sort=content.n", ["a", "b", "p", "c"]), ("sort=-content.n", ["a", "b", "p", "c"]),
        ("around=b&before=1&after=0", ["a", "b"]), ("around=c&before=0&after=0", ["p"]),
        ("around=c&before=0&after=0&view=items", ["c"]), ("around=a&before=9&after=1", ["a", "b"]),
        ("row=1&before=0&after=1", ["b", "p"]), ("row=3&before=0&after=0&view=items", ["c"]),
        ("row=99&before=1&after=0", ["b", "p"]), ("row=0&before=1&after=9&filter=x", []),
    ])
    func selects(_ query: String, _ ids: [String]) throws {
        let harness = try Harness()
        _ = try harness.ask("PUT", "/v1/lists/l/items/a/star")
        let reply = try harness.ask("GET", "/v1/lists/l?" + query)
        #expect(reply.status == 200)
        #expect(Self.ids(reply.json) == ids)
        #expect(reply.json["counts"]?["items"] == 4)
        #expect(reply.json["partial"] == (query == "filter=" ? nil : true))
        #expect(reply["ETag"] == "\"e1-2\"")
    }

    @Test func aSectionHasViewsToo() throws {
        let harness = try Harness()
        let reply = try harness.ask("GET", "/v1/lists/l/sections/s?kind=k")
        #expect(reply.json["items"]?.elements.compactMap { $0["id"]?.string } == ["a"])
        #expect(reply.json["partial"] == true)
    }

    @Test func aRowSaysOnlyWhatTheViewShows() throws {
        let harness = try Harness()
        func item(_ query: String) throws -> JSONValue? {
            try harness.ask("GET", "/v1/lists/l?" + query).json["sections"]?.elements.first?["items"]?.elements.last
        }
        #expect(try item("view=items")?["parent"] == "p")
        #expect(try item("kind=item")?["parent"] == "p")
        _ = try harness.ask("PUT", "/v1/lists/l/items/c/star")
        #expect(try item("starred=true")?["id"] == "c")
        #expect(try item("starred=true")?["parent"] == nil)
        #expect(try item("view=visible&expanded=")?["expanded"] == nil)
        let own = try harness.ask("GET", "/v1/lists/l?view=visible&expanded=p").json
        #expect(own["sections"]?.elements.first?["items"]?.elements[2]["expanded"] == true)
    }

    @Test(arguments: [
        "view=all", "starred=", "starred=1", "starred=true&starred=false", "kind=", "kind=a%20b", "sort=name",
        "sort=content.",
        "sort=content.a..b",
        "sort=id", "sort=--content.a", "field=", "field=a.", "expanded=a", "view=items&expanded=a", "section=",
        "section=%01", "before=1", "after=1", "around=", "around=a&before=-1", "around=a&before=10001",
        "around=a&limit=3", "row=", "row=-1", "row=a", "row=1&around=a", "row=1&limit=3",
        "filter=a&filter=b", "previousFilter=a", "filter=\(String(repeating: "a", count: 257))",
        "view=visible&expanded=%00",
    ])
    func whatIsNoViewIsRefused(_ query: String) throws {
        let reply = try Harness().ask("GET", "/v1/lists/l?" + query)
        #expect(reply.status == 422)
        #expect(reply.code == "invalid")
    }

    // MARK: Pages

    @Test func pagesKeepTheirView() throws {
        let harness = try Harness(sample: "mountains")
        var target = Self.mountains + "?filter=mo&sort=-content.height&limit=7"
        var rows: [String] = []
        while true {
            let reply = try harness.ask("GET", target)
            rows += Self.ids(reply.json)
            guard let link = reply["Link"]?.firstMatch(of: /^<(.*)>; rel="next"$/)?.output.1 else { break }
            target = String(link)
        }
        #expect(rows.count > 14)
        #expect(try rows == Self.ids(harness, "filter=mo&sort=-content.height", list: "mountains"))
    }

    // MARK: Windows

    @Test func aWindowSaysWhereItIs() throws {
        let harness = try Harness("A:" + (0..<1000).map { "i\($0)" }.joined(separator: ",") + " B:x")
        let query = "around=i500&before=2&after=3"
        let first = try harness.ask("GET", "/v1/lists/l?" + query).json
        #expect(Self.ids(first) == ["i498", "i499", "i500", "i501", "i502", "i503"])
        #expect(first["start"] == 498)
        #expect(first["total"] == 1001)
        func changes(_ since: Int) throws -> JSONValue {
            try harness.ask("GET", "/v1/lists/l/changes?since=e1-\(since)&\(query)").json
        }
        // The deletion is far above the window. The window has the same rows at other indexes.
        _ = try harness.ask("DELETE", "/v1/lists/l/items/i3")
        #expect(try changes(1)["items"] == nil)
        #expect(try changes(1)["start"] == 497)
        #expect(try changes(1)["total"] == 1000)
        #expect(try changes(2)["start"] == 497)
        // The deletion is in the window: one row leaves, and another one enters at the end.
        _ = try harness.ask("DELETE", "/v1/lists/l/items/i501")
        let change = try changes(2)
        #expect(change["items"]?["deleted"]?.elements.compactMap { $0["id"]?.string } == ["i501"])
        #expect(change["items"]?["inserted"]?.elements.compactMap { $0["item"]?["id"]?.string } == ["i504"])
        // The anchor is deleted. The row above it becomes the anchor.
        _ = try harness.ask("DELETE", "/v1/lists/l/items/i500")
        let shown = try JSONList(snapshot: harness.ask("GET", "/v1/lists/l?at=e1-3&" + query).json).applying(changes(3))
        #expect(
            shown.sections.flatMap(\.items).compactMap { $0["id"]?.string } == [
                "i497", "i498", "i499", "i502", "i503", "i504",
            ])
        #expect(
            try Self.ids(harness.ask("GET", "/v1/lists/l?" + query).json) == [
                "i497", "i498", "i499", "i502", "i503", "i504",
            ])
        #expect(try harness.ask("GET", "/v1/lists/l?around=nobody").status == 404)
        #expect(try harness.ask("GET", "/v1/lists/l/changes?around=nobody").status == 404)
        // The window counts rows through the whole list. The answer has all sections.
        let end = try harness.ask("GET", "/v1/lists/l?around=x&before=1&after=9").json
        #expect(Self.ids(end) == ["i999", "x"])
        #expect(end["sections"]?.elements.count == 2)
    }

    /// A stream goes on from an item, because the number of its row changes.
    @Test func aRowIsFoundByItsNumber() throws {
        let notation = "A:" + (0..<1000).map { "i\($0)" }.joined(separator: ",") + " B:x,y"
        let harness = try Harness(notation)
        let middle = try harness.ask("GET", "/v1/lists/l?row=500&before=1&after=1").json
        #expect(Self.ids(middle) == ["i499", "i500", "i501"])
        #expect([middle["start"], middle["total"], middle["partial"]] == [499, 1002, true])
        let across = try harness.ask("GET", "/v1/lists/l?row=1000&before=1&after=9").json
        #expect(Self.ids(across) == ["i999", "x", "y"])
        let nowhere = try harness.ask("GET", "/v1/lists/l?row=7&filter=none").json
        #expect([nowhere["start"], nowhere["total"]] == [0, 0])
        _ = try harness.ask("DELETE", "/v1/lists/l/items/i3")
        #expect(try Self.ids(harness.ask("GET", "/v1/lists/l?at=e1-1&row=3&before=0&after=0").json) == ["i3"])
        #expect(try harness.ask("GET", "/v1/lists/l/changes?row=3").status == 422)
    }

    @Test func aWindowBeginsAnewWhenHistoryNoLongerTellsOfItsAnchor() throws {
        let notation = "A:" + (0..<10).map { "i\($0)" }.joined(separator: ",")
        let harness = try Harness(notation, historyVersionsMax: 3)
        let query = "around=i5&before=1&after=1"
        try harness.serve { port, client, _ in
            let stream = try EventClient(port: port, "/v1/lists/l/changes?since=e1-1&\(query)")
            var shown = try JSONList(snapshot: JSONValue(parsing: client.send("GET", "/v1/lists/l?\(query)").body))
            func deleteAndLook(_ item: String) throws -> EventClient.Event {
                try #require(try client.send("DELETE", "/v1/lists/l/items/\(item)").status == 200)
                let event = try #require(try stream.next())
                shown = try shown.applying(event.json)
                return event
            }
            #expect(try deleteAndLook("i5").name == "change")
            #expect(shown.sections.flatMap(\.items).compactMap { $0["id"]?.string } == ["i3", "i4", "i6"])
            for item in ["i9", "i8"] { #expect(try deleteAndLook(item).name == "change") }
            let reset = try deleteAndLook("i4")
            #expect(reset.name == "reset")
            #expect(reset.json["snapshot"]?["start"] == 0)
            #expect(try client.send("GET", "/v1/lists/l?\(query)").status == 404)
        }
    }

    @Test func aRowWhoseParentIsOutsideTheWindowHasNone() throws {
        for query in ["starred=true", "sort=content.n", "filter=x"] {
            let harness = try Harness(itemsMax: 100)
            let items = ["p", "c", "d"].map { id in
                #"{"id":"\#(id)","starred":true,"content":{"t":"x"}\#(id == "p" ? "" : #","parent":"p""#)}"#
            }
            let body = #"{"sections":[{"id":"s","items":[\#(items.joined(separator: ","))]}]}"#
            try #require(try harness.put("/v1/lists/l", body).status == 201)
            let query = "view=items&around=c&before=1&after=0&" + query
            let first = try harness.ask("GET", "/v1/lists/l?" + query).json
            #expect(Self.ids(first) == ["p", "c"])
            #expect(JSONList(snapshot: first).item("c")?["parent"] == "p")
            // Only the order changes, but the parent is not a row of the window any more.
            let move = #"{"operations":[{"op":"moveItem","item":"c","after":"d"}]}"#
            try #require(try harness.post("/v1/lists/l/transactions", move).status == 200)
            let second = JSONList(snapshot: try harness.ask("GET", "/v1/lists/l?" + query).json)
            #expect(second.sections[0].items.map { $0["id"] } == ["d", "c"])
            #expect(second.item("c")?["parent"] == nil, "\(query)")
            let changes = try harness.ask("GET", "/v1/lists/l/changes?since=e1-1&" + query).json
            #expect(try JSONList(snapshot: first).applying(changes).sections == second.sections, "\(query)")
        }
    }

    // MARK: Live

    /// A row that is hidden for others is shown to a client that has expanded its parent.
    @Test func aMoveOfHiddenRowsConcernsWhoHasExpandedThem() throws {
        let harness = try Harness(itemsMax: 100)
        let children = ["c", "d"].map { #"{"id":"\#($0)","parent":"p","starred":true}"# }.joined(separator: ",")
        let body = #"{"sections":[{"id":"s","items":[{"id":"p"},\#(children)]}]}"#
        try #require(try harness.put("/v1/lists/l", body).status == 201)
        let move = #"{"operations":[{"op":"moveItem","item":"d","before":"c"}]}"#
        try #require(try harness.post("/v1/lists/l/transactions", move).status == 200)
        let changes = try harness.ask(
            "GET", "/v1/lists/l/changes?since=e1-1&view=visible&expanded=p&starred=true")
        #expect(changes.changes?.hasPrefix("mov ") == true, "\(changes.text)")
    }

    @Test func whatDoesNotConcernAViewOnlyMovesItsResumePoint() throws {
        try Harness().serve { port, client, _ in
            let stream = try EventClient(port: port, "/v1/lists/l/changes?since=e1-1&starred=true")
            for target in ["/v1/lists/l/items/b/expand", "/v1/lists/l/items/c/collapse"] {
                #expect(try client.send("POST", target).status == 200)
            }
            #expect(try client.send("PUT", "/v1/lists/l/items/c/star").status == 200)
            var events: [EventClient.Event] = []
            repeat { events.append(try #require(try stream.next())) } while events.last?.name == nil
            // Two changes may come as one resume point, or together with the next event.
            #expect(events.dropLast().allSatisfy { $0.data == nil })
            let change = try #require(events.last)
            #expect(change.id == "e1-3")
            #expect(change.json["from"]?.string == events.dropLast().last?.id ?? "e1-1")
            #expect(change.json["items"]?["inserted"]?.elements.first?["item"]?["id"] == "c")
            #expect(change.json["items"]?["inserted"]?.elements.first?["item"]?["parent"] == nil)
        }
    }

    @Test func aStreamGoesFromOneFilterToTheNextOnce() throws {
        try Harness(sample: "mountains").serve { port, client, _ in
            let version = try #require(try client.send("GET", Self.mountains)["List-Version"])
            let target = "\(Self.mountains)/changes?since=\(version)&filter=fuji&previousFilter=mount"
            let stream = try EventClient(port: port, target)
            let change = try #require(try stream.next())
            #expect(change.json["from"]?.string == version)
            #expect(change.json["to"]?.string == version)
            #expect(change.json["items"]?["deleted"]?.elements.isEmpty == false)
            // A client that reconnects has the rows of the new filter already.
            let again = try EventClient(port: port, target, lastEventID: version)
            let rows = try JSONValue(parsing: client.send("GET", Self.mountains + "?filter=fuji").body)
            let id = try #require(Self.ids(rows).first)
            #expect(try client.send("POST", "\(Self.mountains)/items/\(id)/star").status == 200)
            for stream in [stream, again] {
                let change = try #require(try stream.next())
                #expect(change.json["items"]?.members.map(\.key) == ["reconfigured"])
            }
        }
    }

    /// The client never had the rows of the new filter at `since`.
    @Test func aLongPollGoesFromOneFilterToTheNextOnce() throws {
        try Harness("A:a,b").serve { port, client, _ in
            for (item, name) in [("a", "mount"), ("b", "moon")] {
                let rename = #"{"content":{"name":"\#(name)"}}"#
                try #require(try client.send("PATCH", "/v1/lists/l/items/\(item)", json: rename).status == 200)
            }
            try #require(try client.send("DELETE", "/v1/lists/l/items/b").status == 200)
            let target = "/v1/lists/l/changes?since=e1-3&filter=mo&previousFilter=mount&wait=1"
            let answer = try JSONValue(parsing: client.send("GET", target).body)
            #expect(answer["from"] == "e1-3")
            #expect(answer["to"] == "e1-4")
            #expect(answer.changeText == "", "\(answer.text)")
        }
    }

    @Test func aLongPollOfAViewWaitsForTheView() throws {
        try Harness().serve { port, client, _ in
            let reply = try LongPollTests().asking("/v1/lists/l/changes?since=e1-1&kind=k&wait=50", port: port) {
                try #require(try client.send("POST", "/v1/lists/l/items/b/star").status == 200)
                try #require(try client.send("POST", "/v1/lists/l/items/a/star").status == 200)
            }
            let answer = try JSONValue(parsing: reply.body)
            #expect(answer["from"] == "e1-1")
            #expect(answer["to"] == "e1-3")
            #expect(answer["items"]?["reconfigured"]?.elements.count == 1)
        }
    }
}
