import JSONValue
package import Texts

/// The state of a list at one version: properties, sections in order, and in each an ordered forest of items.
///
/// A state is a value. It changes only through `perform(_:recording:)`, which notes in a `Delta` how to go back. A copy
/// shares all memory that neither side has changed since, so a reader may keep one while writers go on. Ids are
/// interned to handles. The handle of a deleted item is kept for it until `release(_:)`, so that an item that comes
/// back within the kept history is the same item to every comparison.
public struct ListState: Sendable {
    public internal(set) var properties: ListProperties {
        didSet {
            if !properties.layout.hasSameBuffer(as: oldValue.layout) {
                keepsFirst = properties.layout?.keepsFirst ?? false
            }
        }
    }
    /// Whether the list's layout makes the first item of a section its header.
    private var keepsFirst: Bool
    /// The sections in list order.
    var order = SectionOrder()
    var items = PagedArray<ItemRecord>()
    var sections = PagedArray<SectionRecord>()
    var chunkNames = ChunkNames()
    var itemTable = HandleTable()
    var sectionTable = HandleTable()
    var freeItems = PagedArray<ItemHandle>()
    var freeSections = PagedArray<SectionHandle>()
    /// The number of items in the list, hidden ones too.
    public internal(set) var itemCount = 0
    /// How many rows of the list are shown.
    public internal(set) var visibleItemCount = 0
    /// The bytes of the contents of all items, also of those that only history names.
    package internal(set) var contentBytes = 0
    /// The bytes of the titles, layouts, headers and footers of the list and of its sections, also of those sections that
    /// only history names.
    package private(set) var propertyBytes = 0
    /// The bytes of the contents, titles, layouts, headers and footers that the list has now.
    package internal(set) var presentBytes = 0
    /// The bytes of all texts that clients have sent.
    package var textBytes: Int { contentBytes + propertyBytes }

    public var counts: ListCounts {
        ListCounts(sections: sectionCount, items: itemCount, visibleItems: visibleItemCount)
    }

    /// About how many bytes of memory the state takes.
    public var estimatedBytes: Int {
        items.count * Self.recordBytes + textBytes + sections.count * Self.sectionBytes
    }

    /// About how many bytes an item takes without its content, with its record, its row and its place in the tables.
    private static let recordBytes = 416
    private static let sectionBytes = 512

    /// An empty list.
    public init(_ properties: ListProperties) {
        self.properties = properties
        keepsFirst = properties.layout?.keepsFirst ?? false
        propertyBytes = properties.byteCount
        presentBytes = properties.byteCount
    }
}

// MARK: - Properties

extension ListState {
    mutating func put(_ new: ListProperties) {
        propertyBytes += new.byteCount - properties.byteCount
        presentBytes += new.byteCount - properties.byteCount
        properties = new
    }

    mutating func put(_ new: SectionProperties, at handle: SectionHandle) {
        let growth = new.textByteCount - self[handle].textByteCount
        propertyBytes += growth
        if sections[handle.index].isAlive { presentBytes += growth }
        sections[handle.index].properties = new
    }

    /// Notes that a section is in the list from now on, or has left it.
    mutating func setAlive(_ handle: SectionHandle, _ isAlive: Bool) {
        presentBytes += isAlive ? self[handle].textByteCount : -self[handle].textByteCount
        sections[handle.index].isAlive = isAlive
    }
}

extension ListProperties {
    fileprivate var byteCount: Int { title.utf8.count + (layout?.byteCount ?? 0) }
}

extension SectionProperties {
    /// The bytes of its texts, without those of its id.
    package var textByteCount: Int {
        (title?.utf8.count ?? 0) + (layout?.byteCount ?? 0) + (header?.byteCount ?? 0) + (footer?.byteCount ?? 0)
    }
}

// MARK: - Sections

extension ListState {
    /// How many sections the list has, empty ones too.
    public var sectionCount: Int { order.count }

    /// The handle of a section that is in the list.
    public func handle(of id: SectionID) -> SectionHandle? {
        guard let handle = interned(id), sections[handle.index].isAlive else { return nil }
        return handle
    }

