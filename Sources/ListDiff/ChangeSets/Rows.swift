public import ListModel

/// One row of a view: an item and where it stands in its tree.
public struct ItemRow: Sendable, Equatable {
    public var item: Item
    public var parent: ItemID?
    /// The number of ancestors. It is 0 if the item is a root.
    public var level: Int
    /// The number of direct children, hidden ones too.
    public var childCount: Int

    public init(item: Item, parent: ItemID?, level: Int, childCount: Int) {
        self.item = item
        self.parent = parent
        self.level = level
        self.childCount = childCount
    }
}

/// A section and its rows in a view, depth first.
public struct SectionRows: Sendable, Equatable {
    public var properties: SectionProperties
    public var items: [ItemRow]

    public init(properties: SectionProperties, items: [ItemRow]) {
        self.properties = properties
        self.items = items
    }
}

extension ListState {
    /// The handles of a section's rows in a view.
    public func rows(of section: SectionHandle, view: View) -> [ItemHandle] {
        switch view {
        case .items: rows(of: section)
        case .visible: visibleRows(of: section)
        }
    }

    /// The handles of some of a section's rows in a view.
    public func rows(_ range: Range<Int>, of section: SectionHandle, view: View) -> [ItemHandle] {
        switch view {
        case .items: rows(range, of: section)
        case .visible: visibleRows(range, of: section)
        }
    }

    /// The handle of the row at an index of a section in a view.
    ///
    /// - Precondition: The index is that of a row.
    public func row(at index: Int, of section: SectionHandle, view: View) -> ItemHandle {
        switch view {
        case .items: row(at: index, of: section)
        case .visible: visibleRow(at: index, of: section)
        }
    }

    /// How many rows a section has in a view.
    public func rowCount(of section: SectionHandle, view: View) -> Int {
        switch view {
        case .items: rowCount(of: section)
        case .visible: visibleRowCount(of: section)
        }
    }

    /// The index of an item of the list among its section's rows in a view; nil if the view does not show it.
    public func index(of item: ItemHandle, view: View) -> Int? {
        switch view {
        case .items: index(of: item)
        case .visible: visibleIndex(of: item)
        }
    }

    /// How many rows the view has.
    public func rowCount(_ view: View) -> Int {
        switch view {
        case .items: itemCount
        case .visible: visibleItemCount
        }
    }

    /// One item of the list as a row.
    public func row(_ handle: ItemHandle) -> ItemRow {
        ItemRow(
            item: self[handle], parent: parent(of: handle).map { self[$0].id }, level: level(of: handle),
            childCount: childCount(of: handle))
    }
}
