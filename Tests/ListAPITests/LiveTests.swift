import HTTPTypes
import JSONValue
import Microhttpd
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

extension Harness {
    /// Serves the lists while `body` runs. `body` gets the port, a client and the server.
    func serve(loopCount: Int = 2, _ body: (UInt16, HTTPClient, Server) throws -> Void) throws {
        let configuration = Server.Configuration(
            host: "127.0.0.1", port: 0, loopCount: loopCount, connectionsMax: 1000, connectionsPerAddressMax: 1000,
            requestDeadlineSeconds: 30, idleTimeoutSeconds: 60, listenBacklog: 1024)
        let server = try Server(configuration, handler: api)
        defer { server.stop(graceSeconds: 0) }
        try body(server.port, HTTPClient(port: server.port), server)
    }
}

/// Streams of changes, and requests that wait for them (docs/contract.md section 9).
@Suite struct LiveTests {
    private static let changes = "/v1/lists/l/changes"

    private static func star(_ client: HTTPClient, _ item: String, list: String = "l") throws {
        let answer = try client.send("POST", "/v1/lists/\(list)/items/\(item)/star")
        try #require(answer.status == 200)
    }

    @Test func beginsWithAResetAndGoesOnWithChanges() throws {
        try Harness().serve { port, client, _ in
            let stream = try EventClient(port: port, Self.changes)
            #expect(stream.head.status == 200)
            #expect(stream.head["Content-Type"] == "text/event-stream")
            #expect(stream.head["Cache-Control"] == "no-cache, no-transform")
            #expect(stream.head["X-Accel-Buffering"] == "no")
            let reset = try #require(try stream.next())
            #expect(stream.retryMilliseconds == 2000)
            #expect(reset.name == "reset")
            #expect(reset.id == "e1-1")
            #expect(reset.json["reset"] == true)
            let snapshot = try client.send("GET", "/v1/lists/l")
            #expect(reset.json["snapshot"] == (try JSONValue(parsing: snapshot.body)))

            let body = #"{"label":"Two at once","operations":[{"op":"starItems","items":["a","b"]}]}"#
            #expect(try client.send("POST", "/v1/lists/l/transactions", json: body).status == 200)
            let change = try #require(try stream.next())
            #expect(change.name == "change")
            #expect(change.id == "e1-2")
            #expect(change.json["from"] == "e1-1")
            #expect(change.json["to"] == "e1-2")
            #expect(change.json["actor"] == "anonymous")
            #expect(change.json["label"] == "Two at once")
            #expect(change.json["items"]?["reconfigured"]?.elements.count == 2)
        }
    }

    @Test func theBacklogIsOneNetChange() throws {
        try Harness().serve { port, client, _ in
            for item in ["a", "b", "a"] { try Self.star(client, item) }
            let stream = try EventClient(port: port, Self.changes + "?since=e1-1")
            let change = try #require(try stream.next())
            #expect(change.name == "change")
            #expect(change.id == "e1-4")
            #expect(change.json["from"] == "e1-1")
            #expect(change.json["actor"] == nil, "it spans three")
            try Self.star(client, "a")
            #expect(try stream.next()?.json["from"] == "e1-4")
        }
    }

    /// The version from which a stream goes on.
    @Test(arguments: [
        ("?since=e1-3", "", "e1-3"),
        ("?since=e1-1", "e1-3", "e1-3"),
        ("", "e1-2", "e1-2"),
        ("?since=e1-3", "nonsense", "reset"),
        ("?since=e1-3", "e9-3", "reset"),
        ("?since=e1-99", "", "reset"),
        ("?since=e1-3&mode=reload", "", "reset"),
    ])
    func resumes(_ query: String, _ lastEventID: String, _ expected: String) throws {
        try Harness().serve { port, client, _ in
            for item in ["a", "b", "a"] { try Self.star(client, item) }
            let stream = try EventClient(port: port, Self.changes + query, lastEventID: lastEventID)
            let first = try #require(try stream.next())
            #expect(first.id == "e1-4")
            if expected == "reset" {
                #expect(first.name == "reset")
            } else {
                #expect(first.json["from"]?.string == expected)
            }
        }
    }

    /// The harness keeps ten versions.
    @Test func lostHistoryIsAResetOrStrictly410() throws {
        try Harness().serve { port, client, _ in
            for _ in 0..<15 { try Self.star(client, "a") }
            let stream = try EventClient(port: port, Self.changes, lastEventID: "e1-2")
            #expect(try stream.next()?.name == "reset")
            let strict = try EventClient(port: port, Self.changes + "?since=e1-2", [("Prefer", "handling=strict")])
            #expect(strict.head.status == 410)
            let kept = try EventClient(port: port, Self.changes + "?since=e1-9", [("Prefer", "handling=strict")])
            #expect(kept.head["Preference-Applied"] == "handling=strict")
            #expect(try kept.next()?.name == "change")
        }
    }

