/// The members in which an item differs from an older value.
package struct ItemDifference: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let kind = ItemDifference(rawValue: 1)
    /// The content, or a flag that no view derives from anything else.
    package static let row = ItemDifference(rawValue: 2)
    /// The level of the item, or the number of its children.
    package static let outline = ItemDifference(rawValue: 4)
    /// The flag that tells whether the item is expanded.
    package static let disclosure = ItemDifference(rawValue: 8)
    package static let parent = ItemDifference(rawValue: 16)
}

extension ListState {
    /// The members in which an item of the list differs from an older value.
    package func difference(of item: ItemHandle, from old: borrowing ItemRecord) -> ItemDifference {
        // The members are compared one by one, because a copy of the record would retain everything in it.
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

    /// A bound above the index of every item handle that was ever given.
    package var itemHandleCount: Int { items.count }
    /// A bound above the index of every section handle that was ever given.
    package var sectionHandleCount: Int { sections.count }
}
