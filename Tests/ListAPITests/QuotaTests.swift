import Access
import HTTPTypes
import JSONValue
import ListStore
import Microhttpd
import TestSupport
import Testing
import Threads

@testable import ListAPI

/// Quotas at the door of an API. Requests reach it without a network.
@Suite struct QuotaTests {
    /// An API with the list `l`, one of each quota, and a clock that stands still.
    struct Door {
        let api: API
        let time = Locked(0)
        let gate: Gate?

        init(
            requests: Int = 0, writes: Int = 0, bytes: Int = 0, streams: Int = 0, wrongTokens: Int = 0,
            refusalMilliseconds: Int = 0, tokens: [ByteText: ByteText] = [:],
            tickets: any TicketStore = TicketsOfProcess()
        ) throws {
            let store = try Store(
                journal: nil,
                limits: Store.Limits(
                    itemsMax: 20, sectionsMax: 6, contentBytesMax: 65_536, historyVersionsMax: 10,
                    historyBytesMax: 1 << 20, receiptsMax: 10, receiptAgeMax: 100),
                clock: { 0 }, token: { "e" })
            var configuration = API.Configuration(
                bodyBytesMax: 1 << 20, listBodyBytesMax: 1 << 20, operationsMax: 3, contentBytesMax: 100,
                streamsPerListMax: 20, queriesPerListMax: 10, heartbeatSeconds: 15, origins: .none, hosts: .any,
                requestID: { "made" }, identifier: Harness.identifier(), observe: nil, observesSuccesses: false)
            let plain = API(store: store, configuration: configuration)
            let put = Harness.head("PUT", "/v1/lists/l", Harness.json)
            guard case .send(let made) = plain.respond(to: Request(head: put, body: Array(Harness.start.utf8))),
                made.status == .created
            else { throw Harness.Waits() }
            configuration.quotas = Quotas(
                Quotas.Limits(
                    requestsPerMinute: requests, writesPerMinute: writes, bytesPerMinute: bytes, streamsMax: streams,
                    wrongTokensPerMinute: wrongTokens, refusalMilliseconds: refusalMilliseconds),
                milliseconds: { [time] in time.withLock { $0 } })
            gate = tokens.isEmpty ? nil : try Self.gate(tokens, tickets)
            if let gate { configuration.gate = gate }
            api = API(store: store, configuration: configuration)
        }

        private static func gate(_ tokens: [ByteText: ByteText], _ tickets: any TicketStore) throws -> Gate {
            let gate = try Gate(
                BookInMemory(), tickets: tickets, issuer: nil, clock: { 0 }, random: { _ in 0 }, audit: nil)
            for (name, secret) in tokens {
                try gate.add(name, secret: secret, .all, on: "*")
            }
            return gate
        }

        /// The requests of one connection: each has the visitor of the one before, if it has the same credentials.
        final class Connection {
            let door: Door
            let client: ClientAddress?
            var visitor: (any Visitor)?
            private var credentials: String?

            init(_ door: Door, _ client: ClientAddress?) { (self.door, self.client) = (door, client) }

            func ask(_ method: String, _ path: String, _ fields: [String: String] = [:], _ body: String = "") throws
                -> Reply
            {
                var fields = fields
                if !body.isEmpty {
                    fields["Content-Type"] = "application/json"
                    fields["Content-Length"] = "\(body.utf8.count)"
                }
                let (api, now) = (door.api, UInt64(door.time.withLock { $0 }))
                if fields["Authorization"] != credentials { visitor = nil }
                credentials = fields["Authorization"]
                switch api.admit(Harness.head(method, path, fields, client, visitor)) {
                case .refuse(let response): return Reply(status: response.status.code, response: response)
                case .accept(_, let visitor): self.visitor = visitor
                }
                let head = Harness.head(method, path, fields, client, visitor)
                switch api.respond(to: Request(head: head, body: Array(body.utf8))) {
                case .send(let response):
                    visitor?.note(bytes: response.body.count, at: now)
                    return Reply(status: response.status.code, response: response)
                case .sendPrepared(let prepared, let status):
                    visitor?.note(bytes: prepared.response.body.count, at: now)
                    return Reply(status: status.code, response: prepared.response)
                case .stream(let stream):
                    source = stream.source
                    return Reply(status: 200, response: stream.head)
                case .wait(let wait):
                    held = wait
                    throw Harness.Waits()
                case .later: throw Harness.Waits()
                }
            }

