import ListModel

// Items come back, move back, get their values back, and go.

extension Restoration {
    /// Whether the item was in the list before and goes back to its old place.
    private func isPlaced(_ item: ItemHandle) -> Bool {
        guard let members = undo.written.items[item], before.section(of: item) != nil else { return false }
        return !members.isDisjoint(with: [.place, .existence])
    }

    /// The items to be placed, in their old order.
    private var placedItems: [(item: ItemHandle, section: SectionHandle, index: Int)] {
        var found: [(item: ItemHandle, section: SectionHandle, order: Int, index: Int)] = []
        for item in undo.written.items.keys where isPlaced(item) {
            guard let section = before.section(of: item), let order = before.index(of: section),
                let index = before.index(of: item)
            else { continue }
            found.append((item, section, order, index))
        }
        found.sort { ($0.order, $0.index) < ($1.order, $1.index) }
        return found.map { ($0.item, $0.section, $0.index) }
    }

    mutating func placeItems(_ state: inout ListState, _ log: inout TransactionLog) throws(ModelError) {
        let placed = placedItems
        var next = placed.startIndex
        while next < placed.endIndex {
            let (item, section, index) = placed[next]
            guard undo.after.section(of: item) == nil else {
                try moveBack(item, from: section, &state, &log)
                next += 1
                continue
            }
            var run: [ItemHandle] = []
            while next < placed.endIndex, placed[next].section == section, placed[next].index == index + run.count,
                continues(run, with: placed[next].item, on: state)
            {
                run.append(placed[next].item)
                next += 1
            }
            guard !run.isEmpty else {
                report.skip(before[item].id, state.section(of: item) == nil ? .itemDeleted : .overwritten)
                next += 1
                continue
            }
            try insert(run, in: section, &state, &log)
        }
    }

    /// Whether an item can be inserted together with a run: it may come back, and it is a sibling of the first item or
    /// below the run.
    private func continues(_ run: [ItemHandle], with item: ItemHandle, on state: ListState) -> Bool {
        guard undo.after.section(of: item) == nil, state.section(of: item) == nil,
            !undo.overwritten.contains(.existence, of: item)
        else { return false }
        guard let first = run.first else { return true }
        return before.level(of: item) >= before.level(of: first)
    }

    private mutating func insert(
        _ run: [ItemHandle], in section: SectionHandle, _ state: inout ListState, _ log: inout TransactionLog
    ) throws(ModelError) {
        let parent = before.parent(of: run[0])
        if let reason = lost(section, parent, on: state) {
            for item in run { report.skip(before[item].id, reason) }
            return
        }
        let items = run.map { item in
            let above = before.parent(of: item)
            return NewItem(
                before[item].id, parent: above == parent ? nil : above.map { before[$0].id },
                value: ItemChanges(whole: before[item]))
        }
        if case .anchor(let anchor) = spot(of: run[0], in: section, under: parent, on: state) {
            try apply(.insertItems(items, anchor), &state, &log)
        } else if let first = firstItem(in: section, under: parent, on: state) {
            try apply(.insertItems(items, ItemAnchor(.before, state[first].id)), &state, &log)
        } else {
            try apply(.appendItems(items, container(section, parent)), &state, &log)
        }
    }

    private func firstItem(
        in section: SectionHandle, under parent: ItemHandle?, on state: ListState
    ) -> ItemHandle? {
        guard let parent else { return state.rowCount(of: section) > 0 ? state.row(at: 0, of: section) : nil }
        guard state.childCount(of: parent) > 0, let home = state.section(of: parent) else { return nil }
        return state.index(of: parent).map { state.row(at: $0 + 1, of: home) }
    }

    private mutating func moveBack(
        _ item: ItemHandle, from section: SectionHandle, _ state: inout ListState, _ log: inout TransactionLog
    ) throws(ModelError) {
        let id = before[item].id
        let parent = before.parent(of: item)
        guard state.section(of: item) != nil else { return report.skip(id, .itemDeleted) }
        guard !undo.overwritten.contains(.place, of: item), !isPinned(item, on: state) else {
            return report.skip(id, .overwritten)
        }
        if let reason = lost(section, parent, on: state) { return report.skip(id, reason) }
        if let parent, state.isWithin(parent, subtreeOf: item) { return report.skip(id, .cycle) }
        try apply(.moveItem(id, spot(of: item, in: section, under: parent, on: state)), &state, &log)
    }

    /// Whether others have written a flag or a layout since that keeps the item in its place.
    private func isPinned(_ item: ItemHandle, on state: ListState) -> Bool {
        guard let section = state.section(of: item) else { return false }
        if !state[item].isReorderable, undo.overwritten.contains(.reorderable, of: item) { return true }
        if !state[section].isReorderable, undo.overwritten.contains(.reorderable, of: section) { return true }
        guard undo.overwritten.contains(.layout, of: section) || undo.overwritten.list.contains(.layout) else {
            return false
        }
        return state.keepsFirstItem(section) && state.index(of: item) == 0
    }
}

// MARK: - Places

