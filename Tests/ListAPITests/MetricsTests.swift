import Access
import HTTPTypes
import Microhttpd
import TestSupport
import Testing
import Texts

@testable import ListAPI

/// Who may read the metrics over the server's own port.
@Suite struct MetricsAccessTests {
    struct Row: Sendable, CustomTestStringConvertible {
        /// The lists and rights of the token that is sent; nil for none.
        let token: (lists: ByteText, rights: Rights)?
        let status: Int
        let code: String?

        var testDescription: String { token.map { "\($0.rights.names) on \($0.lists)" } ?? "no token" }
    }

    static let rows = [
        Row(token: ("*", .administer), status: 200, code: nil),
        Row(token: ("*", .read), status: 403, code: "forbidden"),
        Row(token: ("team-*", .administer), status: 403, code: "forbidden"),
        Row(token: nil, status: 401, code: "unauthenticated"),
    ]

    @Test(arguments: rows)
    func withTokens(_ row: Row) throws {
        let gate = try Gate(
            BookInMemory(), tickets: TicketsOfProcess(), issuer: nil, clock: { 0 }, random: { $0 - 1 }, audit: nil)
        let secret: ByteText = "lst_\(String(repeating: "a", count: 43))"
        let keeper = try #require(gate.keeper)
        let (lists, rights) = row.token ?? ("*", .read)
        let pattern = try #require(ListPattern(lists))
        let grant = try #require(Grant([pattern], rights))
        let grants = try #require(Grants([grant]))
        try keeper.change { book throws(AccessError) in
            try book.add(
                AccessBook.Token(
                    name: "t", digest: Secret.digest(secret), grants: grants, created: 0, expires: nil, creator: "a"))
        }
        let reply = try Self.ask(gate, row.token == nil ? [:] : ["Authorization": "Bearer \(secret)"])
        #expect(reply.status == row.status)
        #expect(reply.code == row.code)
        if row.status == 200 { #expect(reply["Cache-Control"] == "private, no-store") }
    }

    /// Whoever can change everything may see this as well.
    @Test func withoutTokens() throws {
        let reply = try Self.ask(.open, [:])
        #expect(reply.status == 200)
        #expect(reply.text == "metrics")
        #expect(reply["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(reply["Cache-Control"] == "no-store")
    }

    private static func ask(_ gate: Gate, _ fields: [String: String]) throws -> Reply {
        let api = try Harness(lists: []).api
        var configuration = api.configuration
        configuration.gate = gate
        configuration.metrics = { Array("metrics".utf8) }
        let asked = API(store: api.store, configuration: configuration)
        let request = Request(head: Harness.head("GET", "/metrics", fields), body: [])
        guard case .send(let response) = asked.respond(to: request) else { throw Harness.Waits() }
        return Reply(status: response.status.code, response: response)
    }
}

/// The listener that has the metrics alone.
@Suite struct MetricsListenerTests {
    @Test(arguments: [
        ("GET", "/metrics", 200), ("HEAD", "/metrics", 200), ("POST", "/metrics", 405), ("GET", "/v1/lists", 404),
        ("GET", "/", 404),
    ])
    func answers(_ row: (method: String, path: String, status: Int)) throws {
        let listener = MetricsListener { Array("metrics".utf8) }
        let request = Request(head: Harness.head(row.method, row.path, [:]), body: [])
        guard case .send(let response) = listener.respond(to: request) else { throw Harness.Waits() }
        #expect(response.status.code == row.status)
        #expect((String(decoding: response.body, as: UTF8.self) == "metrics") == (row.status == 200))
    }

    /// Whoever reaches it gets nothing for sending much.
    @Test func takesNoBody() {
        let listener = MetricsListener { [] }
        guard case .accept(bodyBytesMax: 0, visitor: nil) = listener.admit(Harness.head("POST", "/metrics", [:])) else {
            Issue.record("a body would be read")
            return
        }
        #expect(listener.refusal(.bodyTooLarge(limit: 0), head: nil).status == .contentTooLarge)
    }
}

/// Each endpoint has a number of its own, by which its answers are counted.
@Suite struct RouteNumberTests {
    @Test func eachEndpointHasItsOwn() {
        #expect(API.routes.count == Endpoint.allCases.count)
        #expect(API.routes.keys.allSatisfy { (1...63).contains($0) })
    }
}
