public import ListModel

/// The items of one section as an ordered forest, with their disclosure. Trees can be built and compared with it.
///
/// Its rules are stricter than those of a list's operations: an item that exists is refused and not moved. An index
/// counts every item in depth-first order, also hidden ones. A mutation that throws changes nothing.
///
/// Source: `NSDiffableDataSourceSectionSnapshot` (UIKit, iOS 14).
public struct SectionSnapshot: Sendable, Equatable {
    struct Node: Sendable, Equatable {
        var parent: ItemID?
        var children: [ItemID] = []
        var isExpanded = false
    }

    /// The items without a parent, in order.
    public internal(set) var rootItems: [ItemID] = []
    var nodes: [ItemID: Node] = [:]

    /// An empty tree.
    public init() {}

    /// A row of a valid tree: in depth-first order each item occurs once, and each parent comes before its children.
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
    /// Every item in depth-first order, also hidden ones.
    ///
    /// - Complexity: O(*n*), *n* = items of the tree.
    public var items: [ItemID] { depthFirst(from: rootItems) { _ in true } }

    /// The items whose ancestors are all expanded, in depth-first order. Roots are always visible.
    ///
    /// - Complexity: O(*n*), *n* = visible items.
    public var visibleItems: [ItemID] { depthFirst(from: rootItems, into: \.isExpanded) }

    /// The items that are expanded, in depth-first order, also hidden ones and those without children.
    public var expandedItems: [ItemID] { items.filter { nodes[$0]?.isExpanded ?? false } }

    /// Whether the item is in the section, visible or hidden.
    public func contains(_ item: ItemID) -> Bool { nodes[item] != nil }

    /// The index of an item in `items`; nil if it is not in the tree.
    ///
    /// - Complexity: O(*n*), *n* = items of the tree.
    public func index(of item: ItemID) -> Int? {
        guard contains(item) else { return nil }
        return items.firstIndex(of: item)
    }

    /// Whether the children of an item are shown, if it has any.
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

    /// The number of an item's ancestors: 0 for a root.
    ///
    /// - Throws: `.unknownItem`.
    public func level(of item: ItemID) throws(ModelError) -> Int {
        _ = try known(item)
        return ancestors(of: item).count
    }

    /// The parent of an item; nil for a root.
    ///
    /// - Throws: `.unknownItem`.
    public func parent(of item: ItemID) throws(ModelError) -> ItemID? {
        try known(item).parent
    }

    /// The tree below an item, with its disclosure. The item's children are the roots, at level 0.
    ///
    /// - Parameter includingParent: Whether `item` itself is the only root, which increases the levels by one.
    /// - Throws: `.unknownItem`.
    public func snapshot(of item: ItemID, includingParent: Bool = false) throws(ModelError) -> SectionSnapshot {
        let top = try known(item)
        var copy = SectionSnapshot()
        copy.rootItems = includingParent ? [item] : top.children
        for id in depthFirst(from: copy.rootItems, into: { _ in true }) { copy.nodes[id] = nodes[id] }
        for root in copy.rootItems { copy.nodes[root]?.parent = nil }
        return copy
    }

    /// The tree as text, with one item in each line: `+` expanded or `-` not, `*` visible, and two blanks for each
    /// level.
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

    func known(_ item: ItemID) throws(ModelError) -> Node {
        guard let node = nodes[item] else { throw .unknownItem(item) }
        return node
    }

    /// The ancestors of an item, from its parent up to its root.
    private func ancestors(of item: ItemID) -> [ItemID] {
        Array(
            sequence(state: item) { item in
                guard let parent = nodes[item]?.parent else { return nil }
                item = parent
                return parent
            })
    }

    /// The items in depth-first order. The function is not recursive, because a tree may be as deep as it has items.
    func depthFirst(from roots: [ItemID], into descends: (Node) -> Bool) -> [ItemID] {
        var found: [ItemID] = []
        var pending: [ItemID] = roots.reversed()
        while let item = pending.popLast() {
            found.append(item)
            if let node = nodes[item], descends(node) { pending += node.children.reversed() }
        }
        return found
    }
}
