public import ListDiff
public import ListModel

/// A part of a list as a client shows it: a window, or the rows that a filter selects, with the client's own pending
/// edits on top as far as the held rows tell.
///
/// An example: the list has the rows a to z, and the window is held that has l m n o.
///
///     pending             shown     because
///                         l m n o
///     move n before m     l n m o
///     star z              l m n o   z is not held
///     move n before c     l m n o   c is not held, so the place is not known here
///     append x            l m n o   the end of the list is not held
///
/// Parts are short. So each change makes the rows anew from those that the server has told, does the pending edits, and
/// compares them with the rows that were shown.
public struct LocalPart: Sendable {
    /// The version of the server's state below the pending edits; nil if the server has told of none.
    public private(set) var version: Version?
    /// The client's edits that the server has not told of, in their order.
    public private(set) var pending: [PendingEdit] = []
    /// The counts of the whole list, as the server has told them.
    public private(set) var counts = ListCounts(sections: 0, items: 0, visibleItems: 0)
    /// The place of the window, as the server has told it; nil if there is none.
    public private(set) var window: WindowPlace?

    /// The query without its window, by which edits are shown or not.
    private var query: RowQuery
    /// The query whose rows are to come.
    private var next: RowQuery?
    private var held = HeldRows()
    /// The held rows without the pending edits.
    private var base = PartForest()
    private var forest = PartForest()
    /// The rows of `forest` that the query selects.
    private var viewed: ViewedRows
    private var shown: [SectionRows] = []

    /// The limits are those of a server without flags.
    private static let rules = Rules(
        isStrict: false, itemsMax: 2_000_000, sectionsMax: 10_000, contentBytesMax: 65_536)

    /// No rows, until those of the query come.
    public init(_ query: RowQuery) {
        self.query = query.withoutWindow
        viewed = ViewedRows(query.withoutWindow, of: forest.state)
    }

    /// Waits for the rows of another query. Until they come, those of the last one are shown.
    public mutating func want(_ query: RowQuery) { next = query.withoutWindow }
}

// MARK: - Reading

extension LocalPart: LocalRows {
    /// What is held, with the rows that are hidden. Rows whose parents are not held are roots here.
    public var state: ListState { forest.state }

    /// The shown sections, in their order.
    public var sectionHandles: [SectionHandle] { viewed.sectionHandles }

    /// The shown rows of a section, in their order.
    public func items(of section: SectionHandle) -> [ItemID] {
        viewed.rows(of: section).map { state.id(of: $0) }
    }

    /// The row of an item, also of a hidden one; nil if it is not held.
    public func row(of item: ItemID) -> ItemRow? {
        state.handle(of: item).map(row)
    }

    private func row(_ handle: ItemHandle) -> ItemRow { forest.placed(viewed.row(handle), handle) }

    /// The direct holder of an item; nil if it is not known.
    public func container(around item: ItemID) -> Container? {
        forest.container(around: item, isWhole: query.isIndexed)
    }

    /// The moves that give shown rows another order. Each names a neighbour, because the ends of the rows that are held
    /// are not the ends of the list.
    public func moves(for orders: [Reorder.SectionOrder]) throws(ReorderError) -> [Operation] {
        guard var rows = PartForest(HeldRows(properties: state.properties, sections: shown)) else { return [] }
        let reorder = Reorder(view: .items, sections: orders)
        let plan = try reorder.operations(base: rows.state, head: rows.state, isBased: true)
        return plan.groups.flatMap(\.operations).map { operation in
            let named = rows.naming(operation)
            rows.perform(named, Self.rules)
            return named
        }
    }
}

extension PartForest {
    /// A move beside a row instead of to an end.
    fileprivate func naming(_ operation: Operation) -> Operation {
        guard case .moveItem(let item, let destination) = operation else { return operation }
        switch destination {
        case .anchor(let anchor): return .moveItem(item, .anchor(ItemAnchor(anchor.side, anchor.item)))
        case .last: return operation
        case .first(let container):
            let others: [ItemHandle]? =
                switch container {
                case .section(let id): state.handle(of: id).map { state.roots(of: $0) }
                case .parent(let id): state.handle(of: id).map { state.children(of: $0) }
                }
            let first = others?.lazy.map { state.id(of: $0) }.first { $0 != item }
            return first.map { .moveItem(item, .anchor(ItemAnchor(.before, $0))) } ?? operation
        }
    }
}

// MARK: - The server's state

