import JSONValue

/// A dense number that stands for one item id while state or kept history names it.
public struct ItemHandle: Sendable, Hashable {
    package let raw: Int32
    package init(_ raw: Int) { self.raw = Int32(truncatingIfNeeded: raw) }
    package var index: Int { Int(raw) }
}

/// A dense number that stands for one section id while state or kept history names it.
public struct SectionHandle: Sendable, Hashable {
    package let raw: Int32
    package init(_ raw: Int) { self.raw = Int32(truncatingIfNeeded: raw) }
    package var index: Int { Int(raw) }
}

/// An item and where it stands.
package struct ItemRecord: Sendable, Equatable {
    package var item: Item
    /// Nil while the item is not in the list.
    package var section: SectionHandle?
    package var parent: ItemHandle?
    /// 0 for a root.
    package var level: Int32
    /// Direct children.
    package var childCount: Int32

    package var isAlive: Bool { section != nil }
}

/// A section and its rows.
package struct SectionRecord: Sendable, Equatable {
    package var properties: SectionProperties
    package var isAlive: Bool
    /// Every item of the section, hidden ones too, depth first. An index in a section is an index in here.
    package var rows: [ItemHandle]
}

/// The state of a list at one version: properties, sections in order, and in each an ordered forest of items.
///
/// A value: it changes only through `perform(_:recording:)`, which notes in a `Delta` what was there before.
/// Ids are interned once to handles; the handle of a deleted item stays its own until `release(_:)`, so that
/// an item that comes back within the kept history is the same item to every comparison.
public struct ListState: Sendable {
    public internal(set) var properties: ListProperties
    /// Sections in list order.
    package var order: [SectionHandle] = []
    package var items: [ItemRecord] = []
    package var sections: [SectionRecord] = []
    var itemTable: [ItemID: ItemHandle] = [:]
    var sectionTable: [SectionID: SectionHandle] = [:]
    var freeItems: [ItemHandle] = []
    var freeSections: [SectionHandle] = []
    /// How many retained deltas hold the death of a handle; while it is above zero the handle is not reused.
    var itemDeaths: [ItemHandle: Int] = [:]
    var sectionDeaths: [SectionHandle: Int] = [:]
    /// Items in the list, hidden ones too.
    public internal(set) var itemCount = 0

    /// An empty list.
    public init(_ properties: ListProperties) {
        self.properties = properties
    }
}

// MARK: - Reading

extension ListState {
    /// How many sections the list has, empty ones too.
    public var sectionCount: Int { order.count }

    /// The handle of a section that is in the list.
    public func handle(of id: SectionID) -> SectionHandle? {
        guard let handle = sectionTable[id], sections[handle.index].isAlive else { return nil }
        return handle
    }

    /// The handle of an item that is in the list.
    public func handle(of id: ItemID) -> ItemHandle? {
        guard let handle = itemTable[id], items[handle.index].isAlive else { return nil }
        return handle
    }

    /// Whether an item of this id is in the list.
    public func contains(_ id: ItemID) -> Bool { handle(of: id) != nil }
    /// Whether a section of this id is in the list.
    public func contains(_ id: SectionID) -> Bool { handle(of: id) != nil }

    /// Sections in list order.
    public var sectionHandles: [SectionHandle] { order }

    /// An item of the list.
    public subscript(handle: ItemHandle) -> Item { items[handle.index].item }
    /// A section of the list, without its items.
    public subscript(handle: SectionHandle) -> SectionProperties { sections[handle.index].properties }

    /// Every item of a section, depth first, hidden ones too.
    public func rows(of section: SectionHandle) -> [ItemHandle] { sections[section.index].rows }

    /// The section that holds an item of the list.
    public func section(of handle: ItemHandle) -> SectionHandle? { items[handle.index].section }
    /// The item directly above; nil for a root.
    public func parent(of handle: ItemHandle) -> ItemHandle? { items[handle.index].parent }
    /// 0 for a root (`level(of:)` of `NSDiffableDataSourceSectionSnapshot`).
    public func level(of handle: ItemHandle) -> Int { Int(items[handle.index].level) }
    /// Direct children only.
    public func childCount(of handle: ItemHandle) -> Int { Int(items[handle.index].childCount) }

    /// The position of a section in the list.
    ///
    /// - Complexity: O(*s*), *s* = `sectionCount`.
    public func index(of section: SectionHandle) -> Int? { order.firstIndex(of: section) }

    /// The position of an item in its section, hidden rows counted.
    ///
    /// - Complexity: O(*n*), *n* = items of the section.
    public func index(of item: ItemHandle) -> Int? {
        guard let section = items[item.index].section else { return nil }
        return sections[section.index].rows.firstIndex(of: item)
    }

    /// Where a row's subtree ends: the index behind its last descendant.
    public func subtreeEnd(at index: Int, in section: SectionHandle) -> Int {
        let rows = sections[section.index].rows
        let handle = rows[index]
        guard items[handle.index].childCount > 0 else { return index + 1 }
        let level = items[handle.index].level
        var end = index + 1
        while end < rows.count, items[rows[end].index].level > level { end += 1 }
        return end
    }

    /// Whether `ancestor` is `handle` itself or above it.
    public func isWithin(_ handle: ItemHandle, subtreeOf ancestor: ItemHandle) -> Bool {
        var current: ItemHandle? = handle
        while let candidate = current {
            guard candidate != ancestor else { return true }
            current = items[candidate.index].parent
        }
        return false
    }

    /// The rows of a section that are shown: those whose ancestors are all expanded, in order.
    public func visibleRows(of section: SectionHandle) -> [ItemHandle] {
        var visible: [ItemHandle] = []
        visible.reserveCapacity(sections[section.index].rows.count)
        forEachVisibleRow(of: section) { visible.append($0) }
        return visible
    }

    /// How many rows of the list are shown.
    ///
    /// - Complexity: O(*n*), *n* = `itemCount`.
    public var visibleItemCount: Int {
        var count = 0
        for section in order { forEachVisibleRow(of: section) { _ in count += 1 } }
        return count
    }

    private func forEachVisibleRow(of section: SectionHandle, _ body: (ItemHandle) -> Void) {
        var hiddenBelow = Int32.max
        for handle in sections[section.index].rows {
            // Member by member: a copy of the record would retain all that it holds.
            let level = items[handle.index].level
            guard level <= hiddenBelow else { continue }
            body(handle)
            hiddenBelow = items[handle.index].item.isExpanded ? Int32.max : level
        }
    }

    /// Whether the layout that holds for a section makes its first item its header
    /// (`headerMode` of `UICollectionLayoutListConfiguration`).
    public func keepsFirstItem(_ section: SectionHandle) -> Bool {
        guard let layout = sections[section.index].properties.layout ?? properties.layout else { return false }
        guard case .object(let members) = layout.value else { return false }
        return members["headerMode"] == .string("firstItemInSection")
    }
}