            /// The stream that the connection follows.
            var source: (any ContentSource)?
            /// The refusal that is held back.
            var held: AnswerWait?
        }

        func connection(from client: ClientAddress? = one) -> Connection { Connection(self, client) }
    }

    static let one = ClientAddress.v4(0xC000_0201)
    static let other = ClientAddress.v4(0xC000_0202)
    static func secret(_ letter: Character) -> ByteText {
        ByteText("lst_" + String(repeating: letter, count: Secret.characters))
    }
    static func bearer(_ secret: ByteText) -> [String: String] { ["Authorization": "Bearer \(secret)"] }

    private func expectUsedUp(_ reply: Reply, _ limit: String, _ value: Int, seconds: String) {
        #expect(reply.status == 429)
        #expect(reply.code == "too_many_requests")
        #expect(reply.json["limit"]?["name"]?.string == limit)
        #expect(reply.json["limit"]?["value"] == .integer(value))
        #expect(reply["Retry-After"] == seconds)
    }

    /// A body that is refused by its length is never sent.
    @Test func aLengthThatIsOnlyAnnouncedIsNotCounted() throws {
        let door = try Door(bytes: 4_096)
        let client = door.connection()
        let huge = ["Content-Type": "application/json", "Content-Length": "1099511627776"]
        let head = Harness.head("PUT", "/v1/lists/l", huge, client.client, nil)
        guard case .accept(let most, let visitor) = door.api.admit(head) else { throw Harness.Waits() }
        #expect(most < 1 << 40)
        client.visitor = visitor
        #expect(try client.ask("GET", "/v1/lists/l").status == 200)
    }

    @Test func requestsOfAnAddress() throws {
        let door = try Door(requests: 4)
        let (client, another) = (door.connection(), door.connection())
        #expect(try client.ask("GET", "/v1/lists/l").status == 200)
        #expect(try another.ask("GET", "/v1/lists")["RateLimit"] == nil)
        // The shared answer of the list, and another one: both say what is left.
        let third = try client.ask("GET", "/v1/lists/l")
        #expect(third.status == 200 && third["RateLimit"] == #""requests";r=1;t=45"#)
        #expect(third["RateLimit-Policy"] == #""requests";q=4;w=60"#)
        #expect(try client.ask("GET", "/v1/samples")["RateLimit"] == #""requests";r=0;t=60"#)
        for connection in [client, another] {
            let refused = try connection.ask("GET", "/v1/lists/l")
            expectUsedUp(refused, "clientRequestsPerMinute", 4, seconds: "15")
            #expect(refused["RateLimit"] == #""requests";r=0;t=60"#)
        }
        // Others are not refused, and neither is whoever asks if the server is alive.
        #expect(try door.connection(from: Self.other).ask("GET", "/v1/lists/l").status == 200)
        #expect(try client.ask("GET", "/healthz").status == 200)
        #expect(try client.ask("GET", "/readyz").status == 200)
        door.time.withLock { $0 = 15_000 }
        #expect(try client.ask("GET", "/v1/lists/l").status == 200)
        #expect(try client.ask("GET", "/v1/lists/l").status == 429)
    }

    @Test func aKnownVersionIsStill304() throws {
        let door = try Door(requests: 2)
        let client = door.connection()
        let tag = try #require(try client.ask("GET", "/v1/lists/l")["ETag"])
        let known = try client.ask("GET", "/v1/lists/l", ["If-None-Match": tag])
        #expect(known.status == 304 && known["RateLimit"] == #""requests";r=0;t=60"# && known["ETag"] == tag)
    }

