import Foundation
import JSONValue
import TestSupport
import Testing

/// A subscription of many lists outlives the server, and so do the ids of its events.
@Suite struct KeptSubscriptionTests {
    @Test func itGoesOnAfterAKill() throws {
        let folder = try TemporaryFolder()
        var server = try ServerProcess(["--data", folder.path])
        let lists = (0..<100).map { "list-\($0)-" + String(repeating: "x", count: 50) }
        for list in lists {
            let body = #"{"sections":[{"id":"s","items":[{"id":"a"}]}]}"#
            try #require(try server.client.send("PUT", "/v1/lists/\(list)", json: body).status == 201)
        }
        let body = #"{"lists":["# + lists.map { #"{"list":"\#($0)"}"# }.joined(separator: ",") + #"],"view":"visible"}"#
        let answer = try server.client.send(
            "POST", "/v1/changes", [("Content-Type", "application/json"), ("Prefer", "respond-async")],
            body: Array(body.utf8))
        try #require(answer.status == 201, "\(answer.text)")
        let location = try #require(answer["Location"])
        var stream = try EventClient(port: server.port, location)
        var held: [String: String] = [:]
        var last = ""
        for _ in lists {
            let reset = try #require(try stream.next())
            #expect(reset.name == "reset")
            held[reset.json["list"]?.string ?? ""] = reset.json["to"]?.string
            last = reset.id
        }
        #expect(held.count == lists.count)
        for round in 0..<2 {
            server.crash()
            server = try ServerProcess(["--data", folder.path])
            let list = lists[37 + round]
            try #require(try server.client.send("POST", "/v1/lists/\(list)/items/a/star").status == 200)
            stream = try EventClient(port: server.port, location, lastEventID: last)
            let change = try #require(try stream.next())
            #expect(change.name == "change")
            #expect(change.json["list"]?.string == list)
            #expect(change.json["from"]?.string == held[list])
            last = change.id
        }
        #expect(last.utf8.count < 600)
        #expect(server.stop() == 0)
    }

    @Test func aDirectStreamGoesOnAfterAKill() throws {
        let folder = try TemporaryFolder()
        var server = try ServerProcess(["--data", folder.path])
        try #require(
            try server.client.send("PUT", "/v1/lists/l", json: #"{"sections":[{"id":"s","items":[{"id":"a"}]}]}"#)
                .status == 201)
        let stream = try EventClient(
            port: server.port, "/v1/changes", posting: Array(#"{"lists":[{"list":"l"}]}"#.utf8))
        let location = try #require(stream.head["Content-Location"])
        // An event is sent only after the subscription is on the disk.
        let reset = try #require(try stream.next())
        #expect(reset.name == "reset")
        server.crash()
        server = try ServerProcess(["--data", folder.path])
        try #require(try server.client.send("POST", "/v1/lists/l/items/a/star").status == 200)
        let change = try #require(try EventClient(port: server.port, location, lastEventID: reset.id).next())
        #expect(change.json["from"] == reset.json["to"])
        #expect(server.stop() == 0)
    }
}
