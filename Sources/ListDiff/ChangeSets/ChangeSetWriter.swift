import ListModel

/// Writes a change set part by part.
struct ChangeSetWriter<Rows: RowSource> {
    /// The values that were overwritten since the old state.
    private let past: Past
    /// The rows of the view in the new state.
    private let rows: Rows
    let sections: SectionSpan
    private var properties = ListChanges()
    private var sectionChanges = ChangeSet.Sections()
    private var items = ChangeSet.Items()
    private var window: ChangeSet.WindowChange?

    /// The change set as written so far.
    var changes: ChangeSet {
        ChangeSet(properties: properties, sections: sectionChanges, items: items, window: window)
    }

    init(past: Past, rows: Rows, sections: SectionSpan) {
        self.past = past
        self.rows = rows
        self.sections = sections
    }

    private var state: ListState { _read { yield sections.state } }

    mutating func writeProperties() {
        if let old = past.properties { properties = ListChanges(from: old, to: state.properties) }
    }
}

// MARK: - Sections

extension ChangeSetWriter {
    mutating func writeSections() {
        writeOrder()
        for section in past.reloadedSections where sections.survives(section) {
            sectionChanges.reloaded.append(placed(section, at: sections.newIndex(of: section)))
        }
        for (section, old) in past.sections
        where sections.survives(section) && !past.reloadedSections.contains(section) && old != state[section] {
            sectionChanges.reconfigured.append(
                .init(index: sections.newIndex(of: section), properties: state[section]))
        }
        sectionChanges.reloaded.sort { $0.index < $1.index }
        sectionChanges.reconfigured.sort { $0.index < $1.index }
    }

    private mutating func writeOrder() {
        guard let old = sections.oldOrder else { return }
        let new = rows.sectionHandles
        let difference = OrderDifference(from: old, to: new) {
            HandleMask(past.touchedSections, capacity: state.sectionHandleCount)
        }
        sectionChanges.deleted = difference.removed.reversed().map { index in
            .init(id: state[old[index]].id, index: index)
        }
        sectionChanges.inserted = difference.arrived.map { placed(new[$0], at: $0) }
        sectionChanges.moved = difference.moved.map { move in
            .init(id: state[new[move.to]].id, from: move.from, to: move.to)
        }
    }

    private func placed(_ section: SectionHandle, at index: Int) -> ChangeSet.PlacedSection {
        .init(index: index, section: rows.sectionRows(of: section))
    }
}

// MARK: - Rows

extension ChangeSetWriter {
    mutating func write(_ changes: RowChanges) {
        guard changes != RowChanges() else { return }
        items.deleted = changes.removed.map { removal in
            .init(id: state[removal.handle].id, path: sections.oldPath(removal.place))
        }
        items.deleted += zip(changes.entered, handles(at: changes.entered.map(\.to))).map { entry, handle in
            .init(id: state[handle].id, path: sections.oldPath(entry.from))
        }
        items.inserted = zip(changes.arrived, handles(at: changes.arrived)).map { place, handle in
            .init(path: sections.newPath(place), row: rows.row(handle))
        }
        items.moved = zip(changes.moved, handles(at: changes.moved.map(\.to))).map { move, handle in
            .init(id: state[handle].id, from: sections.oldPath(move.from), to: sections.newPath(move.to))
        }
        items.deleted.putInOrder { $0.path > $1.path }
        items.inserted.putInOrder { $0.path < $1.path }
        items.moved.putInOrder { $0.to < $1.to }
    }

    /// The items of new rows, read a run at a time.
    private func handles(at places: [RowPlace]) -> [ItemHandle] {
        var handles: [ItemHandle] = []
        handles.reserveCapacity(places.count)
        while handles.count < places.count {
            let first = places[handles.count]
            var end = handles.count + 1
            while end < places.count, places[end].section == first.section,
                places[end].index == first.index + end - handles.count
            {
                end += 1
            }
            handles += rows.rows(first.index..<first.index + end - handles.count, of: first.section)
        }
        return handles
    }
}

// MARK: - Content

extension ChangeSetWriter {
    /// Adds an entry for a change of the content of an item.
    ///
    /// - Parameters:
    ///   - place: A place of the new rows, in a section of both states.
    ///   - arrived: New places of insertions, sorted by section and index. Inserted rows get no other entry.
    private mutating func write(
        _ change: ContentChange, _ item: ItemHandle, _ place: RowPlace, besides arrived: [RowPlace]
    ) {
        guard !past.reloadedSections.contains(place.section), !arrived.holdsSorted(place) else { return }
        let entry = ChangeSet.PlacedItem(path: sections.newPath(place), row: rows.row(item))
        switch change {
        case .reconfigured: items.reconfigured.append(entry)
        case .reloaded: items.reloaded.append(entry)
        }
    }

