import Foundation
import ListDiff
import ListModel
import ListStateClient
import TestSupport
import Testing
import Texts
import Threads

/// Parts of lists: windows, and the rows that filters select, of a real server.
@MainActor @Suite(.serialized) struct WindowTests {
    struct Peak: Codable, Sendable, Equatable {
        var name: String
        var height: Int
    }

    private struct Unexpected: Error {}

    /// A thousand peaks p0 to p999 in two sections.
    private static func peaks() -> String {
        let items = (0..<1_000).map {
            #"{"id":"p\#($0)","content":{"name":"Peak \#($0)","height":\#(9_000 - $0)}}"#
        }
        let sections = [items[..<500], items[500...]].enumerated().map {
            #"{"id":"s\#($0)","items":[\#($1.joined(separator: ","))]}"#
        }
        return #"{"title":"Peaks","sections":[\#(sections.joined(separator: ","))]}"#
    }

    private static func served() throws -> ServedLists {
        let server = try ServedLists()
        try server.send("PUT", "/v1/lists/peaks", peaks())
        return server
    }

    private func shown(_ list: LiveList<Peak>) -> [String] { list.sections.flatMap(\.items).map { "\($0)" } }
    private func peaks(_ range: Range<Int>) -> [String] { range.map { "p\($0)" } }
    private func write(_ server: ServedLists, _ operation: String) throws {
        try server.send("POST", "/v1/lists/peaks/transactions", #"{"operations":[\#(operation)]}"#)
    }

    @Test func aWindowIsLiveAndMovesOn() async throws {
        let server = try Self.served()
        let client = try await ListStateClient(server.transport, store: .memory)
        let list = try await client.list(
            "peaks", of: Peak.self, showing: .window(around: "p500", before: 2, after: 3))
        let view = StrictCollectionView(counts: { list.sections.map(\.items.count) }) {
            list.sections.map { section in
                .init(
                    header: "\(section.id)",
                    cells: section.items.map { .init(id: "\($0)", kind: "", text: list.row($0)?.content?.name ?? "") })
            }
        }
        list.bind(to: view)
        #expect(shown(list) == peaks(498..<504) && list.status.text == "live" && list.properties.title == "Peaks")
        #expect(list.window == WindowPlace(start: 498, total: 1_000) && list.counts.items == 1_000)
        #expect(list.row("p500")?.content == Peak(name: "Peak 500", height: 8_500) && list.row("p1") == nil)

        // A change above shows in the numbers alone.
        try write(server, #"{"op":"deleteItems","items":["p1","p2"]}"#)
        try await until { list.window == WindowPlace(start: 496, total: 998) && list.counts.items == 998 }
        try write(server, #"{"op":"deleteItems","items":["p499"]}"#)
        try await until { shown(list) == ["p497", "p498"] + peaks(500..<504) }

        // A change that does not show leads on to its version all the same.
        let version = list.version
        try write(server, #"{"op":"starItems","items":["p900"]}"#)
        try await until { list.version != version }

        list.show(around: "p700")
        #expect(shown(list) == ["p497", "p498"] + peaks(500..<504))
        try await until { shown(list) == peaks(698..<704) }
        list.show(around: "p702")
        try await until { shown(list) == peaks(700..<706) }
        #expect(list.query == .window(around: "p702", before: 2, after: 3) && list.status.text == "live")
        #expect(view.refusal == nil && view.shown.map { $0.cells.map(\.id) } == [[], peaks(700..<706)])
        #expect(view.reloadCount == 1)
        client.close()
    }

    /// Edits of rows in the window show at once, and those of others do not, but all are done.
    @Test func editsOfAWindowShowAsFarAsItsRowsTell() async throws {
        let server = try Self.served()
        let network = BadNetwork(server.transport)
        let client = try await ListStateClient(network, store: .memory)
        let list = try await client.list(
            "peaks", of: Peak.self, showing: .window(around: "p10", before: 1, after: 2))
        #expect(shown(list) == peaks(9..<13))
        network.isDown = true
        let edits = [
            list.edit { $0.move("p12", before: "p10") },
            list.edit { $0["p10"]?.name = "Ten" },
            list.edit { $0.delete(["p0", "p11"]) },
            list.edit { $0.move("p9", after: "p998") },
            try list.edit { try $0.add(Peak(name: "Last", height: 1), to: .last(.section("s1"))) },
            try list.reorder(Self.swapped("p12", "p9"), in: "s0"),
        ]
        #expect(shown(list) == ["p12", "p9", "p10"] && list.status.pending == 6)
        #expect(list.row("p10")?.content?.name == "Ten")
        network.isDown = false
        for edit in edits { guard case .applied = await edit.settled else { throw Unexpected() } }
        // p9 was moved to the end, and then beside p12.
        try await until { list.status.text == "live" && shown(list) == ["p9", "p10", "p13", "p14"] }
        let items = try server.items(of: "peaks")
        #expect(items.prefix(9) == ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p12"] && items.count == 999)
        guard case .applied = await list.undo().settled else { throw Unexpected() }
        client.close()
    }

    private static func swapped(_ first: ItemID, _ second: ItemID) throws -> CollectionDifference<ItemID> {
        // The rows are p9 p12 p10, and the first is dragged behind the second.
        try #require(
            CollectionDifference([
                .remove(offset: 0, element: second, associatedWith: 1),
                .insert(offset: 1, element: second, associatedWith: 0),
            ]))
    }

    /// A whole list and two parts of it show the same edit, each as far as it can.
    @Test func partsShowTheEditsOfEachOther() async throws {
        let server = try Self.served()
        let network = BadNetwork(server.transport)
        let client = try await ListStateClient(network, store: .memory)
        let whole = try await client.list("peaks", of: Peak.self)
        let window = try await client.list("peaks", of: Peak.self, showing: .window(around: "p3", before: 1, after: 1))
        let stars = try await client.list("peaks", of: Peak.self, showing: ListQuery(isStarred: true))
        try await until { whole.status.text == "live" && shown(stars).isEmpty && shown(window) == peaks(2..<5) }
        network.isDown = true
        let edit = window.edit { $0.star(["p3", "p4"]) }
        let other = whole.edit { $0.delete(["p2"]) }
        #expect(whole.row("p3")?.isStarred == true && window.row("p4")?.isStarred == true)
        // The rows that a star brings are not held by those with a star.
        #expect(shown(window) == ["p3", "p4"] && shown(stars).isEmpty && stars.status.pending == 2)
        network.isDown = false
        for edit in [edit, other] { guard case .applied = await edit.settled else { throw Unexpected() } }
        try await until { shown(stars) == ["p3", "p4"] && shown(window) == ["p1", "p3", "p4"] }
        stars.edit { $0.star(["p4"], false) }
        #expect(shown(stars) == ["p3"])
        for list in [whole, window, stars] { try await until { list.status.text == "live" } }
        client.close()
    }

    struct Query: Sendable, CustomTestStringConvertible {
        let query: ListQuery
        let rows: [String]
        var testDescription: String { "\(query)" }
    }

    nonisolated private static let queries = [
        Query(query: ListQuery(filter: "peak 99"), rows: ["p99"] + (990..<1_000).map { "p\($0)" }),
        Query(query: ListQuery(filter: "PEAK 7&8", field: "name"), rows: []),
        Query(query: ListQuery(where: ["content.height:8001"]), rows: ["p999"]),
        Query(query: ListQuery(where: [#"content.name:"Peak 5""#], kind: "item"), rows: ["p5"]),
        Query(
            query: ListQuery(.items, sections: ["s1"], filter: "50", sort: "content.height"),
            rows: ["p950", "p850", "p750", "p650", "p550"] + (500..<510).reversed().map { "p\($0)" }),
        Query(query: ListQuery(expanded: [], isStarred: true), rows: []),
    ]

    @Test("A query selects rows", arguments: queries)
    func query(_ row: Query) async throws {
        let server = try Self.served()
        let client = try await ListStateClient(server.transport, store: .memory)
        let list = try await client.list("peaks", of: Peak.self, showing: row.query)
        #expect(shown(list) == row.rows && list.status.text == "live" && list.window == nil)
        // As somebody types.
        list.show(ListQuery(filter: "peak 12"))
        try await until { shown(list) == ["p12"] + peaks(120..<130) }
        client.close()
    }

    @Test func whatTheServerRefusesIsTold() async throws {
        let server = try Self.served()
        let client = try await ListStateClient(server.transport, store: .memory)
        let nobody = try await client.list("peaks", of: Peak.self, showing: .window(around: "x", before: 1, after: 1))
        let wrong = try await client.list("peaks", of: Peak.self, showing: ListQuery(where: ["nonsense"]))
        let gone = try await client.list("hills", of: Peak.self, showing: .window(around: "x", before: 1, after: 1))
        #expect(nobody.status.text == "refused" && wrong.status.text == "refused" && gone.status.text == "gone")
        nobody.show(around: "p7")
        try await until { shown(nobody) == peaks(6..<9) && nobody.status.text == "live" }
        // The list goes and comes back.
        try server.send("DELETE", "/v1/lists/peaks")
        try await until { nobody.status.text == "gone" && nobody.sections.isEmpty && nobody.window == nil }
        try server.send("PUT", "/v1/lists/peaks", Self.peaks())
        try await until { shown(nobody) == peaks(6..<9) && nobody.status.text == "live" }
        nobody.close()
        #expect(nobody.status.text == "closed")
        client.close()
    }

    /// Each part has a stream, and there are more than a client of HTTP has connections by default.
    @Test func thereMayBeManyParts() async throws {
        let server = try Self.served()
        let network = BadNetwork(server.transport)
        let client = try await ListStateClient(network, store: .memory)
        var lists: [LiveList<Peak>] = []
        for id in peaks(0..<9) {
            let query = ListQuery.window(around: ItemID(stringLiteral: id), before: 0, after: 0)
            lists.append(try await client.list("peaks", of: Peak.self, showing: query))
        }
        #expect(lists.map { shown($0).joined() } == peaks(0..<9))
        try write(server, #"{"op":"deleteItems","items":["p8"]}"#)
        try await until { shown(lists[8]) != ["p8"] }
        lists[0].close()
        network.isDown = true
        for number in 0..<24 {
            lists.append(try await client.list("l\(number)", of: Peak.self, showing: ListQuery(isStarred: true)))
        }
        await #expect(throws: ListError.tooManyLists) {
            _ = try await client.list("peaks", of: Peak.self, showing: ListQuery(isStarred: true))
        }
        client.close()
        #expect(lists.allSatisfy { $0.status.text == "closed" })
    }

    /// Edits of a window are kept, and shown again before the server has answered.
    @Test func editsOfAWindowSurviveTheProcess() async throws {
        let server = try Self.served()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let network = BadNetwork(server.transport)
        let query = ListQuery.window(around: "p10", before: 1, after: 1)
        let first = try await ListStateClient(network, store: .directory(folder))
        let list = try await first.list("peaks", of: Peak.self, showing: query)
        network.isDown = true
        let edit = list.edit { $0.delete(["p9", "p200"]) }
        #expect(await edit.isKept)
        first.close()
        try write(server, #"{"op":"starItems","items":["p10"]}"#)
        let second = try await ListStateClient(server.transport, store: .directory(folder))
        let again = try await second.list("peaks", of: Peak.self, showing: query)
        try await until { again.status.text == "live" && shown(again) == ["p8", "p10", "p11"] }
        #expect(try server.items(of: "peaks").count == 998 && again.row("p10")?.isStarred == true)
        second.close()
    }
}
