import ClientState
import Foundation
import ListDiff
import ListModel
import Observation
import TestSupport
import Testing

@testable import ListStateClient

/// Moves of rows as views tell them, and what a change renders anew.
@MainActor @Suite struct MoveTests {
    private struct Nothing: Codable, Sendable {}

    struct Move: Sendable, CustomTestStringConvertible {
        var offsets: IndexSet
        var target: Int
        var result: String
        var testDescription: String { "\(Array(offsets)) to \(target)" }
    }

    /// Each in the rows a b c d.
    nonisolated static let moves = [
        Move(offsets: [0], target: 4, result: "bcda"), Move(offsets: [0], target: 2, result: "bacd"),
        Move(offsets: [3], target: 0, result: "dabc"), Move(offsets: [0, 2], target: 4, result: "bdac"),
        Move(offsets: [1, 3], target: 0, result: "bdac"), Move(offsets: [0, 3], target: 2, result: "badc"),
        Move(offsets: [1], target: 1, result: "abcd"), Move(offsets: [1], target: 2, result: "abcd"),
    ]

    @Test("Rows move as in SwiftUI", arguments: moves)
    func moves(_ row: Move) async throws {
        let (list, client) = try await list(of: ["a", "b", "c", "d"])
        defer { client.close() }
        list.move(row.offsets, to: row.target, in: list.sections[0])
        #expect(list.sections[0].items.map { "\($0)" }.joined() == row.result)
    }

    @Test func anOrderThatCannotBeIsTakenBack() async throws {
        let (list, client) = try await list(of: ["a", "b"])
        defer { client.close() }
        let view = StrictCollectionView(counts: { [unowned list] in list.sections.map(\.items.count) }) { [] }
        list.bind(to: view)
        let difference = CollectionDifference<ItemID>([.remove(offset: 7, element: "a", associatedWith: nil)])!
        let edit = list.reorder(shown: [("s", difference)])
        guard case .refused = await edit.settled else { throw Unexpected() }
        #expect(view.reloadCount == 2 && list.status.pending == 0)
    }

    @Test func aViewThatHasGoneIsForgotten() async throws {
        let (list, client) = try await list(of: ["a", "b"])
        defer { client.close() }
        do {
            let view = StrictCollectionView(counts: { [] }) { [] }
            list.bind(to: view)
            #expect(list.views.count == 1)
        }
        list.edit { $0.star(["a"]) }
        #expect(list.views.isEmpty)
        let view = StrictCollectionView(counts: { [] }) { [] }
        list.bind(to: view)
        list.bind(to: view)
        #expect(list.views.count == 1)
        list.unbind(from: view)
        #expect(list.views.isEmpty)
    }

    @Test func changesWithoutAnimationAreShownSo() async throws {
        let (list, client) = try await list(of: ["a", "b", "c"])
        defer { client.close() }
        let view = StrictCollectionView(counts: { [unowned list] in list.sections.map(\.items.count) }) {
            [unowned list] in
            list.sections.map { .init(header: "", cells: $0.items.map { .init(id: "\($0)", kind: "", text: "") }) }
        }
        list.bind(to: view)
        list.edit { $0.delete(["a"]) }
        #expect(view.stillCount == 0 && view.batchCount == 1)
        var heard: [Bool] = []
        list.onChanges = { heard.append($0?.isAnimated ?? true) }
        list.edit(animated: false) { $0.move("c", before: "b") }
        #expect(view.stillCount == 1 && view.refusal == nil && heard == [false] && list.core.local.pending.count == 2)
    }

    @Test func aStarRendersOneRowOfTenThousand() async throws {
        let (list, client) = try await list(of: (0..<10_000).map { "i\($0)" })
        defer { client.close() }
        var rendered: [ItemID] = []
        let noted = Noted()
        for item in list.sections[0].items {
            let row = try #require(list.row(item))
            withObservationTracking {
                _ = (row.content, row.isStarred, row.level, row.isExpanded, row.childCount)
            } onChange: {
                noted.add("\(item)")
            }
        }
        withObservationTracking {
            _ = (list.sections.map(\.items.count), list.properties, list.sections.map(\.properties))
        } onChange: {
            noted.add("the list")
        }
        list.edit { $0.star(["i4711"]) }
        #expect(noted.names == ["i4711"])
        rendered = list.sections[0].items.filter { list.row($0)?.isStarred == true }
        #expect(rendered == ["i4711"])
    }

    /// The names of what has changed, which is told on the main actor.
    private final class Noted: @unchecked Sendable {
        private(set) var names: [String] = []
        func add(_ name: String) { names.append(name) }
    }

    private struct Unexpected: Error {}

    /// Nobody answers.
    private struct DeadNetwork: Transport {
        func send(_ request: WireRequest) async throws -> (head: WireHead, body: [UInt8]) { throw Unexpected() }

        func open(
            _ request: WireRequest
        ) async throws -> (head: WireHead, body: AsyncThrowingStream<[UInt8], any Error>) { throw Unexpected() }
    }

    private func list(of ids: [String]) async throws -> (LiveList<Nothing>, ListStateClient) {
        let client = try await ListStateClient(DeadNetwork(), store: .memory)
        let list = try await client.list("\(ServerDouble.id)", of: Nothing.self)
        var state = ListState(ListProperties(title: "T"))
        let items = ids.map { NewItem(ItemID(stringLiteral: $0), value: ItemChanges()) }
        try state.commit([
            .appendSections([NewSection(SectionProperties(id: "s"))]), .appendItems(items, .section("s")),
        ])
        let server = ServerDouble(state)
        try list.core.update { local in try local.take(.list(server.catchup(since: nil))) }
        return (list, client)
    }
}