    private mutating func sortContent() {
        items.reconfigured.putInOrder { $0.path < $1.path }
        items.reloaded.putInOrder { $0.path < $1.path }
    }

    /// The difference between an item and its old value, and the changes that operations asked for.
    private func difference(of item: ItemHandle) -> ItemDifference {
        var difference = past.items[item].map { state.difference(of: item, from: $0) } ?? []
        if past.reloadedItems.contains(item) { difference.insert(.kind) }
        if past.reconfiguredItems.contains(item) { difference.insert(.row) }
        return difference
    }
}

extension ChangeSetWriter where Rows == WholeRows {
    init(past: Past, of rows: Rows) {
        self.init(past: past, rows: rows, sections: SectionSpan(past: past, state: rows.state))
    }

    /// - Parameter arrived: The new places of insertions, sorted by section and index. Inserted rows get no other
    ///   entry.
    mutating func writeContent(besides arrived: [RowPlace]) {
        items.reconfigured.makeRoom(for: past.items.count - arrived.count)
        for (item, _) in past.items { writeContent(of: item, besides: arrived) }
        for item in past.reloadedItems where !past.items.contains(item) { writeContent(of: item, besides: arrived) }
        for item in past.reconfiguredItems where !past.items.contains(item) && !past.reloadedItems.contains(item) {
            writeContent(of: item, besides: arrived)
        }
        sortContent()
    }

    private mutating func writeContent(of item: ItemHandle, besides arrived: [RowPlace]) {
        guard let change = ContentChange(difference(of: item), in: rows.view),
            let section = state.section(of: item), sections.survives(section),
            let index = state.index(of: item, view: rows.view)
        else { return }
        write(change, item, RowPlace(section: section, index: index), besides: arrived)
    }
}

extension ChangeSetWriter where Rows == ViewedRows {
    /// - Parameters:
    ///   - items: The items whose content may have changed; nil if any may.
    ///   - old: The rows that the client sees.
    ///   - arrived: The new places of insertions, sorted by section and index. Inserted rows get no other entry.
    mutating func writeContent(of items: Set<ItemHandle>?, from old: ViewedRows, besides arrived: [RowPlace]) {
        if let items {
            for item in items {
                guard let place = rows.place(of: item) else { continue }
                writeContent(of: item, place, from: old, besides: arrived)
            }
        } else {
            writeContentOfAll(from: old, besides: arrived)
        }
        sortContent()
    }

    private mutating func writeContentOfAll(from old: ViewedRows, besides arrived: [RowPlace]) {
        // If the query loses parents, another window alone can change the parents that rows name.
        let mayLoseParents = rows.query.losesParents && rows.window != nil
        guard past.mayChangeContent || mayLoseParents || old.query != rows.query else { return }
        for section in rows.parts.map({ Array($0.keys) }) ?? rows.sectionHandles {
            for (index, item) in rows.rows(of: section).enumerated() {
                writeContent(of: item, RowPlace(section: section, index: index), from: old, besides: arrived)
            }
        }
    }

    private mutating func writeContent(
        of item: ItemHandle, _ place: RowPlace, from old: ViewedRows, besides arrived: [RowPlace]
    ) {
        guard sections.survives(place.section), let change = change(of: item, from: old) else { return }
        write(change, item, place, besides: arrived)
    }

    private func change(of item: ItemHandle, from old: ViewedRows) -> ContentChange? {
        var difference = difference(of: item)
        if rows.query.expanded != nil { difference.remove(.disclosure) }
        if old.query.losesParents || rows.query.losesParents {
            difference.remove(.parent)
            let oldParent = past.items[item].map(\.parent) ?? state.parent(of: item)
            let parents = (old: old.shownParent(oldParent), new: rows.shownParent(state.parent(of: item)))
            if parents.old != parents.new { difference.insert(.parent) }
        }
        return ContentChange(difference, in: rows.query.view)
    }

    mutating func writeWindow(from old: ViewedRows) {
        window = rows.window.map { ChangeSet.WindowChange(place: $0, hasMoved: $0 != old.window) }
    }
}

extension Past {
    fileprivate var mayChangeContent: Bool { items.count > 0 || !reloadedItems.isEmpty || !reconfiguredItems.isEmpty }
}

extension [RowPlace] {
    /// Whether a place is among these, which are sorted by section and index.
    fileprivate func holdsSorted(_ place: RowPlace) -> Bool {
        var (start, end) = (startIndex, endIndex)
        while start < end {
            let middle = (start + end) / 2
            if self[middle] == place { return true }
            let isBefore = (self[middle].section.index, self[middle].index) < (place.section.index, place.index)
            (start, end) = isBefore ? (middle + 1, end) : (start, middle)
        }
        return false
    }
}
