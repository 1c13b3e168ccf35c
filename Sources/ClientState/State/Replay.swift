import ListDiff
import ListModel
import Texts

extension ListState {
    /// Replays a change set of the view `items`, as docs/contract.md section 5 says.
    ///
    /// - Returns: The effect, from which a change set of what is shown is made.
    /// - Throws: The part that does not fit. The state is unchanged then.
    /// - Complexity: O(*c* log *n*), *c* = the rows that the change set names and those of their subtrees, *n* = rows.
    ///   If sections come, go or move, O(*s*) more, *s* = sections.
    mutating func replay(_ changes: ChangeSet) throws(Mismatch) -> Delta {
        var replay = Replay(changes)
        do throws(Mismatch) {
            try replay.run(on: &self)
        } catch {
            forget(replay.delta)
            throw error
        }
        return replay.delta
    }
}

/// A change set on its way into a state.
private struct Replay {
    let changes: ChangeSet
    private(set) var delta = Delta()
    private var adopted: Set<ItemHandle> = []

    init(_ changes: ChangeSet) { self.changes = changes }

    mutating func run(on state: inout ListState) throws(Mismatch) {
        let order = try newOrder(from: state)
        if changes.movesRows || order != nil {
            try moveRows(on: &state, order)
        } else {
            adopted = try ReplayPlan(changes, on: state, newOrder: nil).adopted
            if !adopted.isEmpty { try moveRows(on: &state, nil) }
        }
        for entry in changes.items.reconfigured {
            let isChanged = try change(entry, of: &state, "items.reconfigured")
            // Somebody has asked for the row to be shown anew.
            if !isChanged { state.perform(.reconfigureItem(entry.row.item.id), recording: &delta) }
        }
        for entry in changes.items.reloaded {
            let kind = state.handle(of: entry.row.item.id).map { state.kind(of: $0) }
            _ = try change(entry, of: &state, "items.reloaded")
            if kind == entry.row.item.kind { state.perform(.reloadItem(entry.row.item.id), recording: &delta) }
        }
        try changeSections(of: &state)
        if changes.properties != ListChanges() { state.perform(.changeList(changes.properties), recording: &delta) }
    }

    private mutating func perform(_ edit: Edit, on state: inout ListState, _ part: ByteText) throws(Mismatch) {
        guard state.fits(edit) else { throw Mismatch(part) }
        state.perform(edit, recording: &delta)
    }

    // MARK: - Rows

    private mutating func moveRows(on state: inout ListState, _ order: [SectionID]?) throws(Mismatch) {
        // The plan shares memory with the state, so it must be gone when the state changes.
        let (runs, arrivals) = try planned(on: state, order)
        for (section, rows) in runs {
            guard let index = state.index(of: section) else { throw Mismatch("items") }
            for run in rows.reversed() {
                try perform(.deleteItems(section: index, rows: run), on: &state, "items")
            }
        }
        try placeSections(order, on: &state)
        for (id, rows) in arrivals {
            guard let index = state.handle(of: id).flatMap({ state.index(of: $0) }) else { throw Mismatch("items") }
            try insert(rows, in: index, of: &state)
        }
    }

    private mutating func planned(
        on state: ListState, _ order: [SectionID]?
    ) throws(Mismatch) -> (runs: [SectionHandle: [Range<Int>]], arrivals: [SectionID: [ReplayPlan.Arrival]]) {
        let plan = try ReplayPlan(changes, on: state, newOrder: order)
        adopted = plan.adopted
        return (plan.runs, plan.arrivals)
    }

    /// Inserts rows at their final indexes, as many at once as stand together under one parent.
    private mutating func insert(
        _ arrivals: [ReplayPlan.Arrival], in section: Int, of state: inout ListState
    ) throws(Mismatch) {
        guard zip(arrivals, arrivals.dropFirst()).allSatisfy({ $0.index < $1.index }) else { throw Mismatch("items") }
        var rest = arrivals[...]
        while let first = rest.first {
            var rows: [Edit.NewRow] = []
            /// The rows of the run above the next one.
            var path: [ItemID] = []
            while let next = rest.first, next.index == first.index + rows.count {
                if let depth = next.parent.flatMap({ path.lastIndex(of: $0) }) {
                    path.removeSubrange((depth + 1)...)
                } else if next.parent == first.parent {
                    path = []
                } else {
                    break
                }
                rows.append(Edit.NewRow(next.item, depth: path.count))
                path.append(next.item.id)
                rest.removeFirst()
            }
            try perform(
                .insertItems(rows, section: section, at: first.index, parent: first.parent), on: &state, "items")
        }
    }

