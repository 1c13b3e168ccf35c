import ListModel

/// Which rows of a list may stand elsewhere, or be rows of a view no longer or only now, after some deltas.
struct TouchedRows {
    /// What operations placed: inserted, or moved with all that is below.
    let placed: Set<ItemHandle>
    /// All of them, unless they are in a section of which the whole order was written.
    private(set) var items: Set<ItemHandle>
    /// Sections of which the whole order was written.
    private(set) var arranged: Set<SectionHandle> = []

    /// - Parameters:
    ///   - deltas: Consecutive ones that lead to `state`.
    ///   - past: What they overwrote.
    /// - Complexity: O(*s* log *n*), *s* = steps of the deltas and rows in them, *n* = rows of the list; and the rows
    ///   of the sections of which the whole order was written.
    init(_ deltas: [Delta], past: Past, to state: ListState) {
        let steps = deltas.flatMap(\.steps)
        placed = state.itemsPlaced(by: steps)
        items = placed
        for (item, _) in past.items { items.insert(item) }
        for step in steps { note(step) }
        for delta in deltas { for step in delta.visibleSteps ?? [] { note(step) } }
    }

    private mutating func note(_ step: Step) {
        switch step {
        case .insertRows(let rows, _, _, _), .deleteRows(let rows, _, _): items.formUnion(rows)
        case .arrangeRows(let arrangements): arranged.formUnion(arrangements.lazy.map(\.section))
        case .insertSection, .deleteSection, .moveRows, .placeHiddenRows: break
        }
    }
}
