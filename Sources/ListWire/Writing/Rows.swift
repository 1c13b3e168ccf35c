package import ListDiff
import ListModel

// Members at their default are left out (docs/contract.md section 2): no `starred:false`, no empty `items`. Only the
// sections of a change set always have `items`.

extension JSONSplicer {
    /// The members of an item, in the order: what it is, where it is, its flags, its content.
    ///
    /// - Parameter view: Tells whether it carries `level` and, where it has children, `childCount`.
    mutating func itemMembers(_ row: ItemRow, _ view: View) {
        itemMembers(row.item.json, row.marks, parent: row.parent, view)
    }

    /// As above, of an item of a state.
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

    /// The member `items` of a section, left out if there are none.
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

    /// Where a window is among the rows of its view.
    mutating func windowMembers(_ window: WindowPlace) {
        key("\"start\":")
        integer(window.start)
        key("\"total\":")
        integer(window.total)
    }
}

/// Rows that can be written as those of a view.
protocol ViewRows: RowSource {
    var view: View { get }
    /// Whether a snapshot with these rows alone may lack items.
    var isPartial: Bool { get }
    /// Nil if they are no window.
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
