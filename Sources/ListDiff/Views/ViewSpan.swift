public import ListModel

/// The change from the rows that a client sees of an older state to the rows that it is to see of a newer one.
///
/// An example: a client follows the starred items. A star is written as `*`.
///
///     old list   a* b  c* d     rows of the client   a c
///     new list   a* b* c  d     rows of the client   a b
///
/// The indexes of the change set count the rows of the client: delete c at 1, insert b at 1. If d got new content too,
/// the change set does not say so, because the client sees d neither before nor after.
///
/// A second example: a client sorts by a number, and the rows are a (1), b (2), c (3). The number of b becomes 4, so
/// the rows are a c b. Either b or c could move; b does, because its number has changed.
public struct ViewSpan: Sendable {
    private let old: ListState
    private let new: ListState
    private let oldQuery: RowQuery
    private let newQuery: RowQuery
    private let deltas: [Delta]
    private let past: Past

    /// The rows that are known already, so that nobody has to look for them.
    public enum Knowledge: Sendable {
        case nothing
        /// The rows of the older state are known.
        case old(SelectedRows)
        /// The rows of the newer state are known.
        case new(SelectedRows)
    }

    /// The change set for the client, and the rows to keep.
    public struct Outcome: Sendable {
        public let changes: ChangeSet
        /// The rows that the query selects in the newer state; nil if the query is indexed, or if they were not needed.
        public let selected: SelectedRows?
    }

    /// - Parameters:
    ///   - old: The state `new` with the deltas taken back, so that a handle is the same item in both.
    ///   - deltas: All deltas from `old` to `new`.
    ///   - oldQuery: The query whose rows the client sees. The anchor of its window and its filter may differ from
    ///     those of `newQuery`; all else is the same.
    public init(
        from old: ListState, _ oldQuery: RowQuery, to new: ListState, _ newQuery: RowQuery,
        _ deltas: some Sequence<Delta>
    ) {
        (self.old, self.new) = (old, new)
        (self.oldQuery, self.newQuery) = (oldQuery, newQuery)
        self.deltas = Array(deltas)
        past = self.deltas.reduce(into: Past()) { $0.append($1.past) }
    }

    /// The change set from the old rows to the new ones; indexes count these rows.
    ///
    /// The change set is minimal, as that of a `NetChange`, with one exception: in sorted rows a row stays if its key
    /// is the same and no operation placed it, even if this takes more moves, unless the children of an item above it were
    /// given another order.
    ///
    /// - Parameter known: Known rows make the cost nearly independent of the length of the list: see `SelectedRows`.
    /// - Complexity: For rows that a filter, a sort or a viewer's own disclosure selects: nearly nothing if no change
    ///   concerns them; otherwise one look at all of them, unless they are known, and at the touched rows. For a window
    ///   O(*w* log *n* + *s*), *w* = its rows, *s* = sections. For some sections, the touched rows. Where whole orders
    ///   were written, or the client sees the rows of another filter, the rows of both states.
    public func outcome(knowing known: Knowledge) -> Outcome {
        let touched = TouchedRows(deltas, past: past, to: new)
        guard concernsRows(touched, known) else { return Outcome(changes: ChangeSet(), selected: known.rows) }
        guard oldQuery.withoutWindow == newQuery.withoutWindow else {
            return differentlySelected(touched, known)
        }
        guard !newQuery.isIndexed else { return Outcome(changes: indexedChanges(touched), selected: nil) }
        var (before, after): (SelectedRows, SelectedRows)
        let steps: [Step]?
        if case .old(let rows) = known {
            (before, after) = (rows, rows)
            steps = after.go(from: old, to: new, query, touched)
        } else {
            after = known.rows ?? SelectedRows(query, of: new)
            before = after
            _ = before.go(from: new, to: old, query, touched)
            var again = before
            steps = newQuery.window == nil ? again.go(from: old, to: new, query, touched) : nil
        }
        let rows = Span(ViewedRows(oldQuery, of: old, before), ViewedRows(newQuery, of: new, after))
        return Outcome(changes: changes(rows, touched, steps), selected: after)
    }

    private var query: RowQuery { newQuery.withoutWindow }

    /// The rows before and after.
    private struct Span {
        let old: ViewedRows
        let new: ViewedRows
        init(_ old: ViewedRows, _ new: ViewedRows) { (self.old, self.new) = (old, new) }
    }

    private func indexedChanges(_ touched: TouchedRows) -> ChangeSet {
        let rows = Span(ViewedRows(oldQuery, of: old, nil), ViewedRows(newQuery, of: new, nil))
        let steps = touched.arranged.isEmpty ? deltas.flatMap { $0.steps(in: newQuery.view) } : nil
        return changes(rows, touched, steps)
    }

    /// The outcome for a client that sees the rows of another filter.
    private func differentlySelected(_ touched: TouchedRows, _ known: Knowledge) -> Outcome {
        let after: SelectedRows? =
            switch known {
            case .new(let rows): rows
            case .nothing, .old: newQuery.isIndexed ? nil : SelectedRows(query, of: new)
            }
        let rows = Span(ViewedRows(oldQuery, of: old), ViewedRows(newQuery, of: new, after))
        return Outcome(changes: changes(rows, touched, nil), selected: after)
    }
}

