import HTTPTypes
import JSONValue
import ListModel
import Microhttpd
import PostgreSQLJournal
import TestSupport
import Testing
import Texts
import Threads

@testable import ListAPI
@testable import ListStore

/// Reads of one server see what another one has written, although no hint tells of it.
@Suite(.timeLimit(.minutes(Soak.hangMinutes))) struct CheckedReadTests {
    private let journals: [WatchedJournal]
    private let nodes: [ServerNode]
    private var one: HTTPClient { nodes[0].client }
    private var other: HTTPClient { nodes[1].client }

    init() throws {
        let memory = MemoryJournal(fault: .givesNoHints)
        journals = (0..<2).map { _ in WatchedJournal(over: memory) }
        nodes = try zip(["e", "f"], journals).map { try ServerNode($0, over: $1) }
        try #require(try one.send("PUT", "/v1/lists/l", json: Self.list).status == 201)
        try #require(try other.send("GET", "/v1/lists/l").status == 200)
    }

    private static let list = #"{"sections":[{"id":"s","items":[{"id":"a"}]}]}"#
    private static let maxStale = [("Cache-Control", "max-stale")]

    /// Stars the item, so that the list has another version.
    private func star() throws -> String {
        try #require(try one.send("POST", "/v1/lists/l/items/a/star")["List-Version"])
    }

    /// Every path below whose answer tells of the head of `l`, and a part of the answer after a star.
    private static let heads: [(path: String, shows: String)] = [
        ("/v1/lists/l", "starred"), ("/v1/lists/l?view=visible", "starred"), ("/v1/lists/l?limit=5", "starred"),
        ("/v1/lists/l?starred=true", "starred"), ("/v1/lists/l?around=a", "starred"),
        ("/v1/lists/l/sections/s", "starred"), ("/v1/lists/l/items/a", "starred"),
        ("/v1/lists/l/transactions", "e1-2"), ("/v1/lists/l/changes", "starred"),
        ("/v1/lists/l/changes?since=e1-1", "starred"),
        ("/v1/lists", "e1-2"), ("/v1/lists?filter=l", "e1-2"),
    ]

    @Test(arguments: heads.map { $0.path }) func aReadShowsWhatTheOtherWrote(path: String) throws {
        let shows = try #require(Self.heads.first { $0.path == path }?.shows)
        let before = try other.send("GET", path, Self.maxStale).text
        #expect(!before.contains(shows))
        #expect(try star() == "e1-2")
        let after = try other.send("GET", path)
        #expect(after.status == 200)
        #expect(after.text.contains(shows), "\(after.text)")
        #expect(after["Age"] == nil)
        #expect(try other.send("HEAD", path).status == 200)
    }

    /// A client that takes what is in memory is told how old it may be. One that names a bound gets nothing older.
    @Test(arguments: heads.map { $0.path }) func aReadFromMemoryHasAnAge(path: String) throws {
        let stale = try other.send("GET", path, Self.maxStale)
        let start = nodes[1].clock.withLock { $0 }
        _ = try star()
        journals[1].fail(with: .away("no route"))
        nodes[1].clock.withLock { $0 = start + 4_200 }
        let again = try other.send("GET", path, Self.maxStale)
        #expect(again.status == 200)
        #expect(again.text == stale.text)
        #expect(again["Age"] == "4")
        #expect(try other.send("GET", path, [("Cache-Control", "max-stale=5")])["Age"] == "4")
        for field in ["max-stale=4", "max-stale=\"9\"", "max-stale=x", "no-cache", "only-if-cached"] {
            let refused = try other.send("GET", path, [("Cache-Control", field)])
            #expect(refused.status == 503, "\(field)")
            #expect(refused["Retry-After"] == "5")
            #expect(try JSONValue(parsing: refused.body)["code"]?.string == "unavailable")
        }
        // It comes back by itself.
        journals[1].fail(with: nil)
        let fresh = try other.send("GET", path)
        #expect(fresh.status == 200)
        #expect(fresh.text != stale.text)
    }

    @Test func theAgeOfThePublishedAnswer() throws {
        let path = "/v1/lists/l"
        let (gzip, node) = ([("Accept-Encoding", "gzip")], nodes[1])
        let plain = try other.send("GET", path)
        for (milliseconds, age) in [(0, "0"), (900, "0"), (1_000, "1"), (1_999, "1"), (70_000, "70"), (1_500, "1")] {
            let start = node.clock.withLock { $0 }
            _ = try other.send("GET", path)
            node.clock.withLock { $0 = start + milliseconds }
            for extra in [[], gzip] {
                let aged = try other.send("GET", path, Self.maxStale + extra)
                #expect(aged["Age"] == age)
                #expect(aged.body == plain.body)
                #expect(aged["ETag"] == plain["ETag"])
                #expect(aged["Vary"] == plain["Vary"])
                let condition = [("If-None-Match", plain["ETag"] ?? "")]
                let known = try other.send("GET", path, Self.maxStale + extra + condition)
                #expect(known.status == 304)
                #expect(known["Age"] == age)
            }
        }
        #expect(try other.send("GET", path)["Age"] == nil)
    }

    /// Whoever names a version gets no answer from an older state, also from memory.
    @Test func aVersionIsTheLeast() throws {
        let version = try star()
        #expect(version == "e1-2")
        let conditions: [(path: String, fields: [(String, String)])] = [
            ("/v1/lists/l?at=\(version)", []), ("/v1/lists/l/changes?since=e1-1&until=\(version)", []),
            ("/v1/lists/l/changes?since=\(version)", []), ("/v1/lists/l/changes?since=\(version)", Self.maxStale),
            ("/v1/lists/l?at=\(version)&limit=1&cursor=r1", Self.maxStale),
            ("/v1/lists/l", Self.maxStale + [("If-None-Match", "\"\(version)\"")]),
            ("/v1/lists/l/transactions?cursor=\(version)", Self.maxStale),
        ]
        for (path, fields) in conditions {
            let version = try star()
            let path = path.replacing("e1-2", with: version)
            let fields = fields.map { ($0.0, $0.1.replacing("e1-2", with: version)) }
            let reply = try other.send("GET", path, fields)
            #expect([200, 304, 422].contains(reply.status), "\(path): \(reply.text)")
            #expect(!reply.text.contains("reset"), "\(path)")
            #expect(try other.send("GET", "/v1/lists/l", Self.maxStale)["List-Version"] == version, "\(path)")
        }
    }

    /// The same for writes. None of these is refused because the server does not know the version yet.
    @Test func aWriteThatNamesALaterVersionIsNotRefused() throws {
        let writes: [(method: String, path: String, body: String, isMatch: Bool)] = [
            ("POST", "/items/a/star", "{}", true), ("POST", "/items/a/star", #"{"base":"VERSION"}"#, false),
            ("POST", "/reorders", #"{"base":"VERSION","sections":{"s":{"final":["a"]}}}"#, false),
            ("PUT", "", #"{"base":"VERSION","sections":[{"id":"s","items":["a"]}]}"#, false),
            ("POST", "/undo", #"{"transaction":"VERSION"}"#, false),
            ("POST", "/restore", #"{"version":"VERSION"}"#, false),
            ("POST", "/items/a/star?dryRun=true", #"{"base":"VERSION"}"#, false), ("DELETE", "", "{}", true),
        ]
        for (method, path, body, isMatch) in writes {
            let version = try star()
            let reply = try other.send(
                method, "/v1/lists/l\(path)", isMatch ? [("If-Match", "\"\(version)\"")] : [],
                json: body.replacing("VERSION", with: version))
            #expect([200, 204].contains(reply.status), "\(method) \(path) \(body): \(reply.text)")
        }
    }

    /// Pinned answers need no database, as long as the server has the version.
    @Test func aPinnedReadIsNotChecked() throws {
        _ = try star()
        #expect(try other.send("GET", "/v1/lists/l").status == 200)
        journals[1].fail(with: .away("no route"))
        for path in ["?at=e1-1", "?at=e1-2&limit=1", "/changes?since=e1-1&until=e1-2"] {
            let reply = try other.send("GET", "/v1/lists/l\(path)")
            #expect(reply.status == 200, "\(path)")
            #expect(reply["Age"] == nil)
            #expect(reply["Cache-Control"] == "max-age=31536000, immutable")
        }
        #expect(try other.send("GET", "/v1/lists/l?at=e1-3").status == 503)
        #expect(try other.send("GET", "/v1/lists/l?at=e9-1").status == 503)
        journals[1].fail(with: nil)
        #expect(try other.send("GET", "/v1/lists/l?at=e1-3").status == 404)
        #expect(try other.send("GET", "/v1/lists/l?at=e9-1").status == 410)
    }

    @Test func deletedListsAreChecked() throws {
        #expect(try one.send("DELETE", "/v1/lists/l").status == 204)
        #expect(!(try other.send("GET", "/v1/lists?deleted=true", Self.maxStale).text.contains(#""l""#)))
        #expect(try other.send("GET", "/v1/lists?deleted=true").text.contains(#""l""#))
        #expect(try other.send("GET", "/v1/lists/l").status == 404)
        #expect(!(try other.send("GET", "/v1/lists").text.contains(#""l""#)))
        journals[1].fail(with: .away("no route"))
        #expect(try other.send("GET", "/v1/lists?deleted=true").status == 503)
        nodes[1].clock.withLock { $0 += 7_000 }
        let stale = try other.send("GET", "/v1/lists?deleted=true", Self.maxStale)
        #expect(stale["Age"] == "7")
        #expect(stale.text.contains(#""l""#))
    }

    /// A long poll does not wait for what is there already.
    @Test func aLongPollIsCheckedAtItsBeginning() throws {
        let path = "/v1/lists/l/changes?since=e1-1&wait=50"
        #expect(try star() == "e1-2")
        #expect(try JSONValue(parsing: try other.send("GET", path).body)["to"] == "e1-2")
        journals[1].fail(with: .away("no route"))
        #expect(try other.send("GET", path).status == 503)
        #expect(try JSONValue(parsing: try other.send("GET", path, Self.maxStale).body)["to"] == "e1-2")
    }

    /// A stream begins where the other server is, and goes on without the database.
    @Test func aStreamIsCheckedAtItsBeginning() throws {
        for path in ["/v1/lists/l/changes?since=e1-1", "/v1/changes?list=l@e1-1"] {
            let version = try star()
            let events = try EventClient(port: nodes[1].server.port, path)
            #expect(try events.next()?.id.hasSuffix(version) == true, "\(path)")
        }
        journals[1].fail(with: .away("no route"))
        for path in ["/v1/lists/l/changes?since=e1-1", "/v1/changes?list=l@e1-1"] {
            let reply = try other.send("GET", path, [("Accept", "text/event-stream")])
            #expect(reply.status == 200)
            #expect(reply.text.contains("event: bye"), "\(path): \(reply.text)")
        }
    }

    @Test func manyReadersAreAnsweredByOneQuery() throws {
        let before = journals[1].asked.count
        journals[1].hold(.afterPlaces)
        let first = try RawSocket(port: nodes[1].server.port)
        let get = "GET /v1/lists/l HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try first.send(get)
        journals[1].waitForCaller(at: .afterPlaces)
        let version = try star()
        let sockets = try (0..<40).map { _ in try RawSocket(port: nodes[1].server.port) }
        for socket in sockets { try socket.send(get) }
        // They wait, or their bytes have arrived, when later requests on the same loop have been answered.
        for _ in 0..<4 { _ = try HTTPClient(port: nodes[1].server.port).send("GET", "/healthz") }
        journals[1].release(.afterPlaces)
        #expect(try first.readResponse().status == 200)
        for socket in sockets { #expect(try socket.readResponse()["List-Version"] == version) }
        #expect(journals[1].asked.count - before <= 3)
    }

    /// Readiness and health tell of this server, and the access book is looked for again and again. Nothing else that is
    /// read is left unchecked.
    @Test func everyReadSaysWhatItReads() {
        for endpoint in Endpoint.allCases {
            #expect(endpoint.method != .get || endpoint.reads != nil, "\(endpoint)")
            if case .list? = endpoint.reads { #expect(endpoint.template.hasPrefix("/v1/lists/{list}"), "\(endpoint)") }
            if endpoint.method == .get, endpoint.template.hasPrefix("/v1/lists/{list}") {
                guard case .list? = endpoint.reads else {
                    Issue.record("\(endpoint) reads a list")
                    continue
                }
            }
        }
        let unchecked = Endpoint.allCases.filter { endpoint in
            if case .nothing? = endpoint.reads { true } else { false }
        }
        #expect(
            unchecked == [
                .listEmoji, .listEmojiCategories, .listSamples, .listTokens, .getToken, .getAccess, .getHealth,
                .getReadiness, .getMetrics, .getContract, .getReference, .listProblems, .getProblem, .getPage,
                .getPageFile, .getClient, .getClientTypes,
            ])
        let checked = Set(Self.heads.map { $0.path.split(separator: "?")[0] })
        for endpoint in Endpoint.allCases where endpoint.method == .get {
            guard case .nothing? = endpoint.reads else {
                guard !endpoint.onlyStreams else { continue }
                let path = endpoint.template.replacing("{list}", with: "l").replacing("{section}", with: "s")
                    .replacing("{item}", with: "a")
                #expect(checked.contains(Substring(path)), "\(endpoint) is in no test above")
                continue
            }
        }
    }

    /// A server alone asks nobody, and `max-stale` changes nothing.
    @Test func aServerAloneChecksNothing() throws {
        let node = try ServerNode("e", over: MemoryJournal())
        #expect(try node.client.send("PUT", "/v1/lists/l", json: Self.list).status == 201)
        for (path, _) in Self.heads where !path.contains("since") {
            let plain = try node.client.send("GET", path)
            let stale = try node.client.send("GET", path, Self.maxStale)
            #expect(plain.status == 200)
            #expect(stale["Age"] == nil)
            #expect(stale.body == plain.body)
        }
    }

    /// The replay of a write names a version, too.
    @Test func aReplayHasItsChanges() throws {
        let write: (HTTPClient) throws -> RawResponse = { client in
            try client.send("POST", "/v1/lists/l/items/a/star", [("Idempotency-Key", "k")])
        }
        let first = try JSONValue(parsing: try write(one).body)
        let replay = try JSONValue(parsing: try write(other).body)
        #expect(first["changes"]?["to"] == "e1-2")
        #expect(replay["changes"] == first["changes"])
    }
}

/// Reads over two servers on PostgreSQL.
@Suite(.timeLimit(.minutes(Soak.hangMinutes))) struct CheckedPostgreSQLTests {
    @Test func aReadShowsWhatTheOtherWroteJustNow() throws {
        let journals = try TwoServersTests.Shared.postgreSQL.journals()
        let nodes = try zip(["e", "f"], journals).map { try ServerNode($0, over: $1) }
        let (one, other) = (nodes[0].client, nodes[1].client)
        #expect(try one.send("PUT", "/v1/lists/l", json: #"{"sections":[{"id":"s"}]}"#).status == 201)
        for number in 0..<200 {
            let (writer, reader) = number.isMultiple(of: 2) ? (one, other) : (other, one)
            let body = #"{"items":[{"id":"i\#(number)"}]}"#
            let version = try writer.send("POST", "/v1/lists/l/items", json: body)["List-Version"]
            #expect(try reader.send("GET", "/v1/lists/l")["List-Version"] == version)
        }
        let stale = try other.send("GET", "/v1/lists/l", [("Cache-Control", "max-stale=60")])
        #expect(stale.status == 200)
        #expect(stale["Age"] == "0")
    }
}
