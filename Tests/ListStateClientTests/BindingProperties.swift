import ClientState
import Foundation
import ListDiff
import ListModel
import TestSupport
import Testing
import Texts

@testable import ListStateClient

/// Whatever the server and the client do, a collection view takes each change, and shows each row as it is.
@MainActor @Suite struct BindingProperties {
    nonisolated static let parts = 0..<8

    /// 20,000 histories in a long run.
    @Test("A strict collection view takes every change set", arguments: parts)
    func takes(part: Int) async throws {
        let last = min(Soak.histories, 20_000)
        for number in stride(from: part, to: last, by: Self.parts.count) {
            try Scene(seed: UInt64(number)).run()
            // Other tests need the main actor, too.
            await Task.yield()
        }
    }
}

/// A list of a client with random writes on both sides, and views that are bound to it.
@MainActor private final class Scene {
    private struct Nothing: Codable, Sendable {}

    private struct Failure: Error, CustomStringConvertible { let description: String }

    private var lists: RandomLists
    private var server: ServerDouble
    private let core: ListCore
    private let list: LiveList<Nothing>
    private let view: StrictCollectionView
    private let snapshots: StrictSnapshots
    private let seed: UInt64
    private var edits = 0

    init(seed: UInt64) {
        self.seed = seed
        let bias = Bias.allCases[Int(seed % UInt64(Bias.allCases.count))]
        lists = RandomLists(seed: seed, itemIDs: Int(seed % 24) + 2, bias: bias)
        server = ServerDouble(lists.list())
        core = ListCore(ServerDouble.id, of: nil)
        list = LiveList<Nothing>(core)
        view = StrictCollectionView(counts: { [unowned list] in list.sections.map(\.items.count) }) { [unowned list] in
            Self.sections(of: list)
        }
        snapshots = StrictSnapshots { [unowned list] in Self.sections(of: list) }
        list.bind(to: view)
        list.bind(snapshotsTo: snapshots, isShown: snapshots.shows) { [unowned snapshots] in snapshots.apply($0, $1) }
    }

    func run() throws {
        try core.update { [server] local in try local.take(server.catchup(since: nil)) }
        try check("the first snapshot")
        for step in 0..<40 {
            let told = try turn()
            try check("step \(step): \(told)")
        }
    }

    private func turn() throws -> String {
        switch lists.random.below(6) {
        case 0...1:
            let operations = (0...lists.random.below(3)).map { _ in lists.operation(on: core.local.state) }
            edits += 1
            core.update { $0.show(PendingEdit(id: edits, operations: operations)) }
            return "\(operations)"
        case 2:
            guard let edit = core.local.pending.first(where: { $0.answered == nil }) else { return "nothing" }
            let isDone = (try? server.write(edit.operations)) != nil
            core.update { [server] in isDone ? $0.settle([edit.id], at: server.version) : $0.refuse([edit.id]) }
            return "answered"
        case 3:
            guard let edit = core.local.pending.randomElement(using: &lists.random) else { return "nothing" }
            core.update { $0.refuse([edit.id]) }
            return "refused"
        default:
            let operations = (0...lists.random.below(3)).map { _ in lists.operation(on: server.state) }
            for operation in operations { _ = try? server.write([operation]) }
            if lists.random.once(in: 20) { server.beginEpoch() }
            try core.update { [server] local in try local.take(server.catchup(since: local.version)) }
            return "told \(operations)"
        }
    }

    private func check(_ place: @autoclosure () -> String) throws {
        let expected = core.local.state.sectionHandles.map { section in
            StrictCollectionView.Section(
                header: Self.header(core.local.state[section]),
                cells: core.local.state.sectionRows(of: section, view: .visible).items.map(Self.cell))
        }
        let failures = [
            view.refusal.map { "the collection view refuses: \($0)" },
            snapshots.refusal.map { "the data source refuses: \($0)" },
            Self.sections(of: list) == expected ? nil : "the list has other rows than its state",
            view.shown == expected ? nil : "the collection view shows something else",
            snapshots.shown == expected ? nil : "the data source shows something else",
        ]
        guard let failure = failures.compactMap({ $0 }).first else { return }
        throw Failure(description: "seed \(seed), \(place()): \(failure)")
    }

