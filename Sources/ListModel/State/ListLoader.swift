/// Makes a list of its sections and items in order, such as those of a snapshot on a disk.
///
/// It does what inserting them would, without noting how to take it back. What cannot be a list is refused.
package struct ListLoader {
    private var state: ListState
    /// Rows of the last section that are not in its row list yet.
    private var rows: [Row] = []
    private var lineage = Lineage(isShown: true)
    /// Rows of the last section, those counted.
    private var rowCount = 0

    private static let rowsAtOnce = 4096

    package init(_ properties: ListProperties) { state = ListState(properties) }

    /// What stands in the list so far.
    package var sectionCount: Int { state.sectionCount }
    package var itemCount: Int { state.itemCount + rows.count }

    /// Appends a section.
    ///
    /// - Returns: False if there is one of its id.
    package mutating func append(_ section: SectionProperties) -> Bool {
        endSection()
        guard state.interned(section.id) == nil else { return false }
        var delta = Delta()
        let handle = state.intern(section.id, &delta)
        state.sections[handle.index].properties = section
        state.sections[handle.index].isAlive = true
        state.order.append(handle)
        return true
    }

    /// Appends an item to the last section.
    ///
    /// - Parameter level: 0 for a root; at most one more than that of the item before.
    /// - Returns: False if there is no section, the level does not fit, or there is an item of its id.
    package mutating func append(_ item: consuming Item, level: Int) -> Bool {
        let hash = item.id.hashValue
        guard let section = state.order.last, level >= 0, level <= depth else { return false }
        guard state.itemTable.find(hash, where: { state.items[Int($0)].item.id == item.id }) == nil else {
            return false
        }
        lineage.cut(to: level, at: rowCount) { state.items[$0.index].descendantCount = $1 }
        let parent = lineage.last
        let isExpanded = item.isExpanded
        var record = ItemRecord(item.sealed())
        record.section = section
        record.parent = parent
        record.level = Int32(truncatingIfNeeded: level)
        let handle = ItemHandle(state.items.count)
        state.items.append(record)
        state.chunkNames.append(-1)
        state.itemTable.insert(handle.raw, hash: hash)
        if let parent { state.items[parent.index].childCount += 1 }
        rows.append(Row(handle, isShown: lineage.showsNext))
        rowCount += 1
        depth = level + 1
        lineage.append(handle, isExpanded: isExpanded, at: rowCount)
        if rows.count == Self.rowsAtOnce { putRows() }
        return true
    }

    /// The deepest level that the next item of the section can have.
    private var depth = 0

    private mutating func putRows() {
        guard !rows.isEmpty, let section = state.order.last else { return }
        let list = state.sections[section.index].rows.count
        state.sections[section.index].rows.insert(rows, at: list, &state.chunkNames)
        state.itemCount += rows.count
        state.visibleItemCount += rows.count(where: \.isShown)
        rows.removeAll(keepingCapacity: true)
    }

    private mutating func endSection() {
        lineage.cut(to: 0, at: rowCount) { state.items[$0.index].descendantCount = $1 }
        putRows()
        lineage = Lineage(isShown: true)
        (rowCount, depth) = (0, 0)
    }

    /// The list.
    package mutating func finish() -> ListState {
        endSection()
        return state
    }
}
