import ListDiff
import ListModel

/// How a view shows its rows.
struct RowForm: Sendable {
    /// Whether an item carries `level` and, where it has children, `childCount`.
    var showsLevels: Bool
    /// The rows of the view, where it leaves some out: a parent that is none of them is left out. Nil for all rows.
    var parents: Set<ItemID>?

    init(showsLevels: Bool, parents: Set<ItemID>? = nil) {
        self.showsLevels = showsLevels
        self.parents = parents
    }

    /// A whole view's form.
    init(_ view: View) {
        switch view {
        case .items: self.init(showsLevels: false)
        case .visible: self.init(showsLevels: true)
        }
    }
}

// Members at their default are left out (CONTRACT.md section 2): no `starred:false`, no empty `items`. A change set's
// sections are the exception, as its example shows: there `items` is always written.

extension JSONSplicer {
    /// The members of an item, in the order: what it is, where it is, its flags, its content.
    mutating func itemMembers(_ row: ItemRow, _ form: RowForm) {
        itemMembers(
            row.item, parent: row.parent, level: row.level, childCount: row.childCount, form)
    }

    mutating func itemMembers(_ item: Item, parent: ItemID?, level: Int, childCount: Int, _ form: RowForm) {
        key("\"id\":")
        id(item.id)
        raw(",\"kind\":")
        quote(item.kind)
        if let parent, form.parents?.contains(parent) ?? true {
            raw(",\"parent\":")
            id(parent)
        }
        if item.isExpanded { raw(",\"expanded\":true") }
        if item.isStarred { raw(",\"starred\":true") }
        if !item.isReorderable { raw(",\"reorderable\":false") }
        if form.showsLevels {
            raw(",\"level\":")
            integer(level)
            if childCount > 0 {
                raw(",\"childCount\":")
                integer(childCount)
            }
        }
        raw(",\"content\":")
        json(item.content)
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
    mutating func itemsMember(_ rows: [ItemHandle], of state: ListState, _ form: RowForm) {
        guard !rows.isEmpty else { return }
        key("\"items\":")
        beginArray()
        for handle in rows {
            separate()
            beginObject()
            let parent = state.parent(of: handle).map { state[$0].id }
            itemMembers(
                state[handle], parent: parent, level: state.level(of: handle), childCount: state.childCount(of: handle),
                form)
            endObject()
        }
        endArray()
    }
}
