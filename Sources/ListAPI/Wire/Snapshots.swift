import ListDiff
import ListModel
import ListStore

// What a list's state looks like to clients (CONTRACT.md section 2), as minified JSON.

extension ListSnapshot {
    /// The snapshot in a view; it says `partial` unless the view has every item.
    func body(view: View) -> [UInt8] {
        let sections = state.sectionHandles.map { ($0, state.rows(of: $0, view: view)) }
        return body(sections: sections, form: RowForm(view), isPartial: view != .items)
    }

    /// The snapshot with these sections and rows: a filter, a sort, a page.
    func body(sections: [(SectionHandle, [ItemHandle])], form: RowForm, isPartial: Bool) -> [UInt8] {
        var splicer = JSONSplicer(capacity: 256 + 192 * sections.reduce(0) { $0 + $1.1.count })
        splicer.beginObject()
        splicer.snapshotMembers(self, sections: sections, form: form, isPartial: isPartial)
        splicer.endObject()
        return splicer.bytes
    }

    /// The section snapshot of a section of the state, in a view.
    func body(of section: SectionHandle, view: View) -> [UInt8] {
        body(of: section, rows: state.rows(of: section, view: view), form: RowForm(view), isPartial: view != .items)
    }

    /// The section snapshot with these rows.
    func body(of section: SectionHandle, rows: [ItemHandle], form: RowForm, isPartial: Bool) -> [UInt8] {
        var splicer = JSONSplicer(capacity: 256 + 192 * rows.count)
        splicer.beginObject()
        splicer.sectionMembers(state[section])
        splicer.key("\"list\":")
        splicer.list(id)
        splicer.key("\"version\":")
        splicer.version(version)
        if isPartial { splicer.key("\"partial\":true") }
        splicer.itemsMember(rows, of: state, form)
        splicer.endObject()
        return splicer.bytes
    }

    /// An item of the state alone, with its section and its index there, hidden rows counted.
    func body(of item: ItemHandle) -> [UInt8] {
        var splicer = JSONSplicer(capacity: 512)
        splicer.beginObject()
        splicer.itemMembers(state.row(item), RowForm(.items))
        splicer.key("\"list\":")
        splicer.list(id)
        splicer.key("\"version\":")
        splicer.version(version)
        if let section = state.section(of: item), let index = state.index(of: item) {
            splicer.key("\"section\":")
            splicer.id(state[section].id)
            splicer.key("\"index\":")
            splicer.integer(index)
        }
        splicer.endObject()
        return splicer.bytes
    }
}

/// The collection of lists: id, title, version and counts of each.
func listsBody(_ snapshots: [ListSnapshot]) -> [UInt8] {
    var splicer = JSONSplicer(capacity: 16 + 192 * snapshots.count)
    splicer.raw("{\"lists\":[")
    for snapshot in snapshots {
        splicer.separate()
        splicer.beginObject()
        splicer.listMembers(snapshot)
        splicer.endObject()
    }
    splicer.raw("]}")
    return splicer.bytes
}

extension JSONSplicer {
    mutating func snapshotMembers(
        _ snapshot: ListSnapshot, sections: [(SectionHandle, [ItemHandle])], form: RowForm, isPartial: Bool
    ) {
        listMembers(snapshot)
        if isPartial { key("\"partial\":true") }
        if let layout = snapshot.state.properties.layout {
            key("\"layout\":")
            json(layout)
        }
        guard !sections.isEmpty else { return }
        key("\"sections\":")
        beginArray()
        for (section, rows) in sections {
            separate()
            beginObject()
            sectionMembers(snapshot.state[section])
            itemsMember(rows, of: snapshot.state, form)
            endObject()
        }
        endArray()
    }

    /// What a listing says of a list; the counts are the whole list's in every view.
    fileprivate mutating func listMembers(_ snapshot: ListSnapshot) {
        let state = snapshot.state
        key("\"id\":")
        list(snapshot.id)
        key("\"title\":")
        string(state.properties.title)
        key("\"version\":")
        version(snapshot.version)
        raw(",\"counts\":{\"sections\":")
        integer(state.sectionCount)
        raw(",\"items\":")
        integer(state.itemCount)
        raw(",\"visibleItems\":")
        integer(state.visibleItemCount)
        endObject()
    }
}
