public import ListDiff
public import ListModel

/// The meaning of a list in its simplest form, slow but obvious: trees in sections, without handles, indexes and
/// deltas.
///
/// It carries out every operation that the state has accepted. It does not know the reasons for refusals.
public struct ReferenceList {
    struct Node {
        var item: Item
        var children: [Node] = []
    }

    struct Section {
        var properties: SectionProperties
        var roots: [Node] = []
    }

    /// The place of an item or section among its siblings.
    enum Position {
        case first, last
        case before(ItemID), after(ItemID)
    }

    var properties: ListProperties
    var sections: [Section] = []

    public init(_ properties: ListProperties) {
        self.properties = properties
    }

    /// The rows of the list in a view.
    public func rows(view: View) -> Rows {
        Rows(
            properties: properties,
            sections: sections.map { section in
                SectionRows(
                    properties: section.properties,
                    items: section.roots.flatMap { Self.rows($0, parent: nil, level: 0, view: view) })
            })
    }

    private static func rows(_ node: Node, parent: ItemID?, level: Int, view: View) -> [ItemRow] {
        let row = ItemRow(item: node.item, parent: parent, level: level, childCount: node.children.count)
        guard view == .items || node.item.isExpanded else { return [row] }
        return [row] + node.children.flatMap { rows($0, parent: node.item.id, level: level + 1, view: view) }
    }
}

// MARK: - Operations

extension ReferenceList {
    public mutating func apply(_ operation: Operation) {
        switch operation {
        case .appendSections(let new): insert(new, at: sections.count)
        case .insertSections(let new, .before(let anchor)): insert(new, at: index(anchor))
        case .insertSections(let new, .after(let anchor)): insert(new, at: index(anchor) + 1)
        case .deleteSections(let ids): sections.removeAll { ids.contains($0.properties.id) }
        case .reloadSections, .reconfigureItems, .reloadItems: break
        case .moveSection(let id, let anchor):
            let section = sections.remove(at: index(id))
            switch anchor {
            case .before(let other): sections.insert(section, at: index(other))
            case .after(let other): sections.insert(section, at: index(other) + 1)
            }
        case .updateSection(let id, let changes):
            sections[index(id)].properties = changes.applied(to: sections[index(id)].properties)
        case .updateList(let changes): properties = changes.applied(to: properties)
        case .appendItems(let items, let container):
            guard let last = sections.last else { return }
            place(items, in: container ?? .section(last.properties.id), .last)
        case .insertItems(let items, let anchor): place(items, in: container(of: anchor.item), Self.position(anchor))
        case .deleteItems(let ids): for id in ids { _ = cut(id) }
        case .deleteAllItems: sections = []
        case .moveItem(let id, let destination): move(id, to: destination)
        case .updateItem(let id, let changes): update(id) { $0 = changes.applied(to: $0) }
        case .setStarred(let ids, let isStarred): for id in ids { update(id) { $0.isStarred = isStarred } }
        case .toggleStar(let id): update(id) { $0.isStarred.toggle() }
        case .setExpanded(let ids, let isExpanded): for id in ids { update(id) { $0.isExpanded = isExpanded } }
        case .replaceChildren(let parent, let items): replaceChildren(of: parent, by: items)
        case .applySnapshot(let snapshot): apply(snapshot)
        case .applySectionSnapshot(let section): apply(section)
        }
    }

    private mutating func insert(_ new: [NewSection], at index: Int) {
        sections.insert(contentsOf: new.map { Section(properties: $0.properties) }, at: index)
        for section in new { place(section.items, in: .section(section.properties.id), .last) }
    }

    private mutating func place(_ items: [NewItem], in container: Container, _ position: Position) {
        var position = position
        for item in items {
            var node = cut(item.id) ?? Node(item: (item.value ?? ItemChanges()).applied(to: Item(id: item.id)))
            if let value = item.value { node.item = value.applied(to: node.item) }
            if let parent = item.parent {
                insert(node, in: .parent(parent), .last)
            } else {
                insert(node, in: container, position)
                position = .after(item.id)
            }
        }
    }

    private mutating func move(_ id: ItemID, to destination: Destination) {
        guard let node = cut(id) else { return }
        switch destination {
        case .anchor(let anchor): insert(node, in: container(of: anchor.item), Self.position(anchor))
        case .first(let container): insert(node, in: container, .first)
        case .last(let container): insert(node, in: container, .last)
        }
    }

    private static func position(_ anchor: ItemAnchor) -> Position {
        switch anchor.side {
        case .before: .before(anchor.item)
        case .after: .after(anchor.item)
        }
    }
}

// MARK: - Whole states

