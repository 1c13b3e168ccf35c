import ListModel

/// A change set in the making.
struct ChangeSetWriter {
    /// What was overwritten since the old state.
    private let past: Past
    private let view: View
    let sections: SectionSpan
    private var properties = ListChanges()
    private var sectionChanges = ChangeSet.Sections()
    private var items = ChangeSet.Items()

    /// What has been written.
    var changes: ChangeSet { ChangeSet(properties: properties, sections: sectionChanges, items: items) }

    /// - Parameter state: The new state.
    init(past: Past, state: ListState, view: View) {
        self.past = past
        self.view = view
        sections = SectionSpan(past: past, state: state)
    }

    private var state: ListState { _read { yield sections.state } }

    mutating func writeProperties() {
        guard let old = past.properties else { return }
        if old.title != state.properties.title { properties.title = .set(state.properties.title) }
        if old.layout != state.properties.layout { properties.layout = .set(state.properties.layout) }
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
        guard let old = past.order else { return }
        let new = state.sectionHandles
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
        .init(index: index, section: state.sectionRows(of: section, view: view))
    }
}

// MARK: - Rows

extension ChangeSetWriter {
    mutating func write(_ rows: RowChanges) {
        guard rows != RowChanges() else { return }
        items.deleted = rows.removed.map { removal in
            .init(id: state[removal.handle].id, path: sections.oldPath(removal.place))
        }
        items.deleted += zip(rows.entered, handles(at: rows.entered.map(\.to))).map { entry, handle in
            .init(id: state[handle].id, path: sections.oldPath(entry.from))
        }
        items.inserted = zip(rows.arrived, handles(at: rows.arrived)).map { place, handle in
            .init(path: sections.newPath(place), row: state.row(handle))
        }
        items.moved = zip(rows.moved, handles(at: rows.moved.map(\.to))).map { move, handle in
            .init(id: state[handle].id, from: sections.oldPath(move.from), to: sections.newPath(move.to))
        }
        items.deleted.sort { $0.path > $1.path }
        items.inserted.sort { $0.path < $1.path }
        items.moved.sort { $0.to < $1.to }
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
            handles += state.rows(first.index..<first.index + end - handles.count, of: first.section, view: view)
        }
        return handles
    }
}

// MARK: - Content

extension ChangeSetWriter {
    /// - Parameter arrived: New places of insertions, sorted by section and index: they have no other entry.
    mutating func writeContent(besides arrived: [RowPlace]) {
        for (item, old) in past.items {
            var difference = state.difference(of: item, from: old)
            if past.reloadedItems.contains(item) { difference.insert(.kind) }
            if past.reconfiguredItems.contains(item) { difference.insert(.row) }
            guard let change = ContentChange(difference, in: view) else { continue }
            write(change, item, besides: arrived)
        }
        for item in past.reloadedItems where !past.items.contains(item) { write(.reloaded, item, besides: arrived) }
        for item in past.reconfiguredItems where !past.items.contains(item) && !past.reloadedItems.contains(item) {
            write(.reconfigured, item, besides: arrived)
        }
        if items.reconfigured.count > 1 { items.reconfigured.sort { $0.path < $1.path } }
        if items.reloaded.count > 1 { items.reloaded.sort { $0.path < $1.path } }
    }

    private mutating func write(_ change: ContentChange, _ item: ItemHandle, besides arrived: [RowPlace]) {
        guard let section = state.section(of: item), sections.survives(section),
            !past.reloadedSections.contains(section), let index = state.index(of: item, view: view)
        else { return }
        let place = RowPlace(section: section, index: index)
        guard !arrived.holdsSorted(place) else { return }
        let entry = ChangeSet.PlacedItem(path: sections.newPath(place), row: state.row(item))
        switch change {
        case .reconfigured: items.reconfigured.append(entry)
        case .reloaded: items.reloaded.append(entry)
        }
    }
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
