import Access
import HTTPTypes
import JSONValue
import ListStore
import Microhttpd
import TestSupport
import Testing
import Texts
import Threads

@testable import ListAPI

/// `POST /v1/tickets`, and streams that begin with a ticket.
@Suite struct TicketTests {
    private static let changes = "/v1/lists/a/changes"

    private static func ticket(_ served: Guarded, _ target: String, by token: String = "reader") throws -> String {
        let answer = try served.post(target, by: token)
        try #require(answer.status == 201, "\(answer.text)")
        let body = try JSONValue(parsing: answer.body)
        let (ticket, location) = (try #require(body["ticket"]?.string), try #require(body["location"]?.string))
        #expect(answer["Location"] == location)
        #expect(answer["Cache-Control"] == "no-store")
        #expect(location == target + (target.contains("?") ? "&" : "?") + "ticket=" + ticket)
        #expect(body["until"]?.string == "1970-01-01T00:17:40Z")
        return location
    }

    private static func refusal(_ served: Guarded, _ location: String, lastEventID: String = "") throws -> Int {
        try EventClient(port: served.port, location, lastEventID: lastEventID).head.status
    }

    @Test(arguments: ["", "?view=visible", "?since=e1-1&view=visible", "?view=visible&section=s&section=t"])
    func aStreamBeginsAndComesBack(query: String) throws {
        try Guarded.serve { served in
            let location = try Self.ticket(served, Self.changes + query)
            let stream = try EventClient(port: served.port, location)
            #expect(stream.head.status == 200)
            try served.star("a")
            let change = try #require(try stream.next())
            stream.close()
            served.now.withLock { $0 += 86_400 }
            try served.star("b")
            let resumed = try EventClient(port: served.port, location, lastEventID: change.id)
            #expect(try resumed.next()?.json["from"]?.string == change.id)
        }
    }

    @Test func eachKindOfStreamTakesOne() throws {
        try Guarded.serve { served in
            let wanted = try served.client.send(
                "POST", "/v1/changes", served.header("reader") + [("Prefer", "respond-async")],
                json: #"{"lists":[{"list":"a"},{"list":"b"}]}"#)
            let subscription = try #require(wanted["Location"])
            for target in [subscription, "/v1/changes?list=a&list=b"] {
                let stream = try EventClient(port: served.port, Self.ticket(served, target))
                // The holder may read `a` only, so `b` is told as gone.
                var told: [String: String] = [:]
                while told.count < 2, let event = try stream.next() {
                    if let list = event.json["list"]?.string { told[list] = event.name }
                }
                #expect(told == ["a": "reset", "b": "gone"])
            }
        }
    }

    @Test func itMustBeUsedWithinAMinute() throws {
        try Guarded.serve { served in
            let location = try Self.ticket(served, Self.changes)
            served.now.withLock { $0 += 61 }
            #expect(try Self.refusal(served, location) == 401)
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var method = "GET"
        var target: String
        var accept = "text/event-stream"
        var status = 401
        var testDescription: String { "\(method) \(target)" }
    }

    /// `TICKET` is the ticket of `/v1/lists/a/changes?view=visible`, which was used.
    private static let rows = [
        Row(target: "/v1/lists/a/changes?ticket=TICKET"),
        Row(target: "/v1/lists/a/changes?view=items&ticket=TICKET"),
        Row(target: "/v1/lists/a/changes?view=visible&since=e1-1&ticket=TICKET"),
        Row(target: "/v1/lists/a/changes?view=visibl%65&ticket=TICKET"),
        Row(target: "/v1/lists/b/changes?view=visible&ticket=TICKET"),
        Row(target: "/v1/lists/a/changes?view=visible&ticket=TICKETx"),
        Row(target: "/v1/lists/a/changes?view=visible&ticket="),
        Row(target: "/v1/lists/a/changes?view=visible&ticket"),
        Row(target: "/v1/lists/a/changes?view=visible&ticket=&ticket=TICKET"),
        Row(target: "/v1/changes?list=a&ticket=TICKET"),
        Row(target: "/v1/lists/a/changes?view=visible&ticket=TICKET", accept: "application/json"),
        Row(method: "HEAD", target: "/v1/lists/a/changes?view=visible&ticket=TICKET"),
        Row(target: "/v1/lists/a?view=visible&ticket=TICKET", accept: "*/*", status: 422),
        Row(target: "/v1/lists?ticket=TICKET", accept: "*/*", status: 422),
        Row(target: "/v1/tokens?ticket=TICKET", accept: "*/*", status: 422),
        Row(method: "DELETE", target: "/v1/lists/a?ticket=TICKET", accept: "*/*", status: 422),
        Row(method: "POST", target: "/v1/tickets?ticket=TICKET", accept: "*/*", status: 422),
    ]

    @Test func itIsForItsStreamAlone() throws {
        try Guarded.serve { served in
            let location = try Self.ticket(served, Self.changes + "?view=visible")
            let stream = try EventClient(port: served.port, location)
            #expect(try stream.next()?.name == "reset")
            let ticket = String(location.split(separator: "ticket=")[1])
            for row in Self.rows {
                let answer = try served.client.send(
                    row.method, row.target.replacing("TICKET", with: ticket), [("Accept", row.accept)])
                #expect(answer.status == row.status, "\(row.target): \(answer.text)")
                #expect((answer["WWW-Authenticate"] != nil) == (row.status == 401))
            }
            // The header counts, if both are there.
            let both = try served.client.send(
                "GET", location, [("Accept", "text/event-stream"), ("Authorization", "Bearer x")])
            #expect(both.status == 401)
            #expect(try Self.refusal(served, location) == 200)
        }
    }

    enum Change: CaseIterable {
        case revoked, hasAnotherSecret, isOver, mayNotReadTheList
    }

    @Test(arguments: Change.allCases)
    func itEndsWithItsToken(_ change: Change) throws {
        try Guarded.serve { served in
            let location = try Self.ticket(served, Self.changes)
            let stream = try EventClient(port: served.port, location)
            let reset = try #require(try stream.next())
            try served.gate.keeper?.change { book throws(AccessError) in
                guard var token = book.tokens["reader"] else { return }
                switch change {
                case .revoked: try book.remove("reader")
                case .hasAnotherSecret:
                    try book.rotate("reader", digest: Array(repeating: 1, count: 32), expires: nil)
                case .isOver: try book.rotate("reader", digest: token.digest, expires: 1_000)
                case .mayNotReadTheList:
                    token.grants = .none
                    try book.remove("reader")
                    try book.add(token)
                }
            }
            let end = try #require(try stream.next())
            #expect(end.name == "bye" && end.json["reason"] == "access")
            #expect(try stream.next() == nil)
            let status = try Self.refusal(served, location, lastEventID: reset.id)
            #expect(status == (change == .mayNotReadTheList ? 404 : 401))
        }
    }

    @Test func whoMayNotReadGetsNone() throws {
        try Guarded.serve { served in
            let rows: [(target: String, token: String?, status: Int)] = [
                ("/v1/lists/b/changes", "reader", 404), ("/v1/lists/none/changes", "reader", 404),
                ("/v1/lists/b/changes", "admin", 201), ("/v1/lists/a/changes", nil, 401),
                ("/v1/lists/a/changes", "admin", 201), ("/v1/changes?list=b", "reader", 201),
                ("/v1/lists/a", "reader", 422), ("/v1/lists", "reader", 422), ("/v1/nothing", "reader", 422),
                ("/v1/lists/a/changes?ticket=ltk_x", "reader", 422),
                ("/v1/lists/a/changes?%74icket=ltk_x", "reader", 422),
                ("/v1/lists/a/changes?nothing=1", "reader", 422), ("/v1/lists/a/changes?view=%zz", "reader", 422),
                ("/v1/lists/a/changes#x", "reader", 422), ("/v1/lists/a/changes? ", "reader", 422),
                ("http://other.example/v1/lists/a/changes", "reader", 422), ("", "reader", 422), ("*", "reader", 422),
                ("/v1/lists/A/changes", "reader", 422),
                ("/v1/lists/a/changes?" + String(repeating: "&", count: 4_077), "reader", 422),
            ]
            for row in rows {
                let answer = try served.post(row.target, by: row.token)
                #expect(answer.status == row.status, "\(row.target.prefix(99)): \(answer.text)")
            }
            #expect(try served.client.send("POST", "/v1/tickets", served.header("reader"), json: "{}").status == 422)
        }
    }

    @Test func aServerWithoutTokensMakesNone() throws {
        try Guarded.serve(tokens: []) { served in
            let answer = try served.post(Self.changes, by: nil)
            #expect(answer.status == 404)
            // What it does not look at does no harm.
            #expect(try Self.refusal(served, Self.changes + "?ticket=x") == 200)
        }
    }
}

/// A server with two lists that are not for everybody.
final class Guarded {
    let gate: Gate
    let now = Locked(1_000)
    let book = BookInMemory()
    /// What the audit log was told.
    let told = Locked<[(event: AccessEvent, actor: ByteText)]>([])
    private let server: Server
    private let store: Store

    /// The tokens by name, each with the lists on which it has rights.
    static let usual: [(name: ByteText, lists: ByteText, rights: Rights)] = [
        ("admin", "*", .administer), ("reader", "a", .read),
    ]

    static func serve(
        tokens: [(name: ByteText, lists: ByteText, rights: Rights)] = usual, workers: Int = 1,
        _ body: (Guarded) throws -> Void
    ) throws {
        for workers in [0, workers] { try body(Guarded(tokens, workers: workers)) }
    }

    private init(_ tokens: [(name: ByteText, lists: ByteText, rights: Rights)], workers: Int) throws {
        let count = Locked(0)
        let next: @Sendable () -> Int = {
            count.withLock { count in
                count += 1; return count
            }
        }
        store = try Store(
            journal: nil,
            limits: Store.Limits(
                itemsMax: 20, sectionsMax: 6, contentBytesMax: 999, historyVersionsMax: 10, historyBytesMax: 1 << 20,
                receiptsMax: 10, receiptAgeMax: 100), clock: { 0 }, token: { "e\(next())" })
        var configuration = API.Configuration(
            bodyBytesMax: 9_000, listBodyBytesMax: 9_000, operationsMax: 9, contentBytesMax: 999, streamsPerListMax: 9,
            queriesPerListMax: 9, heartbeatSeconds: 15, origins: .none, hosts: .these([]), requestID: { "made" },
            identifier: Harness.identifier(), observe: nil, observesSuccesses: false)
        configuration.workers = workers
        let seed = Locked(SystemRandomNumberGenerator())
        gate = try Gate(
            book, tickets: TicketsOfProcess(), issuer: nil, clock: { [now] in now.withLock { $0 } },
            random: { bound in seed.withLock { Int.random(in: 0..<bound, using: &$0) } },
            audit: { [told] event, actor in told.withLock { $0.append((event, actor)) } })
        configuration.gate = gate
        server = try Server(
            Server.Configuration(
                host: "127.0.0.1", port: 0, loopCount: 1, connectionsMax: 99, connectionsPerAddressMax: 99,
                requestDeadlineSeconds: 60, idleTimeoutSeconds: 60, listenBacklog: 99),
            handler: API(store: store, configuration: configuration))
        for list in ["a", "b"] {
            let body = #"{"sections":[{"id":"s","items":[{"id":"a"},{"id":"b"}]},{"id":"t"}]}"#
            let answer = try client.send("PUT", "/v1/lists/\(list)", json: body)
            try #require(answer.status == 201, "\(answer.text)")
        }
        for token in tokens {
            try gate.add(token.name, secret: Self.secret(token.name), token.rights, on: token.lists)
        }
    }

    deinit {
        server.stop(graceSeconds: 0)
        store.stop()
    }

    var port: UInt16 { server.port }
    var client: HTTPClient { HTTPClient(port: server.port) }

    static func secret(_ name: ByteText) -> ByteText {
        ByteText("lst_\(name)" + String(repeating: "x", count: 43 - name.utf8.count))
    }

    func header(_ token: String) -> [(String, String)] { [("Authorization", "Bearer \(Self.secret(ByteText(token)))")] }

    func post(_ target: String, by token: String?) throws -> RawResponse {
        let body: JSONValue = ["target": .string(ByteText(target))]
        return try client.send(
            "POST", "/v1/tickets", token.map(header) ?? [], json: String(decoding: body.bytes, as: UTF8.self))
    }

    func star(_ item: String) throws {
        try #require(try client.send("POST", "/v1/lists/a/items/\(item)/star", header("admin")).status == 200)
    }
}
