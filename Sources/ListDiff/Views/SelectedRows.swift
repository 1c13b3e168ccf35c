public import ListModel

/// The rows that a query selects in one state, in the order of the query. A window is not applied.
///
/// Followers of the query keep these rows, and bring them from one state to another at the cost of the changes between.
///
/// - Complexity: Making them looks once at each row of the query's sections. Going to another state takes O(*t* log²
///   *n*), *t* = rows that the change touched, *n* = rows; where the change wrote whole orders, the length of their
///   sections. An index is found as in a `RowList`. Each row takes about 16 bytes.
public struct SelectedRows: Sendable {
    /// The rows of each section, by the index of its handle.
    private var lists: PagedArray<RowList>
    /// The name of the chunk in which the row of each item stands. It is -1 if the item is no row.
    private var chunkNames: ChunkNames
    private(set) var count = 0

    /// - Parameter query: A query without a window.
    public init(_ query: RowQuery, of state: ListState) {
        lists = PagedArray(repeating: RowList(), count: state.sectionHandleCount)
        chunkNames = ChunkNames(repeating: -1, count: state.itemHandleCount)
        for section in query.sectionHandles(of: state) {
            insert(query.foundRows(of: section, in: state), in: section, at: 0)
        }
    }

    /// About how many bytes of memory the rows take. Pages of `chunkNames` that name no row are shared.
    public var estimatedBytes: Int { 16 * count }

    func contains(_ item: ItemHandle) -> Bool { item.index < chunkNames.count && chunkNames[item.index] >= 0 }

    func rowCount(of section: SectionHandle) -> Int { section.index < lists.count ? lists[section.index].count : 0 }

    /// Some rows of a section, by their indexes here.
    func rows(_ range: Range<Int>, of section: SectionHandle) -> [ItemHandle] {
        range.isEmpty ? [] : lists[section.index][range].map(\.item)
    }

    /// The index of a row among those of its section.
    ///
    /// - Precondition: The item is a row, and in this section.
    func index(of item: ItemHandle, in section: SectionHandle) -> Int {
        lists[section.index].index(of: item, chunkNames)
    }

