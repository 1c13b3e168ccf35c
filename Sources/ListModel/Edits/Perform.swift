extension ListState {
    /// Carries out one edit, noting in `delta` what it overwrites, what takes it back, and what it does to the rows.
    ///
    /// - Parameter seals: Whether items that come into the list get their JSON at once.
    /// - Precondition: The indexes are in range and runs are whole subtrees, as the rules make them.
    public mutating func perform(_ edit: Edit, sealing seals: Bool = true, recording delta: inout Delta) {
        switch edit {
        case .changeList(let changes):
            delta.past.properties = delta.past.properties ?? properties
            delta.noteInverse(.changeList(changes.reversed(from: properties)))
            put(changes.applied(to: properties))
        case .insertSection(let new, let index):
            insertSection(new, at: index, &delta)
        case .deleteSection(let index):
            deleteSection(at: index, &delta)
        case .moveSection(let source, let target):
            keepOrder(&delta)
            delta.past.touchedSections.insert(order[source])
            delta.noteInverse(.moveSection(from: target, to: source))
            let section = order.remove(at: source)
            order.insert(section, at: target)
        case .changeSection(let index, let changes):
            let old = self[order[index]]
            keep(order[index], &delta)
            delta.noteInverse(.changeSection(at: index, changes.reversed(from: old)))
            put(changes.applied(to: old), at: order[index])
        case .reloadSection(let index):
            delta.past.reloadedSections.insert(order[index])
        case .insertItems(let rows, let section, let index, let parent):
            insertItems(rows, section: section, at: index, parent: parent, sealing: seals, &delta)
        case .deleteItems(let section, let rows):
            deleteItems(section: section, rows: rows, &delta)
        case .moveItem(let section, let rows, let target, let index, let parent):
            moveItem(section: section, rows: rows, target: target, at: index, parent: parent, &delta)
        case .changeItem(let id, let changes):
            if let handle = handle(of: id) { change(handle, by: changes, &delta) }
        case .reconfigureItem(let id):
            if let handle = handle(of: id) { delta.past.reconfiguredItems.insert(handle) }
        case .reloadItem(let id):
            if let handle = handle(of: id) { delta.past.reloadedItems.insert(handle) }
        case .arrange(let arrangements):
            arrange(arrangements, &delta)
        case .arrangeRun(let arrangement, let index):
            arrangeRun(arrangement, at: index, &delta)
        case .arrangeSections(let ids):
            keepOrder(&delta)
            delta.noteInverse(.arrangeSections(order.handles.map { self[$0].id }))
            order.replace(by: ids.compactMap { handle(of: $0) })
        }
    }

    func keep(_ handle: ItemHandle, _ delta: inout Delta) {
        delta.past.items.keep(handle, of: items)
    }

    private func keep(_ handle: SectionHandle, _ delta: inout Delta) {
        if delta.past.sections[handle] == nil { delta.past.sections[handle] = self[handle] }
    }

    private func keepOrder(_ delta: inout Delta) {
        if delta.past.order == nil { delta.past.order = order }
    }
}

// MARK: - Sections

extension ListState {
    private mutating func insertSection(_ new: SectionProperties, at index: Int, _ delta: inout Delta) {
        let handle = intern(new.id, &delta)
        keep(handle, &delta)
        keepOrder(&delta)
        put(new, at: handle)
        setAlive(handle, true)
        order.insert(handle, at: index)
        delta.past.touchedSections.insert(handle)
        delta.noteInverse(.deleteSection(at: index))
        delta.note(.insertSection(handle))
    }

    private mutating func deleteSection(at index: Int, _ delta: inout Delta) {
        let handle = order[index]
        deleteItems(section: index, rows: 0..<rowCount(of: handle), &delta)
        keep(handle, &delta)
        keepOrder(&delta)
        _ = order.remove(at: index)
        setAlive(handle, false)
        delta.sectionDeaths.append(handle)
        delta.noteInverse(.insertSection(self[handle], at: index))
        delta.note(.deleteSection(handle))
    }
}

// MARK: - Items

extension ListState {
    private mutating func insertItems(
        _ new: [Edit.NewRow], section: Int, at index: Int, parent: ItemID?, sealing seals: Bool, _ delta: inout Delta
    ) {
        guard !new.isEmpty else { return }
        let handle = order[section]
        let above = parent.flatMap { self.handle(of: $0) }
        let rows = adopt(new, in: handle, under: above, sealing: seals, &delta)
        noteInsertion(of: rows, in: handle, at: index, &delta)
        sections[handle.index].rows.insert(rows, at: index, &chunkNames)
        itemCount += rows.count
        visibleItemCount += rows.count(where: \.isShown)
        delta.noteInverse(.deleteItems(section: section, rows: index..<index + rows.count))
    }

    /// Gives new items their records.
    private mutating func adopt(
        _ new: [Edit.NewRow], in section: SectionHandle, under parent: ItemHandle?, sealing seals: Bool,
        _ delta: inout Delta
    ) -> [Row] {
        let level = parent.map { items[$0.index].level + 1 } ?? 0
        let isShown = parent.map { showsChildren($0) } ?? true
        var rows: [Row] = []
        rows.reserveCapacity(new.count)
        var lineage = Lineage(isShown: isShown)
        for row in new {
            let handle = intern(row.item.id, &delta)
            keep(handle, &delta)
            lineage.cut(to: row.depth, at: rows.count) { items[$0.index].descendantCount = $1 }
            let above = lineage.last ?? parent
            var record = ItemRecord(seals ? row.item.sealed() : row.item)
            record.section = section
            record.parent = above
            record.level = level + Int32(truncatingIfNeeded: row.depth)
            record.retainedDeaths = items[handle.index].retainedDeaths
            contentBytes += record.item.content.byteCount - items[handle.index].item.content.byteCount
            presentBytes += record.item.content.byteCount
            items[handle.index] = record
            countChildren(1, of: above, &delta)
            rows.append(Row(handle, isShown: lineage.showsNext))
            lineage.append(handle, isExpanded: row.item.isExpanded, at: rows.count)
        }
        lineage.cut(to: 0, at: rows.count) { items[$0.index].descendantCount = $1 }
        countDescendants(rows.count, above: parent)
        return rows
    }

