import HTTPTypes
import JSONValue
import ListModel
import Microhttpd
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// Streams of many lists that are asked for in a body: `POST /v1/changes`.
@Suite struct SubscriptionTests {
    private static func star(_ client: HTTPClient, list: String) throws {
        try #require(try client.send("POST", "/v1/lists/\(list)/items/a/star").status == 200)
    }

    private static func subscribe(_ client: HTTPClient, _ body: String) throws -> String {
        let answer = try client.send(
            "POST", "/v1/changes", [("Content-Type", "application/json"), ("Prefer", "respond-async")],
            body: Array(body.utf8))
        try #require(answer.status == 201, "\(answer.text)")
        let location = try #require(answer["Location"])
        #expect(answer["Preference-Applied"] == "respond-async")
        let json = try JSONValue(parsing: answer.body)
        #expect(json["location"]?.string == location)
        #expect(json["until"] == "1970-01-08T00:00:00Z")
        return location
    }

    @Test func aSubscriptionIsFollowedByItsName() throws {
        try Harness(lists: ["l", "m", "n"]).serve { port, client, _ in
            try Self.star(client, list: "l")
            let location = try Self.subscribe(
                client, #"{"lists":[{"list":"l","since":"e1-1"},{"list":"none"},{"list":"m"}]}"#)
            let stream = try EventClient(port: port, location)
            let gone = try #require(try stream.next())
            #expect(gone.json == ["list": "none"])
            let change = try #require(try stream.next())
            #expect(change.json["list"] == "l" && change.json["from"] == "e1-1" && change.json["to"] == "e1-2")
            let reset = try #require(try stream.next())
            #expect(reset.name == "reset" && reset.json["list"] == "m")
            try Self.star(client, list: "m")
            let second = try #require(try stream.next())
            #expect(second.json["list"] == "m" && second.json["from"] == "e2-1")
            #expect(second.id.utf8.count < 12, "\(second.id)")
            stream.close()

            // Changes that were told are not told again: neither that a list is gone, nor the changes of the others.
            try Self.star(client, list: "l")
            let resumed = try EventClient(port: port, location, lastEventID: second.id)
            let next = try #require(try resumed.next())
            #expect(next.json["list"] == "l" && next.json["from"] == "e1-2" && next.json["to"] == "e1-3")
            resumed.close()
            // At the id of the reset the client knows `m`, and everything after that is still to be told.
            let earlier = try EventClient(port: port, location, lastEventID: change.id)
            #expect(try earlier.next()?.json["from"] == "e1-2")
            #expect(try earlier.next()?.name == "reset")
            earlier.close()
            // Without an id the stream begins as at first.
            let again = try EventClient(port: port, location)
            #expect(try again.next()?.name == "gone")
            let back = try #require(try again.next())
            #expect(back.data == nil && !back.id.isEmpty, "there and back again")
        }
    }

    @Test func aDirectStreamSaysWhereItGoesOn() throws {
        try Harness(lists: ["l", "m"]).serve { port, client, _ in
            let body = #"{"lists":[{"list":"l","since":"e1-1"},{"list":"m","since":"e2-1"}],"starred":true}"#
            let stream = try EventClient(port: port, "/v1/changes", posting: Array(body.utf8))
            #expect(stream.head.status == 200)
            let location = try #require(stream.head["Content-Location"])
            #expect(location.hasPrefix("/v1/changes/"))
            // This change does not show in a view of starred items.
            try #require(try client.send("POST", "/v1/lists/l/items/p/expand").status == 200)
            let bare = try #require(try stream.next())
            #expect(bare.data == nil)
            try Self.star(client, list: "l")
            let change = try #require(try stream.next())
            #expect(change.json["from"] == "e1-2", "the id before, bare as it is")
            #expect(change.json["items"]?["inserted"]?.elements.count == 1)
            stream.close()
            try #require(try client.send("DELETE", "/v1/lists/m").status == 204)
            let resumed = try EventClient(port: port, location, lastEventID: change.id)
            let gone = try #require(try resumed.next())
            #expect(gone.json == ["list": "m"])
            resumed.close()
            // A list that is created again begins with a reset, and goes on in its new epoch.
            _ = try client.send("PUT", "/v1/lists/m", json: Harness.start)
            let anew = try EventClient(port: port, location, lastEventID: gone.id)
            let reset = try #require(try anew.next())
            #expect(reset.name == "reset" && reset.json["list"] == "m")
            anew.close()
            try #require(try client.send("PUT", "/v1/lists/m/items/b/star").status == 200)
            let more = try #require(try EventClient(port: port, location, lastEventID: reset.id).next())
            #expect(more.json["list"] == "m" && more.json["from"] == reset.json["to"])
        }
    }

    /// An id that is not a token of this subscription starts over.
    @Test(arguments: ["nonsense", "a", "aA", "a!", "l@e1-1", "aBA", "aEAE", "aAIAAAAAAAAAAAAAA", "aAf____________fw"])
    func anIDThatIsNoTokenStartsOver(_ id: String) throws {
        try Harness().serve { port, client, _ in
            let location = try Self.subscribe(client, #"{"lists":[{"list":"l","since":"e1-1"}]}"#)
            try Self.star(client, list: "l")
            let event = try #require(try EventClient(port: port, location, lastEventID: id).next())
            // The empty token is valid: nothing has been told since the beginning.
            #expect(event.name == (id == "a" ? "change" : "reset"))
        }
    }

    @Test(arguments: [
        (#"{"lists":[]}"#, 422, "/lists"), (#"{}"#, 422, "/lists"), (#"[]"#, 422, ""), ("{", 400, nil),
        (#"{"lists":[{"list":"l"},{"list":"l"}]}"#, 422, "/lists/1/list"),
        (#"{"lists":[{"list":"L"}]}"#, 422, "/lists/0/list"), (#"{"lists":["l"]}"#, 422, "/lists/0"),
        (#"{"lists":[{"since":"e1-1"}]}"#, 422, "/lists/0/list"),
        (#"{"lists":[{"list":"l","since":"x"}]}"#, 422, "/lists/0/since"),
        (#"{"lists":[{"list":"l@e1-1"}]}"#, 422, "/lists/0/list"),
        (#"{"lists":[{"list":"l","sinc":"e1-1"}]}"#, 422, "/lists/0/sinc"),
        (#"{"lists":[{"list":"l"}],"list":"l"}"#, 422, "/list"),
        (#"{"lists":[{"list":"l"}],"wait":"1"}"#, 422, "/wait"),
        (#"{"lists":[{"list":"l"}],"view":"all"}"#, 422, "/view"),
        (#"{"lists":[{"list":"l"}],"view":1}"#, 422, "/view"),
        (#"{"lists":[{"list":"l"}],"expanded":"a"}"#, 422, "/expanded"),
        (#"{"lists":[{"list":"l"}],"expanded":["a"]}"#, 422, "/expanded"),
        (#"{"lists":[{"list":"l"}],"view":"visible","expanded":[1]}"#, 422, "/expanded/0"),
        (#"{"lists":[{"list":"l"}],"starred":"true"}"#, 422, "/starred"),
        (#"{"lists":[{"list":"l"}],"filter":null}"#, 422, "/filter"),
    ])
    func theBodyIsChecked(_ body: String, _ status: Int, _ pointer: String?) throws {
        let fields = Harness.json.merging(["Accept": "text/event-stream"]) { $1 }
        let reply = try Harness().ask("POST", "/v1/changes", fields, body)
        #expect(reply.status == status, "\(reply.text)")
        #expect(reply.json["errors"]?[0]?["pointer"]?.string == pointer, "\(reply.text)")
    }

    @Test func whatCannotBeIsRefused() throws {
        let harness = try Harness(textBytesMax: 1 << 20)
        let body = #"{"lists":[{"list":"l"}]}"#
        #expect(try harness.ask("POST", "/v1/changes", Harness.json, body).code == "not_acceptable")
        let events = Harness.json.merging(["Accept": "text/event-stream"]) { $1 }
        #expect(try harness.ask("POST", "/v1/changes", events, "").status == 422)
        let many = #"{"lists":["# + (0...100).map { #"{"list":"l\#($0)"}"# }.joined(separator: ",") + "]}"
        #expect(try harness.ask("POST", "/v1/changes", events, many).status == 422)
        let large = #"{"lists":[{"list":"l"}],"filter":"\#(String(repeating: "x", count: 262_144))"}"#
        let refused = try harness.ask("POST", "/v1/changes", events, large)
        #expect(refused.status == 413 && refused.json["limit"]?["name"] == "subscriptionBytesMax")
        #expect(try harness.ask("GET", "/v1/changes/nobody", ["Accept": "text/event-stream"]).code == "not_found")
        #expect(try harness.ask("GET", "/v1/changes/nobody").code == "not_acceptable")
        let strict = events.merging(["Prefer": "handling=strict"]) { $1 }
        let lost = try harness.ask("POST", "/v1/changes", strict, #"{"lists":[{"list":"l","since":"e9-1"}]}"#)
        #expect(lost.code == "version_gone")
    }

    /// A subscription of 100 lists with ids of 64 bytes, and a disclosure of 500 rows.
    @Test func aWideStreamGoesOnByAShortToken() throws {
        let lists = (0..<100).map { "list-\($0)-".padding(to: 64) }
        try Harness(lists: lists, textBytesMax: 1 << 20).serve { port, client, _ in
            let names = lists.enumerated().map { #"{"list":"\#($1)","since":"e\#($0 + 1)-1"}"# }.joined(separator: ",")
            let ids = (0..<500).map { #""item-\#($0)-\#(String(repeating: "x", count: 20))""# }.joined(separator: ",")
            let body = #"{"lists":[\#(names)],"view":"visible","expanded":["p",\#(ids)]}"#
            let location = try Self.subscribe(client, body)
            var last = ""
            for round in 1...2 {
                for list in lists { try Self.star(client, list: list) }
                let stream = try EventClient(port: port, location, lastEventID: last)
                var seen: Set<String> = []
                while seen.count < lists.count {
                    let event = try #require(try stream.next())
                    #expect(event.json["from"]?.string?.hasSuffix("-\(round)") == true)
                    seen.insert(event.json["list"]?.string ?? "")
                    last = event.id
                }
                #expect(last.utf8.count < 600, "\(last.utf8.count)")
                stream.close()
            }
        }
    }

    /// A token that is written and read again has the same places.
    @Test(arguments: 1...20) func tokensComeBack(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bases: [Version?] = (0..<100).map { index in
            index % 7 == 0 ? nil : Version(epoch: "e\(index)", revision: 1 + random.below(1 << 20))
        }
        var places: [Int: ResumeToken.Place] = [:]
        for index in 0..<100 where random.once(in: 2) {
            switch random.below(3) {
            case 0: places[index] = .gone
            case 1: places[index] = .at(Version(epoch: "other\(index)", revision: 1 + random.below(1 << 40)))
            default:
                guard let base = bases[index] else { continue }
                places[index] = .at(Version(epoch: base.epoch, revision: base.revision + random.below(1 << 30)))
            }
        }
        let text = ResumeToken(places).text(since: bases)
        #expect(ResumeToken(text, since: bases)?.places == places)
        // A token with a changed byte is invalid or another token. It never crashes the server.
        for index in 0..<min(text.utf8.count, 40) {
            var bytes = Array(text.utf8)
            bytes[index] = UInt8(0x21 + random.below(90))
            _ = ResumeToken(ByteText(decoding: bytes), since: bases)
            _ = ResumeToken(ByteText(decoding: Array(bytes.prefix(index))), since: bases)
        }
    }
}

extension String {
    fileprivate func padding(to count: Int) -> String { self + String(repeating: "x", count: count - utf8.count) }
}
