import ListModel

extension Writes {
    /// Takes a transaction back, and notes the members that it had written.
    ///
    /// - Parameter state: The state after the transaction. It becomes the state before it.
    /// - Complexity: The cost of the transaction's edits, and the length of the sections whose whole order it wrote.
    init(unwinding delta: Delta, from state: inout ListState) {
        var scratch = Delta()
        for edit in delta.inverse.reversed() {
            switch edit {
            case .arrange, .arrangeRun, .arrangeSections:
                let after = state
                state.perform(edit, recording: &scratch)
                noteOrders(edit, from: after, to: state)
            case .changeList, .insertSection, .deleteSection, .moveSection, .changeSection, .reloadSection,
                .insertItems, .deleteItems, .moveItem, .changeItem, .reconfigureItem, .reloadItem:
                // A copy of the state would make each edit copy the parts that it touches.
                note(edit, before: state)
                state.perform(edit, recording: &scratch)
                note(edit, after: state)
            }
        }
        state.shareTexts(of: delta)
    }

    /// - Parameters:
    ///   - edit: An edit that takes something back.
    ///   - state: The state before the edit. In the life of the list it is the later one.
    private mutating func note(_ edit: Edit, before state: borrowing ListState) {
        switch edit {
        case .changeList(let old):
            insert(list: SectionMembers(from: old.applied(to: state.properties), to: state.properties))
        case .deleteSection(let index):
            insert(.existence, of: state.section(at: index))
        case .moveSection(let source, _):
            insert(.place, of: state.section(at: source))
        case .changeSection(let index, let old):
            let section = state.section(at: index)
            insert(SectionMembers(from: old.applied(to: state[section]), to: state[section]), of: section)
        case .deleteItems(let section, let rows):
            noteExistence(of: state.rows(rows, of: state.section(at: section)))
        case .moveItem(let section, let rows, _, _, _):
            insert(.place, of: state.row(at: rows.lowerBound, of: state.section(at: section)))
        case .changeItem(let id, let old):
            guard let item = state.handle(of: id) else { return }
            insert(ItemMembers(from: old.applied(to: state[item]), to: state[item]), of: item)
        case .insertSection, .insertItems, .arrange, .arrangeRun, .arrangeSections, .reloadSection, .reconfigureItem,
            .reloadItem:
            break
        }
    }

    /// Notes the sections and items that exist only after the edit.
    private mutating func note(_ edit: Edit, after state: borrowing ListState) {
        switch edit {
        case .insertSection(_, let index):
            insert(.existence, of: state.section(at: index))
        case .insertItems(let rows, let section, let index, _):
            noteExistence(of: state.rows(index..<index + rows.count, of: state.section(at: section)))
        case .changeList, .deleteSection, .moveSection, .changeSection, .deleteItems, .moveItem, .changeItem, .arrange,
            .arrangeRun, .arrangeSections, .reloadSection, .reconfigureItem, .reloadItem:
            break
        }
    }

    private mutating func noteOrders(_ edit: Edit, from after: borrowing ListState, to before: borrowing ListState) {
        switch edit {
        case .arrange(let arrangements):
            for arrangement in arrangements {
                let section = after.section(at: arrangement.section)
                noteOrders(
                    of: before.rows(of: section), in: before, as: after.rows(of: section), in: after)
            }
        case .arrangeRun(let run, let index):
            let section = after.section(at: run.section)
            let range = index..<index + run.rows.count
            noteOrders(
                of: before.rows(range, of: section), in: before, as: after.rows(range, of: section), in: after)
        case .arrangeSections:
            let (old, new) = (before.sectionHandles, after.sectionHandles)
            for move in OrderDifference(of: old, to: new).moved { insert(.place, of: new[move.to]) }
        case .changeList, .insertSection, .deleteSection, .moveSection, .changeSection, .reloadSection, .insertItems,
            .deleteItems, .moveItem, .changeItem, .reconfigureItem, .reloadItem:
            break
        }
    }

    private mutating func noteExistence(of rows: [ItemHandle]) {
        for item in rows { insert(.existence, of: item) }
    }

    /// Notes rows that have another parent or section, and the fewest siblings whose moves explain the new order.
    private mutating func noteOrders(
        of oldRows: [ItemHandle], in before: borrowing ListState, as newRows: [ItemHandle],
        in after: borrowing ListState
    ) {
        let (old, new) = (siblings(oldRows, in: before), siblings(newRows, in: after))
        for (parent, rows) in new {
            let difference = OrderDifference(from: old[parent] ?? [], to: rows)
            for index in difference.arrived { insert(.place, of: rows[index]) }
            for move in difference.moved { insert(.place, of: rows[move.to]) }
        }
    }

    /// Rows by their parent.
    private func siblings(_ rows: [ItemHandle], in state: borrowing ListState) -> [ItemHandle?: [ItemHandle]] {
        var groups: [ItemHandle?: [ItemHandle]] = [:]
        for row in rows { groups[state.parent(of: row), default: []].append(row) }
        return groups
    }
}
