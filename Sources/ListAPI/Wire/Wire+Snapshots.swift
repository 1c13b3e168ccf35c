import ListDiff
import ListModel
import ListStore

/// The representations of CONTRACT.md as minified JSON.
enum Wire {}

extension Wire {
    /// A list's snapshot, whole or in the view `visible`.
    static func snapshot(_ snapshot: ListSnapshot, view: View) -> [UInt8] {
        let state = snapshot.state
        let isPartial = view != .items
        var splicer = JSONSplicer(capacity: 256 + 192 * state.itemCount)
        splicer.beginObject()
        splicer.snapshotMembers(
            snapshot, sections: state.sectionHandles.map { ($0, state.rows(of: $0, view: view)) },
            form: RowForm(view), isPartial: isPartial)
        splicer.endObject()
        return splicer.bytes
    }

    /// A list's snapshot of these sections and rows: a filter, a sort, a page.
    static func snapshot(
        _ snapshot: ListSnapshot, sections: [(SectionHandle, [ItemHandle])], form: RowForm, isPartial: Bool
    ) -> [UInt8] {
        var splicer = JSONSplicer(capacity: 256 + 192 * sections.reduce(0) { $0 + $1.1.count })
        splicer.beginObject()
        splicer.snapshotMembers(snapshot, sections: sections, form: form, isPartial: isPartial)
        splicer.endObject()
        return splicer.bytes
    }

    /// A section snapshot of these rows: the section with `list` and `version`.
    static func section(
        _ section: SectionHandle, rows: [ItemHandle], of snapshot: ListSnapshot, form: RowForm, isPartial: Bool
    ) -> [UInt8] {
        var splicer = JSONSplicer(capacity: 256 + 192 * rows.count)
        splicer.beginObject()
        splicer.sectionMembers(snapshot.state[section])
        splicer.key("\"list\":")
        splicer.list(snapshot.id)
        splicer.key("\"version\":")
        splicer.version(snapshot.version)
        if isPartial { splicer.key("\"partial\":true") }
        splicer.itemsMember(rows, of: snapshot.state, form)
        splicer.endObject()
        return splicer.bytes
    }

    /// An item alone: with `list`, `version`, `section`, and its index there, hidden rows counted.
    static func item(_ item: ItemHandle, of snapshot: ListSnapshot) -> [UInt8] {
        let state = snapshot.state
        var splicer = JSONSplicer(capacity: 512)
        splicer.beginObject()
        splicer.itemMembers(state.row(item), RowForm(.items))
        splicer.key("\"list\":")
        splicer.list(snapshot.id)
        splicer.key("\"version\":")
        splicer.version(snapshot.version)
        if let section = state.section(of: item), let index = state.index(of: item) {
            splicer.key("\"section\":")
            splicer.id(state[section].id)
            splicer.key("\"index\":")
            splicer.integer(index)
        }
        splicer.endObject()
        return splicer.bytes
    }

    /// The collection of lists: id, title, version and counts of each.
    static func lists(_ snapshots: [ListSnapshot]) -> [UInt8] {
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
        raw("}")
    }
}
