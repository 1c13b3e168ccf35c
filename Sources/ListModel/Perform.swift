extension ListState {
    /// Carries out one edit, noting in `delta` what it overwrites.
    ///
    /// - Precondition: The indexes are in range and runs are whole subtrees, as the rules make them.
    public mutating func perform(_ edit: Edit, recording delta: inout Delta) {
        switch edit {
        case .setProperties(let new):
            delta.properties = delta.properties ?? properties
            properties = new
        case .insertSection(let new, let index):
            insertSection(new, at: index, &delta)
        case .deleteSection(let index):
            deleteSection(at: index, &delta)
        case .moveSection(let source, let target):
            keepOrder(&delta)
            delta.touchedSections.insert(order[source])
            order.insert(order.remove(at: source), at: target)
        case .setSection(let index, let new):
            keep(order[index], &delta)
            sections[order[index].index].properties = new
        case .reloadSection(let index):
            delta.reloadedSections.insert(order[index])
        case .insertItems(let rows, let section, let index, let parent):
            insertItems(rows, section: order[section], at: index, parent: parent, &delta)
        case .deleteItems(let section, let rows):
            deleteItems(section: order[section], rows: rows, &delta)
        case .moveItem(let section, let rows, let target, let index, let parent):
            moveItem(section: order[section], rows: rows, target: order[target], at: index, parent: parent, &delta)
        case .setItem(let item):
            guard let handle = handle(of: item.id) else { return }
            keep(handle, &delta)
            items[handle.index].item = item
        case .reconfigureItem(let id):
            if let handle = handle(of: id) { delta.reconfiguredItems.insert(handle) }
        case .reloadItem(let id):
            if let handle = handle(of: id) { delta.reloadedItems.insert(handle) }
        case .arrange(let arrangements):
            arrange(arrangements, &delta)
        case .arrangeSections(let ids):
            keepOrder(&delta)
            order = ids.compactMap { handle(of: $0) }
        }
    }
}

// MARK: - What was there before

extension ListState {
    private func keep(_ handle: ItemHandle, _ delta: inout Delta) {
        if delta.items[handle] == nil { delta.items[handle] = items[handle.index] }
    }

    private func keep(_ handle: SectionHandle, _ delta: inout Delta) {
        if delta.sections[handle] == nil { delta.sections[handle] = sections[handle.index] }
    }

    private func keepOrder(_ delta: inout Delta) {
        if delta.order == nil { delta.order = order }
    }

    private func keepItemCount(_ delta: inout Delta) {
        if delta.itemCount == nil { delta.itemCount = itemCount }
    }
}

// MARK: - Sections

extension ListState {
    private mutating func insertSection(_ new: SectionProperties, at index: Int, _ delta: inout Delta) {
        let handle = intern(new.id, &delta)
        keep(handle, &delta)
        keepOrder(&delta)
        sections[handle.index] = SectionRecord(properties: new, isAlive: true, rows: [])
        order.insert(handle, at: index)
        delta.touchedSections.insert(handle)
    }

    private mutating func deleteSection(at index: Int, _ delta: inout Delta) {
        let handle = order[index]
        deleteItems(section: handle, rows: 0..<sections[handle.index].rows.count, &delta)
        keep(handle, &delta)
        keepOrder(&delta)
        order.remove(at: index)
        sections[handle.index].isAlive = false
        delta.sectionDeaths.append(handle)
    }
}

// MARK: - Items

extension ListState {
    private mutating func insertItems(
        _ rows: [Edit.NewRow], section: SectionHandle, at index: Int, parent: ItemID?, _ delta: inout Delta
    ) {
        keep(section, &delta)
        keepItemCount(&delta)
        let root = parent.flatMap { handle(of: $0) }
        let level = root.map { items[$0.index].level + 1 } ?? 0
        var handles: [ItemHandle] = []
        handles.reserveCapacity(rows.count)
        var ancestors: [ItemHandle] = []
        for row in rows {
            let handle = intern(row.item.id, &delta)
            keep(handle, &delta)
            ancestors.removeLast(ancestors.count - row.depth)
            let above = ancestors.last ?? root
            adoptChild(above, &delta)
            items[handle.index] = ItemRecord(
                item: row.item, section: section, parent: above, level: level + Int32(row.depth), childCount: 0)
            ancestors.append(handle)
            handles.append(handle)
        }
        sections[section.index].rows.insert(contentsOf: handles, at: index)
        delta.touchedItems.formUnion(handles)
        itemCount += rows.count
    }

    private mutating func deleteItems(section: SectionHandle, rows: Range<Int>, _ delta: inout Delta) {
        guard !rows.isEmpty else { return }
        keep(section, &delta)
        keepItemCount(&delta)
        for handle in sections[section.index].rows[rows] {
            keep(handle, &delta)
            dismissChild(items[handle.index].parent, &delta)
            items[handle.index].section = nil
            items[handle.index].parent = nil
            delta.itemDeaths.append(handle)
        }
        sections[section.index].rows.removeSubrange(rows)
        itemCount -= rows.count
    }

    private mutating func moveItem(
        section: SectionHandle, rows: Range<Int>, target: SectionHandle, at index: Int, parent: ItemID?,
        _ delta: inout Delta
    ) {
        keep(section, &delta)
        keep(target, &delta)
        let run = Array(sections[section.index].rows[rows])
        guard let root = run.first else { return }
        let above = parent.flatMap { handle(of: $0) }
        let levelShift = (above.map { items[$0.index].level + 1 } ?? 0) - items[root.index].level
        keep(root, &delta)
        if items[root.index].parent != above {
            dismissChild(items[root.index].parent, &delta)
            adoptChild(above, &delta)
            items[root.index].parent = above
        }
        if levelShift != 0 || section != target {
            for handle in run {
                keep(handle, &delta)
                items[handle.index].level += levelShift
                items[handle.index].section = target
            }
        }
        sections[section.index].rows.removeSubrange(rows)
        sections[target.index].rows.insert(contentsOf: run, at: index)
        delta.touchedItems.formUnion(run)
    }

    private mutating func adoptChild(_ parent: ItemHandle?, _ delta: inout Delta) {
        guard let parent else { return }
        keep(parent, &delta)
        items[parent.index].childCount += 1
    }

    private mutating func dismissChild(_ parent: ItemHandle?, _ delta: inout Delta) {
        guard let parent else { return }
        keep(parent, &delta)
        items[parent.index].childCount -= 1
    }

    private mutating func arrange(_ arrangements: [Edit.Arrangement], _ delta: inout Delta) {
        for arrangement in arrangements {
            let section = order[arrangement.section]
            keep(section, &delta)
            var ancestors: [ItemHandle] = []
            var handles: [ItemHandle] = []
            handles.reserveCapacity(arrangement.rows.count)
            for row in arrangement.rows {
                guard let handle = handle(of: row.item) else { continue }
                handles.append(handle)
                ancestors.removeLast(ancestors.count - row.level)
                place(handle, in: section, under: ancestors.last, level: row.level, &delta)
                ancestors.append(handle)
            }
            sections[section.index].rows = handles
        }
    }

    private mutating func place(
        _ handle: ItemHandle, in section: SectionHandle, under parent: ItemHandle?, level: Int, _ delta: inout Delta
    ) {
        let record = items[handle.index]
        guard record.section != section || record.parent != parent || record.level != Int32(level) else { return }
        keep(handle, &delta)
        if record.parent != parent {
            dismissChild(record.parent, &delta)
            adoptChild(parent, &delta)
        }
        items[handle.index].section = section
        items[handle.index].parent = parent
        items[handle.index].level = Int32(level)
    }
}
