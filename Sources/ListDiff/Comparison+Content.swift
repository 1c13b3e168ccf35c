import ListModel

/// What became of the content of an item.
private enum ContentChange {
    case reconfigured
    case reloaded

    /// Nil if nothing did that shows in the view.
    init?(
        of handle: ItemHandle, from old: borrowing ItemRecord, _ past: borrowing Delta, _ state: borrowing ListState,
        _ view: View
    ) {
        let index = handle.index
        if old.item.kind != state.items[index].item.kind || past.reloadedItems.contains(handle) {
            self = .reloaded
        } else if past.reconfiguredItems.contains(handle) || old.parent != state.items[index].parent
            || !old.item.hasSameFlags(as: state.items[index].item)
            || old.item.content != state.items[index].item.content
        {
            self = .reconfigured
        } else if view == .visible
            && (old.level != state.items[index].level || old.childCount != state.items[index].childCount)
        {
            self = .reconfigured
        } else {
            return nil
        }
    }
}

extension Item {
    fileprivate func hasSameFlags(as other: Item) -> Bool {
        isStarred == other.isStarred && isExpanded == other.isExpanded && isReorderable == other.isReorderable
    }
}

// MARK: - The smallest writes

extension ChangeSet {
    private static let fewMax = 8

    /// The change set of a star or an edit, which most writes are: a few items have new values, and no row moved.
    ///
    /// The same as a whole comparison finds, at a part of its cost.
    ///
    /// - Returns: Nil if more happened.
    init?(fewContentsOf past: borrowing Delta, in state: borrowing ListState, view: View) {
        guard view == .items, past.items.count <= Self.fewMax, past.sections.isEmpty else { return nil }
        guard past.order == nil, past.properties == nil, past.reloadedSections.isEmpty else { return nil }
        guard past.reloadedItems.isEmpty, past.reconfiguredItems.isEmpty else { return nil }
        self.init()
        for (handle, old) in past.items {
            guard let change = ContentChange(of: handle, from: old, past, state, view) else { continue }
            guard let section = state.section(of: handle), let sectionIndex = state.index(of: section),
                let index = state.index(of: handle)
            else { return nil }
            let entry = PlacedItem(path: RowPath(section: sectionIndex, index: index), row: state.row(handle))
            switch change {
            case .reconfigured: items.reconfigured.append(entry)
            case .reloaded: items.reloaded.append(entry)
            }
        }
        if items.reconfigured.count > 1 { items.reconfigured.sort { $0.path < $1.path } }
        if items.reloaded.count > 1 { items.reloaded.sort { $0.path < $1.path } }
    }
}

private struct ChangedItem {
    var handle: ItemHandle
    var section: SectionHandle
    var change: ContentChange
}

extension Comparison {
    mutating func compareContent() {
        var rest = changedItems()[...]
        if rest.count > 1 { rest.sort { $0.section.index < $1.section.index } }
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
    private mutating func changedItems() -> [ChangedItem] {
        var changed: [ChangedItem] = []
        for (handle, old) in past.items {
            guard let section = sectionIfKept(handle, old) else { continue }
            guard let change = ContentChange(of: handle, from: old, past, state, view) else { continue }
            changed.append(ChangedItem(handle: handle, section: section, change: change))
        }
        for handle in past.reloadedItems { addMark(.reloaded, handle, to: &changed) }
        for handle in past.reconfiguredItems where !past.reloadedItems.contains(handle) {
            addMark(.reconfigured, handle, to: &changed)
        }
        return changed
    }

    /// Adds what was asked for though nothing of the item was overwritten.
    private mutating func addMark(_ change: ContentChange, _ handle: ItemHandle, to changed: inout [ChangedItem]) {
        guard past.items[handle] == nil else { return }
        guard let section = sectionIfKept(handle, state.items[handle.index]) else { return }
        changed.append(ChangedItem(handle: handle, section: section, change: change))
    }

    /// The section of a row that stayed or was moved and is not shown anew with its whole section.
    private mutating func sectionIfKept(_ handle: ItemHandle, _ old: ItemRecord) -> SectionHandle? {
        guard let source = old.section, survives(source) else { return nil }
        guard let target = state.items[handle.index].section, survives(target) else { return nil }
        guard !past.reloadedSections.contains(target) else { return nil }
        guard view == .items || wasVisible(old) else { return nil }
        return target
    }

    private mutating func wasVisible(_ old: ItemRecord) -> Bool {
        var path: [ItemHandle] = []
        var isShown = true
        var ancestor = old.parent
        while let current = ancestor {
            if let known = showedChildren[current] {
                isShown = known
                break
            }
            path.append(current)
            let overwritten = past.items[current]
            isShown = overwritten?.item.isExpanded ?? state.items[current.index].item.isExpanded
            guard isShown else { break }
            ancestor = overwritten.map(\.parent) ?? state.items[current.index].parent
        }
        for handle in path { showedChildren[handle] = isShown }
        return isShown
    }
}
