import JSONValue
import Microhttpd
import TestSupport
import Testing

/// Requests for changes that wait for a change.
@Suite struct LongPollTests {
    private static let since = "/v1/lists/l/changes?since=e1-1"
    /// The counts of the list of the harness.
    private static let counts = #""counts":{"sections":2,"items":4,"visibleItems":3}"#

    func asking(
        _ target: String, _ fields: [(String, String)] = [], port: UInt16, while body: () throws -> Void
    ) throws -> RawResponse {
        let socket = try RawSocket(port: port)
        let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        try socket.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(lines)\r\n")
        try body()
        return try socket.readResponse()
    }

    @Test(arguments: [false, true]) func theFirstChangeIsTheAnswer(byPreference: Bool) throws {
        try Harness().serve { port, client, _ in
            let target = byPreference ? Self.since : Self.since + "&wait=55"
            let answer = try asking(target, byPreference ? [("Prefer", "wait=99")] : [], port: port) {
                try #require(try client.send("POST", "/v1/lists/l/items/a/star").status == 200)
            }
            #expect(answer.status == 200)
            #expect(answer["ETag"] == "\"e1-2\"")
            #expect(answer["Preference-Applied"] == (byPreference ? "wait=55" : nil))
            let json = try JSONValue(parsing: answer.body)
            #expect(json["from"] == "e1-1")
            #expect(json["to"] == "e1-2")
            #expect(json["items"]?["reconfigured"]?.elements.count == 1)
        }
    }

    @Test func whoeverIsBehindDoesNotWait() throws {
        let harness = try Harness()
        try #require(try harness.ask("POST", "/v1/lists/l/items/a/star").status == 200)
        for query in ["since=e1-1&wait=55", "wait=55", "since=e9-1&wait=55", "since=e1-2&wait=0", "since=e1-2"] {
            #expect(try harness.ask("GET", "/v1/lists/l/changes?" + query).json["to"] == "e1-2")
        }
        #expect(try harness.ask("HEAD", "/v1/lists/l/changes?since=e1-2&wait=55").status == 200)
    }

    @Test(arguments: ["-1", "1.5", "", "x", "99999999999999999999"]) func theWaitIsANumber(_ wait: String) throws {
        #expect(try Harness().ask("GET", Self.since + "&wait=" + wait).status == 422)
    }

    @Test func atTheDeadlineTheAnswerIsEmpty() throws {
        try Harness().serve { port, client, _ in
            // A change of a hidden row is not a change of the view, but its version becomes the head.
            let answer = try asking(Self.since + "&view=visible&wait=1", port: port) {
                try #require(try client.send("POST", "/v1/lists/l/items/c/star").status == 200)
            }
            #expect(answer.status == 200)
            #expect(answer.text == #"{"list":"l","from":"e1-1","to":"e1-2","view":"visible",\#(Self.counts)}"#)
        }
    }

    /// The harness keeps ten versions.
    @Test(arguments: [false, true]) func whatAViewDoesNotShowIsNoHistory(isGzip: Bool) throws {
        // There is one loop, so that the waiting request is looked at after each write.
        try Harness().serve(loopCount: 1) { port, client, _ in
            let title = String(repeating: "t", count: 1500)
            let fields = isGzip ? [("Accept-Encoding", "gzip")] : []
            let answer = try asking(Self.since + "&view=visible&wait=55", fields, port: port) {
                for _ in 0..<30 { try #require(try client.send("POST", "/v1/lists/l/items/c/star").status == 200) }
                let answer = try client.send("PATCH", "/v1/lists/l", json: #"{"title":"\#(title)"}"#)
                try #require(answer.status == 200)
            }
            #expect(answer.status == 200)
            #expect(answer["Content-Encoding"] == (isGzip ? "gzip" : nil))
            let body = isGzip ? try gunzipped(answer.body) : answer.body
            let expected =
                #"{"list":"l","from":"e1-1","to":"e1-32","view":"visible",\#(Self.counts),"properties":{"title":"\#(title)"#
            #expect(String(decoding: body, as: UTF8.self) == expected + #""}}"#)
        }
    }

    @Test func aDeletedListIsNotFound() throws {
        try Harness().serve { port, client, _ in
            let answer = try asking(Self.since + "&wait=55", port: port) {
                try #require(try client.send("DELETE", "/v1/lists/l").status == 204)
            }
            #expect(answer.status == 404)
        }
    }

    @Test func aServerThatStopsAnswers() throws {
        try Harness().serve { port, client, server in
            let answer = try asking(Self.since + "&wait=55", port: port) {
                // The request waits, or its bytes have arrived, when later requests on the same loop have been
                // answered.
                for _ in 0..<4 { _ = try HTTPClient(port: port).send("GET", "/healthz") }
                server.stop(graceSeconds: 30)
            }
            #expect(answer.status == 200)
            #expect(answer.text == #"{"list":"l","from":"e1-1","to":"e1-1","view":"items",\#(Self.counts)}"#)
        }
    }
}
