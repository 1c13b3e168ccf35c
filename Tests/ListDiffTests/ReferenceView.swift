import JSONValue
import ListModel
import TestSupport

@testable import ListDiff

/// The rows of a query, found by the rules of docs/contract.md section 8 in their order.
struct ReferenceView {
    struct Row: Equatable {
        var id: ItemID
        var parent: ItemID?
        var isExpanded: Bool
        fileprivate var row: ItemRow
    }

    private(set) var rows: [[Row]]
    /// The window's `start` and `total`.
    private(set) var window: [Int]?

    init(_ query: RowQuery, of state: ListState) {
        let sections = state.sectionHandles.filter { query.sections?.contains(state[$0].id) ?? true }
        rows = sections.map { section in
            let all = state.sectionRows(of: section, view: .items).items
            return Self.ordered(all.filter { Self.isShown($0, all, query) && Self.isSelected($0, query) }, query)
                .map { Row(id: $0.item.id, parent: $0.parent, isExpanded: Self.isExpanded($0, query), row: $0) }
        }
        if query.filter != nil || query.isStarred != nil || query.kind != nil || !query.values.isEmpty
            || query.sort != nil
        {
            // A parent outside of the window is no parent of a row.
            let cut = query.window.map { self.cut(rows, $0, query, state).rows } ?? rows
            let ids = Set(cut.joined().map(\.id))
            for section in rows.indices {
                for index in rows[section].indices where rows[section][index].parent.map({ !ids.contains($0) }) ?? false
                {
                    rows[section][index].parent = nil
                }
            }
        }
        guard let wanted = query.window else { return }
        (rows, window) = cut(rows, wanted, query, state)
    }

    private static func isExpanded(_ row: ItemRow, _ query: RowQuery) -> Bool {
        query.expanded?.contains(row.item.id) ?? row.item.isExpanded
    }

    private static func isShown(_ row: ItemRow, _ all: [ItemRow], _ query: RowQuery) -> Bool {
        guard query.view == .visible else { return true }
        var parent = row.parent
        while let id = parent, let above = all.first(where: { $0.item.id == id }) {
            guard isExpanded(above, query) else { return false }
            parent = above.parent
        }
        return true
    }

    private static func isSelected(_ row: ItemRow, _ query: RowQuery) -> Bool {
        if let isStarred = query.isStarred, isStarred != row.item.isStarred { return false }
        let content = row.item.content.value
        guard query.values.allSatisfy({ ContentValue(Self.value($0, in: content)) == $0.value }) else { return false }
        if let kind = query.kind, kind != row.item.kind { return false }
        return query.filter?.matches(row.item.content) ?? true
    }

    /// The value at a path. The tests use no other paths than these.
    private static func value(_ wanted: ValueFilter, in content: JSONValue) -> JSONValue {
        let names: [String] = wanted.path == ContentPath("name") ? ["name"] : ["size", "height"]
        return names.reduce(content) { $0[$1] ?? .null }
    }

    private static func ordered(_ rows: [ItemRow], _ query: RowQuery) -> [ItemRow] {
        guard let sort = query.sort else { return rows }
        let numbered = rows.map { row in (row, row.item.content.sortKey(at: sort.path)) }
        let numbers = numbered.filter { if case .number = $0.1 { true } else { false } }
        let texts = numbered.filter { if case .text = $0.1 { true } else { false } }
        let others = numbered.filter { $0.1 == .none }
        return [numbers, texts].flatMap { stable($0, sort.isDescending) } + others.map(\.0)
    }

    /// A stable sort: each row is inserted behind all rows that are not greater.
    private static func stable(_ rows: [(ItemRow, SortKey)], _ isDescending: Bool) -> [ItemRow] {
        var sorted: [(ItemRow, SortKey)] = []
        for row in rows {
            let place = sorted.firstIndex { isDescending ? $0.1 < row.1 : row.1 < $0.1 } ?? sorted.endIndex
            sorted.insert(row, at: place)
        }
        return sorted.map(\.0)
    }

    private func cut(
        _ rows: [[Row]], _ window: Window, _ query: RowQuery, _ state: ListState
    ) -> (rows: [[Row]], window: [Int]) {
        let flat = rows.enumerated().flatMap { section, rows in rows.map { (section, $0) } }
        let number =
            switch window.middle {
            case .item(let anchor): Self.number(of: anchor, flat, query, state)
            case .row(let number): max(0, min(number, flat.count - 1))
            }
        let range = max(0, number - window.before)..<min(flat.count, number + window.after + 1)
        let kept = rows.indices.map { section in flat[range].filter { $0.0 == section }.map(\.1) }
        return (kept, [range.lowerBound, flat.count])
    }

    private static func number(
        of anchor: ItemID, _ flat: [(Int, Row)], _ query: RowQuery, _ state: ListState
    ) -> Int {
        guard let handle = state.handle(of: anchor), let section = state.section(of: handle) else { return 0 }
        let sections = state.sectionHandles.filter { query.sections?.contains(state[$0].id) ?? true }
        guard let position = sections.firstIndex(of: section) else { return 0 }
        let all = state.sectionRows(of: section, view: .items).items
        var shown = all.firstIndex { $0.item.id == anchor } ?? 0
        while !isShown(all[shown], all, query) { shown = all.firstIndex { $0.item.id == all[shown].parent } ?? 0 }
        if let number = flat.firstIndex(where: { $0.1.id == all[shown].item.id }) { return number }
        let before = flat.prefix { $0.0 < position }.count
        guard query.sort == nil else { return before }
        let above = Set(all[..<shown].map(\.item.id))
        return before + max(0, flat.filter { $0.0 == position && above.contains($0.1.id) }.count - 1)
    }
}
