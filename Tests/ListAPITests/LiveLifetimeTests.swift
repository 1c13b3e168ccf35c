import ListModel
import ListStore
import Microhttpd
import TestSupport
import Testing
import Threads

@testable import ListAPI
@testable import ListWire

/// Followers of lists leave nothing behind.
@Suite struct LiveLifetimeTests {
    private struct Weak {
        weak var api: API?
        weak var store: Store?
        weak var list: ListActor?
        weak var live: LiveList?
    }

    /// Runs a server with every kind of follower, at the head and behind it.
    private func oneLife() throws -> Weak {
        let harness = try Harness(lists: ["l", "m"])
        let id = try #require(ListID("l"))
        let list = try #require(try harness.api.store.list(id))
        try harness.serve { port, client, server in
            let stream = try EventClient(port: port, "/v1/lists/l/changes")
            let vector = try EventClient(port: port, "/v1/changes?list=l&list=m&view=visible")
            #expect(try stream.next()?.name == "reset")
            for _ in 1...2 { #expect(try vector.next()?.name == "reset") }
            let socket = try RawSocket(port: port)
            let target = "/v1/lists/l/changes?since=e1-1&wait=55&view=visible"
            try socket.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try client.send("POST", "/v1/lists/l/items/c/star")
            #expect(try stream.next()?.name == "change")
            #expect(try vector.next()?.id == "l@e1-2,m@e2-1")
            server.stop(graceSeconds: 0)
        }
        let live = LiveList.of(list, .json, nil, within: .unbounded, makeRoom: {}, changed: nil)
        return Weak(api: harness.api, store: harness.api.store, list: list, live: live)
    }

    @Test func aServerThatStopsLeavesNothing() throws {
        let weak = try oneLife()
        #expect(weak.api == nil)
        #expect(weak.store == nil)
        #expect(weak.list == nil)
        #expect(weak.live == nil)
    }

    @Test func aDeletedListGoesWithItsStreams() throws {
        let harness = try Harness(lists: ["l", "m"])
        let id = try #require(ListID("l"))
        weak let list = try harness.api.store.list(id)
        #expect(list != nil)
        try harness.serve { port, client, _ in
            let vector = try EventClient(port: port, "/v1/changes?list=l@e1-1&list=m@e2-1")
            let stream = try EventClient(port: port, "/v1/lists/l/changes?since=e1-1")
            #expect(try client.send("DELETE", "/v1/lists/l").status == 204)
            #expect(try vector.next()?.name == "gone")
            #expect(try stream.next()?.name == "gone")
            #expect(try stream.next() == nil)
            // The loop that has sent this has released the updates that it sent before.
            #expect(try client.send("POST", "/v1/lists/m/items/a/star").status == 200)
            #expect(try vector.next()?.name == "change")
            vector.close()
        }
        #expect(list == nil)
    }
}