    /// Whether a section of this id is in the list.
    public func contains(_ id: SectionID) -> Bool { handle(of: id) != nil }

    /// The sections in list order.
    ///
    /// - Complexity: O(*s*), *s* = `sectionCount`.
    public var sectionHandles: [SectionHandle] { order.handles }

    /// The section at an index of the list.
    ///
    /// - Precondition: The index is that of a section.
    public func section(at index: Int) -> SectionHandle { order[index] }

    /// The first section of the list.
    public var firstSection: SectionHandle? { order.first }

    /// A section of the list, without its items.
    public subscript(handle: SectionHandle) -> SectionProperties { sections[handle.index].properties }

    /// Whether the section is in the list.
    public func isAlive(_ section: SectionHandle) -> Bool { sections[section.index].isAlive }

    /// The position of a section in the list; nil if it is not in the list.
    public func index(of section: SectionHandle) -> Int? { order.index(of: section) }

    /// Whether the layout of a section, or else that of the list, makes its first item its header (`headerMode` of
    /// `UICollectionLayoutListConfiguration`).
    public func keepsFirstItem(_ section: SectionHandle) -> Bool {
        sections[section.index].keepsFirst ?? keepsFirst
    }
}

// MARK: - Rows

extension ListState {
    /// How many items a section has, hidden ones too.
    public func rowCount(of section: SectionHandle) -> Int { sections[section.index].rows.count }

    /// How many rows of a section are shown: those whose ancestors are all expanded.
    public func visibleRowCount(of section: SectionHandle) -> Int { sections[section.index].rows.shownCount }

    /// Every item of a section, depth first, hidden ones too.
    ///
    /// - Complexity: O(*n*), *n* = items of the section.
    public func rows(of section: SectionHandle) -> [ItemHandle] {
        rows(0..<rowCount(of: section), of: section)
    }

    /// Some items of a section, by a range of indexes, which count hidden rows too.
    public func rows(_ range: Range<Int>, of section: SectionHandle) -> [ItemHandle] {
        sections[section.index].rows[range].map(\.item)
    }

    /// The rows of a section that are shown, in order.
    ///
    /// - Complexity: O(*n*), *n* = items of the section.
    public func visibleRows(of section: SectionHandle) -> [ItemHandle] {
        visibleRows(0..<visibleRowCount(of: section), of: section)
    }

    /// Some rows of a section that are shown: a range of indexes among those.
    public func visibleRows(_ range: Range<Int>, of section: SectionHandle) -> [ItemHandle] {
        sections[section.index].rows.shownItems(range)
    }

    /// The item at an index among the shown rows of a section.
    ///
    /// - Precondition: The index is that of a shown row.
    public func visibleRow(at index: Int, of section: SectionHandle) -> ItemHandle {
        sections[section.index].rows.shownItem(at: index)
    }

    /// The item at an index of a section. The index counts hidden rows too.
    ///
    /// - Precondition: The index is that of a row.
    public func row(at index: Int, of section: SectionHandle) -> ItemHandle {
        sections[section.index].rows[index].item
    }

    /// The index of an item in its section. The index counts hidden rows too.
    public func index(of item: ItemHandle) -> Int? {
        guard let section = items[item.index].section else { return nil }
        return sections[section.index].rows.index(of: item, chunkNames)
    }

    /// The position of an item among the shown rows of its section; nil if its row is hidden.
    public func visibleIndex(of item: ItemHandle) -> Int? {
        guard let section = items[item.index].section, let index = index(of: item), isShown(item) else { return nil }
        return sections[section.index].rows.shownCount(before: index)
    }

    /// Whether every ancestor of an item of the list is expanded.
    public func isShown(_ item: ItemHandle) -> Bool {
        guard let section = items[item.index].section else { return false }
        return sections[section.index].rows.isShown(item, chunkNames)
    }
}

// MARK: - Items

extension ListState {
    /// The handle of an item that is in the list.
    public func handle(of id: ItemID) -> ItemHandle? {
        guard let handle = interned(id), items[handle.index].isAlive else { return nil }
        return handle
    }

    /// Whether an item of this id is in the list.
    public func contains(_ id: ItemID) -> Bool { handle(of: id) != nil }

