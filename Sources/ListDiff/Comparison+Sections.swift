import ListModel

extension Comparison {
    mutating func compareSections() {
        compareOrder()
        for section in past.reloadedSections where survives(section) {
            changes.sections.reloaded.append(
                .init(index: newIndex(of: section), section: state.sectionRows(of: section, view: view)))
        }
        for (section, old) in past.sections where survives(section) && !past.reloadedSections.contains(section) {
            let new = state.sections[section.index].properties
            guard old.properties != new else { continue }
            changes.sections.reconfigured.append(.init(index: newIndex(of: section), properties: new))
        }
        changes.sections.reloaded.sort { $0.index < $1.index }
        changes.sections.reconfigured.sort { $0.index < $1.index }
    }

    private mutating func compareOrder() {
        guard let old = past.order else { return }
        let new = state.order
        let capacity = state.sections.count
        let difference = OrderDifference(from: old, to: new, capacity: capacity) {
            HandleMask(past.touchedSections, capacity: capacity)
        }
        changes.sections.deleted = difference.removed.reversed().map { index in
            .init(id: state[old[index]].id, index: index)
        }
        changes.sections.inserted = difference.arrived.map { index in
            .init(index: index, section: state.sectionRows(of: new[index], view: view))
        }
        changes.sections.moved = difference.moved.map { move in
            .init(id: state[new[move.to]].id, from: move.from, to: move.to)
        }
    }
}
