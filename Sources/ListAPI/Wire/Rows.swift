import ListDiff
import ListModel

// Members at their default are left out (CONTRACT.md section 2): no `starred:false`, no empty `items`. A change set's
// sections are the exception, as its example shows: there `items` is always written.

extension JSONSplicer {
    /// The members of an item, in the order: what it is, where it is, its flags, its content.
    ///
    /// - Parameter view: Tells whether it carries `level` and, where it has children, `childCount`.
    mutating func itemMembers(_ row: ItemRow, _ view: View) {
        let item = row.item
        separate()
        json(upToContentOf: item.json)
        if let parent = row.parent {
            raw(",\"parent\":")
            id(parent)
        }
        if item.isExpanded { raw(",\"expanded\":true") }
        if item.isStarred { raw(",\"starred\":true") }
        if !item.isReorderable { raw(",\"reorderable\":false") }
        switch view {
        case .items: break
        case .visible:
            raw(",\"level\":")
            integer(row.level)
            if row.childCount > 0 {
                raw(",\"childCount\":")
                integer(row.childCount)
            }
        }
        json(contentOf: item.json)
    }

    /// The members of a section besides its items.
    mutating func sectionMembers(_ properties: SectionProperties) {
        key("\"id\":")
        id(properties.id)
        if let title = properties.title {
            raw(",\"title\":")
            string(title)
        }
        if let layout = properties.layout {
            raw(",\"layout\":")
            json(layout)
        }
        if let header = properties.header {
            raw(",\"header\":")
            json(header)
        }
        if let footer = properties.footer {
            raw(",\"footer\":")
            json(footer)
        }
        if !properties.isReorderable { raw(",\"reorderable\":false") }
    }

    /// The member `items` of a section of a state, left out if there are none.
    mutating func itemsMember(_ rows: [ItemHandle], of state: ListState, _ view: View) {
        guard !rows.isEmpty else { return }
        key("\"items\":")
        beginArray()
        for handle in rows {
            separate()
            beginObject()
            if view == .items, let item = state.plainJSON(of: handle) {
                json(item)
            } else {
                itemMembers(state.row(handle), view)
            }
            endObject()
        }
        endArray()
    }
}
