import ListDiff
import ListModel
import ListStore

// What a list's state looks like to clients (CONTRACT.md section 2), as minified JSON.

extension ListSnapshot {
    /// The snapshot in a view; it says `partial` unless the view has every item.
    func body(view: View) -> [UInt8] {
        var splicer = JSONSplicer(capacity: 256 + 192 * state.rowCount(view))
        splicer.beginObject()
        splicer.snapshotMembers(self, view: view)
        splicer.endObject()
        return splicer.bytes
    }

    /// A page of it.
    func body(view: View, parts: [SectionPart]) -> [UInt8] {
        var splicer = JSONSplicer(capacity: 256 + parts.reduce(0) { $0 + 64 + 192 * $1.rows.count })
        splicer.beginObject()
        splicer.snapshotMembers(self, view: view, parts: parts)
        splicer.endObject()
        return splicer.bytes
    }

    /// The section snapshot of a section of the state, in a view.
    func body(of section: SectionHandle, view: View) -> [UInt8] {
        let rows = state.rows(of: section, view: view)
        var splicer = JSONSplicer(capacity: 256 + 192 * rows.count)
        splicer.beginObject()
        splicer.sectionMembers(state[section])
        splicer.key("\"list\":")
        splicer.list(id)
        splicer.key("\"version\":")
        splicer.version(version)
        if view.isPartial { splicer.key("\"partial\":true") }
        splicer.itemsMember(rows, of: state, view)
        splicer.endObject()
        return splicer.bytes
    }

    /// An item of the state alone, with its section and its index there, hidden rows counted.
    func body(of item: ItemHandle) -> [UInt8] {
        var splicer = JSONSplicer(capacity: 512)
        splicer.beginObject()
        splicer.itemMembers(state.row(item), .items)
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
    /// - Parameter parts: Those of a page; nil for the whole.
    mutating func snapshotMembers(_ snapshot: ListSnapshot, view: View, parts: [SectionPart]? = nil) {
        listMembers(snapshot)
        if view.isPartial || parts != nil { key("\"partial\":true") }
        if let layout = snapshot.state.properties.layout {
            key("\"layout\":")
            json(layout)
        }
        guard snapshot.state.sectionCount > 0 else { return }
        key("\"sections\":")
        beginArray()
        for part in parts ?? .whole(of: snapshot.state, view) {
            separate()
            beginObject()
            sectionMembers(snapshot.state[part.section])
            itemsMember(snapshot.state.rows(part.rows, of: part.section, view: view), of: snapshot.state, view)
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

extension View {
    /// Whether a snapshot in this view may lack items.
    fileprivate var isPartial: Bool {
        switch self {
        case .items: false
        case .visible: true
        }
    }
}