    private mutating func deleteItems(section: Int, rows range: Range<Int>, _ delta: inout Delta) {
        guard !range.isEmpty else { return }
        let handle = order[section]
        noteDeletion(of: range, in: handle, &delta)
        let rows = sections[handle.index].rows.remove(range, &chunkNames)
        let root = items[rows[0].item.index]
        countDescendants(-rows.count, above: root.parent)
        var old: [Edit.NewRow] = []
        old.reserveCapacity(rows.count)
        for row in rows {
            let item = row.item
            keep(item, &delta)
            let depth = items[item.index].level - root.level
            old.append(Edit.NewRow(items[item.index].item, depth: Int(depth)))
            if depth == 0 { countChildren(-1, of: root.parent, &delta) }
            presentBytes -= items[item.index].item.content.byteCount
            items[item.index].section = nil
            items[item.index].parent = nil
            delta.itemDeaths.append(item)
        }
        itemCount -= rows.count
        visibleItemCount -= rows.count(where: \.isShown)
        let parent = root.parent.map { self[$0].id }
        delta.noteInverse(.insertItems(old, section: section, at: range.lowerBound, parent: parent))
    }

    private mutating func moveItem(
        section: Int, rows range: Range<Int>, target: Int, at index: Int, parent: ItemID?, _ delta: inout Delta
    ) {
        guard !range.isEmpty else { return }
        let (source, destination) = (order[section], order[target])
        let root = row(at: range.lowerBound, of: source)
        let oldParent = items[root.index].parent
        let above = parent.flatMap { handle(of: $0) }
        let move = RowMove(from: source, range, to: destination, at: index, in: self)
        if oldParent != above { adopt(root, with: range.count - 1, from: oldParent, under: above, &delta) }
        let levelShift = (above.map { items[$0.index].level + 1 } ?? 0) - items[root.index].level
        var rows = sections[source.index].rows.remove(range, &chunkNames)
        if levelShift != 0 || source != destination {
            for row in rows {
                keep(row.item, &delta)
                items[row.item.index].level += levelShift
                items[row.item.index].section = destination
            }
        }
        let old = rows
        let isShown = above.map { showsChildren($0) } ?? true
        if isShown != old[0].isShown { rows = shown(old, isShown) }
        sections[destination.index].rows.insert(rows, at: index, &chunkNames)
        visibleItemCount += rows.count(where: \.isShown) - old.count(where: \.isShown)
        note(move, of: old, as: rows, &delta)
        delta.noteInverse(
            .moveItem(
                section: target, rows: index..<index + range.count, toSection: section, at: range.lowerBound,
                parent: oldParent.map { self[$0].id }))
    }

    /// Puts a subtree under another parent.
    private mutating func adopt(
        _ root: ItemHandle, with descendants: Int, from old: ItemHandle?, under new: ItemHandle?, _ delta: inout Delta
    ) {
        keep(root, &delta)
        countChildren(-1, of: old, &delta)
        countChildren(1, of: new, &delta)
        countDescendants(-1 - descendants, above: old)
        countDescendants(1 + descendants, above: new)
        items[root.index].parent = new
    }

    /// - Parameters:
    ///   - keepsContent: Whether a new content is only noted; the caller writes it.
    ///   - seals: Whether a new value gets its JSON at once.
    mutating func change(
        _ handle: ItemHandle, by changes: ItemChanges, keepingContent keepsContent: Bool = false,
        sealing seals: Bool = true, _ delta: inout Delta
    ) {
        delta.noteValue(of: handle, in: items, changing: changes)
        let wasExpanded = items[handle.index].item.isExpanded
        if changes.kind != .keep || changes.content != .keep && !keepsContent {
            var changes = changes
            if keepsContent { changes.content = .keep }
            let old = items[handle.index].item
            var new = changes.applied(to: old)
            if seals, !new.isSealed { new = new.sealed(keeping: old) }
            contentBytes += new.content.byteCount - old.content.byteCount
            presentBytes += new.content.byteCount - old.content.byteCount
            items[handle.index].item = new
        } else {
            // A change of flags alone leaves the JSON as it is.
            changes.applyFlags(to: &items[handle.index].item)
        }
        let isExpanded = items[handle.index].item.isExpanded
        if isExpanded != wasExpanded { showChildren(of: handle, isExpanded, &delta) }
    }
}

// MARK: - Counts

extension ListState {
    mutating func countChildren(_ change: Int32, of parent: ItemHandle?, _ delta: inout Delta) {
        guard let parent else { return }
        keep(parent, &delta)
        items[parent.index].childCount += change
    }

    /// - Complexity: O(*d*), *d* = level of `parent`.
    private mutating func countDescendants(_ change: Int, above parent: ItemHandle?) {
        var ancestor = parent
        while let current = ancestor {
            Steps.add(1)
            items[current.index].descendantCount += Int32(truncatingIfNeeded: change)
            ancestor = items[current.index].parent
        }
    }
}
