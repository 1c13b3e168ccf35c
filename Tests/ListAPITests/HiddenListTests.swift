import Access
import HTTPTypes
import JSONValue
import ListModel
import ListStore
import Microhttpd
import TestSupport
import Testing
import Texts
import Threads

@testable import ListAPI

/// No answer tells of a list that its reader may not see.
@Suite(.timeLimit(.minutes(Soak.hangMinutes))) struct HiddenListTests {
    private static let tokens: [(name: ByteText, lists: ByteText, rights: Rights)] = [
        ("admin", "*", .administer), ("none", "zz-none", .read), ("some", "*-x", .read), ("team", "team-*", .read),
        ("one", "a", .read), ("writer", "*", .write), ("maker", "*", .create),
    ]

    /// A gate with these tokens.
    private static func gate(
        over store: any BookStore = BookInMemory(), clock: @escaping @Sendable () -> Int = { 0 }
    ) throws -> Gate {
        let gate = try Gate(
            store, tickets: TicketsOfProcess(), issuer: nil, clock: clock, random: { Int.random(in: 0..<$0) },
            audit: nil)
        for token in tokens {
            try gate.add(token.name, secret: Guarded.secret(token.name), token.rights, on: token.lists)
        }
        return gate
    }

    private static func reading(_ list: ByteText) throws -> Grants {
        let pattern = try #require(ListPattern(list))
        let grant = try #require(Grant([pattern], .read))
        return try #require(Grants([grant]))
    }

    private static func fields(_ token: String) -> [String: String] {
        ["Authorization": "Bearer \(Guarded.secret(ByteText(token)))"]
    }

    private static func ids(_ answer: RawResponse) throws -> [String] {
        parts(try JSONValue(parsing: answer.body)["lists"]).compactMap { $0["id"]?.string }
    }

    // MARK: Pages

    @Test(arguments: [
        ("none", []), ("one", ["a"]), ("some", ["m-x", "team-x"]), ("team", ["team-1", "team-2", "team-x"]),
        ("admin", ["a", "b", "m-x", "team-1", "team-2", "team-x", "tean", "z"]),
    ])
    func pagesNameOnlySeenLists(token: String, seen: [String]) throws {
        try Guarded.serve(tokens: Self.tokens) { served in
            for list in ["m-x", "team-1", "team-2", "team-x", "tean", "z"] {
                let made = try served.client.send("PUT", "/v1/lists/\(list)", served.header("admin"), json: "{}")
                try #require(made.status == 201)
            }
            for query in ["limit=1", "limit=2", "limit=9", "filter=&limit=1", "filter=x&limit=1"] {
                var target: String? = "/v1/lists?\(query)"
                var found: [String] = []
                while let next = target {
                    let answer = try served.client.send("GET", next, served.header(token))
                    try #require(answer.status == 200)
                    let page = try Self.ids(answer)
                    found += page
                    target = answer["Link"].map { String($0.split(separator: ">")[0].dropFirst()) }
                    let cursor = target.flatMap { $0.split(separator: "cursor=").last.map(String.init) }
                    #expect(cursor.map(seen.contains) ?? true, "\(token): \(String(describing: cursor))")
                    // There is a next page only for a list that its reader sees.
                    #expect(cursor == nil || cursor != seen.last, "\(token) \(query)")
                }
                #expect(found == (query.contains("filter=x") ? seen.filter { $0.contains("x") } : seen))
            }
            // A cursor can be any id, and tells nothing either.
            let guessed = try served.client.send("GET", "/v1/lists?limit=1&cursor=b", served.header("none"))
            #expect(guessed.text == #"{"lists":[]}"# && guessed["Link"] == nil)
        }
    }

    /// More lists than a request looks at are hidden.
    @Test func manyHiddenListsAreNotNamed() throws {
        try Guarded.serve(tokens: Self.tokens, workers: 0) { served in
            for number in 0..<1_100 {
                let body = #"{"id":"secret-\#(number)"}"#
                try #require(
                    try served.client.send("POST", "/v1/lists", served.header("admin"), json: body).status == 201)
            }
            for token in ["none", "some"] {
                let answer = try served.client.send("GET", "/v1/lists", served.header(token))
                #expect(answer.text == #"{"lists":[]}"# && answer["Link"] == nil, "\(answer["Link"] ?? "")")
            }
            let one = try served.client.send("GET", "/v1/lists?limit=1", served.header("one"))
            #expect(try Self.ids(one) == ["a"] && one["Link"] == nil)
        }
    }

    // MARK: Writes

    /// The answer depends on the rights before it depends on whether the list is there.
    @Test func rightsComeBeforeConditions() throws {
        let rows: [(token: String, list: String, field: (String, String)?, query: String, status: Int)] = [
            ("writer", "new", nil, "", 403), ("writer", "new", nil, "?dryRun=true", 403),
            ("writer", "new", ("If-Match", #""e1-1""#), "", 403), ("writer", "new", ("If-None-Match", "*"), "", 403),
            ("maker", "a", ("If-None-Match", "*"), "", 412),
            ("maker", "a", ("If-None-Match", "*"), "?dryRun=true", 412),
            ("maker", "a", nil, "", 403), ("maker", "a", nil, "?dryRun=true", 403),
            ("maker", "a", ("If-Match", #""e9-1""#), "", 403), ("maker", "new", nil, "?dryRun=true", 200),
            ("writer", "a", ("If-None-Match", "*"), "", 412), ("one", "a", ("If-None-Match", "*"), "", 403),
        ]
        try Guarded.serve(tokens: Self.tokens) { served in
            for row in rows {
                let fields = served.header(row.token) + (row.field.map { [$0] } ?? [])
                let answer = try served.client.send("PUT", "/v1/lists/\(row.list)\(row.query)", fields, json: "{}")
                #expect(answer.status == row.status, "\(row): \(answer.text)")
            }
        }
    }

    // MARK: Subscriptions

    @Test func aSubscriptionNeedsASeenList() throws {
        let rows: [(token: String?, lists: String, status: Int)] = [
            ("one", #"{"list":"b"}"#, 404), ("one", #"{"list":"no"}"#, 404), (nil, #"{"list":"a"}"#, 401),
            ("none", #"{"list":"a"},{"list":"b"}"#, 404), ("one", #"{"list":"b"},{"list":"a"}"#, 201),
            ("admin", #"{"list":"no"}"#, 201),
        ]
        try Guarded.serve(tokens: Self.tokens) { served in
            // Whoever has no token has a right on another list, and so gets as far as this.
            let grants = try Self.reading("p")
            try served.gate.keeper?.change { book throws(AccessError) in book.set(grants, of: .anonymous) }
            for row in rows {
                let fields = (row.token.map(served.header) ?? []) + [("Prefer", "respond-async")]
                let answer = try served.client.send("POST", "/v1/changes", fields, json: #"{"lists":[\#(row.lists)]}"#)
                #expect(answer.status == row.status, "\(row): \(answer.text)")
            }
        }
    }

    /// The storage is asked about no list that the caller may not read.
    @Test func hiddenListsAreNotLookedUp() throws {
        let journal = WatchedJournal(over: MemoryJournal(fault: .givesNoHints))
        let node = try ServerNode("e", over: journal, gate: Self.gate())
        let fields = Self.fields("one").map { ($0.key, $0.value) }
        let admin = Self.fields("admin").map { ($0.key, $0.value) }
        for list in ["a", "b"] {
            try #require(try node.client.send("PUT", "/v1/lists/\(list)", admin, json: "{}").status == 201)
        }
        let before = journal.asked.count
        let events = [("Accept", "text/event-stream")]
        #expect(try node.client.send("HEAD", "/v1/changes?list=a&list=b", fields + events).status == 200)
        let made = try node.client.send(
            "POST", "/v1/changes", fields + [("Prefer", "respond-async")],
            json: #"{"lists":[{"list":"a"},{"list":"b"}]}"#)
        let place = try #require(made["Location"])
        #expect(try node.client.send("HEAD", place, fields + events).status == 200)
        _ = try node.client.send("GET", "/v1/lists", fields)
        let asked = journal.asked.dropFirst(before).joined()
        #expect(asked.contains(ListID("a")!) && !asked.contains(ListID("b")!), "\(Array(asked))")
    }

    /// A list that was for everybody when a client began to wait is private when it is answered.
    @Test func aLongPollIsPrivateIfItsListIsThen() throws {
        try Guarded.serve { served in
            let grants = try Self.reading("a")
            try served.gate.keeper?.change { book throws(AccessError) in book.set(grants, of: .anonymous) }
            let list = try served.client.send("GET", "/v1/lists/a")
            try #require(list.status == 200 && list["Cache-Control"]?.contains("private") == false)
            let version = try #require(list["List-Version"])
            let target = "/v1/lists/a/changes?since=\(version)&wait=55"
            let answer = try LongPollTests().asking(target, served.header("reader"), port: served.port) {
                // The one loop has the request by the time that it has answered this one.
                try #require(try served.client.send("GET", "/healthz").status == 200)
                try served.gate.keeper?.change { book throws(AccessError) in book.set(.none, of: .anonymous) }
                try served.star("a")
            }
            #expect(answer.status == 200)
            #expect(answer["Cache-Control"]?.contains("private") == true)
        }
    }

    /// `HEAD` says of a stream what `GET` says.
    @Test(arguments: ["/v1/lists/a/changes", "/v1/changes?list=a&list=b"])
    func theHeadOfAStreamIsPrivate(target: String) throws {
        try Guarded.serve { served in
            let fields = served.header("reader")
            let head = try served.client.send("HEAD", target, fields + [("Accept", "text/event-stream")])
            let stream = try EventClient(port: served.port, target, fields)
            for answer in [head, stream.head] {
                #expect(answer.status == 200)
                #expect(answer["Cache-Control"] == "private, no-cache, no-transform")
            }
        }
    }

    // MARK: Readiness

    /// A journal with one list, which is damaged.
    private final class DamagedJournal: PartialJournal {
        func lists(after id: ListID?, limit: Int) -> [ListID] { [ListID("l")!] }
        func load(
            _ list: ListID, after place: LogPlace?, snapshot: (SnapshotPart) throws -> Void,
            entry: (JournalEntry) throws -> Void
        ) throws -> LogPlace? {
            throw JournalError.corrupt("chunk 1")
        }
    }

    @Test func readinessNamesListsToAdministratorsOnly() throws {
        let harness = try Harness(over: DamagedJournal(), Self.gate())
        _ = try harness.ask("GET", "/v1/lists/l", Self.fields("admin"))
        let named = #"{"status":"ok","unreadable":["l"]}"#
        let counted = #"{"status":"ok","unreadableCount":1}"#
        for (fields, text) in [
            (Self.fields("admin"), named), (Self.fields("one"), counted), (Self.fields("writer"), counted),
            ([:], counted),
            (["Authorization": "Bearer x"], counted), (["Authorization": "Basic x"], counted),
        ] {
            let ready = try harness.ask("GET", "/readyz", fields)
            #expect(ready.status == 200 && ready.text == text, "\(fields): \(ready.text)")
            #expect(ready["Cache-Control"]?.contains("private") == true)
        }
    }

    /// A book that others replace and that may not be there.
    private final class OthersBook: BookStore {
        let bytes = Locked<[UInt8]?>(nil)
        let fails = Locked(false)

        var isShared: Bool { true }

        func read() throws(BookStoreError) -> [UInt8]? {
            guard !fails.withLock({ $0 }) else { throw BookStoreError(cause: "away") }
            return bytes.withLock { $0 }
        }

        func replace(_ old: [UInt8]?, by new: [UInt8]) throws(BookStoreError) -> Bool {
            bytes.withLock { $0 = new }
            return true
        }
    }

    @Test(arguments: [false, true]) func aServerWithoutTheNewestBookIsNotReady(isCorrupt: Bool) throws {
        let (now, store) = (Locked(1_000), OthersBook())
        let gate = try Self.gate(over: store, clock: { now.withLock { $0 } })
        let harness = try Harness(over: DamagedJournal(), gate)
        let good = store.bytes.withLock { $0 }
        func look(after seconds: Int) throws -> Reply {
            now.withLock { $0 += seconds }
            try? gate.keeper?.look()
            return try harness.ask("GET", "/readyz")
        }
        #expect(try look(after: 1).status == 200)
        if isCorrupt { store.bytes.withLock { $0 = Array("{}".utf8) } } else { store.fails.withLock { $0 = true } }
        #expect(try look(after: 600).status == 200)
        #expect(try look(after: 60).status == 200)
        for _ in 0..<2 {
            let answer = try look(after: 1)
            #expect(answer.status == 503 && answer.code == "unavailable" && answer["Retry-After"] == "5")
            #expect(answer.text.contains(#""reason":"tokens_unread""#))
            #expect(!harness.api.isReady)
            #expect(try harness.ask("GET", "/healthz").status == 200)
        }
        store.bytes.withLock { $0 = good }
        store.fails.withLock { $0 = false }
        #expect(try look(after: 1).status == 200)
    }
}
