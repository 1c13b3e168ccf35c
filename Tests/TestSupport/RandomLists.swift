import JSONValue
public import ListModel

/// The main kind of operation in a random history.
public enum Bias: CaseIterable, Sendable {
    case everything, moves, arrivals, subtrees, sections, content, wholeStates
}

/// Random lists, and random operations on them. There are few ids, so deleted ids come back and ids collide.
public struct RandomLists: Sendable {
    public var random: SeededGenerator
    /// Item ids are `i0`, `i1`, and so on.
    public let itemIDs: [ItemID]
    let sectionIDs: [SectionID]
    let bias: Bias

    public init(seed: UInt64, itemIDs: Int, sectionIDs: Int = 5, bias: Bias) {
        random = SeededGenerator(seed: seed)
        self.itemIDs = (0..<max(itemIDs, 1)).map { ItemID(unchecked: "i\($0)") }
        self.sectionIDs = (0..<sectionIDs).map { SectionID(unchecked: "s\($0)") }
        self.bias = bias
    }

    /// A whole state with about two thirds of the item ids.
    ///
    /// - Parameter list: The list whose items may be given as bare ids.
    public mutating func snapshot(on list: ListState? = nil) -> WantedSnapshot {
        let sections = sectionIDs.shuffled(using: &random).prefix(random.below(sectionIDs.count) + 1)
        var rest = itemIDs.shuffled(using: &random).filter { _ in !random.once(in: 3) }
        let wanted = sections.enumerated().map { position, section in
            let isLast = position == sections.count - 1
            let count = isLast ? rest.count : random.below(rest.count + 1)
            defer { rest.removeFirst(count) }
            return WantedSection(section, changes: sectionChanges(), items: tree(of: rest.prefix(count), in: list))
        }
        return WantedSnapshot(changes: listChanges(), sections: wanted)
    }

    /// A new list with a random state.
    public mutating func list() -> ListState {
        var list = ListState(ListProperties(title: "Random"))
        let snapshot = snapshot()
        // The snapshot is refused only if the generator is wrong. The list is then empty.
        _ = try? list.commit(.applySnapshot(snapshot))
        return list
    }

    /// A random operation. The list may refuse it.
    public mutating func operation(on list: ListState) -> Operation {
        switch bias {
        case .everything: random.once(in: 12) ? wholeState(list) : simple(list)
        case .moves: random.once(in: 8) ? simple(list) : move(list)
        case .arrivals: random.once(in: 8) ? simple(list) : arrival(list)
        case .subtrees: random.once(in: 6) ? simple(list) : subtree(list)
        case .sections: random.once(in: 3) ? simple(list) : section(list)
        case .content: random.once(in: 8) ? simple(list) : content(list)
        case .wholeStates: random.once(in: 3) ? simple(list) : wholeState(list)
        }
    }
}

// MARK: - Operations

extension RandomLists {
    private mutating func simple(_ list: ListState) -> Operation {
        switch random.below(12) {
        case 0...3: move(list)
        case 4...6: arrival(list)
        case 7...8: content(list)
        case 9: section(list)
        default: subtree(list)
        }
    }

    private mutating func move(_ list: ListState) -> Operation {
        let item = item(of: list)
        return switch random.below(6) {
        case 0: .moveItem(item, .first(container(of: list)))
        case 1: .moveItem(item, .last(container(of: list)))
        default: .moveItem(item, .anchor(anchor(in: list)))
        }
    }

    private mutating func arrival(_ list: ListState) -> Operation {
        switch random.below(6) {
        case 0...1: .deleteItems(ids(list, upTo: 4))
        case 2: .appendItems(newItems(list, upTo: 4), random.once(in: 3) ? nil : container(of: list))
        default: .insertItems(newItems(list, upTo: 4), anchor(in: list))
        }
    }

    private mutating func subtree(_ list: ListState) -> Operation {
        switch random.below(7) {
        case 0: .setExpanded(ids(list, upTo: 3), !random.once(in: 3))
        case 1:
            .replaceChildren(
                item(of: list), tree(of: list.ids.shuffled(using: &random).prefix(random.below(5)), in: list))
        case 2: .replaceChildren(item(of: list), newItems(list, upTo: 4))
        case 3: .appendItems(newItems(list, upTo: 4), .parent(item(of: list)))
        case 4: .deleteItems(ids(list, upTo: 2))
        default: .moveItem(item(of: list), .last(.parent(item(of: list))))
        }
    }

    private mutating func content(_ list: ListState) -> Operation {
        switch random.below(9) {
        case 0: .setStarred(ids(list, upTo: 3), random.once(in: 2))
        case 1: .toggleStar(item(of: list))
        case 2...3: .setExpanded(ids(list, upTo: 3), random.once(in: 2))
        case 4: .reconfigureItems(ids(list, upTo: 2))
        case 5: .reloadItems(ids(list, upTo: 2))
        case 6: .updateList(listChanges())
        default: .updateItem(item(of: list), itemChanges())
        }
    }

