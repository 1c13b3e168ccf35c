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
        if let parent { member(",\"parent\":", parent) }
        if marks.isExpanded { raw(",\"expanded\":true") }
        if marks.isStarred { raw(",\"starred\":true") }
        if !marks.isReorderable { raw(",\"reorderable\":false") }
        switch view {
        case .items: break
        case .visible:
            member(",\"level\":", Int(marks.level))
            if marks.childCount > 0 {
                member(",\"childCount\":", Int(marks.childCount))
            }
        }
        self.json(contentOf: json)
    }

    /// Writes the members of a section without its items.
    mutating func sectionMembers(_ properties: SectionProperties) {
        member("\"id\":", properties.id)
        if let title = properties.title { member(",\"title\":", title) }
        if let layout = properties.layout { member(",\"layout\":", layout) }
        if let header = properties.header { member(",\"header\":", header) }
        if let footer = properties.footer { member(",\"footer\":", footer) }
        if !properties.isReorderable { raw(",\"reorderable\":false") }
    }

    /// Writes the member `items` of a section. It is left out if there are none.
    mutating func itemsMember<Rows: ViewRows>(_ handles: [ItemHandle], of rows: Rows) {
        guard !handles.isEmpty else { return }
        objects(",\"items\":[", handles) { rows.write($1, to: &$0) }
    }

    /// Writes the place of a window among the rows of its view.
    mutating func windowMembers(_ window: WindowPlace) {
        member(",\"start\":", window.start)
        member(",\"total\":", window.total)
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
