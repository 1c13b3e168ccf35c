package import ListDiff
import ListModel

// Members at their default are left out (docs/contract.md section 2), such as `"starred":false` and an empty `items`.
// Only sections in a change set always have `items`.

extension JSONSplicer {
    /// Writes the members of an item in this order: id and kind, place, flags, content.
    ///
    /// - Parameter view: In the view `visible` an item also has `level`, and `childCount` if it has children.
    mutating func itemMembers(_ row: ItemRow, _ view: View) {
        itemMembers(row.item.json, row.marks, parent: row.parent, view)
    }

    /// The same for an item of a state.
    fileprivate mutating func itemMembers(_ handle: ItemHandle, of state: ListState, _ view: View) {
        if view == .items, let json = state.plainJSON(of: handle) { return self.json(json) }
        let parent = state.parent(of: handle).map { state.id(of: $0) }
        itemMembers(state.json(of: handle), state.marks(of: handle), parent: parent, view)
    }

    private mutating func itemMembers(_ json: ItemJSON, _ marks: RowMarks, parent: ItemID?, _ view: View) {
        separate()
        self.json(upToContentOf: json)
        if let parent {
            raw(",\"parent\":")
            id(parent)
        }
        if marks.isExpanded { raw(",\"expanded\":true") }
        if marks.isStarred { raw(",\"starred\":true") }
        if !marks.isReorderable { raw(",\"reorderable\":false") }
        switch view {
        case .items: break
        case .visible:
            raw(",\"level\":")
            integer(Int(marks.level))
            if marks.childCount > 0 {
                raw(",\"childCount\":")
                integer(Int(marks.childCount))
            }
        }
        self.json(contentOf: json)
    }

    /// Writes the members of a section without its items.
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

    /// Writes the member `items` of a section. It is left out if there are none.
    mutating func itemsMember<Rows: ViewRows>(_ handles: [ItemHandle], of rows: Rows) {
        guard !handles.isEmpty else { return }
        key("\"items\":")
        beginArray()
        for handle in handles {
            separate()
            beginObject()
            rows.write(handle, to: &self)
            endObject()
        }
        endArray()
    }

    /// Writes the place of a window among the rows of its view.
    mutating func windowMembers(_ window: WindowPlace) {
        key("\"start\":")
        integer(window.start)
        key("\"total\":")
        integer(window.total)
    }
}

/// Rows that can be written as the rows of a view.
protocol ViewRows: RowSource {
    var view: View { get }
    /// Whether a snapshot of these rows may lack items of the list.
    var isPartial: Bool { get }
    /// The place of the window; nil if the rows are not those of a window.
    var window: WindowPlace? { get }
    /// Writes the members of an item.
    func write(_ handle: ItemHandle, to splicer: inout JSONSplicer)
}

extension WholeRows: ViewRows {
    var isPartial: Bool {
        switch view {
        case .items: false
        case .visible: true
        }
    }
    var window: WindowPlace? { nil }
    func write(_ handle: ItemHandle, to splicer: inout JSONSplicer) { splicer.itemMembers(handle, of: state, view) }
}

extension ViewedRows: ViewRows {
    var view: View { query.view }
    var isPartial: Bool { true }
    func write(_ handle: ItemHandle, to splicer: inout JSONSplicer) { splicer.itemMembers(row(handle), view) }
}

extension ItemRow {
    fileprivate var marks: RowMarks {
        RowMarks(
            isStarred: item.isStarred, isExpanded: item.isExpanded, isReorderable: item.isReorderable,
            level: Int32(truncatingIfNeeded: level), childCount: Int32(truncatingIfNeeded: childCount))
    }
}
