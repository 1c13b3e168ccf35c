import HTTPTypes
import JSONValue
import Threads
import Microhttpd
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// The fields and bodies of answers to reads and to odd requests.
@Suite struct ReplyTests {
    @Test func aServedSnapshotCanBePutBack() throws {
        let harness = try Harness()
        let served = try harness.ask("GET", "/v1/lists/l").text
        let reply = try harness.ask("PUT", "/v1/lists/l", Harness.json, served)
        #expect(reply.json["changed"] == false, "\(reply.text)")
        let section = try harness.ask("GET", "/v1/lists/l/sections/s").text
        #expect(try harness.ask("PUT", "/v1/lists/l/sections/s", Harness.json, section).json["changed"] == false)
        let partial = try harness.ask("GET", "/v1/lists/l?view=visible").text
        #expect(try harness.ask("PUT", "/v1/lists/l", Harness.json, partial).code == "partial_snapshot")
    }

    /// An answer that is published and one that is made for the request have the same bytes. The published one is
    /// current after every write.
    @Test func publishedAnswersAreCurrent() throws {
        let harness = try Harness()
        for version in 2...4 {
            let short = try harness.ask("GET", "/v1/lists/l")
            let again = try harness.ask("GET", "/v1/lists/l")
            let long = try harness.ask("GET", "/v1/lists/l?view=items")
            #expect(short.response === again.response)
            #expect(short.text == long.text)
            #expect(short.response.fields == long.response.fields)
            #expect(try harness.ask("POST", "/v1/lists/l/items/a/star")["List-Version"] == "e1-\(version)")
        }
    }

    @Test func everyReadSaysHowItMayBeKept() throws {
        let targets = ["/v1/lists", "/v1/lists/l", "/v1/lists/l/items/a", "/v1/emoji", "/healthz", "/v1/lists/none"]
        for target in targets {
            let reply = try Harness().ask("GET", target)
            #expect(reply["Cache-Control"] == "no-cache", "\(target)")
            #expect(reply["X-Content-Type-Options"] == "nosniff", "\(target)")
            #expect(reply["Vary"] == "Accept, Accept-Encoding, Prefer", "\(target)")
        }
    }

    @Test func pagesOfListsFollowEachOther() throws {
        let harness = try Harness(lists: ["c", "a", "b"])
        var ids: [String] = []
        var target: String? = "/v1/lists?limit=2"
        while let next = target {
            let reply = try harness.ask("GET", next)
            ids += (0..<2).compactMap { reply.json["lists"]?[$0]?["id"]?.string }
            target = reply["Link"].map { link in String(link.dropFirst().prefix { $0 != ">" }) }
        }
        #expect(ids == ["a", "b", "c"])
    }

    @Test func anItemIsFoundByItsEncodedId() throws {
        let harness = try Harness()
        let id = "é/ü %?"
        let added = try harness.ask("POST", "/v1/lists/l/items", Harness.json, #"{"items":[{"id":"\#(id)"}]}"#)
        #expect(added.status == 200)
        let reply = try harness.ask("GET", "/v1/lists/l/items/%C3%A9%2F%C3%BC%20%25%3F")
        #expect(reply.json["id"] == .string(id))
        #expect(reply.json["list"] == "l")
        #expect(reply.json["section"] == "t")
        #expect(reply.json["index"] == 0)
    }

    @Test func lostHistoryResets() throws {
        let harness = try Harness()
        for _ in 0..<12 { _ = try harness.ask("POST", "/v1/lists/l/items/a/star") }
        let kept = try harness.ask("GET", "/v1/lists/l/changes?since=e1-3")
        #expect(kept.json["from"] == "e1-3")
        let lost = try harness.ask("GET", "/v1/lists/l/changes?since=e1-1")
        #expect(lost.json["reset"] == true)
        #expect(lost["List-Version"] == "e1-13")
        #expect(try harness.ask("GET", "/v1/lists/l/changes?since=e1-99").json["reset"] == true)
        let strict = ["Prefer": "handling=strict"]
        #expect(try harness.ask("GET", "/v1/lists/l/changes?since=e1-1", strict).status == 410)
        let good = try harness.ask("GET", "/v1/lists/l/changes?since=e1-13", strict)
        #expect(good["Preference-Applied"] == "handling=strict")
    }

    @Test func requestIdsComeBack() throws {
        let harness = try Harness()
        for target in ["/v1/lists/l", "/v1/lists", "/v1/none"] {
            #expect(try harness.ask("GET", target, ["X-Request-Id": "mine"])["X-Request-Id"] == "mine", "\(target)")
        }
        #expect(try harness.ask("GET", "/v1/lists/l")["X-Request-Id"] == nil)
        #expect(try harness.ask("GET", "/v1/none", ["X-Request-Id": "not fit"])["X-Request-Id"] == "made")
    }

    @Test func requestsAreObserved() throws {
        let seen = Locked<[String]>([])
        let harness = try Harness { event in
            let code = event.code?.rawValue ?? ""
            seen.withLock { $0.append("\(event.method?.rawValue ?? "-") \(event.path) \(event.status.code) \(code)") }
        }
        _ = try harness.ask("GET", "/v1/lists/l")
        _ = try harness.ask("GET", "/v1/lists/none")
        #expect(
            seen.withLock { $0 } == [
                "PUT /v1/lists/l 201 ", "GET /v1/lists/l 200 ", "GET /v1/lists/none 404 not_found",
            ])
    }
}

/// Cross-origin requests under each configuration.
@Suite struct OriginTests {
    private let origin = ["Origin": "https://a.example"]

    @Test func nobodyByDefault() throws {
        let reply = try Harness().ask("GET", "/v1/lists/l", origin)
        #expect(reply["Access-Control-Allow-Origin"] == nil)
        #expect(reply["Vary"]?.contains("Origin") == false)
    }

    @Test(arguments: ["/v1/lists/l", "/v1/lists", "/v1/none"])
    func theNamedMayRead(_ target: String) throws {
        let harness = try Harness(origins: .these(["https://a.example"]))
        let reply = try harness.ask("GET", target, origin)
        #expect(reply["Access-Control-Allow-Origin"] == "https://a.example")
        #expect(reply["Access-Control-Expose-Headers"]?.contains("List-Version") == true)
        #expect(reply["Vary"]?.contains("Origin") == true)
        let other = try harness.ask("GET", target, ["Origin": "https://b.example"])
        #expect(other["Access-Control-Allow-Origin"] == nil)
        #expect(other["Vary"]?.contains("Origin") == true)
        let noPage = try harness.ask("GET", target)
        #expect(noPage["Access-Control-Allow-Origin"] == nil)
        #expect(noPage["Vary"]?.contains("Origin") == true)
    }

    @Test func anyoneMayAskBefore() throws {
        let preflight = origin.merging(["Access-Control-Request-Method": "PUT"]) { $1 }
        let reply = try Harness(origins: .any).ask("OPTIONS", "/v1/lists/l", preflight)
        #expect(reply.status == 204)
        #expect(reply["Access-Control-Allow-Origin"] == "*")
        #expect(reply["Access-Control-Allow-Methods"]?.contains("PUT") == true)
        #expect(reply["Access-Control-Allow-Headers"]?.contains("Idempotency-Key") == true)
        #expect(reply["Access-Control-Allow-Headers"]?.contains("Authorization") == true)
    }
}
