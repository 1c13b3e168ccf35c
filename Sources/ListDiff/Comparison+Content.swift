import ListModel

/// What became of the content of an item.
private enum ContentChange {
    case reconfigured
    case reloaded
}

private struct ChangedItem {
    var handle: ItemHandle
    var section: SectionHandle
    var change: ContentChange
}

extension Comparison {
    mutating func compareContent() {
        let changed = changedItems().sorted { $0.section.index < $1.section.index }
        var rest = changed[...]
        while let section = rest.first?.section {
            let group = rest.prefix { $0.section == section }
            add(group, in: section)
            rest = rest[group.endIndex...]
        }
        changes.items.reconfigured.sort { $0.path < $1.path }
        changes.items.reloaded.sort { $0.path < $1.path }
    }

    private mutating func add(_ group: ArraySlice<ChangedItem>, in section: SectionHandle) {
        let rows = comparedRows[section] ?? state.rows(of: section, view: view)
        var finder = PositionFinder(rows[...], capacity: state.items.count)
        let sectionIndex = newIndex(of: section)
        for item in group {
            // Nil for a row that the view does not show.
            guard let index = finder.position(of: item.handle, near: 0) else { continue }
            let entry = ChangeSet.PlacedItem(
                path: RowPath(section: sectionIndex, index: index), row: state.row(item.handle))
            switch item.change {
            case .reconfigured: changes.items.reconfigured.append(entry)
            case .reloaded: changes.items.reloaded.append(entry)
            }
        }
    }

    /// Items that are no insertions and whose row changed, or whose change was asked for.
    private func changedItems() -> [ChangedItem] {
        var changed: [ChangedItem] = []
        for (handle, old) in past.items {
            guard let section = sectionIfKept(handle, old) else { continue }
            guard let change = contentChange(handle, old) else { continue }
            changed.append(ChangedItem(handle: handle, section: section, change: change))
        }
        for handle in past.reloadedItems.union(past.reconfiguredItems) where past.items[handle] == nil {
            let record = state.items[handle.index]
            guard let section = sectionIfKept(handle, record) else { continue }
            let change: ContentChange = past.reloadedItems.contains(handle) ? .reloaded : .reconfigured
            changed.append(ChangedItem(handle: handle, section: section, change: change))
        }
        return changed
    }

    /// The section of a row that stayed or was moved and is not shown anew with its whole section.
    private func sectionIfKept(_ handle: ItemHandle, _ old: ItemRecord) -> SectionHandle? {
        guard let source = old.section, survives(source) else { return nil }
        guard let target = state.items[handle.index].section, survives(target) else { return nil }
        guard !past.reloadedSections.contains(target) else { return nil }
        guard view == .items || wasVisible(old) else { return nil }
        return target
    }

    private func wasVisible(_ old: ItemRecord) -> Bool {
        var ancestor = old.parent
        while let current = ancestor {
            let record = past.items[current] ?? state.items[current.index]
            guard record.item.isExpanded else { return false }
            ancestor = record.parent
        }
        return true
    }

    private func contentChange(_ handle: ItemHandle, _ old: ItemRecord) -> ContentChange? {
        let new = state.items[handle.index]
        guard old.item.kind == new.item.kind, !past.reloadedItems.contains(handle) else { return .reloaded }
        guard !past.reconfiguredItems.contains(handle) else { return .reconfigured }
        guard old.parent == new.parent, old.item == new.item else { return .reconfigured }
        guard view == .visible else { return nil }
        return old.level == new.level && old.childCount == new.childCount ? nil : .reconfigured
    }
}