    /// The collapsed `p` hides `c`.
    @Test func whatAViewDoesNotShowMovesTheResumePointOnly() throws {
        try Harness().serve { port, client, _ in
            let stream = try EventClient(port: port, Self.changes + "?since=e1-1&view=visible")
            try Self.star(client, "c")
            let hidden = try #require(try stream.next())
            #expect(hidden == EventClient.Event(id: "e1-2", name: nil, data: nil))
            try Self.star(client, "a")
            let shown = try #require(try stream.next())
            #expect(shown.id == "e1-3")
            #expect(shown.json["from"] == "e1-2", "the id before it, bare as it is")
            #expect(shown.json["view"] == "visible")
        }
    }

    /// The harness keeps ten versions.
    @Test func whatAViewDoesNotShowIsNoHistory() throws {
        try Harness().serve { port, client, _ in
            let stream = try EventClient(port: port, Self.changes + "?since=e1-1&view=visible")
            for revision in 2...30 {
                try Self.star(client, "c")
                let hidden = try stream.next()
                #expect(hidden == EventClient.Event(id: "e1-\(revision)", name: nil, data: nil))
            }
            let body = #"{"label":"Once","operations":[{"op":"starItems","items":["a"]}]}"#
            #expect(try client.send("POST", "/v1/lists/l/transactions", json: body).status == 200)
            let shown = try #require(try stream.next())
            #expect(shown.id == "e1-31")
            #expect(shown.name == "change")
            #expect(shown.json["from"] == "e1-30")
            #expect(shown.json["items"]?["reconfigured"]?.elements.count == 1)
            #expect(shown.json["label"] == "Once")
            try Self.star(client, "a")
            #expect(try stream.next()?.json["from"] == "e1-31")
        }
    }

    @Test func aDeletedListEndsItsStreams() throws {
        try Harness().serve { port, client, _ in
            let stream = try EventClient(port: port, Self.changes + "?since=e1-1")
            #expect(try client.send("DELETE", "/v1/lists/l").status == 204)
            let gone = try #require(try stream.next())
            #expect(gone.name == "gone")
            #expect(gone.json == ["list": "l"])
            #expect(try stream.next() == nil)
            #expect(try EventClient(port: port, Self.changes).head.status == 404)
        }
    }

    @Test func aServerThatStopsSaysGoodbye() throws {
        try Harness().serve { port, _, server in
            let stream = try EventClient(port: port, Self.changes + "?since=e1-1")
            server.stop(graceSeconds: 30)
            let bye = try #require(try stream.next())
            #expect(bye.name == "bye")
            #expect(bye.json == ["reason": "shutdown", "code": "stopping", "retryAfter": 2])
            #expect(stream.retryMilliseconds == 2_001, "not all at once")
            #expect(try stream.next() == nil)
        }
    }

    /// `EventSource` would never ask again after any other answer (HTML Standard, section 9.2.3).
    private static func expectBye(_ stream: EventClient, _ reason: String, _ code: String) throws {
        #expect(stream.head.status == 200)
        #expect(stream.head["Content-Type"] == "text/event-stream")
        let bye = try #require(try stream.next())
        #expect(stream.retryMilliseconds == 5_001, "not all at once")
        #expect(bye.name == "bye")
        #expect(bye.id.isEmpty, "the client resumes where it was")
        #expect(bye.json == ["reason": .string(reason), "code": .string(code), "retryAfter": 5])
        #expect(try stream.next() == nil)
    }

