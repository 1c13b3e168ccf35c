package import ListDiff
package import ListModel
package import Texts

// The state of a list as clients see it (docs/contract.md section 2), as minified JSON.

extension ListSnapshot {
    /// The snapshot of all items. A client can put it back unchanged.
    package var body: [UInt8] { body(WholeRows(state, .items)) }

    /// The snapshot in a view. It has `"partial":true` unless the view has every item.
    ///
    /// - Parameter page: The indexes of the wanted rows, counted through the list; nil for all rows.
    package func body(_ rows: WholeRows, page: Range<Int>? = nil) -> [UInt8] { written(rows, page) }

    /// The same with the rows of a query.
    package func body(_ rows: ViewedRows, page: Range<Int>? = nil) -> [UInt8] { written(rows, page) }

    private func written(_ rows: some ViewRows, _ page: Range<Int>?) -> [UInt8] {
        let parts = page.map { [SectionPart]($0, of: rows) } ?? .whole(of: rows)
        // The answer is kept while the version is the head, and its room with it.
        let row = min(192, 96 + state.contentBytes / max(1, state.itemCount))
        return JSONSplicer.object(capacity: 256 + parts.reduce(0) { $0 + 64 + row * $1.rows.count }) { splicer in
            splicer.snapshotMembers(self, rows, parts, isPartial: rows.isPartial || page != nil)
        }
    }

    /// The snapshot with the rows of a query.
    package func body(_ query: RowQuery) -> [UInt8] {
        query.isWhole ? body(WholeRows(state, query.view)) : body(ViewedRows(query, of: state))
    }

    /// The section snapshot of one section, in a view.
    package func body(of section: SectionHandle, _ rows: WholeRows) -> [UInt8] { written(section, rows) }

    /// The same with the rows of a query.
    package func body(of section: SectionHandle, _ rows: ViewedRows) -> [UInt8] { written(section, rows) }

    private func written(_ section: SectionHandle, _ source: some ViewRows) -> [UInt8] {
        let rows = source.rows(of: section)
        return JSONSplicer.object(capacity: 256 + 192 * rows.count) { splicer in
            splicer.sectionMembers(state[section])
            splicer.member(",\"list\":", id)
            splicer.member(",\"version\":", version)
            if source.isPartial { splicer.raw(",\"partial\":true") }
            splicer.itemsMember(rows, of: source)
        }
    }

    /// The JSON of one item, with its list, version, section, and index in the section. The index counts hidden rows
    /// too.
    package func body(of item: ItemHandle) -> [UInt8] {
        JSONSplicer.object(capacity: 512) { splicer in
            splicer.itemMembers(state.row(item), .items)
            splicer.member(",\"list\":", id)
            splicer.member(",\"version\":", version)
            if let section = state.section(of: item), let index = state.index(of: item) {
                splicer.member(",\"section\":", state[section].id)
                splicer.member(",\"index\":", index)
            }
        }
    }
}

extension JSONSplicer {
    /// Writes the member `unreadable`. It is left out if there are no such lists.
    package mutating func unreadableMember(_ lists: [ListID]) {
        guard !lists.isEmpty else { return }
        raw(",\"unreadable\":[")
        for list in lists {
            separate()
            quote(list.rawValue)
        }
        endArray()
    }

    mutating func snapshotMembers(
        _ snapshot: ListSnapshot, _ rows: some ViewRows, _ parts: [SectionPart], isPartial: Bool
    ) {
        listMembers(snapshot)
        if isPartial { raw(",\"partial\":true") }
        if let window = rows.window { windowMembers(window) }
        if let layout = snapshot.state.properties.layout { member(",\"layout\":", layout) }
        guard !parts.isEmpty else { return }
        objects(",\"sections\":[", parts) { splicer, part in
            splicer.sectionMembers(snapshot.state[part.section])
            splicer.itemsMember(rows.rows(part.rows, of: part.section), of: rows)
        }
    }

    /// Writes the members of a list that a page of lists shows too. The counts are those of the whole list in every
    /// view.
    fileprivate mutating func listMembers(_ snapshot: ListSnapshot) {
        listMembers(snapshot.id, snapshot.state.properties.title, snapshot.version, snapshot.state.counts)
    }

    package mutating func listMembers(_ id: ListID, _ title: ByteText, _ version: Version, _ counts: ListCounts) {
        member("\"id\":", id)
        member(",\"title\":", title)
        member(",\"version\":", version)
        countsMember(counts)
    }

    /// Writes the member `counts`, with a comma because it follows another member.
    mutating func countsMember(_ counts: ListCounts) {
        member(",\"counts\":{\"sections\":", counts.sections)
        member(",\"items\":", counts.items)
        member(",\"visibleItems\":", counts.visibleItems)
        endObject()
    }
}
