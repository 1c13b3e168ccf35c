import ListModel

extension Writes {
    /// Goes back over a transaction, and tells what it had written.
    ///
    /// - Parameter state: The one after the transaction; becomes the one before it.
    /// - Complexity: That of the transaction's edits; with the length of sections only if it wrote whole orders.
    init(unwinding delta: Delta, from state: inout ListState) {
        var scratch = Delta()
        for edit in delta.inverse.reversed() {
            switch edit {
            case .arrange, .arrangeSections:
                let after = state
                state.perform(edit, recording: &scratch)
                noteOrders(edit, from: after, to: state)
            default:
                // A copy of the state would make each edit copy what it touches.
                note(edit, before: state)
                state.perform(edit, recording: &scratch)
                note(edit, after: state)
            }
        }
    }

    /// - Parameters:
    ///   - edit: One that takes something back.
    ///   - state: The one before the edit, which is the later one in the list's life.
    private mutating func note(_ edit: Edit, before state: borrowing ListState) {
        switch edit {
        case .setProperties(let old):
            insert(list: SectionMembers(from: old, to: state.properties))
        case .deleteSection(let index):
            insert(.existence, of: state.section(at: index))
        case .moveSection(let source, _):
            insert(.place, of: state.section(at: source))
        case .setSection(let index, let old):
            let section = state.section(at: index)
            insert(SectionMembers(from: old, to: state[section]), of: section)
        case .deleteItems(let section, let rows):
            noteExistence(of: state.rows(rows, of: state.section(at: section)))
        case .moveItem(let section, let rows, _, _, _):
            insert(.place, of: state.row(at: rows.lowerBound, of: state.section(at: section)))
        case .setItem(let old):
            guard let item = state.handle(of: old.id) else { return }
            insert(ItemMembers(from: old, to: state[item]), of: item)
        case .insertSection, .insertItems, .arrange, .arrangeSections, .reloadSection, .reconfigureItem, .reloadItem:
            break
        }
    }

    /// What is there only once the edit has been carried out.
    private mutating func note(_ edit: Edit, after state: borrowing ListState) {
        switch edit {
        case .insertSection(_, let index):
            insert(.existence, of: state.section(at: index))
        case .insertItems(let rows, let section, let index, _):
            noteExistence(of: state.rows(index..<index + rows.count, of: state.section(at: section)))
        case .setProperties, .deleteSection, .moveSection, .setSection, .deleteItems, .moveItem, .setItem, .arrange,
            .arrangeSections, .reloadSection, .reconfigureItem, .reloadItem:
            break
        }
    }

    private mutating func noteOrders(_ edit: Edit, from after: borrowing ListState, to before: borrowing ListState) {
        guard case .arrange(let arrangements) = edit else {
            let (old, new) = (before.sectionHandles, after.sectionHandles)
            for move in OrderDifference(of: old, to: new).moved { insert(.place, of: new[move.to]) }
            return
        }
        let sections = arrangements.map { after.section(at: $0.section) }
        noteOrders(of: sections, from: after, to: before)
    }

    private mutating func noteExistence(of rows: [ItemHandle]) {
        for item in rows { insert(.existence, of: item) }
    }

    /// Rows that have another parent or section, and the fewest others by which siblings changed their order.
    private mutating func noteOrders(
        of sections: [SectionHandle], from after: borrowing ListState, to before: borrowing ListState
    ) {
        for section in sections {
            let (old, new) = (siblings(in: section, of: before), siblings(in: section, of: after))
            for (parent, rows) in new {
                let difference = OrderDifference(from: old[parent] ?? [], to: rows)
                for index in difference.arrived { insert(.place, of: rows[index]) }
                for move in difference.moved { insert(.place, of: rows[move.to]) }
            }
        }
    }

    /// The rows of a section by their parent.
    private func siblings(
        in section: SectionHandle, of state: borrowing ListState
    ) -> [ItemHandle?: [ItemHandle]] {
        var groups: [ItemHandle?: [ItemHandle]] = [:]
        for row in state.rows(of: section) { groups[state.parent(of: row), default: []].append(row) }
        return groups
    }
}