extension LocalPart {
    /// A part takes one step at a time.
    public mutating func take(_ told: [ToldRows]) throws(Mismatch) -> LocalList.Shown {
        guard told.count == 1 else { throw Mismatch("view") }
        return try take(told[0])
    }

    /// Takes what the server has told of the rows of the query: a change set from the held version, or a reset.
    ///
    /// - Complexity: O(*n* + *p*), *n* = held rows, *p* = what the pending edits do.
    public mutating func take(_ told: ToldRows) throws(Mismatch) -> LocalList.Shown {
        guard case .part(let catchup) = told else { throw Mismatch("view") }
        var (held, asked, isAnimated) = (held, ChangeSet.AskedRows(), true)
        switch catchup.rows {
        case .changes(let changes, let from):
            guard version == from, next == nil else { throw Mismatch("from") }
            try held.replay(changes)
            asked.add(changes)
            isAnimated = changes.isAnimated
        case .reset(let rows): held = rows
        }
        guard let base = PartForest(held) else { throw Mismatch("sections") }
        let isFirst = version == nil
        if case .reset = catchup.rows {
            query = next.take() ?? query
            pending.removeAll { $0.isOfAnotherEpoch(than: catchup.version) }
        }
        (self.held, self.base) = (held, base)
        (version, counts, window) = (catchup.version, catchup.counts, catchup.window)
        forgetKnown()
        let changes = rebuilt(asked, isAnimated: isAnimated)
        return isFirst ? .everything : .changes(changes)
    }

    /// Goes on to a version at which nothing of the view has changed.
    public mutating func advance(to version: Version) -> LocalList.Shown {
        guard self.version != nil, next == nil else { return .changes(ChangeSet()) }
        self.version = version
        forgetKnown()
        return .changes(rebuilt())
    }

    /// Empties the rows, because the server has deleted the list. Edits that the server has not answered stay.
    public mutating func empty() -> LocalList.Shown {
        (version, window, counts) = (nil, nil, ListCounts(sections: 0, items: 0, visibleItems: 0))
        (held, base) = (HeldRows(), PartForest())
        pending.removeAll { $0.answered != nil }
        _ = rebuilt()
        return .everything
    }

    private mutating func forgetKnown() { pending.removeAll { [version] in $0.isKnown(at: version) } }
}

extension ChangeSet.AskedRows {
    /// What a change set names that may be the same as before.
    fileprivate mutating func add(_ changes: ChangeSet) {
        reconfigured.formUnion(changes.items.reconfigured.map(\.row.item.id))
        reloaded.formUnion(changes.items.reloaded.map(\.row.item.id))
        sections.formUnion(changes.sections.reloaded.map(\.section.properties.id))
    }

    /// What an edit wants to be shown anew.
    fileprivate mutating func add(_ operations: [Operation]) {
        for operation in operations {
            switch operation {
            case .reconfigureItems(let ids): reconfigured.formUnion(ids)
            case .reloadItems(let ids): reloaded.formUnion(ids)
            case .reloadSections(let ids): sections.formUnion(ids)
            case .appendSections, .insertSections, .deleteSections, .moveSection, .updateSection, .updateList,
                .appendItems, .insertItems, .deleteItems, .deleteAllItems, .moveItem, .updateItem, .setStarred,
                .toggleStar, .setExpanded, .replaceChildren, .applySnapshot, .applySectionSnapshot:
                break
            }
        }
    }
}

// MARK: - Pending edits

extension LocalPart {
    /// Shows an edit at once, as far as the held rows tell.
    public mutating func show(_ edit: PendingEdit) -> LocalList.Shown {
        var edit = edit
        edit.base = edit.base ?? version
        pending.append(edit)
        var asked = ChangeSet.AskedRows()
        asked.add(edit.operations)
        return .changes(rebuilt(asked, isAnimated: edit.isAnimated))
    }

    /// Notes that edits are about to be sent.
    public mutating func noteSending(_ ids: [PendingEdit.ID]) {
        for index in pending.indices where ids.contains(pending[index].id) { pending[index].isSent = true }
    }

    /// Notes that the server has done edits. They stay on top until the version of the answer is held.
    public mutating func settle(_ ids: [PendingEdit.ID], at answered: Version) -> LocalList.Shown {
        let ids = Set(ids)
        for index in pending.indices where ids.contains(pending[index].id) { pending[index].answered = answered }
        forgetKnown()
        return .changes(rebuilt())
    }

    /// Takes edits back that the server has refused.
    public mutating func refuse(_ ids: [PendingEdit.ID]) -> LocalList.Shown {
        let ids = Set(ids)
        pending.removeAll { ids.contains($0.id) }
        return .changes(rebuilt())
    }

