/// In what an item differs from what it was.
package struct ItemDifference: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let kind = ItemDifference(rawValue: 1)
    /// Its content, or a flag that no view takes for another.
    package static let row = ItemDifference(rawValue: 2)
    /// Its level, or how many children it has.
    package static let outline = ItemDifference(rawValue: 4)
    /// Whether it is expanded.
    package static let disclosure = ItemDifference(rawValue: 8)
    package static let parent = ItemDifference(rawValue: 16)
}

extension ListState {
    /// In what an item of the list differs from what it was.
    package func difference(of item: ItemHandle, from old: borrowing ItemRecord) -> ItemDifference {
        // Member by member: a copy of the record would retain all that it holds.
        let index = item.index
        var difference: ItemDifference = []
        if old.item.kind != items[index].item.kind { difference.insert(.kind) }
        if old.item.isStarred != items[index].item.isStarred
            || old.item.isReorderable != items[index].item.isReorderable
            || old.item.content != items[index].item.content
        {
            difference.insert(.row)
        }
        if old.parent != items[index].parent { difference.insert(.parent) }
        if old.item.isExpanded != items[index].item.isExpanded { difference.insert(.disclosure) }
        if old.level != items[index].level || old.childCount != items[index].childCount {
            difference.insert(.outline)
        }
        return difference
    }

    /// Above the index of every item's handle that was ever given.
    package var itemHandleCount: Int { items.count }
    /// Above the index of every section's handle that was ever given.
    package var sectionHandleCount: Int { sections.count }
}
