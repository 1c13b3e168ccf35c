/// The rows that sections had before some steps, and the rows that were placed since.
package struct PastRows: Sendable {
    /// The old rows of each section that the steps name.
    package var rows: [SectionHandle: [ItemHandle]] = [:]
    /// The rows that operations placed.
    package var placed: Set<ItemHandle> = []
}

extension ListState {
    /// The rows that sections had before steps that lead to this state, all of them or the shown ones.
    ///
    /// - Complexity: O(*n* + *s*), *n* = rows of the sections that the steps name, *s* = steps.
    package func rows(before steps: [Step], shownOnly: Bool) -> PastRows {
        var unwinding = Unwinding(self, shownOnly: shownOnly)
        for step in steps.reversed() { unwinding.takeBack(step) }
        return unwinding.past
    }

    /// The items that were placed by steps that lead to this state. The steps are those of all rows, not of shown ones.
    ///
    /// - Complexity: O(*s* log *n*), *n* = rows, *s* = steps and rows in them.
    package func itemsPlaced(by steps: [Step]) -> Set<ItemHandle> {
        var unwinding = Unwinding(self, shownOnly: false)
        for step in steps.reversed() { unwinding.takeBack(step) }
        return unwinding.placed
    }
}

private struct Unwinding {
    private let state: ListState
    private let shownOnly: Bool
    private var lists: [SectionHandle: RowList] = [:]
    private var chunkNames: ChunkNames
    private(set) var placed: Set<ItemHandle> = []

    init(_ state: ListState, shownOnly: Bool) {
        self.state = state
        self.shownOnly = shownOnly
        chunkNames = state.chunkNames
    }

    var past: PastRows {
        PastRows(rows: lists.mapValues { $0[0..<$0.count].map(\.item) }, placed: placed)
    }

    mutating func takeBack(_ step: Step) {
        switch step {
        case .insertSection, .deleteSection: break
        case .insertRows(let items, let section, let index, let isPlaced):
            _ = remove(index..<index + items.count, from: section)
            if isPlaced { placed.formUnion(items) }
        case .deleteRows(let items, let section, let index):
            insert(items.map { Row($0, isShown: true) }, in: section, at: index)
        case .moveRows(let count, let section, let index, let target, let targetIndex):
            let rows = remove(targetIndex..<targetIndex + count, from: target)
            placed.formUnion(rows.lazy.map(\.item))
            insert(rows, in: section, at: index)
        case .placeHiddenRows(let items):
            placed.formUnion(items)
        case .arrangeRows(let arrangements):
            for arrangement in arrangements { lists[arrangement.section] = RowList() }
            for arrangement in arrangements {
                insert(arrangement.old.map { Row($0, isShown: true) }, in: arrangement.section, at: 0)
            }
        }
    }

    private mutating func remove(_ range: Range<Int>, from section: SectionHandle) -> [Row] {
        load(section)
        return lists[section]?.remove(range, &chunkNames) ?? []
    }

    private mutating func insert(_ rows: [Row], in section: SectionHandle, at index: Int) {
        load(section)
        lists[section]?.insert(rows, at: index, &chunkNames)
    }

    private mutating func load(_ section: SectionHandle) {
        guard lists[section] == nil else { return }
        let now = state.sections[section.index].rows
        guard shownOnly, now.hidesRows else { return lists[section] = now }
        var shown = RowList()
        shown.insert(state.visibleRows(of: section).map { Row($0, isShown: true) }, at: 0, &chunkNames)
        lists[section] = shown
    }
}