    /// Makes the rows anew.
    ///
    /// - Returns: The difference to the rows that were shown.
    private mutating func rebuilt(
        _ asked: ChangeSet.AskedRows = ChangeSet.AskedRows(), isAnimated: Bool = true
    ) -> ChangeSet {
        let (old, properties) = (shown, state.properties)
        forest = base
        for edit in pending { apply(edit.operations) }
        viewed = ViewedRows(query, of: state)
        shown = viewed.sectionHandles.map { section in
            SectionRows(properties: state[section], items: viewed.rows(of: section).map(row))
        }
        var changes = ChangeSet(
            from: old, to: shown, properties: ListChanges(from: properties, to: state.properties), asked: asked)
        changes.isAnimated = isAnimated || changes.isEmpty
        return changes
    }

    /// Does the operations of an edit by identity. What names rows that are not held, or a place that is not known here,
    /// is passed over.
    private mutating func apply(_ operations: [Operation]) {
        var rebase = Rebase(reapplyingOn: state)
        for operation in operations {
            guard let known = known(operation) else { continue }
            let resolution = rebase.resolve(known, on: state)
            if case .adjusted = resolution.outcome { continue }
            for resolved in resolution.operations { forest.perform(resolved, Self.rules) }
        }
    }

    /// The operation as it can be done here; nil if it cannot.
    private func known(_ operation: Operation) -> Operation? {
        switch operation {
        case .moveItem(let item, .anchor(let anchor)): .moveItem(item, .anchor(forest.unguarded(anchor)))
        case .insertItems(let items, let anchor): .insertItems(items, forest.unguarded(anchor))
        case .moveItem(_, .first(let container)): holdsFirst(of: container) ? operation : nil
        case .moveItem(_, .last(let container)): holdsLast(of: container) ? operation : nil
        case .appendItems(_, let container):
            (container ?? lastSection).map(holdsLast) ?? true ? operation : nil
        case .setExpanded: query.expanded == nil ? operation : nil
        case .deleteItems(let items): held(items).map { .deleteItems($0) }
        case .setStarred(let items, let isStarred): held(items).map { .setStarred($0, isStarred) }
        case .toggleStar(let item): state.contains(item) ? operation : nil
        case .replaceChildren, .applySnapshot, .applySectionSnapshot: nil
        case .appendSections, .insertSections, .deleteSections, .reloadSections, .moveSection, .updateSection,
            .updateList, .deleteAllItems, .updateItem, .reconfigureItems, .reloadItems:
            operation
        }
    }

    private func held(_ items: [ItemID]) -> [ItemID]? {
        let held = items.filter(state.contains)
        return held.isEmpty ? nil : held
    }

    private var lastSection: Container? { state.sectionHandles.last.map { .section(state[$0].id) } }

    // MARK: The ends of what is held

    private var isAtTop: Bool { window.map { $0.start == 0 } ?? true }

    private var isAtBottom: Bool {
        window.map { $0.start + held.sections.reduce(0) { $0 + $1.items.count } >= $0.total } ?? true
    }

    /// The indexes of the first and the last section that have rows here.
    private var filled: (first: Int, last: Int)? {
        let filled = state.sectionHandles.indices.filter { state.rowCount(of: state.section(at: $0)) > 0 }
        return filled.first.map { ($0, filled[filled.count - 1]) }
    }

    /// Whether the place before the first row of a container is among the held rows.
    private func holdsFirst(of container: Container) -> Bool {
        guard case .section(let id) = container, let index = state.handle(of: id).flatMap({ state.index(of: $0) }),
            let filled
        else { return true }
        return (index > filled.first || isAtTop) && (index <= filled.last || isAtBottom)
    }

    /// Whether the place behind the last row of a container is among the held rows.
    private func holdsLast(of container: Container) -> Bool {
        guard let filled else { return true }
        switch container {
        case .section(let id):
            guard let index = state.handle(of: id).flatMap({ state.index(of: $0) }) else { return true }
            return (index < filled.last || isAtBottom) && (index >= filled.first || isAtTop)
        case .parent(let id):
            guard !isAtBottom, let handle = state.handle(of: id), let section = state.section(of: handle),
                let row = state.index(of: handle)
            else { return true }
            let end = row + 1 + state.descendantCount(of: handle)
            return end < state.rowCount(of: section) || state.index(of: section).map { $0 < filled.last } ?? false
        }
    }
}
