import Foundation
import HTTPTypes
import Microhttpd
import TestSupport
import Testing
import Texts
import Threads

/// Spans, as a collector gets them.
@Suite struct TracesTests {
    /// Takes what is posted.
    private struct Collector: RequestHandler {
        let bodies = Locked<[[UInt8]]>([])
        let status: HTTPResponse.Status

        func admit(_ head: RequestHead) -> Admission { .accept(bodyBytesMax: 1 << 20) }

        func respond(to request: Request) -> Answer {
            guard request.head.path == "/v1/traces", request.head.field(.contentType) == "application/json" else {
                return .send(Response(status: .notFound, fields: [], body: []))
            }
            bodies.change { $0.append(Array(request.body.bytes)) }
            return .send(Response(status: status, fields: [], body: Array("{}".utf8)))
        }

        func refusal(_ refusal: Refusal, head: RequestHead?) -> Response {
            Response(status: .badRequest, fields: [], body: [])
        }

        func start() throws -> Server {
            try Server(
                Server.Configuration(
                    host: "127.0.0.1", port: 0, loopCount: 1, connectionsMax: 10, connectionsPerAddressMax: 10,
                    requestDeadlineSeconds: 30, idleTimeoutSeconds: 60, listenBacklog: 10), handler: self)
        }

        /// Waits for so many spans.
        func spans(_ count: Int) throws -> [[String: Any]] {
            try Self.spans(bodies.wait(until: { ((try? Self.spans($0))?.count ?? 0) >= count }) { $0 })
        }

        private static func spans(_ bodies: [[UInt8]]) throws -> [[String: Any]] {
            try bodies.flatMap { body in
                let object = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
                let resources = object["resourceSpans"] as? [[String: Any]] ?? []
                let scopes = resources.flatMap { $0["scopeSpans"] as? [[String: Any]] ?? [] }
                return scopes.flatMap { $0["spans"] as? [[String: Any]] ?? [] }
            }
        }
    }

    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"

    private static func attributes(_ span: [String: Any]) -> [String: String] {
        let pairs = span["attributes"] as? [[String: Any]] ?? []
        return pairs.reduce(into: [:]) { attributes, pair in
            let value = pair["value"] as? [String: Any]
            attributes[pair["key"] as? String ?? ""] = (value?["stringValue"] ?? value?["intValue"]) as? String
        }
    }

    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func aTraceGoesThrough() throws {
        let collector = Collector(status: .ok)
        let listener = try collector.start()
        let server = try ServerProcess([
            "--memory", "--traces", "http://127.0.0.1:\(listener.port)", "--traces-per-thousand", "0",
        ])
        let before = Date().timeIntervalSince1970 * 1e9
        let parent = "00-\(Self.trace)-\(Self.span)"
        _ = try server.client.send("GET", "/v1/lists")
        _ = try server.client.send("GET", "/v1/lists", [("traceparent", "\(parent)-00")])
        _ = try server.client.send(
            "GET", "/v1/lists/none", [("traceparent", "\(parent)-01"), ("X-Request-Id", "mine")])
        #expect(server.stop() == 0)
        let spans = try collector.spans(1)
        #expect(spans.count == 1, "the sender of the others records no trace, and none begins here")
        let one = try #require(spans.first)
        #expect(one["traceId"] as? String == Self.trace)
        #expect(one["parentSpanId"] as? String == Self.span)
        #expect((one["spanId"] as? String)?.wholeMatch(of: /[0-9a-f]{16}/) != nil)
        #expect(one["spanId"] as? String != Self.span)
        #expect(one["name"] as? String == "GET /v1/lists/{list}")
        #expect(one["kind"] as? Int == 2)
        #expect(one["status"] == nil, "only a failure of the server is one")
        let start = try #require((one["startTimeUnixNano"] as? String).flatMap { Double($0) })
        let end = try #require((one["endTimeUnixNano"] as? String).flatMap { Double($0) })
        #expect(before - 1e9 < start && start < end && end < Date().timeIntervalSince1970 * 1e9 + 1e9)
        let attributes = Self.attributes(one)
        #expect(attributes["http.response.status_code"] == "404")
        #expect(attributes["http.route"] == "/v1/lists/{list}")
        #expect(attributes["url.path"] == "/v1/lists/none")
        #expect(attributes["error.type"] == "not_found")
        #expect(attributes["liststate.list"] == "none")
        #expect(attributes["liststate.request"] == "mine")
        listener.stop(graceSeconds: 0)
    }

    /// A malformed parent is none, and each trace that begins here has an id of its own.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func aTraceBegins() throws {
        let collector = Collector(status: .ok)
        let listener = try collector.start()
        let server = try ServerProcess([
            "--memory", "--traces", "http://127.0.0.1:\(listener.port)/v1/traces", "--traces-per-thousand", "1000",
        ])
        for _ in 0..<3 { _ = try server.client.send("GET", "/v1/lists", [("traceparent", "00-0-0-01")]) }
        let spans = try collector.spans(3)
        #expect(Set(spans.compactMap { $0["traceId"] as? String }).count == 3)
        #expect(spans.allSatisfy { ($0["traceId"] as? String)?.wholeMatch(of: /[0-9a-f]{32}/) != nil })
        #expect(spans.allSatisfy { $0["parentSpanId"] == nil })
        #expect(server.stop() == 0)
        listener.stop(graceSeconds: 0)
    }

    /// A collector that takes nothing costs spans and one line of the log, and no request.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func aCollectorThatIsAwayHoldsUpNobody() throws {
        let collector = Collector(status: .serviceUnavailable)
        let listener = try collector.start()
        let server = try ServerProcess([
            "--memory", "--traces", "http://127.0.0.1:\(listener.port)", "--traces-per-thousand", "1000",
        ])
        let client = server.client
        for _ in 0..<2 {
            let posted = collector.bodies.withLock { $0.count }
            #expect(try client.send("GET", "/v1/lists").status == 200)
            collector.bodies.wait(until: { $0.count > posted }) { _ in }
        }
        while true {
            let text = try client.send("GET", "/metrics").text
            guard let lost = text.firstMatch(of: /liststate_spans_total\{fate="lost"\} (\d+)/).flatMap({ Int($0.1) })
            else {
                Issue.record("no count of lost spans")
                break
            }
            if lost >= 2 { break }
        }
        #expect(server.stop() == 0)
        let warnings = server.log.split(separator: "\n").filter { $0.contains("takes no spans") }
        #expect(warnings.count == 1)
        listener.stop(graceSeconds: 0)
    }

    @Test(arguments: ["127.0.0.1:4318", "https://127.0.0.1", "http://", "http://127.0.0.1:4318/a b", "x"])
    func aCollectorThatIsNoneIsRefused(_ url: String) throws {
        #expect(try ServerProcess.run(["serve", "--memory", "--traces", url]).exitCode == 64)
    }
}