    /// Refusals of the HTTP server. A refusal that passes is answered with a stream that ends, if the client has asked
    /// for a stream and the resource has one.
    @Test(arguments: [
        (Refusal.stopping, "/v1/lists/l/changes", 200), (.stopping, "/v1/changes?list=l", 200),
        (.tooManyConnections(limit: 1), "/v1/changes?list=l", 200),
        (.tooManyConnectionsOfAddress(limit: 1), "/v1/lists/none/changes", 200),
        (.stopping, "/v1/lists/l", 503), (.stopping, "/nowhere", 503), (.stopping, "/%", 503),
        (.headTooLarge, "/v1/lists/l/changes", 431), (.targetTooLong, "/v1/changes", 414),
        (.badField, "/v1/changes", 400),
    ])
    func whatPassesIsAStreamThatEnds(_ refusal: Refusal, _ target: String, _ status: Int) throws {
        let harness = try Harness()
        for (accept, wantsEvents) in [("text/event-stream", true), ("application/json", false)] {
            let head = Harness.head("GET", target, ["Accept": accept])
            let response = harness.api.refusal(refusal, head: head)
            let isStream = wantsEvents && status == 200
            #expect(response.fields[.contentType] == (isStream ? "text/event-stream" : "application/problem+json"))
            #expect(response.status.code == (isStream ? 200 : refusal.status.code))
            #expect(
                String(decoding: response.body, as: UTF8.self).hasPrefix("retry: 5001\n\nevent: bye\ndata: {")
                    == isStream)
        }
    }

    /// A refusal that does not pass is a problem, after which a client does not ask again.
    @Test(arguments: [
        ("/v1/lists/none/changes", [:], 404), ("/v1/lists/l/changes?since=x", [:], 422),
        ("/v1/lists/l/changes?since=e9-1", ["Prefer": "handling=strict"], 410), ("/v1/changes", [:], 422),
    ])
    func whatDoesNotPassIsAProblem(_ target: String, _ fields: [String: String], _ status: Int) throws {
        let fields = fields.merging(["Accept": "text/event-stream"]) { $1 }
        let reply = try Harness().ask("GET", target, fields)
        #expect(reply.status == status)
        #expect(reply["Content-Type"] == "application/problem+json")
    }

    @Test func allFollowersOfAVersionGetTheSameBytes() throws {
        let harness = try Harness(itemsMax: 100)
        try #require(try harness.ask("PUT", "/v1/lists/l", Harness.json, Harness.start).status == 201)
        try harness.serve { port, client, _ in
            let streams = try (0..<200).map { _ in try EventClient(port: port, Self.changes + "?since=e1-1") }
            for item in ["a", "b"] {
                try Self.star(client, item)
                let events = try streams.map { try $0.next() }
                #expect(events[0]?.name == "change")
                #expect(events.allSatisfy { $0 == events[0] })
            }
        }
    }

    @Test func aListHasOnlySoManyStreams() throws {
        try Harness().serve { port, client, _ in
            let streams = try (0..<2).map { _ in try EventClient(port: port, Self.changes) }
            for stream in streams { _ = try stream.next() }
            for target in [Self.changes, "/v1/changes?list=l"] {
                try Self.expectBye(EventClient(port: port, target), "limit", "too_many_streams")
            }
            streams[0].close()
            // The server notices that the stream has been closed after a short time.
            while try EventClient(port: port, Self.changes).next()?.name == "bye" {}
        }
    }

    @Test func aListIsFollowedByOnlySoManyQueries() throws {
        try Harness().serve { port, client, _ in
            let first = try EventClient(port: port, Self.changes + "?filter=a")
            #expect(try first.next()?.name == "reset")
            try Self.expectBye(EventClient(port: port, Self.changes + "?filter=b"), "limit", "too_many_queries")
            let poll = try client.send("GET", Self.changes + "?since=e1-1&wait=5&sort=content.n")
            #expect(poll.status == 503)
            #expect(try JSONValue(parsing: poll.body)["code"] == "too_many_queries")
            // There is room for a query that is followed already, and for a query that selects no rows by their values.
            #expect(try EventClient(port: port, Self.changes + "?filter=a").next()?.name == "reset")
            first.close()
            while try EventClient(port: port, Self.changes + "?section=s").next()?.name == "bye" {}
        }
    }

    @Test func aHeadHasNoEvents() throws {
        try Harness().serve { _, client, _ in
            for _ in 0..<3 {
                let fields = [("Accept", "text/event-stream")]
                let answer = try client.send("HEAD", Self.changes, fields)
                #expect(answer.status == 200)
                #expect(answer["Content-Type"] == "text/event-stream")
                #expect(try client.send("HEAD", "/v1/changes?list=l", fields).status == 200)
            }
        }
    }

    @Test(arguments: [
        ("text/event-stream", "text/event-stream"), ("application/json", "application/json"),
        ("*/*", "application/json"),
        ("text/event-stream, */*", "text/event-stream"), ("text/*", "text/event-stream"),
        ("application/json;q=0.5, text/event-stream", "text/event-stream"),
        ("application/json, text/event-stream;q=0.5", "application/json"),
        ("application/json, text/event-stream", "application/json"), ("text/event-stream;q=0, */*", "application/json"),
        ("text/html", "application/problem+json"),
    ])
    func theFormIsTheOneThatIsWanted(_ accept: String, _ type: String) throws {
        let harness = try Harness()
        let reply = try? harness.ask("HEAD", Self.changes, ["Accept": accept])
        #expect(reply?["Content-Type"] == type)
    }
}

/// One stream for many lists.
@Suite struct FollowTests {
    private static func star(_ client: HTTPClient, list: String) throws {
        try #require(try client.send("POST", "/v1/lists/\(list)/items/a/star").status == 200)
    }

