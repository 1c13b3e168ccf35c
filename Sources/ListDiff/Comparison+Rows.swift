import ListModel

/// A section of both states whose rows differ.
private struct ChangedSection {
    var oldIndex: Int
    var newIndex: Int
    var oldRows: [ItemHandle]
    var newRows: [ItemHandle]
    var difference: OrderDifference<ItemHandle>

    func oldPath(_ index: Int) -> RowPath { RowPath(section: oldIndex, index: index) }
    func newPath(_ index: Int) -> RowPath { RowPath(section: newIndex, index: index) }
}

extension Comparison {
    mutating func compareRows() {
        let sections = changedSections()
        guard !sections.isEmpty else { return }
        for section in sections {
            for move in section.difference.moved {
                addMove(section.newRows[move.to], from: section.oldPath(move.from), to: section.newPath(move.to))
            }
        }
        var departures = departures(from: sections)
        for section in sections { addArrivals(in: section, from: &departures) }
        for section in sections { addDeletions(in: section, departures) }
        changes.items.deleted.sort { $0.path > $1.path }
        changes.items.inserted.sort { $0.path < $1.path }
        changes.items.moved.sort { $0.to < $1.to }
    }

    private mutating func addMove(_ handle: ItemHandle, from source: RowPath, to target: RowPath) {
        changes.items.moved.append(.init(id: state[handle].id, from: source, to: target))
    }

    /// What left each section; nil if none of it can have arrived in another.
    private func departures(from sections: [ChangedSection]) -> [ItemHandle: RowPath]? {
        guard sections.count > 1, sections.contains(where: { !$0.difference.arrived.isEmpty }) else { return nil }
        var departures: [ItemHandle: RowPath] = [:]
        for section in sections {
            for index in section.difference.removed { departures[section.oldRows[index]] = section.oldPath(index) }
        }
        return departures
    }

    /// - Parameter departures: Those that arrive are taken out.
    private mutating func addArrivals(in section: ChangedSection, from departures: inout [ItemHandle: RowPath]?) {
        for index in section.difference.arrived {
            let handle = section.newRows[index]
            if let source = departures?.removeValue(forKey: handle) {
                addMove(handle, from: source, to: section.newPath(index))
            } else {
                changes.items.inserted.append(.init(path: section.newPath(index), row: state.row(handle)))
            }
        }
    }

    /// - Parameter departures: What left and arrived nowhere; nil if nothing arrived anywhere.
    private mutating func addDeletions(in section: ChangedSection, _ departures: [ItemHandle: RowPath]?) {
        for index in section.difference.removed {
            let handle = section.oldRows[index]
            if let departures, departures[handle] == nil { continue }
            changes.items.deleted.append(.init(id: state[handle].id, path: section.oldPath(index)))
        }
    }
}

// MARK: - Which sections, and their rows

extension Comparison {
    private mutating func changedSections() -> [ChangedSection] {
        var touched: HandleMask<ItemHandle>?
        var changed: HandleMask<ItemHandle>?
        let capacity = state.items.count
        var sections: [ChangedSection] = []
        for section in candidates() {
            let newRows = state.rows(of: section, view: view)
            let oldRows: [ItemHandle]
            switch view {
            case .items:
                oldRows = oldItems(of: section)
            case .visible:
                let mask = changed ?? HandleMask(past.items.keys, capacity: capacity)
                changed = mask
                oldRows = oldVisibleRows(of: section, changed: mask)
            }
            comparedRows[section] = newRows
            let difference = OrderDifference(from: oldRows, to: newRows, capacity: capacity) {
                let mask = touched ?? HandleMask(past.touchedItems, capacity: capacity)
                touched = mask
                return mask
            }
            sections.append(
                ChangedSection(
                    oldIndex: oldIndex(of: section), newIndex: newIndex(of: section), oldRows: oldRows,
                    newRows: newRows, difference: difference))
        }
        return sections
    }

    /// Surviving sections whose rows can differ.
    private func candidates() -> Set<SectionHandle> {
        var candidates: Set<SectionHandle> = []
        for (section, old) in past.sections where survives(section) && old.rows != state.sections[section.index].rows {
            candidates.insert(section)
        }
        guard view == .visible else { return candidates }
        for (handle, old) in past.items {
            let new = state.items[handle.index]
            guard let section = new.section, survives(section) else { continue }
            guard new.item.isExpanded != old.item.isExpanded || new.parent != old.parent else { continue }
            candidates.insert(section)
        }
        return candidates
    }

    /// Every item of a section as it was, depth first.
    private func oldItems(of section: SectionHandle) -> [ItemHandle] {
        past.sections[section]?.rows ?? state.sections[section.index].rows
    }

    private func oldVisibleRows(of section: SectionHandle, changed: HandleMask<ItemHandle>) -> [ItemHandle] {
        var visible: [ItemHandle] = []
        visible.reserveCapacity(state.sections[section.index].rows.count)
        var hiddenBelow = Int32.max
        for handle in oldItems(of: section) {
            let old = changed.contains(handle) ? past.items[handle] : nil
            let level = old?.level ?? state.items[handle.index].level
            guard level <= hiddenBelow else { continue }
            visible.append(handle)
            let isExpanded = old?.item.isExpanded ?? state.items[handle.index].item.isExpanded
            hiddenBelow = isExpanded ? Int32.max : level
        }
        return visible
    }
}
