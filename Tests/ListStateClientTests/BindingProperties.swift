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
        try await run(part) { try Scene(seed: $0, query: nil) }
    }

    @Test("A strict collection view takes every change set of windows and filters", arguments: parts)
    func takesParts(part: Int) async throws {
        try await run(part) { try Scene(seed: $0, query: Self.queries[Int($0) % Self.queries.count]) }
    }

    nonisolated private static let queries: [ListQuery] = [
        .window(around: "i0", before: 2, after: 3), .window(around: "i1", before: 1, after: 1),
        .window(around: "i2", before: 0, after: 9), .window(around: "i3", before: 9, after: 0),
        ListQuery(isStarred: true), ListQuery(.items, sort: "-content.n"), ListQuery(expanded: ["i0", "i1", "i4"]),
        ListQuery(.items, where: ["content.n:1"], kind: "item"), ListQuery(sections: ["s0", "s2"]),
    ]

    private struct Failure: Error {
        let seed: Int
        let error: any Error
    }

    private func run(_ part: Int, _ scene: (UInt64) throws -> Scene) async throws {
        let last = min(Soak.histories, 20_000)
        for number in stride(from: part, to: last, by: Self.parts.count) {
            do { try scene(UInt64(number)).run() } catch { throw Failure(seed: number, error: error) }
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
    /// The query whose rows are held; nil for a whole list.
    private var query: ListQuery?

    init(seed: UInt64, query: ListQuery?) throws {
        (self.seed, self.query) = (seed, query)
        let bias = Bias.allCases[Int(seed % UInt64(Bias.allCases.count))]
        lists = RandomLists(seed: seed, itemIDs: Int(seed % 24) + 2, bias: bias)
        server = ServerDouble(lists.list())
        let rows: any LocalRows = query.map { LocalPart($0.local) } ?? LocalList(view: .visible)
        core = ListCore(ServerDouble.id, rows, of: nil)
        list = LiveList<Nothing>(core)
        view = StrictCollectionView(counts: { [unowned list] in list.sections.map(\.items.count) }) { [unowned list] in
            Self.sections(of: list)
        }
        snapshots = StrictSnapshots { [unowned list] in Self.sections(of: list) }
        list.bind(to: view)
        list.bind(snapshotsTo: snapshots, isShown: snapshots.shows) { [unowned snapshots] in snapshots.apply($0, $1) }
    }

    func run() throws {
        try tell(since: nil)
        try check("the first snapshot")
        for step in 0..<40 {
            let told = try turn()
            try check("step \(step): \(told)")
        }
    }

    private func turn() throws -> String {
        switch lists.random.below(query?.window == nil ? 6 : 7) {
        case 6:
            try turnWindow()
            return "window around \(query?.window?.item ?? "")"
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
            try tell(since: core.local.version)
            return "told \(operations)"
        }
    }

    /// Moves the window on.
    private func turnWindow() throws {
        let item = lists.item(of: server.state)
        guard query?.window != nil, server.state.contains(item), item != query?.window?.item else { return }
        query?.window?.item = item
        core.update { [query] local in
            guard var part = local as? LocalPart, let query else { return .changes(ChangeSet()) }
            part.want(query.local)
            local = part
            return .changes(ChangeSet())
        }
        try tell(since: nil)
    }

    private func tell(since version: Version?) throws {
        guard let query else {
            return try core.update { [server] local in try local.take(.list(server.catchup(since: version))) }
        }
        let (name, data) = server.event(since: version, query.whole)
        guard case .rows(_, let told)? = try StreamEvent(name: name, data: data, isPart: true) else {
            throw Failure(description: "no event")
        }
        try core.update { local in try local.take(told) }
    }

    private func check(_ place: @autoclosure () -> String) throws {
        let local = core.local
        let expected =
            query == nil
            ? local.state.sectionHandles.map { section in
                StrictCollectionView.Section(
                    header: Self.header(local.state[section]),
                    cells: local.state.sectionRows(of: section, view: .visible).items.map(Self.cell))
            }
            : local.sectionHandles.map { section in
                StrictCollectionView.Section(
                    header: Self.header(local.state[section]),
                    cells: local.items(of: section).compactMap { local.row(of: $0) }.map(Self.cell))
            }
        let failures = [
            local.pending.isEmpty && !showsRowsOfServer ? "the rows are not those of the server" : nil,
            view.refusal.map { "the collection view refuses: \($0)" },
            snapshots.refusal.map { "the data source refuses: \($0)" },
            Self.sections(of: list) == expected ? nil : "the list has other rows than its state",
            view.shown == expected ? nil : "the collection view shows something else",
            snapshots.shown == expected ? nil : "the data source shows something else",
        ]
        guard let failure = failures.compactMap({ $0 }).first else { return }
        throw Failure(description: "seed \(seed), \(place()): \(failure)")
    }

    /// Whether a part without pending edits has the rows that the server has for its query.
    private var showsRowsOfServer: Bool {
        guard let query else { return true }
        let rows = ViewedRows(query.whole, of: server.state)
        return core.local.version != server.version
            || rows.sectionHandles.elementsEqual(core.local.sectionHandles) { theirs, ours in
                server.state[theirs] == core.local.state[ours]
                    && rows.rows(of: theirs).map { Told(rows.row($0), query) }
                        == core.local.items(of: ours).compactMap { core.local.row(of: $0) }.map { Told($0, query) }
            }
    }

    /// What a server tells of a row.
    private struct Told: Equatable {
        let item: Item
        let parent: ItemID?
        let place: [Int]

        init(_ row: ItemRow, _ query: ListQuery) {
            (item, parent) = (row.item, row.parent)
            place = query.rows == .visible ? [row.level, row.childCount] : []
        }
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

extension ListQuery {
    /// The query with its window, as a server has it.
    fileprivate var whole: RowQuery {
        var query = local
        query.window = window.map { .init(around: $0.item, before: $0.before, after: $0.after) }
        return query
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