    /// The number of rows at the start of a section for which `isBefore` holds. It must hold for no row behind them.
    func lowerBound(in section: SectionHandle, where isBefore: (ItemHandle) -> Bool) -> Int {
        var (low, high) = (0, rowCount(of: section))
        while low < high {
            let middle = (low + high) / 2
            if isBefore(lists[section.index][middle].item) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate mutating func insert(_ items: [ItemHandle], in section: SectionHandle, at index: Int) {
        lists[section.index].insert(items.map { Row($0, isShown: true) }, at: index, &chunkNames)
        count += items.count
    }

    fileprivate mutating func remove(_ range: Range<Int>, of section: SectionHandle) -> [ItemHandle] {
        let items = lists[section.index].remove(range, &chunkNames).map(\.item)
        for item in items { chunkNames[item.index] = -1 }
        count -= items.count
        return items
    }

    /// Makes room for handles that were given since. They have no rows yet.
    fileprivate mutating func makeRoom(for state: ListState) {
        let (sections, items) = (state.sectionHandleCount - lists.count, state.itemHandleCount - chunkNames.count)
        if sections > 0 { lists.append(repeating: RowList(), count: sections) }
        if items > 0 { chunkNames.append(repeating: -1, count: items) }
    }
}

// MARK: - From one state to another

extension SelectedRows {
    /// The rows of a later state.
    ///
    /// - Parameters:
    ///   - source: The state of these rows.
    ///   - deltas: The deltas from `source` to `target`.
    public func gone(
        from source: ListState, to target: ListState, _ query: RowQuery, _ deltas: [Delta]
    ) -> SelectedRows {
        guard !deltas.isEmpty else { return self }
        let past = deltas.reduce(into: Past()) { $0.append($1.past) }
        var rows = self
        _ = rows.go(from: source, to: target, query, TouchedRows(deltas, past: past, to: target))
        return rows
    }

    /// Goes to the rows of another state, an earlier one or a later one.
    ///
    /// - Parameters:
    ///   - source: The state of these rows.
    ///   - touched: The rows that may have changed between the two states.
    /// - Returns: The changes of the rows, as steps in their own index space; nil if whole orders were written, so that
    ///   the rows have to be compared.
    mutating func go(
        from source: ListState, to target: ListState, _ query: RowQuery, _ touched: TouchedRows
    ) -> [Step]? {
        makeRoom(for: target)
        var going = GoingRows(query, from: source, to: target, touched)
        let arranged = takeArranged(touched)
        for item in touched.items { going.note(item, wasRow: contains(item)) }
        var steps: [Step] = []
        remove(going.leaving, from: source, &steps)
        insert(going.coming, placed: { !going.unplaced.contains($0) }, query, of: target, &steps)
        guard !touched.arranged.isEmpty else { return steps }
        for section in target.inOrder(touched.arranged.filter(target.isAlive)) where query.shows(section, of: target) {
            insert(going.rows(of: section, knowing: arranged), in: section, at: 0)
        }
        return nil
    }

    /// Takes out the rows of sections whose whole order was written.
    private mutating func takeArranged(_ touched: TouchedRows) -> Set<ItemHandle> {
        var taken: Set<ItemHandle> = []
        for section in touched.arranged { taken.formUnion(remove(0..<rowCount(of: section), of: section)) }
        return taken
    }

    /// Removes each run of neighbours at once, the last run first, so that the indexes of the other rows stay valid.
    private mutating func remove(_ items: [ItemHandle], from state: ListState, _ steps: inout [Step]) {
        var places = items.compactMap { item in
            state.section(of: item).map { RowPlace(section: $0, index: index(of: item, in: $0)) }
        }
        places.sort { $0.section == $1.section ? $0.index > $1.index : $0.section.index > $1.section.index }
        var rest = places[...]
        while let last = rest.popFirst() {
            var start = last.index
            while let next = rest.first, next.section == last.section, next.index == start - 1 {
                start -= 1
                rest.removeFirst()
            }
            steps.append(.deleteRows(remove(start..<last.index + 1, of: last.section), last.section, at: start))
        }
    }

    /// Inserts each run of rows that come to one place at once.
    private mutating func insert(
        _ items: [ItemHandle], placed isPlaced: (ItemHandle) -> Bool, _ query: RowQuery, of state: ListState,
        _ steps: inout [Step]
    ) {
        let order = RowOrder(sort: query.sort, state: state)
        let sections = Dictionary(grouping: items) { state.section(of: $0) }
        for case (let section?, let items) in sections.sorted(by: { $0.key?.index ?? -1 < $1.key?.index ?? -1 }) {
            let sorted = items.map(order.ranked).sorted(by: order.isBefore)
            let places = sorted.map { one in
                lowerBound(in: section) { order.isBefore(order.ranked($0), one) }
            }
            // The last run comes first, so that the places of the others stay valid.
            var end = sorted.endIndex
            while end > 0 {
                let isLastPlaced = isPlaced(sorted[end - 1].item)
                var start = end - 1
                while start > 0, places[start - 1] == places[end - 1],
                    isPlaced(sorted[start - 1].item) == isLastPlaced
                {
                    start -= 1
                }
                let run = sorted[start..<end].map(\.item)
                insert(run, in: section, at: places[start])
                steps.append(.insertRows(run, section, at: places[start], isPlaced: isLastPlaced))
                end = start
            }
        }
    }
}

/// The rows that leave their places, and the rows that come to new places, between two states.
private struct GoingRows {
    private let query: RowQuery
    private let source: ListState
    private let target: ListState
    private let touched: TouchedRows
    private var disclosure: Disclosure
    private(set) var leaving: [ItemHandle] = []
    private(set) var coming: [ItemHandle] = []
    /// Those that leave and come, but have no reason of their own to move.
    private(set) var unplaced: Set<ItemHandle> = []

    init(_ query: RowQuery, from source: ListState, to target: ListState, _ touched: TouchedRows) {
        self.query = query
        self.source = source
        self.target = target
        self.touched = touched
        disclosure = Disclosure(query, of: target)
    }

    mutating func note(_ item: ItemHandle, wasRow: Bool) {
        let isRow = isRow(item)
        let hasReason = !wasRow || !isRow || isPlaced(item)
        guard hasReason || touched.displaced.contains(item) else { return }
        if wasRow { leaving.append(item) }
        if isRow { coming.append(item) }
        if !hasReason { unplaced.insert(item) }
    }

    private mutating func isRow(_ item: ItemHandle) -> Bool {
        guard let section = target.section(of: item), !touched.arranged.contains(section),
            query.shows(section, of: target), disclosure.shows(item)
        else { return false }
        Steps.add(1)
        return query.selects(item, of: target)
    }

    /// Whether a row of both states has a reason of its own to move: an operation placed it, or its sort key is another.
    private func isPlaced(_ item: ItemHandle) -> Bool {
        guard !touched.placed.contains(item) else { return true }
        guard let path = query.sort?.path else { return false }
        return source.content(of: item).sortKey(at: path) != target.content(of: item).sortKey(at: path)
    }

    /// The rows of a section whose whole order was written.
    ///
    /// - Parameter known: The items that were rows before. They are looked at again only if they were touched.
    mutating func rows(of section: SectionHandle, knowing known: Set<ItemHandle>) -> [ItemHandle] {
        let rows = target.rows(of: section).filter { item in
            guard disclosure.shows(item) else { return false }
            if !touched.items.contains(item) {
                if known.contains(item) { return true }
                if query.view == .items, query.sections == nil { return false }
            }
            return query.selects(item, of: target)
        }
        return RowOrder(sort: query.sort, state: target).sorted(rows)
    }
}
