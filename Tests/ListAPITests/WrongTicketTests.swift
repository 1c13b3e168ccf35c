import Access
import Microhttpd
import TestSupport
import Testing
import Texts
import Threads

@testable import ListAPI

/// A wrong ticket costs what a wrong token costs: a look-up in a storage that others write to.
@Suite struct WrongTicketTests {
    private typealias Door = QuotaTests.Door

    /// Tickets that other servers may write, with the number of times that they were read.
    private final class SharedTickets: TicketStore {
        private let values = Locked<[[UInt8]: [UInt8]]>([:])
        private let count = Locked(0)

        var isShared: Bool { true }
        var readCount: Int { count.withLock { $0 } }

        func page(after key: [UInt8]?, limit: Int) -> [(key: [UInt8], value: [UInt8])] { [] }

        func read(_ key: [UInt8]) -> [UInt8]? {
            count.withLock { $0 += 1 }
            return values.withLock { $0[key] }
        }

        func write(_ written: [(key: [UInt8], value: [UInt8]?)]) {
            values.withLock { values in for (key, value) in written { values[key] = value } }
        }

        func replace(_ key: [UInt8], _ old: [UInt8], by new: [UInt8]) -> Bool {
            values.withLock { values in
                guard values[key] == old else { return false }
                values[key] = new
                return true
            }
        }
    }

    private static let target = "/v1/lists/l/changes"
    private static let events = ["Accept": "text/event-stream"]
    private static func ticket(_ letter: Character) -> ByteText {
        ByteText("ltk_" + String(repeating: letter, count: Secret.characters))
    }

    /// Makes a ticket of the token `mine`.
    private static func make(_ ticket: ByteText, in tickets: Tickets, _ door: Door) throws {
        let mine = try #require(door.gate?.book?.caller(named: "mine", at: 0))
        let digest = Harness.head("GET", target, [:]).targetDigest
        try tickets.make(ticket, for: mine, target: digest) { _ in false }
    }

    /// Asks for the stream with a ticket, on a connection of its own.
    private static func follow(
        _ door: Door, _ ticket: ByteText, from client: ClientAddress = QuotaTests.one
    ) throws -> Reply {
        try door.connection(from: client).ask("GET", "\(target)?ticket=\(ticket)", events)
    }

    @Test func theyCountAsWrongTokens() throws {
        let store = SharedTickets()
        let door = try Door(wrongTokens: 3, tokens: ["mine": QuotaTests.secret("m")], tickets: store)
        try Self.make(Self.ticket("r"), in: try #require(door.gate?.tickets), door)
        for letter in "abc" { #expect(try Self.follow(door, Self.ticket(letter)).status == 401) }
        #expect(store.readCount == 3)
        for letter in "ad" {
            let refused = try Self.follow(door, Self.ticket(letter))
            #expect(refused.text.contains(#"{"reason":"limit","code":"too_many_requests""#), "\(refused.text)")
        }
        #expect(store.readCount == 3)
        // Tokens and tickets have one quota.
        let token = try door.connection().ask("GET", "/v1/lists/l", QuotaTests.bearer(QuotaTests.secret("x")))
        #expect(token.json["limit"]?["name"]?.string == "wrongTokensPerMinute")
        // Whoever has a ticket of this server is not shut out by others of the same address, now and later.
        for _ in 0..<2 {
            #expect(try Self.follow(door, Self.ticket("r"))["Content-Type"] == "text/event-stream")
        }
        #expect(try Self.follow(door, Self.ticket("e"), from: QuotaTests.other).status == 401)
        door.time.withLock { $0 = 20_000 }
        #expect(try Self.follow(door, Self.ticket("f")).status == 401)
    }

    /// A ticket that another server has made is right, so it is not counted.
    @Test func rightTicketsAreNotCounted() throws {
        let store = SharedTickets()
        let door = try Door(wrongTokens: 1, tokens: ["mine": QuotaTests.secret("m")], tickets: store)
        let others = try Tickets(store, clock: { 0 })
        for letter in "abcd" {
            try Self.make(Self.ticket(letter), in: others, door)
            let reply = try Self.follow(door, Self.ticket(letter))
            #expect(reply.status == 200 && reply.response.body.isEmpty, "\(reply.text)")
        }
        #expect(try Self.follow(door, Self.ticket("x")).status == 401)
        #expect(try Self.follow(door, Self.ticket("y")).text.contains("too_many_requests"))
    }
}
