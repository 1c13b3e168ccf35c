import ListModel

/// The rows of a list that some deltas may have moved, or added to a view, or removed from it.
struct TouchedRows {
    /// The items that an operation inserted or moved, with the descendants of moved items. Items that were only
    /// arranged in another order are not among them.
    let placed: Set<ItemHandle>
    /// The items that a step took out of the rows of the list, or put there, whoever asked for it: those in `placed`, and
    /// items that were arranged within a run. All others have kept their order, but for the sections in `arranged`.
    private(set) var displaced: Set<ItemHandle>
    /// All touched items. Items of sections in `arranged` may be missing.
    private(set) var items: Set<ItemHandle>
    /// The sections whose whole order was written.
    private(set) var arranged: Set<SectionHandle> = []

    /// - Parameters:
    ///   - deltas: Consecutive deltas that lead to `state`.
    ///   - past: The values that the deltas overwrote.
    /// - Complexity: O(*s* log *n*), *s* = steps of the deltas and rows in them, *n* = rows of the list; and the rows
    ///   of the sections whose whole order was written.
    init(_ deltas: [Delta], past: Past, to state: ListState) {
        let steps = deltas.flatMap(\.steps)
        placed = state.itemsPlaced(by: steps)
        displaced = placed
        for case .insertRows(let rows, _, _, _) in steps { displaced.formUnion(rows) }
        items = displaced
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
