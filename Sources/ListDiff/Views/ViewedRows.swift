public import ListModel

/// The rows that a query asks for in one state of a list.
///
/// - Complexity: Making it takes O(*w* log *n* + *s*) with a window of *w* rows, *s* = sections, and nothing without a
///   window. If the query is not indexed, it also takes the cost of `SelectedRows`, unless these are known.
public struct ViewedRows: RowSource {
    public let state: ListState
    public let query: RowQuery
    /// The place of the window; nil without a window.
    public private(set) var window: WindowPlace?
    /// The selected rows; nil if rows are found by their indexes in the view.
    let selected: SelectedRows?
    /// The rows of each section that are in the window. A section without such rows is left out. Nil without a window.
    private(set) var parts: [SectionHandle: Range<Int>]?

    /// - Parameter query: If the list does not have the anchor of its window, the window is at the start.
    public init(_ query: RowQuery, of state: ListState) {
        self.init(query, of: state, query.isIndexed ? nil : SelectedRows(query.withoutWindow, of: state))
    }

    /// - Parameter selected: The rows that the query selects in the state; nil if the query is indexed.
    public init(_ query: RowQuery, of state: ListState, _ selected: SelectedRows?) {
        self.state = state
        self.query = query
        self.selected = selected
        if let window = query.window { take(window) }
    }

    public var sectionHandles: [SectionHandle] { query.sectionHandles(of: state) }

    public var rowCount: Int {
        if let parts { return parts.values.reduce(0) { $0 + $1.count } }
        if let selected { return selected.count }
        guard query.sections != nil else { return state.rowCount(query.view) }
        return sectionHandles.reduce(0) { $0 + baseCount(of: $1) }
    }

    public func rowCount(of section: SectionHandle) -> Int {
        parts.map { $0[section]?.count ?? 0 } ?? baseCount(of: section)
    }

    public func rows(_ range: Range<Int>, of section: SectionHandle) -> [ItemHandle] {
        let start = parts?[section]?.lowerBound ?? 0
        return baseRows(start + range.lowerBound..<start + range.upperBound, of: section)
    }

    public func row(_ handle: ItemHandle) -> ItemRow {
        var row = state.row(handle)
        if let expanded = query.expanded { row.item.isExpanded = expanded.contains(row.item.id) }
        if shownParent(state.parent(of: handle)) == nil { row.parent = nil }
        return row
    }

    /// The parent that a row names. It names none if the query loses parents and the parent is no row.
    func shownParent(_ parent: ItemHandle?) -> ItemHandle? {
        guard let parent, query.losesParents else { return parent }
        return place(of: parent) == nil ? nil : parent
    }

    /// The place of the row of an item; nil if it has none.
    func place(of item: ItemHandle) -> RowPlace? {
        guard let section = state.section(of: item), let index = baseIndex(of: item, in: section) else { return nil }
        guard let parts else { return RowPlace(section: section, index: index) }
        guard let part = parts[section], part.contains(index) else { return nil }
        return RowPlace(section: section, index: index - part.lowerBound)
    }
}

// MARK: - Without the window

extension ViewedRows {
    private func baseCount(of section: SectionHandle) -> Int {
        selected.map { $0.rowCount(of: section) } ?? state.rowCount(of: section, view: query.view)
    }

    private func baseRows(_ range: Range<Int>, of section: SectionHandle) -> [ItemHandle] {
        selected.map { $0.rows(range, of: section) } ?? state.rows(range, of: section, view: query.view)
    }

    private func baseIndex(of item: ItemHandle, in section: SectionHandle) -> Int? {
        if let selected { return selected.contains(item) ? selected.index(of: item, in: section) : nil }
        return query.shows(section, of: state) ? state.index(of: item, view: query.view) : nil
    }
}

// MARK: - Windows

extension ViewedRows {
    private mutating func take(_ window: Window) {
        let sections = sectionHandles
        let counts = sections.map(baseCount)
        let total = counts.reduce(0, +)
        let number = number(of: window.middle, sections, counts)
        let range = max(0, number - window.before)..<min(total, number + window.after + 1)
        self.window = WindowPlace(start: range.lowerBound, total: total)
        var parts: [SectionHandle: Range<Int>] = [:]
        var start = 0
        for (section, count) in zip(sections, counts) where count > 0 {
            let own = (start..<start + count).clamped(to: range)
            if !own.isEmpty { parts[section] = own.lowerBound - start..<own.upperBound - start }
            start += count
        }
        self.parts = parts
    }

    private func number(of middle: Window.Middle, _ sections: [SectionHandle], _ counts: [Int]) -> Int {
        switch middle {
        case .item(let anchor): number(of: anchor, sections, counts)
        case .row(let number): max(0, min(number, counts.reduce(0, +) - 1))
        }
    }

    /// The number of the anchor's row, or of the nearest row above it; 0 if the item is not in a section of the query.
    private func number(of anchor: ItemID, _ sections: [SectionHandle], _ counts: [Int]) -> Int {
        guard let item = state.handle(of: anchor), let section = state.section(of: item),
            let position = sections.firstIndex(of: section)
        else { return 0 }
        let shown = shownAncestor(item)
        let before = counts[..<position].reduce(0, +)
        guard let selected else { return before + (state.index(of: shown, view: query.view) ?? 0) }
        if selected.contains(shown) { return before + selected.index(of: shown, in: section) }
        guard query.sort == nil, let place = state.index(of: shown) else { return before }
        let above = selected.lowerBound(in: section) { (state.index(of: $0) ?? 0) < place }
        return before + max(0, above - 1)
    }

    /// The item itself if all its ancestors are expanded, otherwise its highest collapsed ancestor.
    private func shownAncestor(_ item: ItemHandle) -> ItemHandle {
        guard query.view == .visible else { return item }
        var shown = item
        var current = item
        while let parent = state.parent(of: current) {
            let isExpanded = query.expanded?.contains(state.id(of: parent)) ?? state.marks(of: parent).isExpanded
            if !isExpanded { shown = parent }
            current = parent
        }
        return shown
    }
}
