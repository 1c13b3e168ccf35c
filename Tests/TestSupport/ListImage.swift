public import ListModel

/// Everything that a list shows. Two lists with equal images cannot be told apart.
public struct ListImage: Equatable {
    public struct Row: Equatable {
        public var item: Item
        public var parent: ItemID?
        public var level: Int
        public var childCount: Int
    }

    public struct Section: Equatable {
        public var properties: SectionProperties
        public var rows: [Row]
    }

    public var properties: ListProperties
    public var itemCount: Int
    public var sections: [Section]

    public init(_ list: ListState) {
        properties = list.properties
        itemCount = list.itemCount
        sections = list.sectionHandles.map { section in
            Section(
                properties: list[section],
                rows: list.rows(of: section).map { row in
                    Row(
                        item: list[row], parent: list.parent(of: row).map { list[$0].id }, level: list.level(of: row),
                        childCount: list.childCount(of: row))
                })
        }
    }

    public var itemIDs: [ItemID] { sections.flatMap { $0.rows.map(\.item.id) } }

    /// A contradiction within the image, found slowly from the parents alone; nil if there is none.
    public var flaw: String? {
        if Set(sections.map(\.properties.id)).count != sections.count { return "a section twice" }
        if Set(itemIDs).count != itemIDs.count { return "an item twice" }
        if itemIDs.count != itemCount { return "\(itemIDs.count) items, but counted \(itemCount)" }
        return sections.lazy.compactMap(Self.flaw(of:)).first
    }

    private static func flaw(of section: Section) -> String? {
        var path: [ItemID] = []
        for row in section.rows {
            while let last = path.last, last != row.parent { path.removeLast() }
            if path.last != row.parent { return "\(row.item.id) is not behind its parent" }
            if path.count != row.level { return "\(row.item.id) at level \(row.level), not \(path.count)" }
            let children = section.rows.count { $0.parent == row.item.id }
            if children != row.childCount { return "\(row.item.id) has \(children) children, not \(row.childCount)" }
            path.append(row.item.id)
        }
        return nil
    }
}
