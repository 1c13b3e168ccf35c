/// Makes a list of its sections and items in order, such as those of a snapshot on a disk.
///
/// The result is the same as that of inserts, but nothing notes how to take it back. Sections and items that do not
/// make a list are refused.
package struct ListLoader {
    private var state: ListState
    /// The last section.
    private var section: SectionHandle?
    /// The newest items, less than a page of them, which `state` does not have yet.
    private var page: [ItemRecord] = []
    package private(set) var itemCount = 0
    /// The table of the items; nil if it is to be made of `hashes`.
    private let itemTable: HandleTable?
    /// The hash of each item's id, unless the table is there.
    private var hashes: [UInt32] = []
    /// The newest rows of the last section, which its row list does not have yet.
    private var rows: [Row] = []
    /// The items above the last row.
    private var ancestors: [Ancestor] = []
    /// The deepest level that the next item of the section can have.
    private var depth = 0

    /// An item whose subtree goes on.
    private struct Ancestor {
        let item: ItemHandle
        let showsChildren: Bool
        var childCount: Int32 = 0
    }

    package init(_ properties: ListProperties) { self.init(properties, itemTable: nil) }

    /// - Parameter itemTable: The table of the items in the order in which they will come; nil if it is to be made.
    init(_ properties: ListProperties, itemTable: HandleTable?) {
        state = ListState(properties)
        self.itemTable = itemTable
    }

    /// The number of sections so far.
    package var sectionCount: Int { state.sectionCount }

    /// Appends a section.
    ///
    /// - Returns: False if the list has a section of this id already.
    package mutating func append(_ section: SectionProperties) -> Bool {
        endSection()
        guard state.interned(section.id) == nil else { return false }
        var delta = Delta()
        let handle = state.intern(section.id, &delta)
        state.put(section, at: handle)
        state.setAlive(handle, true)
        state.order.append(handle)
        self.section = handle
        return true
    }

    /// Appends an item to the last section; `finish()` tells whether two items have one id.
    ///
    /// - Parameter item: Its content may share memory with the contents of other items.
    /// - Returns: False if there is no section, or if the level is below 0 or more than one above that of the item
    ///   before. The loader must not be used any more then.
    package mutating func append(_ item: consuming Item, level: Int) -> Bool {
        guard let section, level >= 0, level <= depth else { return false }
        if level > ancestors.count {
            addAncestor()
        } else if level < ancestors.count {
            endSubtrees(from: level)
        }
        let handle = ItemHandle(itemCount)
        itemCount += 1
        let isShown = ancestors.last?.showsChildren ?? true
        let parent = ancestors.last?.item
        if level > 0 { ancestors[level - 1].childCount += 1 }
        page.append(ItemRecord(item, in: section, under: parent, level: level))
        if page.count == PagedArray<ItemRecord>.size { putPage() }
        rows.append(Row(handle, isShown: isShown))
        if rows.count == RowList.filled { putRows() }
        depth = level + 1
        return true
    }

    /// Goes down to the last row.
    private mutating func addAncestor() {
        let item = ItemHandle(itemCount - 1)
        let isExpanded = page.last?.item.isExpanded ?? state.items[item.index].item.isExpanded
        let isShown = ancestors.last?.showsChildren ?? true
        ancestors.append(Ancestor(item: item, showsChildren: isShown && isExpanded))
    }

    /// Goes up to a level.
    private mutating func endSubtrees(from level: Int) {
        while ancestors.count > level, let ancestor = ancestors.popLast() {
            let descendantCount = itemCount - ancestor.item.index - 1
            let index = ancestor.item.index - state.items.count
            if index < 0 {
                state.items[ancestor.item.index].setCounts(ancestor.childCount, descendantCount)
            } else {
                page[index].setCounts(ancestor.childCount, descendantCount)
            }
        }
    }

    /// Hashes the ids of a page and counts its bytes in loops of their own, whose steps do not wait for each other.
    private mutating func putPage() {
        if itemTable == nil { for record in page { hashes.append(record.item.id.tableHash) } }
        let bytes = page.reduce(0) { $0 + $1.item.content.byteCount }
        state.contentBytes += bytes
        state.presentBytes += bytes
        state.items.append(page: &page)
    }

    private mutating func putRows() {
        guard !rows.isEmpty, let section else { return }
        let name = state.sections[section.index].rows.append(chunk: rows)
        state.chunkNames.append(repeating: name, count: rows.count)
        state.itemCount += rows.count
        state.visibleItemCount += rows.count(where: \.isShown)
        rows = []
        rows.reserveCapacity(RowList.filled)
    }

    private mutating func endSection() {
        endSubtrees(from: 0)
        putRows()
        depth = 0
    }

    /// The list.
    ///
    /// - Returns: Nil if two items have one id.
    package mutating func finish() -> ListState? {
        endSection()
        if !page.isEmpty { putPage() }
        let items = state.items
        let table = itemTable ?? HandleTable(hashes: hashes) { items[Int($0)].item.id == items[Int($1)].item.id }
        guard let table else { return nil }
        state.itemTable = table
        return state
    }
}

extension ItemRecord {
    fileprivate mutating func setCounts(_ children: Int32, _ descendants: Int) {
        childCount = children
        descendantCount = Int32(truncatingIfNeeded: descendants)
    }
}
