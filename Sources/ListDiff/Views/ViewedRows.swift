public import ListModel

/// The rows that a query asks for, of one state of a list.
///
/// - Complexity: To make it takes O(*w* log *n*) for a window of *w* rows and nothing else, otherwise the time to look
///   at each row of the query's sections.
public struct ViewedRows: RowSource {
    public let state: ListState
    public let query: RowQuery
    public private(set) var sectionHandles: [SectionHandle] = []
    /// Nil without a window.
    public private(set) var window: WindowPlace?
    private var rows: [SectionHandle: [ItemHandle]] = [:]
    /// Nil if every row's parent is one.
    private var members: Set<ItemHandle>?
    private let expanded: Set<ItemHandle>?

    /// - Parameter query: Its window is at the start if the list does not have the anchor.
    public init(_ query: RowQuery, of state: ListState) {
        self.state = state
        self.query = query
        expanded = query.expanded.map { ids in Set(ids.compactMap { state.handle(of: $0) }) }
        sectionHandles =
            query.sections.map { wanted in state.sectionHandles.filter { wanted.contains(state[$0].id) } }
            ?? state.sectionHandles
        if let window = query.window {
            take(window)
        } else {
            for section in sectionHandles { rows[section] = allRows(of: section) }
        }
        if query.losesParents { members = Set(rows.values.joined()) }
    }

    public var rowCount: Int { rows.values.reduce(0) { $0 + $1.count } }
    public func rowCount(of section: SectionHandle) -> Int { rows[section]?.count ?? 0 }
    public func rows(_ range: Range<Int>, of section: SectionHandle) -> [ItemHandle] {
        rows[section].map { Array($0[range]) } ?? []
    }

    public func row(_ handle: ItemHandle) -> ItemRow {
        var row = state.row(handle)
        if let expanded { row.item.isExpanded = expanded.contains(handle) }
        if shownParent(state.parent(of: handle)) == nil { row.parent = nil }
        return row
    }

    /// What a row says of its parent.
    func shownParent(_ parent: ItemHandle?) -> ItemHandle? {
        guard let parent, let members else { return parent }
        return members.contains(parent) ? parent : nil
    }
}

// MARK: - The rows of a section

extension ViewedRows {
    private func allRows(of section: SectionHandle) -> [ItemHandle] {
        let rows = baseRows(of: section)
        let selected = query.selects ? rows.filter { query.selects($0, of: state) } : rows
        return query.sort.map { sorted(selected, by: $0) } ?? selected
    }

    private func baseRows(of section: SectionHandle) -> [ItemHandle] {
        guard let expanded, query.view == .visible else { return state.rows(of: section, view: query.view) }
        var rows: [ItemHandle] = []
        var index = 0
        let count = state.rowCount(of: section)
        while index < count {
            let handle = state.row(at: index, of: section)
            rows.append(handle)
            index += expanded.contains(handle) ? 1 : 1 + state.descendantCount(of: handle)
        }
        return rows
    }

    private func sorted(_ rows: [ItemHandle], by order: SortOrder) -> [ItemHandle] {
        let keyed = rows.enumerated().map {
            (index: $0, handle: $1, key: state.content(of: $1).sortKey(at: order.path))
        }
        let isBefore = order.isDescending ? SortKey.isDescending : { $0 < $1 }
        return keyed.sorted { left, right in
            if isBefore(left.key, right.key) { return true }
            return isBefore(right.key, left.key) ? false : left.index < right.index
        }
        .map(\.handle)
    }
}

// MARK: - Windows

extension ViewedRows {
    private mutating func take(_ window: Window) {
        let counts = takeRowsUnlessWhole()
        let total = counts.reduce(0, +)
        let number = anchorNumber(window, counts)
        let range = max(0, number - window.before)..<min(total, number + window.after + 1)
        self.window = WindowPlace(start: range.lowerBound, total: total)
        var start = 0
        for (section, count) in zip(sectionHandles, counts) {
            let own = (start..<start + count).clamped(to: range)
            start += count
            rows[section] =
                own.isEmpty ? [] : part(own.lowerBound + count - start..<own.upperBound + count - start, section)
        }
    }

    /// Whether rows can be had by their indexes, without looking at the others.
    private var isIndexed: Bool { !query.selects && query.sort == nil && query.expanded == nil }

    /// - Returns: How many rows each section has without the window.
    private mutating func takeRowsUnlessWhole() -> [Int] {
        guard !isIndexed else { return sectionHandles.map { state.rowCount(of: $0, view: query.view) } }
        for section in sectionHandles { rows[section] = allRows(of: section) }
        return sectionHandles.map { rowCount(of: $0) }
    }

    private func part(_ range: Range<Int>, _ section: SectionHandle) -> [ItemHandle] {
        isIndexed ? state.rows(range, of: section, view: query.view) : Array(rows[section]?[range] ?? [])
    }

    /// The number of the anchor's row, or of the nearest one above it that there is; 0 if the list has no such item.
    private func anchorNumber(_ window: Window, _ counts: [Int]) -> Int {
        guard let item = state.handle(of: window.anchor), let section = state.section(of: item),
            let position = sectionHandles.firstIndex(of: section)
        else { return 0 }
        let shown = shownAncestor(item)
        let before = counts[..<position].reduce(0, +)
        if isIndexed { return before + (state.index(of: shown, view: query.view) ?? 0) }
        let own = rows[section] ?? []
        if let index = own.firstIndex(of: shown) { return before + index }
        guard query.sort == nil, let place = state.index(of: shown) else { return before }
        let above = own.prefix { (state.index(of: $0) ?? 0) < place }.count
        return before + max(0, above - 1)
    }

    /// The item itself if its ancestors are all expanded, otherwise the highest one that is not.
    private func shownAncestor(_ item: ItemHandle) -> ItemHandle {
        guard query.view == .visible else { return item }
        var shown = item
        var current = item
        while let parent = state.parent(of: current) {
            if !(expanded?.contains(parent) ?? state.marks(of: parent).isExpanded) { shown = parent }
            current = parent
        }
        return shown
    }
}
