/// The items of one section as an ordered forest, with what is expanded: a value to build and compare trees with.
///
/// Its rules are stricter than those of a list's operations: an item that is there already is refused, not moved.
/// An index counts every item depth first, hidden ones too. A mutation that throws changes nothing.
///
/// Source: `NSDiffableDataSourceSectionSnapshot` (UIKit, iOS 14).
public struct SectionSnapshot: Sendable, Equatable {
    private struct Node: Sendable, Equatable {
        var parent: ItemID?
        var children: [ItemID] = []
        var isExpanded = false
    }

    /// A gap among siblings.
    private struct Gap {
        var parent: ItemID?
        var offset: Int
    }

    private enum Side {
        case before, after
    }

    /// The items without a parent, in order.
    public private(set) var rootItems: [ItemID] = []
    private var nodes: [ItemID: Node] = [:]

    /// An empty tree.
    public init() {}

    /// A row of a tree that holds together: depth first, each item once, each parent before its children.
    struct Row {
        var item: ItemID
        var parent: ItemID?
        var isExpanded: Bool
    }

    init(_ rows: [Row]) {
        nodes.reserveCapacity(rows.count)
        for row in rows {
            nodes[row.item] = Node(parent: row.parent, isExpanded: row.isExpanded)
            if let parent = row.parent {
                nodes[parent]?.children.append(row.item)
            } else {
                rootItems.append(row.item)
            }
        }
    }
}

// MARK: - Reading

extension SectionSnapshot {
    /// Every item, depth first, hidden ones too.
    ///
    /// - Complexity: O(*n*), *n* = items of the tree.
    public var items: [ItemID] { depthFirst(from: rootItems) { _ in true } }

    /// The items whose ancestors are all expanded, depth first; roots always.
    ///
    /// - Complexity: O(*n*), *n* = visible items.
    public var visibleItems: [ItemID] { depthFirst(from: rootItems, into: \.isExpanded) }

    /// The items that are expanded, depth first, those without children and hidden ones too.
    public var expandedItems: [ItemID] { items.filter { nodes[$0]?.isExpanded ?? false } }

    public func contains(_ item: ItemID) -> Bool { nodes[item] != nil }

    /// The position of an item in `items`; nil if it is not in the tree.
    ///
    /// - Complexity: O(*n*), *n* = items of the tree.
    public func index(of item: ItemID) -> Int? {
        guard contains(item) else { return nil }
        return items.firstIndex(of: item)
    }

    /// Whether an item's children are shown where it has some.
    ///
    /// - Throws: `.unknownItem`.
    public func isExpanded(_ item: ItemID) throws(ModelError) -> Bool {
        try known(item).isExpanded
    }

    /// Whether every ancestor of an item is expanded.
    ///
    /// - Throws: `.unknownItem`.
    public func isVisible(_ item: ItemID) throws(ModelError) -> Bool {
        _ = try known(item)
        return ancestors(of: item).allSatisfy { nodes[$0]?.isExpanded ?? false }
    }

    /// How many ancestors an item has: 0 for a root.
    ///
    /// - Throws: `.unknownItem`.
    public func level(of item: ItemID) throws(ModelError) -> Int {
        _ = try known(item)
        return ancestors(of: item).count
    }

    /// The item above; nil for a root.
    ///
    /// - Throws: `.unknownItem`.
    public func parent(of item: ItemID) throws(ModelError) -> ItemID? {
        try known(item).parent
    }

    /// The tree below an item, with what is expanded in it: its children are the roots, at level 0.
    ///
    /// - Parameter includingParent: Whether `item` itself is the only root, which shifts the levels by one.
    /// - Throws: `.unknownItem`.
    public func snapshot(of item: ItemID, includingParent: Bool = false) throws(ModelError) -> SectionSnapshot {
        let top = try known(item)
        var copy = SectionSnapshot()
        copy.rootItems = includingParent ? [item] : top.children
        for id in depthFirst(from: copy.rootItems, into: { _ in true }) { copy.nodes[id] = nodes[id] }
        for root in copy.rootItems { copy.nodes[root]?.parent = nil }
        return copy
    }

    /// The tree as text, an item a line: `+` expanded or `-` not, `*` visible, two blanks before each level.
    ///
    ///     +*food
    ///       -*apple
    public func visualDescription() -> String {
        let visible = Set(visibleItems)
        let lines = items.map { item in
            let indentation = String(repeating: "  ", count: ancestors(of: item).count)
            let expansion = nodes[item]?.isExpanded ?? false ? "+" : "-"
            return "\(indentation)\(expansion)\(visible.contains(item) ? "*" : " ")\(item)"
        }
        return lines.joined(separator: "\n")
    }

    private func known(_ item: ItemID) throws(ModelError) -> Node {
        guard let node = nodes[item] else { throw .unknownItem(item) }
        return node
    }

    /// From the parent up to the root.
    private func ancestors(of item: ItemID) -> [ItemID] {
        Array(
            sequence(state: item) { item in
                guard let parent = nodes[item]?.parent else { return nil }
                item = parent
                return parent
            })
    }

    /// Not recursive, because a tree may be as deep as it has items.
    private func depthFirst(from roots: [ItemID], into descends: (Node) -> Bool) -> [ItemID] {
        var found: [ItemID] = []
        var pending: [ItemID] = roots.reversed()
        while let item = pending.popLast() {
            found.append(item)
            if let node = nodes[item], descends(node) { pending += node.children.reversed() }
        }
        return found
    }
}

// MARK: - Growing

extension SectionSnapshot {
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