extension Restoration {
    private func container(_ section: SectionHandle, _ parent: ItemHandle?) -> Container {
        parent.map { .parent(before[$0].id) } ?? .section(before[section].id)
    }

    private func lost(
        _ section: SectionHandle, _ parent: ItemHandle?, on state: ListState
    ) -> Outcome.Reason? {
        if let parent { return state.section(of: parent) == nil ? .parentDeleted : nil }
        return state.isAlive(section) ? nil : .sectionDeleted
    }

    /// The destination is behind the nearest left sibling that the item had and that is still there, else first.
    private mutating func spot(
        of item: ItemHandle, in section: SectionHandle, under parent: ItemHandle?, on state: ListState
    ) -> Destination {
        var sibling = leftSibling(of: item, in: section, under: parent)
        while let left = sibling {
            let isThere = state.section(of: left) != nil && state.parent(of: left) == parent
            if isThere, parent != nil || state.section(of: left) == section {
                return .anchor(ItemAnchor(.after, before[left].id))
            }
            report.isAdjusted = true
            sibling = leftSibling(of: left, in: section, under: parent)
        }
        if parent == nil, overwroteFirst(of: section, on: state), state.rowCount(of: section) > 0 {
            report.isAdjusted = true
            return .anchor(ItemAnchor(.after, state[state.row(at: 0, of: section)].id))
        }
        return .first(container(section, parent))
    }

    /// Whether others have written a layout since that keeps the first item of the section first.
    private func overwroteFirst(of section: SectionHandle, on state: ListState) -> Bool {
        guard undo.overwritten.contains(.layout, of: section) || undo.overwritten.list.contains(.layout) else {
            return false
        }
        return state.keepsFirstItem(section)
    }

    /// The sibling to the left of an item before the transaction.
    ///
    /// - Complexity: O(*d* log *n*), *d* = levels that the row above is deeper.
    private func leftSibling(of item: ItemHandle, in section: SectionHandle, under parent: ItemHandle?) -> ItemHandle? {
        guard let index = before.index(of: item), index > 0 else { return nil }
        var above = before.row(at: index - 1, of: section)
        guard above != parent else { return nil }
        while before.parent(of: above) != parent, let next = before.parent(of: above) { above = next }
        return above
    }
}

// MARK: - Values

extension Restoration {
    /// The written items, in an order that does not depend on the process.
    private var sortedItems: [ItemHandle] { undo.written.items.keys.sorted { $0.raw < $1.raw } }

    mutating func restoreItemValues(
        _ state: inout ListState, _ log: inout TransactionLog
    ) throws(ModelError) {
        for item in sortedItems where before.section(of: item) != nil && undo.after.section(of: item) != nil {
            let old = before[item]
            let changed = ItemMembers(from: old, to: undo.after[item])
            guard !changed.isEmpty else { continue }
            guard state.section(of: item) != nil else {
                report.skip(old.id, .itemDeleted)
                continue
            }
            let overwritten = undo.overwritten.items[item] ?? []
            let left = overwritten.contains(.existence) ? [] : changed.subtracting(overwritten)
            if left != changed { report.skip(old.id, .overwritten) }
            guard !left.isEmpty else { continue }
            try apply(.updateItem(old.id, ItemChanges(left, of: old)), &state, &log)
        }
    }
}

extension ItemChanges {
    fileprivate init(_ members: ItemMembers, of item: Item) {
        self.init()
        if members.contains(.kind) { kind = .set(item.kind) }
        if members.contains(.content) { content = .replace(item.content) }
        if members.contains(.starred) { isStarred = .set(item.isStarred) }
        if members.contains(.expanded) { isExpanded = .set(item.isExpanded) }
        if members.contains(.reorderable) { isReorderable = .set(item.isReorderable) }
    }
}

// MARK: - Added items

extension Restoration {
    /// Deletes added items that nobody else has written and that have no others' items below them.
    mutating func deleteItems(_ state: inout ListState, _ log: inout TransactionLog) throws(ModelError) {
        var added: [ItemHandle] = []
        for item in sortedItems where undo.after.section(of: item) != nil && before.section(of: item) == nil {
            if state.section(of: item) == nil {
                report.skip(undo.after[item].id, .itemDeleted)
            } else if undo.overwritten.items[item]?.isEmpty == false {
                report.skip(undo.after[item].id, .overwritten)
            } else {
                added.append(item)
            }
        }
        // Children come before their parents: an item may go only if all items below it go.
        added.sort { (state.level(of: $1), $0.raw) < (state.level(of: $0), $1.raw) }
        var going: Set<ItemHandle> = []
        var goingChildren: [ItemHandle: Int] = [:]
        for item in added {
            guard goingChildren[item] ?? 0 == state.childCount(of: item) else {
                report.skip(state[item].id, .inUse)
                continue
            }
            going.insert(item)
            if let parent = state.parent(of: item) { goingChildren[parent, default: 0] += 1 }
        }
        let roots = added.filter { item in
            going.contains(item) && !(state.parent(of: item).map(going.contains) ?? false)
        }
        guard !roots.isEmpty else { return }
        try apply(.deleteItems(roots.map { state[$0].id }), &state, &log)
    }
}
