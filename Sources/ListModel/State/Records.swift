/// An item and its place.
package struct ItemRecord: Sendable {
    package var item: Item
    /// The raw handle of the section. It is -1 while the item is not in the list.
    private var rawSection: Int32 = -1
    /// The raw handle of the parent. It is -1 if the item is a root.
    private var rawParent: Int32 = -1
    /// The number of ancestors. It is 0 if the item is a root.
    package var level: Int32 = 0
    /// The number of direct children.
    package var childCount: Int32 = 0
    /// The number of rows below, hidden ones too: the rows of the subtree that follow the item's own.
    var descendantCount: Int32 = 0
    /// How many deaths of the item are in deltas that history keeps. While there are any, its handle is not reused.
    var retainedDeaths: Int32 = 0

    /// An item that is not in the list.
    init(_ item: Item) { self.item = item }

    /// An item without children that is in the list.
    init(_ item: consuming Item, in section: SectionHandle, under parent: ItemHandle?, level: Int) {
        self.item = item
        rawSection = section.raw
        rawParent = parent?.raw ?? -1
        self.level = Int32(truncatingIfNeeded: level)
    }

    package var isAlive: Bool { rawSection >= 0 }

    var marks: RowMarks {
        RowMarks(
            isStarred: item.isStarred, isExpanded: item.isExpanded, isReorderable: item.isReorderable, level: level,
            childCount: childCount)
    }

    /// The JSON of a row of the item; nil if the row has a parent, flags or other members too.
    var plainJSON: ItemJSON? { rawParent < 0 && !item.isMarked ? item.json : nil }

    /// Nil while the item is not in the list.
    package var section: SectionHandle? {
        get { rawSection < 0 ? nil : SectionHandle(raw: rawSection) }
        set { rawSection = newValue?.raw ?? -1 }
    }

    /// The section of an item that is in the list.
    var home: SectionHandle { SectionHandle(raw: rawSection) }

    package var parent: ItemHandle? {
        get { rawParent < 0 ? nil : ItemHandle(raw: rawParent) }
        set { rawParent = newValue?.raw ?? -1 }
    }
}

/// The members of a row besides id, kind, content and parent. A copy of them changes no reference count.
package struct RowMarks: Sendable {
    package let isStarred: Bool
    package let isExpanded: Bool
    package let isReorderable: Bool
    /// The number of ancestors. It is 0 if the item is a root.
    package let level: Int32
    /// The number of direct children.
    package let childCount: Int32

    package init(isStarred: Bool, isExpanded: Bool, isReorderable: Bool, level: Int32, childCount: Int32) {
        self.isStarred = isStarred
        self.isExpanded = isExpanded
        self.isReorderable = isReorderable
        self.level = level
        self.childCount = childCount
    }
}

/// A section and its rows.
package struct SectionRecord: Sendable {
    package var properties: SectionProperties {
        didSet {
            if !properties.layout.hasSameBuffer(as: oldValue.layout) { keepsFirst = properties.layout?.keepsFirst }
        }
    }
    /// Whether the section's own layout makes its first item the header; nil if the section has no layout.
    private(set) var keepsFirst: Bool?
    package var isAlive = false
    package var rows = RowList()
    var retainedDeaths: Int32 = 0

    /// A section that is not in the list.
    init(_ properties: SectionProperties) {
        self.properties = properties
        keepsFirst = properties.layout?.keepsFirst
    }
}
