public import ListModel

// MARK: - Growing

extension SectionSnapshot {
    /// A place among siblings.
    private struct Gap {
        var parent: ItemID?
        var offset: Int
    }

    private enum Side {
        case before, after
    }

    /// Appends items as the last roots, or as the last children of `parent`.
    ///
    /// - Throws: `.repeatedItem`, `.itemExists`, or `.unknownItem` for the parent. An empty array is no error.
    public mutating func append(_ items: [ItemID], to parent: ItemID? = nil) throws(ModelError) {
        guard !items.isEmpty else { return }
        let new = try SectionSnapshot(roots: items)
        try requireAbsent(items)
        if let parent { _ = try known(parent) }
        graft(new, at: Gap(parent: parent, offset: children(of: parent).count))
    }

    /// Inserts items just before `anchor`, under its parent.
    ///
    /// - Throws: `.repeatedItem`, `.itemExists`, or `.unknownItem` for the anchor. An empty array is no error.
    public mutating func insert(_ items: [ItemID], before anchor: ItemID) throws(ModelError) {
        try insert(items, .before, anchor)
    }

    /// Inserts items behind the whole subtree of `anchor`, under its parent.
    ///
    /// - Throws: As `insert(_:before:)`.
    public mutating func insert(_ items: [ItemID], after anchor: ItemID) throws(ModelError) {
        try insert(items, .after, anchor)
    }

    /// Inserts a tree with its disclosure just before `anchor`, under its parent.
    ///
    /// - Throws: `.itemExists`, or `.unknownItem` for the anchor. An empty tree is no error.
    public mutating func insert(_ snapshot: SectionSnapshot, before anchor: ItemID) throws(ModelError) {
        try insert(snapshot, .before, anchor)
    }

    /// Inserts a tree with its disclosure behind the whole subtree of `anchor`, under its parent.
    ///
    /// - Throws: As `insert(_:before:)`.
    public mutating func insert(_ snapshot: SectionSnapshot, after anchor: ItemID) throws(ModelError) {
        try insert(snapshot, .after, anchor)
    }

    private mutating func insert(_ items: [ItemID], _ side: Side, _ anchor: ItemID) throws(ModelError) {
        try insert(SectionSnapshot(roots: items), side, anchor)
    }

    private mutating func insert(_ snapshot: SectionSnapshot, _ side: Side, _ anchor: ItemID) throws(ModelError) {
        guard !snapshot.nodes.isEmpty else { return }
        try requireAbsent(snapshot.items)
        graft(snapshot, at: try gap(side, anchor))
    }

    private init(roots: [ItemID]) throws(ModelError) {
        for item in roots {
            guard nodes.updateValue(Node(), forKey: item) == nil else { throw .repeatedItem(item) }
        }
        rootItems = roots
    }

    private func gap(_ side: Side, _ anchor: ItemID) throws(ModelError) -> Gap {
        let parent = try known(anchor).parent
        let siblings = children(of: parent)
        let offset = siblings.firstIndex(of: anchor) ?? siblings.endIndex
        switch side {
        case .before: return Gap(parent: parent, offset: offset)
        case .after: return Gap(parent: parent, offset: offset + 1)
        }
    }

    private func requireAbsent(_ items: [ItemID]) throws(ModelError) {
        for item in items where contains(item) { throw .itemExists(item) }
    }

    private func children(of parent: ItemID?) -> [ItemID] {
        guard let parent else { return rootItems }
        return nodes[parent]?.children ?? []
    }

    /// Puts a tree of new items into a gap.
    private mutating func graft(_ tree: SectionSnapshot, at gap: Gap) {
        nodes.merge(tree.nodes) { _, new in new }
        for root in tree.rootItems { nodes[root]?.parent = gap.parent }
        if let parent = gap.parent {
            nodes[parent]?.children.insert(contentsOf: tree.rootItems, at: gap.offset)
        } else {
            rootItems.insert(contentsOf: tree.rootItems, at: gap.offset)
        }
    }
}

// MARK: - Shrinking and replacing

extension SectionSnapshot {
    /// Deletes items with their descendants.
    ///
    /// An item may be named twice, and an item may be named together with its ancestor.
    ///
    /// - Throws: `.unknownItem`.
    public mutating func delete(_ items: [ItemID]) throws(ModelError) {
        for item in items { _ = try known(item) }
        let parents = Set(items.compactMap { nodes[$0]?.parent })
        var pending = items
        while let item = pending.popLast() {
            guard let node = nodes.removeValue(forKey: item) else { continue }
            pending += node.children
        }
        for parent in parents {
            let left = children(of: parent).filter(contains)
            nodes[parent]?.children = left
        }
        rootItems = rootItems.filter(contains)
    }

    /// Deletes every item.
    public mutating func deleteAll() {
        self = SectionSnapshot()
    }

    /// Replaces the children of an item. The old children are deleted with their descendants. The roots of `snapshot`
    /// become the new children, with their descendants and their disclosure. Whether the item itself is expanded does
    /// not change.
    ///
    /// Old children may be among the new ones.
    ///
    /// - Throws: `.unknownItem` for the parent, `.itemExists` for an item that is elsewhere in the tree.
    public mutating func replace(
        childrenOf parent: ItemID, using snapshot: SectionSnapshot
    ) throws(ModelError) {
        let old = Set(depthFirst(from: try known(parent).children) { _ in true })
        for item in snapshot.items where contains(item) && !old.contains(item) { throw .itemExists(item) }
        for item in old { nodes[item] = nil }
        nodes[parent]?.children = []
        graft(snapshot, at: Gap(parent: parent, offset: 0))
    }
}

// MARK: - Expanding

extension SectionSnapshot {
    /// Shows the children of items. The flag is kept for items without children. Unknown items are ignored.
    public mutating func expand(_ items: [ItemID]) {
        for item in items { nodes[item]?.isExpanded = true }
    }

    /// Hides the children of items. Their descendants keep their own flags. Unknown items are ignored.
    public mutating func collapse(_ items: [ItemID]) {
        for item in items { nodes[item]?.isExpanded = false }
    }
}
