import HTTPTypes
import ListStore
import Microhttpd
import TestSupport
import Testing

@testable import ListAPI

/// The requests that a loop leaves to workers, by the rows of a list and by the bytes of its contents.
@Suite struct HandOverTests {
    /// The lists `short` (10 items), `fat` (10 items of 40,000 bytes), `wordy` (10 items of 4,000 bytes), `long` (3,000
    /// items), and `headed` (7 sections, 6 of them with a header of 50,000 bytes).
    private func api() throws -> API {
        let limits = Store.Limits(
            itemsMax: 10_000, sectionsMax: 7, contentBytesMax: 65_536, historyVersionsMax: 10,
            historyBytesMax: 1 << 20, receiptsMax: 10, receiptAgeMax: 100)
        var configuration = API.Configuration(
            bodyBytesMax: 1 << 20, listBodyBytesMax: 1 << 20, operationsMax: 3, contentBytesMax: 65_536,
            streamsPerListMax: 2, queriesPerListMax: 1, heartbeatSeconds: 15, origins: .none, hosts: .these([]),
            requestID: { "made" }, identifier: Harness.identifier(), observe: nil, observesSuccesses: false)
        let store = try Store(journal: nil, limits: limits, clock: { 0 }, token: { "e" })
        let maker = API(store: store, configuration: configuration)
        let header = #"{"text":"\#(String(repeating: "x", count: 50_000))"}"#
        let sections = (0..<6).map { #"{"id":"s\#($0)","header":\#(header)}"# }.joined(separator: ",")
        try put("headed", sections + #",{"id":"s"}"#, maker)
        for (list, items, bytes) in [("short", 10, 10), ("fat", 10, 40_000), ("wordy", 10, 4_000), ("long", 3_000, 1)] {
            let text = String(repeating: "x", count: bytes)
            let items = (0..<items).map { #"{"id":"i\#($0)","content":{"t":"\#(text)"}}"# }.joined(separator: ",")
            try put(list, #"{"id":"s","items":[\#(items)]}"#, maker)
        }
        configuration.workers = 1
        return API(store: store, configuration: configuration)
    }

    private func put(_ list: String, _ sections: String, _ api: API) throws {
        let head = Harness.head("PUT", "/v1/lists/\(list)", Harness.json)
        let body = #"{"sections":[\#(sections)]}"#
        guard case .send(let response) = api.respond(to: Request(head: head, body: Array(body.utf8))) else {
            throw Harness.Waits()
        }
        try #require(response.status == .created, "\(String(decoding: response.body, as: UTF8.self))")
    }

    private struct Row {
        let target: String
        /// The lists for which a worker answers.
        let handedOver: Set<String>
    }

    private static let rows = [
        Row(target: "", handedOver: ["fat", "long", "headed"]),
        Row(target: "?limit=2", handedOver: ["fat", "long", "headed"]),
        Row(target: "?filter=y", handedOver: ["fat", "wordy", "long", "headed"]),
        Row(target: "?fi%6Cter=y", handedOver: ["fat", "wordy", "long", "headed"]),
        Row(target: "?sort=content.t&limit=2", handedOver: ["fat", "wordy", "long", "headed"]),
        Row(target: "?where=content.t:%22y%22", handedOver: ["fat", "wordy", "long", "headed"]),
        Row(target: "/sections/s", handedOver: ["fat", "long", "headed"]),
        Row(target: "/changes?since=e-1", handedOver: ["fat", "long", "headed"]),
        Row(target: "/changes?since=e-1&filter=y", handedOver: ["fat", "wordy", "long", "headed"]),
        Row(target: "/items/i1", handedOver: []),
    ]

    @Test func longContentsAreReadByWorkers() throws {
        let api = try api()
        for row in Self.rows {
            let handedOver = ["short", "fat", "wordy", "long", "headed"].filter { list in
                let head = Harness.head("GET", "/v1/lists/\(list)\(row.target)", [:])
                if case .later = api.respond(to: Request(head: head, body: [])) { return true }
                return false
            }
            #expect(Set(handedOver) == row.handedOver, "\(row.target)")
        }
    }
}