    @Test func oneStreamFollowsManyLists() throws {
        try Harness(lists: ["l", "m", "n"]).serve { port, client, _ in
            let stream = try EventClient(port: port, "/v1/changes?list=l@e1-1&list=none&list=m")
            let missing = try #require(try stream.next())
            #expect(missing == EventClient.Event(id: "l@e1-1", name: "gone", data: #"{"list":"none"}"#))
            let reset = try #require(try stream.next())
            #expect(reset.name == "reset")
            #expect(reset.json["list"] == "m")
            #expect(reset.id == "l@e1-1,m@e2-1")
            try Self.star(client, list: "n")
            try Self.star(client, list: "l")
            let change = try #require(try stream.next())
            #expect(change.json["list"] == "l")
            #expect(change.json["actor"] == "anonymous")
            #expect(change.id == "l@e1-2,m@e2-1")

            try #require(try client.send("DELETE", "/v1/lists/l").status == 204)
            let gone = try #require(try stream.next())
            #expect(gone == EventClient.Event(id: "m@e2-1", name: "gone", data: #"{"list":"l"}"#))
            try Self.star(client, list: "m")
            #expect(try stream.next()?.id == "m@e2-2")
            stream.close()

            try Self.star(client, list: "m")
            let resumed = try EventClient(
                port: port, "/v1/changes?list=l@e1-1&list=m@e2-1", lastEventID: "m@e2-2")
            #expect(try resumed.next()?.name == "gone")
            let backlog = try #require(try resumed.next())
            #expect(backlog.json["from"] == "e2-2")
            #expect(backlog.id == "m@e2-3")
        }
    }

    /// One of the ids is a version, but not a vector.
    @Test(arguments: ["e1-1", ",", "@", "l@", "l@nonsense,m@e2-1", ",,l@e1-1@e1-1"])
    func anIDThatIsNoVectorStartsOver(_ lastEventID: String) throws {
        try Harness(lists: ["l"]).serve { port, _, _ in
            let stream = try EventClient(port: port, "/v1/changes?list=l", lastEventID: lastEventID)
            #expect(try stream.next()?.name == "reset")
        }
    }

    /// The version in the last event replaces the version that the client knew when it began, also if the id cannot be
    /// read.
    @Test(arguments: [
        ("e1-2", nil), (",", nil), ("l@nonsense", nil), ("l@nonsense,m@e2-1", nil), ("l@e1-3,m@e2-1", "e1-3"),
        ("m@e2-1", "e1-1"),
    ])
    func theLastEventWins(_ lastEventID: String, _ from: String?) throws {
        try Harness(lists: ["l", "m"]).serve { port, client, _ in
            for _ in 1...3 { try Self.star(client, list: "l") }
            let target = "/v1/changes?list=l@e1-1&list=m@e2-1"
            let event = try #require(try EventClient(port: port, target, lastEventID: lastEventID).next())
            #expect(event.json["list"] == "l")
            #expect(event.json["from"]?.string == from)
            #expect(event.name == (from == nil ? "reset" : "change"))
        }
    }

    /// The harness keeps ten versions.
    @Test(arguments: ["GET", "HEAD"]) func lostHistoryIsStrictly410(_ method: String) throws {
        let harness = try Harness(lists: ["l", "m"])
        for _ in 0..<15 { _ = try harness.ask("POST", "/v1/lists/l/items/a/star") }
        let fields = ["Accept": "text/event-stream", "Prefer": "handling=strict"]
        let lost = try harness.ask(method, "/v1/changes?list=m@e2-1&list=l@e1-2", fields)
        #expect(lost.status == 410)
        #expect(lost.code == "version_gone")
        let kept = try harness.ask("HEAD", "/v1/changes?list=m@e2-1&list=l@e1-9&list=none", fields)
        #expect(kept["Preference-Applied"] == "handling=strict")
    }

    @Test(arguments: [
        ("", 422), ("?list=l&list=l", 422), ("?list=l@e1-01", 422), ("?list=", 422), ("?list=L", 422),
        ("?list=l&since=e1-1", 422), ("?list=l&view=all", 422), ("?list=l", 200), ("?list=none", 200),
        ("?" + (0...100).map { "list=l\($0)" }.joined(separator: "&"), 422),
    ])
    func theListsAreChecked(_ query: String, _ status: Int) throws {
        let reply = try Harness().ask("HEAD", "/v1/changes" + query, ["Accept": "text/event-stream"])
        #expect(reply.status == status)
    }

    @Test(arguments: [nil, "*/*", "text/*", "application/json"])
    func itIsAStreamOrNothing(_ accept: String?) throws {
        let reply = try Harness().ask("GET", "/v1/changes?list=l", accept.map { ["Accept": $0] } ?? [:])
        #expect(reply.code == "not_acceptable")
    }
}
