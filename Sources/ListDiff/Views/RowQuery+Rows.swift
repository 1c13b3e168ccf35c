import ListModel

// The rows that a query asks for, without its window.

extension RowQuery {
    /// Whether the query finds its rows by their indexes in the view, without looking at other rows.
    public var isIndexed: Bool { !selects && sort == nil && expanded == nil }

    public var withoutWindow: RowQuery {
        var query = self
        query.window = nil
        return query
    }

    /// The sections that the query asks for, in their order.
    func sectionHandles(of state: ListState) -> [SectionHandle] {
        sections.map { wanted in state.inOrder(wanted.ids.compactMap { state.handle(of: $0) }) } ?? state.sectionHandles
    }

    /// Whether the query asks for a section of the list.
    func shows(_ section: SectionHandle, of state: ListState) -> Bool { sections?.contains(state[section].id) ?? true }

    /// The rows of a section that the query selects, in its order.
    ///
    /// - Complexity: O(*n*), *n* = rows of the section; with a viewer's own disclosure, the rows that it shows.
    func foundRows(of section: SectionHandle, in state: ListState) -> [ItemHandle] {
        let rows = disclosedRows(of: section, in: state)
        Steps.add(rows.count)
        let selected = selects ? rows.filter { selects($0, of: state) } : rows
        return RowOrder(sort: sort, state: state).sorted(selected)
    }

    private func disclosedRows(of section: SectionHandle, in state: ListState) -> [ItemHandle] {
        guard let expanded, view == .visible else { return state.rows(of: section, view: view) }
        var rows: [ItemHandle] = []
        var index = 0
        let count = state.rowCount(of: section)
        while index < count {
            let handle = state.row(at: index, of: section)
            rows.append(handle)
            index += expanded.contains(state.id(of: handle)) ? 1 : 1 + state.descendantCount(of: handle)
        }
        return rows
    }
}

extension ListState {
    /// Sections of the list in its order.
    func inOrder(_ sections: [SectionHandle]) -> [SectionHandle] {
        sections.map { (index(of: $0) ?? 0, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}

/// The order of rows within a section.
struct RowOrder {
    /// Nil for the order of the list.
    let sort: SortOrder?
    let state: ListState

    /// An item with its sort key and its index in the list. Items are compared by the key first.
    struct Ranked {
        let item: ItemHandle
        fileprivate let key: SortKey
        fileprivate let index: Int
    }

    func ranked(_ item: ItemHandle) -> Ranked {
        Steps.add(1)
        return Ranked(item: item, key: key(of: item), index: state.index(of: item) ?? 0)
    }

    private func key(of item: ItemHandle) -> SortKey {
        sort.map { state.content(of: item).sortKey(at: $0.path) } ?? .none
    }

    func isBefore(_ left: Ranked, _ right: Ranked) -> Bool {
        if isBefore(left.key, right.key) { return true }
        return isBefore(right.key, left.key) ? false : left.index < right.index
    }

    private func isBefore(_ left: SortKey, _ right: SortKey) -> Bool {
        sort?.isDescending == true ? SortKey.isDescending(left, right) : left < right
    }

    /// - Parameter items: The items of one section, in the order of the list.
    func sorted(_ items: [ItemHandle]) -> [ItemHandle] {
        guard sort != nil else { return items }
        let ranked = items.enumerated().map { Ranked(item: $1, key: key(of: $1), index: $0) }
        return ranked.sorted(by: isBefore).map(\.item)
    }
}

/// Tells whether items are shown. It looks once at ancestors that several items have in common.
struct Disclosure {
    private let query: RowQuery
    private let state: ListState
    /// Whether the children of an item are shown.
    private var known: [ItemHandle: Bool] = [:]

    init(_ query: RowQuery, of state: ListState) {
        self.query = query
        self.state = state
    }

    /// Whether an item is a row of the view, judged by its ancestors alone. Filters are not looked at.
    mutating func shows(_ item: ItemHandle) -> Bool {
        guard query.view == .visible else { return true }
        guard let expanded = query.expanded else { return state.isShown(item) }
        var climbed: [ItemHandle] = []
        var isShown = true
        var above = state.parent(of: item)
        while let parent = above {
            Steps.add(1)
            if let found = known[parent] {
                isShown = found
                break
            }
            climbed.append(parent)
            above = state.parent(of: parent)
        }
        for parent in climbed.reversed() {
            isShown = isShown && expanded.contains(state.id(of: parent))
            known[parent] = isShown
        }
        return isShown
    }
}
