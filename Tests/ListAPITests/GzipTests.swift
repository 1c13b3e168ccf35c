import Gzip
import HTTPTypes
import JSONValue
import Microhttpd
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// The answers that come as gzip, and their fields.
@Suite struct GzipTests {
    /// A harness with a list at `e1-1` whose snapshot is long enough for gzip.
    private func harness(origins: API.Configuration.Origins = .none) throws -> Harness {
        let harness = try Harness(lists: [], origins: origins)
        let items = (0..<18).map { #"{"id":"i\#($0)","content":{"text":"the same words in every item"}}"# }
        let body = #"{"title":"L","sections":[{"id":"s","items":[\#(items.joined(separator: ","))]}]}"#
        #expect(try harness.ask("PUT", "/v1/lists/l", Harness.json, body).status == 201)
        return harness
    }

    private static let wanted = ["Accept-Encoding": "gzip"]

    static let codings: [(String, Bool)] = [
        ("gzip", true), ("GZip", true), ("x-gzip", true), ("*", true), ("gzip, deflate, br, zstd", true),
        ("br;q=1.0, gzip;q=0.8, *;q=0.1", true), ("deflate,\tgzip ; q=0.001", true), ("gzip;q=1.000", true),
        ("gzip;Q=1", true), ("identity, gzip", true), ("identity;q=0.5, gzip;q=0.5", true), ("identity;q=0, *", true),
        ("gzip;", true), (",, gzip ,", true), ("*;q=0, gzip", true), ("gzip, gzip;q=0", true),
        ("", false), ("identity", false), ("br", false), ("gzip;q=0", false), ("gzip;q=0.000", false),
        ("*;q=0", false), ("*, gzip;q=0", false), ("identity, gzip;q=0.5", false), ("identity, *;q=0.9", false),
        ("identity;q=0", false), ("gzipped", false), ("gzi", false), ("gzip;q=2", false), ("gzip;q=1.001", false),
        ("gzip;q=0.0001", false), ("gzip;q=", false), ("gzip;q=.5", false), ("gzip;q=0,5", false),
        ("gzip;q=-1", false), ("gzip;level=1", false), ("\n", false), ("gzip;q=0, gzip", false),
    ]

    @Test(arguments: codings)
    func comesIfWanted(_ value: String, _ isCoded: Bool) throws {
        let harness = try harness()
        for target in ["/v1/lists/l", "/v1/lists/l?view=items"] {
            let reply = try harness.ask("GET", target, ["Accept-Encoding": value])
            #expect(reply["Content-Encoding"] == (isCoded ? "gzip" : nil), "\(target)")
            #expect(reply["ETag"] == (isCoded ? "\"e1-1+gzip\"" : "\"e1-1\""), "\(target)")
        }
    }

    static let reads = [
        "/v1/lists/l", "/v1/lists/l?view=visible", "/v1/lists/l/sections/s", "/v1/lists/l/changes", "/v1/emoji",
        "/openapi.yaml",
    ]

    @Test(arguments: reads)
    func standsForTheSameBytes(_ target: String) throws {
        let harness = try harness()
        let plain = try harness.ask("GET", target)
        let coded = try harness.ask("GET", target, Self.wanted)
        #expect(plain["Content-Encoding"] == nil)
        #expect(coded["Content-Encoding"] == "gzip")
        #expect(coded.response.body.count < plain.response.body.count)
        #expect(try gunzipped(coded.response.body) == plain.response.body)
        #expect(coded["List-Version"] == plain["List-Version"])
        for name in ["Content-Type", "Vary", "Cache-Control", "X-Content-Type-Options"] {
            #expect(coded[name] == plain[name])
        }
        let head = try harness.ask("HEAD", target, Self.wanted)
        #expect(head.response.fields == coded.response.fields)
    }

    /// An answer that is published and one that is made for the request have the same bytes. The published one is
    /// current after every write.
    @Test func publishedAnswersAreCurrent() throws {
        let harness = try harness()
        for version in 2...4 {
            let short = try harness.ask("GET", "/v1/lists/l", Self.wanted)
            let again = try harness.ask("GET", "/v1/lists/l", Self.wanted)
            let long = try harness.ask("GET", "/v1/lists/l?view=items", Self.wanted)
            #expect(short.response === again.response)
            #expect(short.response.body == long.response.body)
            #expect(Set(short.response.fields) == Set(long.response.fields))
            #expect(try harness.ask("GET", "/v1/lists/l")["ETag"] == "\"e1-\(version - 1)\"")
            #expect(try harness.ask("POST", "/v1/lists/l/items/i3/star")["List-Version"] == "e1-\(version)")
        }
    }

    @Test(arguments: ["/v1/lists/l", "/v1/lists/l?view=visible", "/v1/lists/l/sections/s"])
    func notModifiedHasTheTagOfItsAnswer(_ target: String) throws {
        let harness = try harness()
        for tag in ["\"e1-1\"", "\"e1-1+gzip\"", "W/\"e1-1\"", "W/\"e1-1+gzip\"", "\"x\", \"e1-1+gzip\"", "*"] {
            for method in ["GET", "HEAD"] {
                let plain = try harness.ask(method, target, ["If-None-Match": tag])
                #expect(plain.status == 304)
                #expect(plain["ETag"] == "\"e1-1\"", "\(tag)")
                let coded = try harness.ask(method, target, ["If-None-Match": tag, "Accept-Encoding": "gzip"])
                #expect(coded.status == 304)
                #expect(coded["ETag"] == "\"e1-1+gzip\"", "\(tag)")
                #expect(coded["List-Version"] == "e1-1")
                #expect(coded["Vary"] == "Accept, Accept-Encoding, Prefer")
                #expect(coded["Content-Encoding"] == nil)
            }
        }
        let other = ["If-None-Match": "\"e1-2+gzip\"", "Accept-Encoding": "gzip"]
        #expect(try harness.ask("GET", target, other).status == 200)
    }

    @Test(arguments: ["/v1/lists/l", "/v1/lists/l?view=items", "/v1/lists/l/items/a", "/v1/lists", "/healthz"])
    func shortAnswersStayPlain(_ target: String) throws {
        let harness = try Harness()
        let plain = try harness.ask("GET", target)
        let reply = try harness.ask("GET", target, Self.wanted)
        #expect(plain.response.body.count < 1024)
        #expect(reply.response.body == plain.response.body)
        #expect(reply.response.fields == plain.response.fields)
        guard let tag = plain["ETag"] else { return }
        let known = Self.wanted.merging(["If-None-Match": tag]) { $1 }
        #expect(try harness.ask("GET", target, known)["ETag"] == tag)
    }

    @Test func longEnoughIsFrom1024Bytes() throws {
        let bytes = [UInt8](repeating: 7, count: 1024)
        #expect(worthwhileGzip(Array(bytes.dropLast())) == nil)
        #expect(try gunzipped(#require(worthwhileGzip(bytes))) == bytes)
    }

    @Test func writesAndProblemsStayPlain() throws {
        let harness = try harness()
        let served = try harness.ask("GET", "/v1/lists/l").text
        let fields = Harness.json.merging(Self.wanted) { $1 }
        let shuffled = served.replacing("the same words", with: "other words")
        let written = try harness.ask("PUT", "/v1/lists/l", fields, shuffled)
        #expect(written.json["changed"] == true, "\(written.text)")
        #expect(written.response.body.count >= 1024)
        #expect(written["ETag"] == "\"e1-2\"")
        let late = try harness.ask("PUT", "/v1/lists/l", fields.merging(["If-Match": "\"e1-1\""]) { $1 }, shuffled)
        #expect(late.status == 412)
        #expect(late.response.body.count >= 1024)
        #expect(late["Content-Encoding"] == nil)
    }

    /// The tag of a coded answer is as good as the plain tag in the precondition of a write.
    @Test func ifMatchTakesTheTagOfACodedAnswer() throws {
        let harness = try harness()
        let tag = try #require(try harness.ask("GET", "/v1/lists/l", Self.wanted)["ETag"])
        #expect(try harness.ask("POST", "/v1/lists/l/items/i1/star", ["If-Match": tag]).status == 200)
        #expect(try harness.ask("POST", "/v1/lists/l/items/i1/star", ["If-Match": tag]).status == 412)
    }

    @Test func aPageGetsItToo() throws {
        let harness = try harness(origins: .any)
        let reply = try harness.ask("GET", "/v1/lists/l", ["Accept-Encoding": "gzip", "Origin": "https://a.example"])
        #expect(reply["Content-Encoding"] == "gzip")
        #expect(reply["Access-Control-Allow-Origin"] == "*")
        // An answer to a request without an origin must not be reused for a page.
        for fields in [Self.wanted, Self.wanted.merging(["If-None-Match": "\"e1-1+gzip\""]) { $1 }] {
            let other = try harness.ask("GET", "/v1/lists/l", fields)
            #expect(other["ETag"] == "\"e1-1+gzip\"")
            #expect(other["Vary"]?.contains("Origin") == true)
        }
    }

    /// Bytes of every length and kind: the result is smaller and can be undone, or there is no result.
    @Test func roundTrips() throws {
        var generator = SeededGenerator(seed: 1952)
        var refusedCount = 0
        for count in Array(0...40) + [1_000, 65_535, 65_536, 300_000] {
            for kinds in [1, 4, 256] {
                let bytes = (0..<count).map { _ in UInt8(Int.random(in: 0..<kinds, using: &generator)) }
                guard let coded = gzip(bytes) else {
                    refusedCount += 1
                    #expect(count <= 40 || kinds == 256, "\(count) bytes of \(kinds) kinds")
                    continue
                }
                #expect(coded.count < count)
                #expect(try gunzipped(coded) == bytes)
            }
        }
        #expect(refusedCount > 0)
    }
}
