public import ListModel

// MARK: - Growing

extension SectionSnapshot {
    /// A gap among siblings.
    private struct Gap {
        var parent: ItemID?
        var offset: Int
    }

    private enum Side {
        case before, after
    }

    /// Adds items behind the last root, or behind the last child of `parent`.
    ///
    /// - Throws: `.repeatedItem`, `.itemExists`, or `.unknownItem` for the parent. No items are no error.
    public mutating func append(_ items: [ItemID], to parent: ItemID? = nil) throws(ModelError) {
        guard !items.isEmpty else { return }
        let new = try SectionSnapshot(roots: items)
        try requireAbsent(items)
        if let parent { _ = try known(parent) }
        graft(new, at: Gap(parent: parent, offset: children(of: parent).count))
    }

    /// Adds items just before `anchor`, under its parent.
    ///
    /// - Throws: `.repeatedItem`, `.itemExists`, or `.unknownItem` for the anchor. No items are no error.
    public mutating func insert(_ items: [ItemID], before anchor: ItemID) throws(ModelError) {
        try insert(items, .before, anchor)
    }

    /// Adds items behind the whole subtree of `anchor`, under its parent.
    ///
    /// - Throws: As `insert(_:before:)`.
    public mutating func insert(_ items: [ItemID], after anchor: ItemID) throws(ModelError) {
        try insert(items, .after, anchor)
    }

    /// Adds a tree as it is, with what is expanded in it, just before `anchor`, under its parent.
    ///
    /// - Throws: `.itemExists`, or `.unknownItem` for the anchor. An empty tree is no error.
    public mutating func insert(_ snapshot: SectionSnapshot, before anchor: ItemID) throws(ModelError) {
        try insert(snapshot, .before, anchor)
    }

    /// Adds a tree as it is, with what is expanded in it, behind the whole subtree of `anchor`, under its parent.
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

    /// Puts a tree of items that are not there in a gap.
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
    /// Takes items out, with everything below them.
    ///
    /// An item may be named twice, and so may an item and its ancestor.
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

    /// Takes every item out.
    public mutating func deleteAll() {
        self = SectionSnapshot()
    }

    /// Gives an item other children: those it has go with everything below them, the roots of `snapshot` come with
    /// everything below them and what is expanded there. Whether the item itself is expanded does not change.
    ///
    /// Children that it has may be among the new ones.
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
    /// Shows the children of items; remembered for items that have none. Unknown items are passed over.
    public mutating func expand(_ items: [ItemID]) {
        for item in items { nodes[item]?.isExpanded = true }
    }

    /// Hides the children of items, which keep what is expanded among them. Unknown items are passed over.
    public mutating func collapse(_ items: [ItemID]) {
        for item in items { nodes[item]?.isExpanded = false }
    }
}