extension ReferenceList {
    private mutating func apply(_ snapshot: WantedSnapshot) {
        properties = snapshot.changes.applied(to: properties)
        let old = self
        sections = snapshot.sections.map { section in
            let before = old.sections.first { $0.properties.id == section.id }
            return Section(
                properties: section.changes.applied(to: before?.properties ?? SectionProperties(id: section.id)),
                roots: Self.trees(section.items) { old.node($0)?.item })
        }
    }

    private mutating func apply(_ wanted: WantedSection) {
        if !sections.contains(where: { $0.properties.id == wanted.id }) {
            sections.append(Section(properties: SectionProperties(id: wanted.id)))
        }
        let old = self
        let section = index(wanted.id)
        sections[section].properties = wanted.changes.applied(to: sections[section].properties)
        var inside = Set<ItemID>()
        for root in sections[section].roots { root.forEach { inside.insert($0.item.id) } }
        let named = Set(wanted.items.map(\.id))
        for id in named where !inside.contains(id) { _ = cut(id) }
        let followers = named.subtracting(inside).reduce(into: [ItemID: [Node]]()) { followers, id in
            followers[id] = old.node(id)?.children.compactMap { $0.without(named) }
        }
        sections[section].roots = Self.trees(wanted.items) { old.node($0)?.item }
            .map { $0.adding(followers) }
    }

    private mutating func replaceChildren(of parent: ItemID, by items: [NewItem]) {
        let old = self
        change(parent) { $0.children = Self.trees(items) { old.node($0)?.item } }
    }

    /// The trees of an argument. An item that exists begins with its stored values.
    private static func trees(_ items: [NewItem], under parent: ItemID? = nil, stored: (ItemID) -> Item?) -> [Node] {
        items.filter { $0.parent == parent }.map { item in
            let old = stored(item.id) ?? Item(id: item.id)
            return Node(
                item: item.value?.applied(to: old) ?? old, children: trees(items, under: item.id, stored: stored))
        }
    }
}

extension ReferenceList.Node {
    func forEach(_ body: (Self) -> Void) {
        body(self)
        for child in children { child.forEach(body) }
    }

    /// The subtree without these items and their descendants; nil if its root is one of them.
    func without(_ ids: Set<ItemID>) -> Self? {
        guard !ids.contains(item.id) else { return nil }
        return Self(item: item, children: children.compactMap { $0.without(ids) })
    }

    /// The subtree with further children behind its own.
    func adding(_ more: [ItemID: [Self]]) -> Self {
        Self(item: item, children: children.map { $0.adding(more) } + (more[item.id] ?? []))
    }
}

// MARK: - Trees

extension ReferenceList {
    private func index(_ id: SectionID) -> Int {
        sections.firstIndex { $0.properties.id == id } ?? sections.endIndex
    }

    func node(_ id: ItemID) -> Node? {
        var found: Node?
        for section in sections {
            for root in section.roots { root.forEach { if $0.item.id == id { found = $0 } } }
        }
        return found
    }

    private func container(of id: ItemID) -> Container {
        for section in sections {
            if section.roots.contains(where: { $0.item.id == id }) { return .section(section.properties.id) }
            var parent: ItemID?
            for root in section.roots {
                root.forEach { node in
                    if node.children.contains(where: { $0.item.id == id }) { parent = node.item.id }
                }
            }
            if let parent { return .parent(parent) }
        }
        return .parent(id)
    }

    /// Removes a subtree and returns it.
    private mutating func cut(_ id: ItemID) -> Node? {
        guard let node = node(id) else { return nil }
        for section in sections.indices {
            sections[section].roots = sections[section].roots.compactMap { $0.without([id]) }
        }
        return node
    }

    private mutating func update(_ id: ItemID, _ body: (inout Item) -> Void) {
        change(id) { body(&$0.item) }
    }

    private mutating func change(_ id: ItemID, _ body: (inout Node) -> Void) {
        func changed(_ nodes: [Node]) -> [Node] {
            nodes.map { node in
                var node = node
                node.children = changed(node.children)
                if node.item.id == id { body(&node) }
                return node
            }
        }
        for section in sections.indices { sections[section].roots = changed(sections[section].roots) }
    }

    private mutating func insert(_ node: Node, in container: Container, _ position: Position) {
        func inserted(in siblings: [Node]) -> [Node] {
            switch position {
            case .first: [node] + siblings
            case .last: siblings + [node]
            case .before(let anchor): siblings.flatMap { $0.item.id == anchor ? [node, $0] : [$0] }
            case .after(let anchor): siblings.flatMap { $0.item.id == anchor ? [$0, node] : [$0] }
            }
        }
        switch container {
        case .section(let id): sections[index(id)].roots = inserted(in: sections[index(id)].roots)
        case .parent(let id): change(id) { $0.children = inserted(in: $0.children) }
        }
    }
}