    private mutating func section(_ list: ListState) -> Operation {
        let anchor: SectionAnchor = random.once(in: 2) ? .before(sectionID(of: list)) : .after(sectionID(of: list))
        return switch random.below(10) {
        case 0: .appendSections([newSection(list)])
        case 1...2: .insertSections([newSection(list)], anchor)
        case 3: .deleteSections([sectionID(of: list)])
        case 4: .reloadSections([sectionID(of: list)])
        case 5: .updateSection(sectionID(of: list), sectionChanges())
        default: .moveSection(sectionID(of: list), anchor)
        }
    }

    private mutating func wholeState(_ list: ListState) -> Operation {
        switch random.below(8) {
        case 0: .deleteAllItems
        case 1...3: .applySnapshot(snapshot(on: list))
        default:
            .applySectionSnapshot(
                WantedSection(
                    random.pick(sectionIDs), changes: sectionChanges(),
                    items: tree(of: itemIDs.shuffled(using: &random).prefix(random.below(itemIDs.count + 1)), in: list))
            )
        }
    }
}

// MARK: - Arguments

extension RandomLists {
    /// An item id, mostly of the list.
    public mutating func item(of list: ListState) -> ItemID {
        let alive = list.ids
        return alive.isEmpty || random.once(in: 20) ? random.pick(itemIDs) : random.pick(alive)
    }

    private mutating func sectionID(of list: ListState) -> SectionID {
        let alive = list.sectionHandles
        return alive.isEmpty || random.once(in: 20) ? random.pick(sectionIDs) : list[random.pick(alive)].id
    }

    private mutating func container(of list: ListState) -> Container {
        random.once(in: 2) ? .section(sectionID(of: list)) : .parent(item(of: list))
    }

    private mutating func anchor(in list: ListState) -> ItemAnchor {
        ItemAnchor(random.once(in: 2) ? .before : .after, item(of: list))
    }

    private mutating func ids(_ list: ListState, upTo count: Int) -> [ItemID] {
        (0...random.below(count)).map { _ in item(of: list) }
    }

    /// New items, mostly with ids that the list does not have, deleted ones among them.
    private mutating func newItems(_ list: ListState, upTo count: Int) -> [NewItem] {
        let free = itemIDs.filter { !list.contains($0) }.shuffled(using: &random)
        let taken = list.ids.shuffled(using: &random)
        let isMixed = random.once(in: 4)
        let ids = (free + (isMixed ? taken.prefix(2) : [])).shuffled(using: &random)
        return tree(of: ids.prefix(random.below(count + 1)), in: list)
    }

    private mutating func newSection(_ list: ListState) -> NewSection {
        var properties = SectionProperties(id: random.pick(sectionIDs))
        properties = sectionChanges().applied(to: properties)
        return NewSection(properties, items: newItems(list, upTo: 3))
    }

    /// The ids as a forest in which each parent comes before its children. The order is sometimes depth-first.
    ///
    /// - Parameter list: The list whose items may be given as bare ids. Now and then other ids are bare too.
    private mutating func tree(of ids: some Collection<ItemID>, in list: ListState? = nil) -> [NewItem] {
        var items: [NewItem] = []
        for id in ids {
            let parent = items.isEmpty || random.once(in: 2) ? nil : random.pick(items).id
            let isKnown = list?.contains(id) == true
            let isBare = list != nil && random.once(in: isKnown ? 3 : 40)
            items.append(NewItem(id, parent: parent, value: isBare ? nil : itemChanges()))
        }
        return items
    }

    private mutating func itemChanges() -> ItemChanges {
        var changes = ItemChanges()
        if random.once(in: 3) { changes.kind = .set(random.pick(["item", "emoji"])) }
        switch random.below(4) {
        case 0: changes.content = .replace(content())
        case 1: changes.content = .merge(content())
        default: break
        }
        if random.once(in: 4) { changes.isStarred = .set(random.once(in: 2)) }
        if random.once(in: 3) { changes.isExpanded = .set(!random.once(in: 3)) }
        if random.once(in: 20) { changes.isReorderable = .set(!random.once(in: 4)) }
        return changes
    }

    private mutating func content() -> JSONText {
        JSONText(["n": .integer(random.below(3))])
    }

    private mutating func sectionChanges() -> SectionChanges {
        var changes = SectionChanges()
        if random.once(in: 3) { changes.title = .set(random.pick([nil, "One", "Two"])) }
        if random.once(in: 5) { changes.header = .set(random.pick([nil, content()])) }
        if random.once(in: 5) { changes.footer = .set(random.pick([nil, content()])) }
        if random.once(in: 8) { changes.layout = .set(random.pick([nil, nil, layout(), Self.firstItemIsHeader])) }
        if random.once(in: 20) { changes.isReorderable = .set(!random.once(in: 4)) }
        return changes
    }

    private mutating func listChanges() -> ListChanges {
        var changes = ListChanges()
        if random.once(in: 3) { changes.title = .set(random.pick(["Random", "List"])) }
        if random.once(in: 5) { changes.layout = .set(random.pick([nil, layout()])) }
        return changes
    }

    private mutating func layout() -> JSONText {
        JSONText(["kind": .string(["list", "grid", "orthogonal"][random.below(3)])])
    }

    private static let firstItemIsHeader = JSONText(["kind": "list", "headerMode": "firstItemInSection"])
}

extension ListState {
    /// The ids of all items, section by section.
    public var ids: [ItemID] {
        sectionHandles.flatMap { rows(of: $0).map { self[$0].id } }
    }
}
