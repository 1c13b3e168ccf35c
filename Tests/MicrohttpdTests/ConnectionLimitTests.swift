import HTTPTypes
import Threads
import Microhttpd
import TestSupport
import Testing

@Suite struct ConnectionLimitTests {
    /// Connections that have been accepted and served.
    private func served(
        _ count: Int, _ server: Server, host: String = "127.0.0.1", from source: String? = nil
    ) throws -> [RawSocket] {
        try (0..<count).map { _ in
            let client = try RawSocket(port: server.port, host: host, from: source)
            try client.send(get("/"))
            #expect(try client.readResponse().status == 200)
            return client
        }
    }

    private func expectRefusal(
        _ status: Int, _ text: String, _ client: RawSocket, request: String = get("/too-many")
    ) throws {
        try client.send(request)
        let response = try client.readResponse()
        #expect(response.status == status)
        #expect(response.text == text)
        #expect(response["Connection"] == "close")
        #expect(try client.isClosedByServer())
    }

    @Test(arguments: [1, 3])
    func aClientTooManyIsRefused(loopCount: Int) throws {
        let asked = Locked<[String]>([])
        var handler = TestHandler { request in
            asked.withLock { $0.append(request.head.path.string) }
            return .send(.text("ok"))
        }
        handler.admission = { head in
            asked.withLock { $0.append("admit " + head.path.string) }
            return .accept(bodyBytesMax: 0)
        }
        try withServer(handler, .test.with(\.connectionsMax, 20).with(\.loopCount, loopCount)) { server in
            let clients = try served(20, server)
            for _ in 1...50 {
                let refusal = "tooManyConnections(limit: 20)"
                try expectRefusal(503, refusal, try RawSocket(port: server.port))
            }
            // The earlier connections are served as before, and the handler was asked about no other.
            for client in clients {
                try client.send(get("/"))
                #expect(try client.readResponse().status == 200)
            }
        }
        #expect(asked.withLock { Set($0) } == ["/", "admit /"])
    }

    /// The refusal is the same for a request with a body, which is not read, and for a request that would be refused
    /// anyway.
    @Test(arguments: [post("/", "body"), get("no-path"), "HEAD / HTTP/1.0\r\n\r\n"])
    func whateverIsAsked(request: String) throws {
        try withServer(.echo, .test.with(\.connectionsMax, 1)) { server in
            let clients = try served(1, server)
            let client = try RawSocket(port: server.port)
            try client.send(request)
            #expect(try client.readResponse(hasNoBody: request.hasPrefix("HEAD")).status == 503)
            #expect(try client.isClosedByServer())
            #expect(clients.count == 1)
        }
    }

    /// More clients come at once than there are places and reserve. The rest waits to be accepted and is answered too.
    @Test func aSurgeIsAnsweredByAndBy() throws {
        var configuration = Server.Configuration.test.with(\.connectionsMax, 10)
        configuration.connectionsReserve = 5
        try withServer(.echo, configuration) { server in
            let clients = try served(10, server)
            let surge = try (0..<100).map { _ in try RawSocket(port: server.port) }
            for client in surge { try expectRefusal(503, "tooManyConnections(limit: 10)", client) }
            for client in clients {
                try client.send(get("/"))
                #expect(try client.readResponse().status == 200)
            }
        }
    }

    /// A client that has connected too early is served if a place becomes free before its request arrives.
    @Test func aPlaceThatHasBecomeFreeIsTaken() throws {
        try withServer(.echo, .test.with(\.connectionsMax, 1)) { server in
            for _ in 1...20 {
                let first = try served(1, server)
                let second = try RawSocket(port: server.port)
                let third = try RawSocket(port: server.port)
                try expectRefusal(503, "tooManyConnections(limit: 1)", third)
                // The server closes this connection itself, so it knows at once that the place is free.
                try first[0].send("GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
                #expect(try first[0].readResponse().status == 200)
                #expect(try first[0].isClosedByServer())
                try second.send(get("/"))
                #expect(try second.readResponse().status == 200)
                second.close()
            }
        }
    }

    /// There is no other connection and nothing else that could wake the loop.
    @Test func theOnlyPlaceIsGivenAgain() throws {
        try withServer(.echo, .test.with(\.connectionsMax, 1)) { server in
            for _ in 1...20 { try served(1, server)[0].close() }
        }
    }

    /// Silent connections fill the reserve.
    @Test func theReserveIsGivenAgain() throws {
        var configuration = Server.Configuration.test.with(\.connectionsMax, 1)
        configuration.connectionsReserve = 3
        configuration.requestDeadlineSeconds = 1
        try withServer(.echo, configuration) { server in
            let clients = try served(1, server)
            let silent = try (0..<9).map { _ in try RawSocket(port: server.port) }
            for client in silent { #expect(try client.isClosedByServer()) }
            try expectRefusal(503, "tooManyConnections(limit: 1)", try RawSocket(port: server.port))
            #expect(clients.count == 1)
        }
    }

    @Test(arguments: [1, 3])
    func anAddressTooManyIsRefused(loopCount: Int) throws {
        let configuration = Server.Configuration.test.with(\.connectionsPerAddressMax, 10).with(\.loopCount, loopCount)
        try withServer(.echo, configuration) { server in
            let greedy = try served(10, server)
            let refusal = "tooManyConnectionsOfAddress(limit: 10)"
            for _ in 1...20 { try expectRefusal(429, refusal, try RawSocket(port: server.port)) }
            let others = try served(10, server, from: "127.0.0.2")
            try expectRefusal(429, refusal, try RawSocket(port: server.port, from: "127.0.0.2"))
            for client in greedy + others { client.close() }
            #expect(try served(10, server).count == 10)
        }
    }

    /// An address with too many connections uses up the reserve, but not the places of others.
    @Test func aFloodOfOneAddressLeavesTheOthersTheirPlaces() throws {
        var configuration = Server.Configuration.test.with(\.connectionsMax, 20).with(\.connectionsPerAddressMax, 5)
        configuration.connectionsReserve = 10
        try withServer(.echo, configuration) { server in
            let greedy = try (0..<200).map { _ in try RawSocket(port: server.port) }
            let others = try served(5, server, from: "127.0.0.2") + served(5, server, from: "127.0.0.3")
            #expect(others.count == 10)
            // Five are served, ten are told why they are refused, and the others have been closed.
            var statuses: [Int: Int] = [:]
            for client in greedy {
                do {
                    try client.send(get("/"))
                    statuses[try client.readResponse().status, default: 0] += 1
                } catch {
                    statuses[0, default: 0] += 1
                }
            }
            #expect(statuses[200] == 5)
            #expect((statuses[429] ?? 0) >= 1)
            #expect((statuses[429] ?? 0) + (statuses[0] ?? 0) == 195)
        }
    }

    /// With one socket for both kinds, IPv4 clients come as mapped addresses and still count as IPv4 addresses.
    @Test func bothKindsOfAddressCount() throws {
        try withServer(.echo, .test.with(\.host, "::").with(\.connectionsPerAddressMax, 2)) { server in
            let refusal = "tooManyConnectionsOfAddress(limit: 2)"
            let clients = try served(2, server) + served(2, server, from: "127.0.0.2") + served(2, server, host: "::1")
            try expectRefusal(429, refusal, try RawSocket(port: server.port))
            try expectRefusal(429, refusal, try RawSocket(port: server.port, from: "127.0.0.2"))
            try expectRefusal(429, refusal, try RawSocket(port: server.port, host: "::1"))
            #expect(clients.count == 6)
        }
    }
}
