import HTTPTypes
import Threads
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

/// The log is told of each request once.
@Suite struct ObservationTests {
    @Test func everyRequestIsToldOnce() throws {
        let events = Locked<[String]>([])
        let harness = try Harness(observe: { event in
            let line =
                "\(event.method?.rawValue ?? "-") \(event.path) \(event.status.code) \(event.code?.rawValue ?? "-")"
            events.withLock { $0.append(line) }
        })
        events.withLock { $0 = [] }
        let tag = try #require(try harness.ask("GET", "/v1/lists/l")["ETag"])
        _ = try harness.ask("GET", "/v1/lists/l", ["If-None-Match": tag])
        _ = try harness.ask("HEAD", "/v1/lists/l?view=visible")
        _ = try harness.ask("OPTIONS", "/v1/lists/l")
        _ = try harness.ask("GET", "/v1/lists/none")
        _ = try harness.ask("GET", "/v1/lists/l", ["Host": "evil.test"])
        _ = try harness.ask("PUT", "/v1/lists/l/items/a/star")
        _ = try harness.ask("PUT", "/v1/lists/l/items/none/star")
        #expect(
            events.withLock { $0 } == [
                "GET /v1/lists/l 200 -", "GET /v1/lists/l 304 -", "HEAD /v1/lists/l 200 -", "OPTIONS /v1/lists/l 204 -",
                "GET /v1/lists/none 404 not_found", "GET /v1/lists/l 403 foreign_origin",
                "PUT /v1/lists/l/items/a/star 200 -", "PUT /v1/lists/l/items/none/star 404 not_found",
            ])
    }
}