extension ViewSpan.Knowledge {
    fileprivate var rows: SelectedRows? {
        switch self {
        case .nothing: nil
        case .old(let rows), .new(let rows): rows
        }
    }
}

// MARK: - Rows

extension ViewSpan {
    /// - Parameter steps: The steps of the rows; nil if the rows have to be compared.
    private func changes(_ rows: Span, _ touched: TouchedRows, _ steps: [Step]?) -> ChangeSet {
        let sections = sectionSpan(rows)
        var writer = ChangeSetWriter(past: past, rows: rows.new, sections: sections)
        writer.writeProperties()
        writer.writeSections()
        let moves: RowChanges
        if let steps, newQuery.window == nil {
            moves = composed(steps, sections)
        } else {
            moves = RowChanges(comparing: comparedSections(rows, sections, touched))
        }
        writer.write(moves)
        let isSame = newQuery.window == nil && oldQuery == newQuery
        writer.writeContent(of: isSame ? contentCandidates(rows, touched) : nil, from: rows.old, besides: moves.arrived)
        writer.writeWindow(from: rows.old)
        return writer.changes
    }

    private func sectionSpan(_ rows: Span) -> SectionSpan {
        guard newQuery.sections != nil else { return SectionSpan(past: past, state: new) }
        let old = past.order == nil ? nil : rows.old.sectionHandles
        return SectionSpan(from: old, to: rows.new.sectionHandles, of: new)
    }

    private func composed(_ steps: [Step], _ sections: SectionSpan) -> RowChanges {
        var composition = Composition()
        for step in steps { composition.append(step) }
        return composition.changes(isUntouchedFirst: newQuery.sort != nil, survives: sections.survives) ?? RowChanges()
    }

    private func comparedSections(
        _ rows: Span, _ sections: SectionSpan, _ touched: TouchedRows
    ) -> [ComparedSection] {
        var mask: HandleMask<ItemHandle>?
        let capacity = new.itemHandleCount
        return comparable(rows).filter(sections.survives).sorted { $0.index < $1.index }.map { section in
            let (old, new) = (rows.old.rows(of: section), rows.new.rows(of: section))
            Steps.add(old.count + new.count)
            let difference = OrderDifference(
                from: old, to: new, isUntouchedFirst: newQuery.sort != nil
            ) {
                let made = mask ?? HandleMask(placedItems(touched), capacity: capacity)
                mask = made
                return made
            }
            return ComparedSection(section: section, old: old, new: new, difference: difference)
        }
    }

    /// The sections that have rows to compare.
    private func comparable(_ rows: Span) -> [SectionHandle] {
        guard let (old, new) = rows.old.parts.flatMap({ old in rows.new.parts.map { (old, $0) } }) else {
            return rows.new.sectionHandles
        }
        return Array(Set(old.keys).union(new.keys))
    }

    /// The items that have a reason of their own to move: an operation placed them, or their sort key has changed.
    private func placedItems(_ touched: TouchedRows) -> Set<ItemHandle> {
        guard let path = newQuery.sort?.path else { return touched.placed }
        var placed = touched.placed
        for (item, record) in past.items where new.section(of: item) != nil {
            if record.item.content.sortKey(at: path) != new.content(of: item).sortKey(at: path) { placed.insert(item) }
        }
        return placed
    }

    /// The items whose rows may have other contents under the same query: items that were written, and items that an
    /// operation asked to reload or reconfigure. If the query loses parents, the children of items that began or ceased
    /// to be rows are among them.
    private func contentCandidates(_ rows: Span, _ touched: TouchedRows) -> Set<ItemHandle> {
        var items = past.reloadedItems.union(past.reconfiguredItems)
        for (item, _) in past.items { items.insert(item) }
        guard newQuery.losesParents else { return items }
        for item in touched.items where new.section(of: item) != nil && new.childCount(of: item) > 0 {
            guard (rows.old.place(of: item) == nil) != (rows.new.place(of: item) == nil) else { continue }
            items.formUnion(new.children(of: item))
        }
        return items
    }
}

// MARK: - Changes outside the view

extension ViewSpan {
    /// False only if the rows are surely the same.
    private func concernsRows(_ touched: TouchedRows, _ known: Knowledge) -> Bool {
        guard !newQuery.isIndexed, oldQuery == newQuery, newQuery.window == nil else { return true }
        guard past.properties == nil, past.order == nil, past.sections.isEmpty, past.reloadedSections.isEmpty,
            touched.arranged.isEmpty
        else { return true }
        var shown = (old: Disclosure(newQuery, of: old), new: Disclosure(newQuery, of: new))
        let items = [touched.items, past.reconfiguredItems, past.reloadedItems].joined()
        return items.contains { item in
            switch known {
            case .old(let rows): rows.contains(item) || isSelected(item, of: new, &shown.new)
            case .new(let rows): rows.contains(item) || isSelected(item, of: old, &shown.old)
            case .nothing: isSelected(item, of: old, &shown.old) || isSelected(item, of: new, &shown.new)
            }
        }
    }

    private func isSelected(_ item: ItemHandle, of state: ListState, _ disclosure: inout Disclosure) -> Bool {
        guard let section = state.section(of: item), newQuery.shows(section, of: state) else { return false }
        Steps.add(1)
        return disclosure.shows(item) && newQuery.selects(item, of: state)
    }
}