    /// Gives the row at a path its new content.
    ///
    /// - Returns: Whether anything about the row is another than before.
    private mutating func change(
        _ entry: ChangeSet.PlacedItem, of state: inout ListState, _ part: ByteText
    ) throws(Mismatch) -> Bool {
        guard entry.path.section < state.sectionCount else { throw Mismatch(part) }
        let section = state.section(at: entry.path.section)
        guard entry.path.index < state.rowCount(of: section) else { throw Mismatch(part) }
        return try change(state.row(at: entry.path.index, of: section), to: entry.row, of: &state, part)
    }

    private mutating func change(
        _ handle: ItemHandle, to row: ItemRow, of state: inout ListState, _ part: ByteText
    ) throws(Mismatch) -> Bool {
        let old = state[handle]
        guard old.id == row.item.id, state.parent(of: handle).map({ state.id(of: $0) }) == row.parent else {
            throw Mismatch(part)
        }
        guard old != row.item else { return adopted.contains(handle) }
        state.perform(.changeItem(old.id, ItemChanges(from: old, to: row.item)), recording: &delta)
        return true
    }

    // MARK: - Sections

    /// The ids of the sections after the change set; nil if they are the same.
    private func newOrder(from state: ListState) throws(Mismatch) -> [SectionID]? {
        let sections = changes.sections
        guard !sections.deleted.isEmpty || !sections.inserted.isEmpty || !sections.moved.isEmpty else { return nil }
        var old: [SectionID?] = state.sectionHandles.map { state[$0].id }
        var placed: [Int: SectionID] = [:]
        func place(_ id: SectionID, at index: Int) -> Bool { placed.updateValue(id, forKey: index) == nil }
        for entry in sections.deleted {
            guard old.indices.contains(entry.index), old[entry.index] == entry.id else {
                throw Mismatch("sections.deleted")
            }
            old[entry.index] = nil
        }
        for entry in sections.moved {
            guard old.indices.contains(entry.from), old[entry.from] == entry.id, place(entry.id, at: entry.to) else {
                throw Mismatch("sections.moved")
            }
            old[entry.from] = nil
        }
        for entry in sections.inserted where !place(entry.section.properties.id, at: entry.index) {
            throw Mismatch("sections.inserted")
        }
        var rest = old.compactMap { $0 }[...]
        var order: [SectionID] = []
        while let id = placed.removeValue(forKey: order.count) ?? rest.popFirst() { order.append(id) }
        guard placed.isEmpty else { throw Mismatch("sections") }
        return order
    }

    private mutating func placeSections(_ order: [SectionID]?, on state: inout ListState) throws(Mismatch) {
        guard let order else { return }
        for entry in changes.sections.deleted.sorted(by: { $0.index > $1.index }) {
            try perform(.deleteSection(at: entry.index), on: &state, "sections.deleted")
        }
        let movesSections = !changes.sections.moved.isEmpty
        for entry in changes.sections.inserted.sorted(by: { $0.index < $1.index }) {
            let index = movesSections ? state.sectionCount : entry.index
            try perform(.insertSection(entry.section.properties, at: index), on: &state, "sections.inserted")
        }
        if movesSections { try perform(.arrangeSections(order), on: &state, "sections.moved") }
    }

    private mutating func changeSections(of state: inout ListState) throws(Mismatch) {
        for entry in changes.sections.reconfigured {
            try change(entry.properties, at: entry.index, of: &state, "sections.reconfigured")
        }
        for entry in changes.sections.reloaded {
            try change(entry.section.properties, at: entry.index, of: &state, "sections.reloaded")
            let rows = state.rows(of: state.section(at: entry.index))
            guard rows.count == entry.section.items.count else { throw Mismatch("sections.reloaded") }
            for (handle, row) in zip(rows, entry.section.items) {
                _ = try change(handle, to: row, of: &state, "sections.reloaded")
            }
            state.perform(.reloadSection(at: entry.index), recording: &delta)
        }
    }

    private mutating func change(
        _ properties: SectionProperties, at index: Int, of state: inout ListState, _ part: ByteText
    ) throws(Mismatch) {
        guard index < state.sectionCount else { throw Mismatch(part) }
        let old = state[state.section(at: index)]
        guard old.id == properties.id else { throw Mismatch(part) }
        guard old != properties else { return }
        state.perform(.changeSection(at: index, SectionChanges(from: old, to: properties)), recording: &delta)
    }
}

extension ChangeSet {
    /// Whether rows come, go or move.
    fileprivate var movesRows: Bool { !items.deleted.isEmpty || !items.inserted.isEmpty || !items.moved.isEmpty }
}