    /// An item of the list.
    public subscript(handle: ItemHandle) -> Item { items[handle.index].item }

    /// The JSON of an item whose row has no other members: a root with nothing but id, kind and content.
    ///
    /// - Returns: Nil if the item has a parent or marks.
    package func plainJSON(of handle: ItemHandle) -> ItemJSON? { items[handle.index].plainJSON }
    package func contentByteCount(of handle: ItemHandle) -> Int { items[handle.index].item.content.byteCount }
    /// The JSON of an item, made when the item came into the list or changed.
    package func json(of handle: ItemHandle) -> ItemJSON { items[handle.index].item.json }
    /// The other members of the row of an item of the list; cheaper than the item.
    package func marks(of handle: ItemHandle) -> RowMarks { items[handle.index].marks }
    /// The content of an item of the list; cheaper than the item, as is the kind.
    package func content(of handle: ItemHandle) -> JSONText { items[handle.index].item.content }
    package func kind(of handle: ItemHandle) -> ByteText { items[handle.index].item.kind }
    /// The id of an item of the list; cheaper than the item.
    package func id(of handle: ItemHandle) -> ItemID { items[handle.index].item.id }

    /// The section that holds an item of the list.
    public func section(of handle: ItemHandle) -> SectionHandle? { items[handle.index].section }
    /// The item directly above; nil for a root.
    public func parent(of handle: ItemHandle) -> ItemHandle? { items[handle.index].parent }
    /// 0 for a root (`level(of:)` of `NSDiffableDataSourceSectionSnapshot`).
    public func level(of handle: ItemHandle) -> Int { Int(items[handle.index].level) }
    /// The number of direct children.
    public func childCount(of handle: ItemHandle) -> Int { Int(items[handle.index].childCount) }
    /// The items directly below an item of the list, in order.
    ///
    /// - Complexity: O(*c* log *n*), *c* = those items.
    package func children(of handle: ItemHandle) -> [ItemHandle] {
        guard let section = section(of: handle), let index = index(of: handle) else { return [] }
        return tops(in: index + 1..<index + 1 + descendantCount(of: handle), of: section)
    }

    /// The items of a section that have no parent, in order.
    package func roots(of section: SectionHandle) -> [ItemHandle] { tops(in: 0..<rowCount(of: section), of: section) }

    /// The roots of a run of whole subtrees: the items that are below no other item of the run.
    private func tops(in range: Range<Int>, of section: SectionHandle) -> [ItemHandle] {
        var tops: [ItemHandle] = []
        var next = range.lowerBound
        while next < range.upperBound {
            tops.append(row(at: next, of: section))
            next += 1 + descendantCount(of: tops[tops.count - 1])
        }
        return tops
    }
    /// The number of rows below: the rows of the subtree that follow the item's own.
    public func descendantCount(of handle: ItemHandle) -> Int { Int(items[handle.index].descendantCount) }

    /// Whether `ancestor` is `handle` itself or above it.
    public func isWithin(_ handle: ItemHandle, subtreeOf ancestor: ItemHandle) -> Bool {
        let climb = level(of: handle) - level(of: ancestor)
        guard climb > 0, section(of: handle) == section(of: ancestor) else { return handle == ancestor }
        guard climb <= 16 else { return rows(ofSubtree: ancestor).contains(index(of: handle) ?? -1) }
        var current: ItemHandle? = handle
        for _ in 0..<climb { current = current.flatMap { items[$0.index].parent } }
        return current == ancestor
    }

    private func rows(ofSubtree item: ItemHandle) -> Range<Int> {
        guard let start = index(of: item) else { return 0..<0 }
        return start..<start + 1 + descendantCount(of: item)
    }
}

// MARK: - Layouts

extension JSONText {
    /// Whether this layout makes the first item of a section its header. It is read once, when the layout is set.
    var keepsFirst: Bool {
        guard case .object(let members) = value else { return false }
        return members["headerMode"] == .string("firstItemInSection")
    }
}

extension JSONText? {
    func hasSameBuffer(as other: JSONText?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let left?, let right?): left.hasSameBuffer(as: right)
        case (nil, _?), (_?, nil): false
        }
    }
}
