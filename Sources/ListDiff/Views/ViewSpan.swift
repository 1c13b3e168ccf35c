public import ListModel

/// From what a client sees of a list to what it is to see: rows of an older state and those of a newer one.
public struct ViewSpan: Sendable {
    private let old: ListState
    private let new: ListState
    private let oldQuery: RowQuery
    private let newQuery: RowQuery
    private let deltas: [Delta]
    private let past: Past

    /// - Parameters:
    ///   - old: `new`, gone back by the deltas, so that a handle is the same item in both.
    ///   - deltas: All that lead from the older state to the newer one.
    ///   - oldQuery: What the client has asked for; the anchor of its window and its filter may be others than in
    ///     `newQuery`, all else is the same.
    public init(
        from old: ListState, _ oldQuery: RowQuery, to new: ListState, _ newQuery: RowQuery,
        _ deltas: some Sequence<Delta>
    ) {
        (self.old, self.new) = (old, new)
        (self.oldQuery, self.newQuery) = (oldQuery, newQuery)
        self.deltas = Array(deltas)
        past = self.deltas.reduce(into: Past()) { $0.append($1.past) }
    }

    /// The change set between the rows, which indexes count.
    ///
    /// Minimal, as a `NetChange` is, but for this: where rows are sorted, those stay whose key has not changed and that
    /// no operation has placed, even where fewer moves were possible.
    ///
    /// - Complexity: Near none if nothing happened that concerns a query which selects items; otherwise that of both
    ///   `ViewedRows`.
    public func changes() -> ChangeSet {
        guard concernsRows else { return ChangeSet() }
        let (oldRows, newRows) = (ViewedRows(oldQuery, of: old), ViewedRows(newQuery, of: new))
        let sections = SectionSpan(from: oldRows.sectionHandles, to: newRows.sectionHandles, of: new)
        var writer = ChangeSetWriter(past: past, rows: newRows, sections: sections)
        writer.writeProperties()
        writer.writeSections()
        let moves = RowChanges(comparing: comparedSections(oldRows, newRows, sections))
        writer.write(moves)
        writer.writeContent(from: oldRows, besides: moves.arrived)
        writer.writeWindow(from: oldRows)
        return writer.changes
    }
}

// MARK: - Rows

extension ViewSpan {
    private func comparedSections(
        _ oldRows: ViewedRows, _ newRows: ViewedRows, _ sections: SectionSpan
    ) -> [ComparedSection] {
        var mask: HandleMask<ItemHandle>?
        let capacity = new.itemHandleCount
        return newRows.sectionHandles.filter(sections.survives).sorted { $0.index < $1.index }.map { section in
            let (old, new) = (oldRows.rows(of: section), newRows.rows(of: section))
            let difference = OrderDifference(
                from: old, to: new, isUntouchedFirst: newQuery.sort != nil
            ) {
                let made = mask ?? HandleMask(placedItems, capacity: capacity)
                mask = made
                return made
            }
            return ComparedSection(section: section, old: old, new: new, difference: difference)
        }
    }

    /// What may have another place for a reason of its own: an operation placed it, or its key has changed.
    private var placedItems: Set<ItemHandle> {
        var placed = new.itemsPlaced(by: deltas.flatMap(\.steps))
        guard let path = newQuery.sort?.path else { return placed }
        for (item, record) in past.items where new.section(of: item) != nil {
            if record.item.content.sortKey(at: path) != new.content(of: item).sortKey(at: path) { placed.insert(item) }
        }
        return placed
    }
}

// MARK: - What does not concern the view

extension ViewSpan {
    /// False only if the rows are surely the same.
    private var concernsRows: Bool {
        guard newQuery.selects, oldQuery == newQuery, newQuery.window == nil else { return true }
        guard past.properties == nil, past.order == nil, past.sections.isEmpty, past.reloadedSections.isEmpty else {
            return true
        }
        return deltas.contains { delta in
            delta.past.items.contains { isSelected($0.item) }
                || delta.past.reconfiguredItems.contains(where: isSelected)
                || delta.past.reloadedItems.contains(where: isSelected)
                || delta.steps(in: stepView).contains(where: concerns)
        }
    }

    /// What is shown to a viewer with a disclosure of its own are no steps of the shown rows.
    private var stepView: View { newQuery.expanded == nil ? newQuery.view : .items }

    private func concerns(_ step: Step) -> Bool {
        switch step {
        case .insertSection, .deleteSection, .moveRows, .arrangeRows: true
        case .insertRows(let items, _, _, _), .deleteRows(let items, _, _): items.contains(where: isSelected)
        case .placeHiddenRows: false
        }
    }

    /// Whether an item is asked for in one of the two states.
    private func isSelected(_ item: ItemHandle) -> Bool {
        old.section(of: item) != nil && newQuery.selects(item, of: old)
            || new.section(of: item) != nil && newQuery.selects(item, of: new)
    }
}
