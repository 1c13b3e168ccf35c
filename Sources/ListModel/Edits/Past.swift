/// The values that a span of edits overwrote, and the items and sections that its operations named.
///
/// Pasts of consecutive spans are joined as deltas are. If both have a value, the older one is kept.
package struct Past: Sendable {
    package internal(set) var properties: ListProperties?
    /// The sections in their order before the span; nil if they are the same now.
    package internal(set) var order: SectionOrder?
    package internal(set) var sections: [SectionHandle: SectionProperties] = [:]
    package internal(set) var items = OverwrittenItems()
    /// The sections that the span moved or inserted.
    package internal(set) var touchedSections: Set<SectionHandle> = []
    /// The items that an operation asked to reconfigure, whether or not anything changed.
    package internal(set) var reconfiguredItems: Set<ItemHandle> = []
    package internal(set) var reloadedItems: Set<ItemHandle> = []
    package internal(set) var reloadedSections: Set<SectionHandle> = []

    package init() {}

    /// Whether only items were overwritten. The property is inlined, so that nothing is copied for it.
    @inline(__always) var holdsOnlyItems: Bool {
        properties == nil && order == nil && sections.isEmpty && reloadedSections.isEmpty && reloadedItems.isEmpty
            && reconfiguredItems.isEmpty
    }

    /// The number of sections and items it names, without the overwritten items.
    var markCount: Int {
        sections.count + touchedSections.count + reconfiguredItems.count + reloadedItems.count + reloadedSections.count
    }

    /// Adds the span that follows this one.
    package mutating func append(_ newer: Past) {
        properties = properties ?? newer.properties
        order = order ?? newer.order
        sections.merge(newer.sections) { older, _ in older }
        items.append(newer.items)
        touchedSections.formUnion(newer.touchedSections)
        reconfiguredItems.formUnion(newer.reconfiguredItems)
        reloadedItems.formUnion(newer.reloadedItems)
        reloadedSections.formUnion(newer.reloadedSections)
    }
}

/// Items as they were before a span, each once. The record of an item that came within the span says that it is not in
/// the list.
package struct OverwrittenItems: Sendable, Sequence {
    package typealias Element = (item: ItemHandle, record: ItemRecord)

    private var entries: [Element] = []
    /// The index of each item in `entries`. It is filled only from a certain number on, because most spans overwrite
    /// one item.
    private var positions: [ItemHandle: Int32] = [:]
    private static let fewMax = 8

    init() {}

    /// One item as it was.
    init(_ item: ItemHandle, _ record: ItemRecord) { entries = [(item, record)] }

    package var count: Int { entries.count }

    package subscript(item: ItemHandle) -> ItemRecord? {
        position(of: item).map { entries[$0].record }
    }

    private func position(of item: ItemHandle) -> Int? {
        entries.count > Self.fewMax ? positions[item].map { Int($0) } : entries.firstIndex { $0.item == item }
    }

    package func contains(_ item: ItemHandle) -> Bool { position(of: item) != nil }

    /// The item at an index that `keep(_:of:)` returned, as it was.
    subscript(entry entry: Int) -> ItemRecord { entries[entry].record }

    /// Notes the present value of an item, unless an older one is noted already.
    ///
    /// - Returns: The index of the noted value; nil if there was an older one.
    @discardableResult
    mutating func keep(_ item: ItemHandle, of items: borrowing PagedArray<ItemRecord>) -> Int? {
        guard !contains(item) else { return nil }
        add(item, items[item.index])
        return entries.count - 1
    }

    private mutating func add(_ item: ItemHandle, _ record: ItemRecord) {
        entries.append((item, record))
        if entries.count == Self.fewMax + 1 {
            for (position, entry) in entries.enumerated() { positions[entry.item] = Int32(position) }
        } else if entries.count > Self.fewMax {
            positions[item] = Int32(truncatingIfNeeded: entries.count - 1)
        }
    }

    mutating func append(_ newer: OverwrittenItems) {
        for (item, record) in newer where !contains(item) { add(item, record) }
    }

    /// Calls `body` with each item in place.
    func forEach(_ body: (ItemHandle, borrowing ItemRecord) -> Void) {
        // The loop goes by index, because an iterator copies each item.
        for index in entries.indices { body(entries[index].item, entries[index].record) }
    }

    package func makeIterator() -> IndexingIterator<[Element]> { entries.makeIterator() }
}