    private static func sections(of list: LiveList<Nothing>) -> [StrictCollectionView.Section] {
        list.sections.enumerated().map { index, section in
            .init(
                header: header(section.properties),
                cells: section.items.indices.map { item in
                    let row = list.row(at: [index, item])
                    return cell(row.id, row.item, row.level, row.childCount)
                })
        }
    }

    private static func header(_ section: SectionProperties) -> String {
        "\(section.id) \(section.title ?? "-") \(section.isReorderable) \(section.layout?.bytes.count ?? -1)"
    }

    private static func cell(_ row: ItemRow) -> StrictCollectionView.Cell {
        cell(row.item.id, row.item, row.level, row.childCount)
    }

    private static func cell(_ id: ItemID, _ item: Item?, _ level: Int, _ childCount: Int) -> StrictCollectionView.Cell
    {
        guard let item else { return .init(id: "\(id)", kind: "gone", text: "") }
        let marks = "\(item.isStarred) \(item.isExpanded) \(item.isReorderable) \(level) \(childCount)"
        return .init(id: "\(id)", kind: "\(item.kind)", text: "\(ByteText(decoding: item.content.bytes)) \(marks)")
    }
}

/// A diffable data source that keeps cells, and refuses what UIKit's refuses: an item or a section twice, and a reload of
/// what it does not have.
@MainActor private final class StrictSnapshots {
    private let source: () -> [StrictCollectionView.Section]
    private(set) var shown: [StrictCollectionView.Section] = []
    private(set) var refusal: String?
    private var sections: [SectionID] = []

    init(_ source: @escaping () -> [StrictCollectionView.Section]) { self.source = source }

    func shows(_ item: ItemID) -> Bool { shown.contains { $0.cells.contains { $0.id == "\(item)" } } }

    func apply(_ snapshot: ViewSnapshot, _ changes: ChangeSet?) {
        let new = source()
        defer { sections = snapshot.sections.map(\.id) }
        let items = snapshot.sections.flatMap(\.items)
        guard Set(items).count == items.count else { return refusal = refusal ?? "an item twice" }
        guard Set(items).isSuperset(of: snapshot.reloadedItems + snapshot.reconfiguredItems),
            Set(snapshot.sections.map(\.id)).isSuperset(of: snapshot.reloadedSections)
        else { return refusal = refusal ?? "what is not there is reloaded" }
        guard Set(snapshot.reloadedItems).isDisjoint(with: snapshot.reconfiguredItems) else {
            return refusal = refusal ?? "an item is reloaded and reconfigured"
        }
        guard changes != nil else { return shown = new }
        let old = Dictionary(uniqueKeysWithValues: shown.flatMap(\.cells).map { ($0.id, $0) })
        let headers = Dictionary(uniqueKeysWithValues: zip(sections, shown.map(\.header)))
        let reloaded = Set(snapshot.reloadedItems.map { "\($0)" })
        let reconfigured = Set(snapshot.reconfiguredItems.map { "\($0)" })
        shown = zip(snapshot.sections, new).map { section, fresh in
            guard let header = headers[section.id], !snapshot.reloadedSections.contains(section.id) else {
                return fresh
            }
            let cells = zip(section.items, fresh.cells).map { id, fresh in
                guard let cell = old["\(id)"], !reloaded.contains("\(id)") else { return fresh }
                guard reconfigured.contains("\(id)") else { return cell }
                if cell.kind != fresh.kind { refusal = refusal ?? "a cell cannot become one of another kind" }
                return fresh
            }
            return .init(header: header, cells: cells)
        }
    }
}
