import JSONValue
import TestSupport
import Testing

/// Samples that a server moves by itself. The tests wait for events, however long they take.
@Suite struct MovingSampleTests {
    @Test func theSwitchIsFollowedAtOnce() throws {
        let server = try ServerProcess(["--memory", "--samples"])
        let stream = try EventClient(port: server.port, "/v1/lists/wifi/changes")
        _ = try stream.next()
        let item = "/v1/lists/wifi/items/config.wi-fi"
        _ = try server.client.send("PATCH", item, json: #"{"content":{"enabled":false}}"#)
        while true {
            let event = try #require(try stream.next())
            guard event.json["sections"]?["deleted"] != nil else { continue }
            #expect(event.json["items"]?["deleted"]?[0]?["id"]?.string == "config.breeno-net")
            break
        }
    }

    @Test func insertionSortRuns() throws {
        let server = try ServerProcess(["--memory", "--samples"])
        let stream = try EventClient(port: server.port, "/v1/lists/insertion-sort/changes")
        _ = try stream.next()
        _ = try server.client.send("POST", "/v1/samples/insertion-sort/step", json: #"{"run":true}"#)
        // The step that was asked for, and two that the server makes by itself.
        for _ in 1...3 { #expect(try stream.next()?.json["items"]?["moved"] != nil) }
    }
}
