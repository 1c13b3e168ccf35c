import JSONValue
import Microhttpd
import TestSupport
import Testing
import Texts

@testable import ListAPI

/// The words about caches in answers and in requests.
@Suite struct CachingTests {
    private static let shared = "max-age=0, must-revalidate, s-maxage=7"
    private static let lasting = "max-age=31536000, immutable"

    private static func harness(_ seconds: Int, origins: API.Configuration.Origins = .none) throws -> Harness {
        try Harness(keepsDeletedLists: true, origins: origins, sharedCacheSeconds: seconds)
    }

    /// Of a server that lets shared caches answer, and of one that does not.
    @Test(arguments: [0, 7]) func aReadSaysHowLongItHolds(seconds: Int) throws {
        let harness = try Self.harness(seconds)
        #expect(try harness.ask("POST", "/v1/lists/l/items/a/star").status == 200)
        let head = seconds == 0 ? "no-cache" : Self.shared
        let paths: [(path: String, caching: String)] = [
            ("/v1/lists", head), ("/v1/lists?filter=l", head), ("/v1/lists?deleted=true", head), ("/v1/lists/l", head),
            ("/v1/lists/l?view=visible", head), ("/v1/lists/l?limit=2", head), ("/v1/lists/l/sections/s", head),
            ("/v1/lists/l/sections/s?starred=true", head), ("/v1/lists/l/items/a", head),
            ("/v1/lists/l/transactions", head), ("/v1/lists/l/changes", head),
            ("/v1/lists/l/changes?since=e1-1", head), ("/v1/lists/l/changes?since=e9-1", head),
            ("/v1/lists/l/changes?since=e1-2", "no-cache"), ("/v1/lists/l/changes?until=e1-2", head),
            ("/v1/lists/l/changes?since=e1-1&until=e1-2", Self.lasting),
            ("/v1/lists/l/changes?since=e1-2&until=e1-2", Self.lasting), ("/v1/lists/l?at=e1-1", Self.lasting),
            ("/v1/lists/l?at=e1-1&view=visible", Self.lasting),
            ("/v1/lists/l?at=e1-1&limit=1&cursor=r1", Self.lasting), ("/v1/lists/l?at=e1-1&around=a", Self.lasting),
            ("/v1/lists/x", "no-cache"), ("/v1/lists/l/items/x", "no-cache"), ("/v1/lists/l?at=e1-9", "no-cache"),
            ("/v1/lists/l?at=e9-1", "no-cache"), ("/v1/samples", "no-cache"), ("/healthz", "no-cache"),
            ("/readyz", "no-cache"), ("/openapi.yaml", "no-cache"), ("/problems", "no-cache"),
        ]
        for (path, caching) in paths {
            let reply = try harness.ask("GET", path)
            #expect(reply["Cache-Control"] == caching, "\(path)")
            #expect(reply["Vary"] == "Accept, Accept-Encoding, Prefer", "\(path)")
            // A 304 says the same, because a cache takes its fields over (RFC 9111, section 3.2).
            guard let tag = reply["ETag"], path.hasPrefix("/v1") else { continue }
            let known = try harness.ask("GET", path, ["If-None-Match": tag])
            if known.status == 304 { #expect(known["Cache-Control"] == caching, "\(path)") }
        }
    }

    /// An answer for a page of another origin is no answer for others, also in a cache.
    @Test func aSharedAnswerNamesTheOriginThatItDependsOn() throws {
        let harness = try Self.harness(7, origins: .any)
        for fields in [[:], ["Origin": "https://a.example"], ["Accept-Encoding": "gzip"], ["X-Request-Id": "r"]] {
            let reply = try harness.ask("GET", "/v1/lists/l", fields)
            #expect(reply["Vary"]?.contains("Origin") == true)
            #expect(reply["Cache-Control"] == Self.shared)
        }
    }

    /// The anchor of this window comes and goes, so the window of a past version is not always the same.
    @Test func aWindowAroundAnItemThatIsNotThereMayChange() throws {
        let harness = try Self.harness(0)
        #expect(try harness.ask("DELETE", "/v1/lists/l/items/b").status == 200)
        let reply = try harness.ask("GET", "/v1/lists/l?at=e1-2&around=b")
        #expect(reply.status == 200)
        #expect(reply["Cache-Control"] == "no-cache")
    }

    @Test func aLongPollWithoutChangesIsKeptByNobody() throws {
        try Self.harness(7).serve { port, client, _ in
            let empty = try client.send("GET", "/v1/lists/l/changes?since=e1-1&wait=1")
            #expect(empty.status == 200)
            #expect(empty["Cache-Control"] == "no-store")
            let socket = try RawSocket(port: port)
            try socket.send("GET /v1/lists/l/changes?since=e1-1&wait=50 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.send("POST", "/v1/lists/l/items/a/star").status == 200)
            #expect(try socket.readResponse()["Cache-Control"] == Self.shared)
        }
    }

    private static let directives: [(field: String, seconds: Int?)] = [
        ("max-stale", staleSecondsLimit), ("max-stale=5", 5), ("MAX-Stale=0", 0), ("no-cache, max-stale=60", 60),
        ("max-stale=5 , no-store", 5), (" \t max-stale=07\t", 7),
        ("max-stale=99999999999999999999999", staleSecondsLimit),
        (#"private="a, max-stale=1", max-stale=2"#, 2), (#"x="\", max-stale=1""#, nil), ("max-stale=", nil),
        ("max-stale=-1", nil), ("max-stale=1.5", nil), (#"max-stale="5""#, nil), ("max-stale = 5", nil),
        ("max-stale=5s", nil), ("max-stales=5", nil), ("xmax-stale=5", nil), ("max-age=5", nil), ("", nil), (",,", nil),
        ("max-stale=x, max-stale=3", nil), ("max-stale;5", nil),
    ]

    @Test(arguments: directives)
    func maxStale(_ field: String, seconds: Int?) {
        #expect(staleSeconds(in: ByteText(field)) == seconds)
    }
}
