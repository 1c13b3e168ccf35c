import HTTPTypes
import ListModel
import Microhttpd
import TestSupport
import Testing
import Threads

@testable import ListAPI
@testable import ListStore

/// The requests that a loop leaves to workers, by the rows of a list and by the bytes of its contents.
@Suite struct HandOverTests {
    /// The lists `short` (10 items), `fat` (10 items of 40,000 bytes), `wordy` (10 items of 4,000 bytes), `long` (3,000
    /// items), and `headed` (7 sections, 6 of them with a header of 50,000 bytes).
    private func api(clock: @escaping @Sendable () -> Int = { 0 }) throws -> API {
        let limits = Store.Limits(
            itemsMax: 10_000, sectionsMax: 7, contentBytesMax: 65_536, historyVersionsMax: 10,
            historyBytesMax: 1 << 20, receiptsMax: 10, receiptAgeMax: 100)
        var configuration = API.Configuration(
            bodyBytesMax: 1 << 20, listBodyBytesMax: 1 << 20, operationsMax: 3, contentBytesMax: 65_536,
            streamsPerListMax: 2, queriesPerListMax: 1, heartbeatSeconds: 15, origins: .none, hosts: .these([]),
            requestID: { "made" }, identifier: Harness.identifier(), observe: nil, observesSuccesses: false)
        let store = try Store(journal: nil, limits: limits, clock: clock, token: { "e" })
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

    /// A copy of a list costs the next write the whole history of the list. So many short writes that met a long one
    /// would all be slow, and meet one another for as long as they come.
    @Test func onlyLongWritesMakeACopyOfTheList() throws {
        // Whether each write has a copy of the list beside it while it holds the list.
        let (watched, copies) = (Locked<ListActor?>(nil), Locked<[Bool]>([]))
        let api = try api(clock: {
            if let list = watched.withLock({ $0 }) { copies.withLock { $0.append(list.durable.copy != nil) } }
            return 0
        })
        watched.change { $0 = api.store.loaded(ListID("long")!) }
        let long = String(repeating: "x", count: API.bodyBytesOnLoopMax)
        let rows = [
            ("POST", "/items/i1/star", "", false),
            ("PATCH", "/items/i1", #"{"content":{"t":"y"}}"#, false),
            ("PATCH", "/items/i1", #"{"content":{"t":"\#(long)"}}"#, true),
            ("DELETE", "/sections/s", "", true),
        ]
        for (method, path, body, isCopied) in rows {
            copies.change { $0 = [] }
            let head = Harness.head(method, "/v1/lists/long\(path)", body.isEmpty ? [:] : Harness.json)
            let answer = api.answer(to: Request(head: head, body: Array(body.utf8)), .long, .current)
            guard case .send(let response) = answer else { throw Harness.Waits() }
            #expect(response.status == .ok || response.status == .noContent, "\(method) \(path)")
            #expect(copies.withLock { Set($0) } == [isCopied], "\(method) \(path)")
        }
        watched.change { $0 = nil }
    }
}