    @Test func writesOfAnAddress() throws {
        let door = try Door(writes: 2)
        let client = door.connection()
        for _ in 1...2 { #expect(try client.ask("PATCH", "/v1/lists/l", [:], #"{"title":"A"}"#).status == 200) }
        expectUsedUp(
            try client.ask("PATCH", "/v1/lists/l", [:], #"{"title":"B"}"#), "clientWritesPerMinute", 2, seconds: "30")
        let read = try client.ask("GET", "/v1/lists/l")
        #expect(read.status == 200 && read.text.contains(#""title":"A""#))
    }

    @Test func bytesOfBodiesAndAnswers() throws {
        let door = try Door(bytes: 1 << 20)
        let client = door.connection()
        // Announced bytes count before they come, so a second body is refused without being read.
        let body = #"{"title":"\#(String(repeating: "x", count: 1_048_560))"}"#
        #expect(try client.ask("PATCH", "/v1/lists/l", [:], body).status == 422)
        let second = try client.ask("PATCH", "/v1/lists/l", [:], body)
        expectUsedUp(second, "clientMebibytesPerMinute", 1, seconds: "1")
        door.time.withLock { $0 = 60_000 }
        // What was sent is owed. The file has some 300 kB.
        let replies = try (1...10).map { _ in try client.ask("GET", "/openapi.yaml") }
        let refused = try #require(replies.first { $0.status != 200 })
        #expect(refused.code == "too_many_requests" && refused["Retry-After"].flatMap { Int($0) } ?? 0 > 1)
        #expect(replies[1].status == 200 && replies[9].status == 429)
    }

    @Test func whoeverIsOnThisMachineHasNoQuota() throws {
        let door = try Door(requests: 1, writes: 1)
        for client in [ClientAddress.v4(0x7F00_0001), .v4(0x7F01_0203), .v6(network: 0), nil] {
            let connection = door.connection(from: client)
            for _ in 1...5 { #expect(try connection.ask("GET", "/v1/lists/l").status == 200) }
        }
    }

    /// A token's quota is its own, wherever it is used.
    @Test func requestsOfAToken() throws {
        let (mine, yours) = (Self.secret("m"), Self.secret("y"))
        let door = try Door(requests: 2, tokens: ["mine": mine, "yours": yours])
        let addresses = [Self.one, Self.other, ClientAddress.v4(0x7F00_0001)]
        for address in addresses.prefix(2) {
            #expect(try door.connection(from: address).ask("GET", "/v1/lists/l", Self.bearer(mine)).status == 200)
        }
        for address in addresses {
            let connection = door.connection(from: address)
            #expect(try connection.ask("GET", "/v1/lists/l", Self.bearer(mine)).status == 429)
            #expect(try connection.ask("GET", "/healthz", Self.bearer(mine)).status == 200)
        }
        // Another token on the same connection is another client.
        let connection = door.connection()
        #expect(try connection.ask("GET", "/v1/lists/l", Self.bearer(mine)).status == 429)
        #expect(try connection.ask("GET", "/v1/lists/l", Self.bearer(yours)).status == 200)
        #expect(try connection.ask("GET", "/v1/lists/l", Self.bearer(mine)).status == 429)
        #expect(try connection.ask("GET", "/v1/lists/l").status == 401)
    }

    /// A connection remembers its token, but not longer than it is right.
    @Test func aRevokedTokenIsNoneOnItsConnection() throws {
        let door = try Door(tokens: ["mine": Self.secret("m"), "yours": Self.secret("y")])
        let connection = door.connection()
        let fields = Self.bearer(Self.secret("m"))
        for _ in 1...2 { #expect(try connection.ask("GET", "/v1/lists/l", fields).status == 200) }
        _ = try door.gate?.keeper?.change { book throws(AccessError) in try book.remove("mine") }
        #expect(try connection.ask("GET", "/v1/lists/l", fields).status == 401)
        #expect(try connection.ask("GET", "/v1/lists/l", Self.bearer(Self.secret("y"))).status == 200)
    }

    /// After so many wrong tokens an address is refused; tokens that were right go on, also on new connections.
    @Test func wrongTokensOfAnAddress() throws {
        let (mine, yours) = (Self.secret("m"), Self.secret("y"))
        let door = try Door(wrongTokens: 3, tokens: ["mine": mine, "yours": yours])
        #expect(try door.connection().ask("GET", "/v1/lists/l", Self.bearer(mine)).status == 200)
        for letter in "abc" {
            let reply = try door.connection().ask("GET", "/v1/lists/l", Self.bearer(Self.secret(letter)))
            #expect(reply.status == 401)
        }
        for secret in [Self.secret("d"), Self.secret("a"), yours] {
            let reply = try door.connection().ask("GET", "/v1/lists/l", Self.bearer(secret))
            expectUsedUp(reply, "wrongTokensPerMinute", 3, seconds: "20")
        }
        #expect(try door.connection().ask("GET", "/v1/lists/l", Self.bearer(mine)).status == 200)
        #expect(try door.connection().ask("GET", "/v1/lists/l").status == 401)
        #expect(try door.connection(from: Self.other).ask("GET", "/v1/lists/l", Self.bearer(yours)).status == 200)
        #expect(try door.connection().ask("GET", "/v1/lists/l", Self.bearer(yours)).status == 200)
        door.time.withLock { $0 = 20_000 }
        #expect(try door.connection().ask("GET", "/v1/lists/l", Self.bearer(Self.secret("d"))).status == 401)
    }

    /// Right tokens cost an address nothing, so many people behind one address are let in.
    @Test func rightTokensAreNotCounted() throws {
        let tokens = "abcdefgh".map { (ByteText(String($0)), Self.secret($0)) }
        let door = try Door(wrongTokens: 2, tokens: Dictionary(uniqueKeysWithValues: tokens))
        for (_, secret) in tokens {
            #expect(try door.connection().ask("GET", "/v1/lists/l", Self.bearer(secret)).status == 200)
        }
    }

    @Test func streamsOfAnAddress() throws {
        let door = try Door(streams: 2)
        let events = ["Accept": "text/event-stream"]
        let connections = [door.connection(), door.connection()]
        for connection in connections {
            #expect(try connection.ask("GET", "/v1/lists/l/changes", events)["Content-Type"] == "text/event-stream")
        }
        let refused = try door.connection().ask("GET", "/v1/lists/l/changes", events)
        #expect(refused.text.contains("event: bye\ndata: {\"reason\":\"limit\",\"code\":\"too_many_requests\""))
        #expect(try door.connection(from: Self.other).ask("GET", "/v1/changes?list=l", events).response.body.isEmpty)
        connections[0].source = nil
        #expect(try door.connection().ask("GET", "/v1/changes?list=l", events).response.body.isEmpty)
    }
    /// A refusal that waits for its moment is no stream, so a client that is refused may still follow.
    @Test func aHeldRefusalTakesNoPlaceOfAStream() throws {
        let door = try Door(writes: 1, streams: 1, refusalMilliseconds: 1_000)
        let writer = door.connection()
        #expect(try writer.ask("PATCH", "/v1/lists/l", [:], #"{"title":"A"}"#).status == 200)
        #expect(throws: Harness.Waits.self) { try writer.ask("PATCH", "/v1/lists/l", [:], #"{"title":"B"}"#) }
        #expect(writer.held != nil)
        let follower = door.connection()
        let stream = try follower.ask("GET", "/v1/lists/l/changes", ["Accept": "text/event-stream"])
        #expect(stream.response.body.isEmpty && follower.source != nil, "\(stream.text)")
    }
}
