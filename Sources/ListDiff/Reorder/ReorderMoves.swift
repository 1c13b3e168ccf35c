import ListModel

/// The moves that turn the base into the wanted forest. Among the children of each parent, the heaviest increasing
/// subsequence stays. The others are put behind their left siblings, from left to right.
struct ReorderMoves {
    /// A row among its wanted siblings.
    private struct Sibling {
        let item: ItemHandle
        private let rawRow: Int32
        private let rawPosition: Int32
        var stays = false

        init(item: ItemHandle, row: Int?, position: Int) {
            self.item = item
            rawRow = row.map { Int32(truncatingIfNeeded: $0) } ?? -1
            rawPosition = Int32(truncatingIfNeeded: position)
        }

        /// Nil for a row that the reorder does not name and that keeps its left sibling.
        var row: Int? { rawRow < 0 ? nil : Int(rawRow) }
        /// The index of the item in the section that it had at the base.
        var position: Int { Int(rawPosition) }
    }

    private let wanted: WantedOrder
    private let forest: WantedForest
    private let base: ListState
    /// The state now, if the client named a base.
    private let head: ListState?
    private let targets: [SectionHandle: Int]
    /// The wanted children of each row, then the wanted roots of each section.
    private var children: [[Sibling]]
    /// The number of moving rows in each entry of `children`.
    private var movers: [Int]

    init(_ wanted: WantedOrder, _ forest: WantedForest, base: ListState, head: ListState?) {
        self.wanted = wanted
        self.forest = forest
        self.base = base
        self.head = head
        targets = Dictionary(uniqueKeysWithValues: wanted.sections.enumerated().map { ($1.handle, $0) })
        children = Array(repeating: [], count: forest.parents.count + wanted.sections.count)
        movers = children.map { _ in 0 }
        for row in forest.orders.joined() {
            let placed = forest.table.rows[row]
            children[container(of: row)].append(
                Sibling(item: placed.item, row: row, position: placed.span.lowerBound))
        }
        for source in forest.table.sources.keys { addUnnamed(from: source) }
        for container in children.indices where !children[container].isEmpty { decide(container) }
    }

    /// The index in `children` of the parent or section that holds a row in the end.
    private func container(of row: Int) -> Int {
        forest.parents[row] ?? forest.parents.count + forest.table.rows[row].target
    }

    /// The index in `children` of the parent or section that held an item at the base.
    private func oldContainer(of item: ItemHandle) -> Int? {
        if let parent = base.parent(of: item) { return forest.table.index(of: parent) }
        return base.section(of: item).flatMap { targets[$0] }.map { forest.parents.count + $0 }
    }
}

// MARK: - Siblings

extension ReorderMoves {
    /// Puts the rows that the reorder does not name behind the siblings that they followed.
    private mutating func addUnnamed(from source: SectionHandle) {
        var lefts: [Int: Int] = [:]
        var first: [Int: [Sibling]] = [:]
        var followers: [Int: [Sibling]] = [:]
        for (position, item) in base.rows(of: source).enumerated() {
            guard let container = oldContainer(of: item), !children[container].isEmpty else { continue }
            if let row = forest.table.index(of: item) {
                if self.container(of: row) == container { lefts[container] = row }
            } else if isStillThere(item) {
                let sibling = Sibling(item: item, row: nil, position: position)
                guard let left = lefts[container] else {
                    first[container, default: []].append(sibling)
                    continue
                }
                followers[left, default: []].append(sibling)
            }
        }
        for container in Set(followers.keys.map { self.container(of: $0) }).union(first.keys) {
            children[container] =
                (first[container] ?? [])
                + children[container].flatMap { [$0] + ($0.row.flatMap { followers[$0] } ?? []) }
        }
    }

    /// Whether the head has an item in its old section and under its old parent. An item that has left them is no
    /// anchor.
    private func isStillThere(_ item: ItemHandle) -> Bool {
        guard let head else { return true }
        guard let now = head.handle(of: base[item].id) else { return false }
        guard head.parent(of: now).map({ head[$0].id }) == base.parent(of: item).map({ base[$0].id }) else {
            return false
        }
        return head.section(of: now).map { head[$0].id } == base.section(of: item).map { base[$0].id }
    }

    private mutating func decide(_ container: Int) {
        let siblings = children[container]
        let old = siblings.indices.filter { oldContainer(of: siblings[$0].item) == container }
        let ranks = old.indices.sorted { siblings[old[$0]].position < siblings[old[$1]].position }
        let stays = staying(ranks) { weight(of: siblings[old[ranks[$0]]].item) }
        for (rank, stays) in zip(ranks, stays) { children[container][old[rank]].stays = stays }
        movers[container] = children[container].count { !$0.stays }
    }

    private func weight(of item: ItemHandle) -> StayWeight {
        guard let source = base.section(of: item) else { return StayWeight() }
        return forest.table.weighing.weight(of: item, in: source)
    }
}

// MARK: - Operations

extension ReorderMoves {
    /// The moves into and within a section of the request.
    func operations(section target: Int) -> [Operation] {
        var operations: [Operation] = []
        var open = [Walk(container: forest.parents.count + target)]
        while var walk = open.popLast() {
            guard walk.next < children[walk.container].count else { continue }
            let sibling = children[walk.container][walk.next]
            if !sibling.stays {
                operations.append(.moveItem(base[sibling.item].id, destination(of: walk)))
            }
            walk.next += 1
            walk.left = sibling
            if isAnchor(sibling, in: walk.container) { walk.anchor = sibling }
            open.append(walk)
            if let row = sibling.row { open.append(Walk(container: row)) }
        }
        return operations + newcomers(target)
    }

    /// Goes through the wanted children of a container, from left to right.
    private struct Walk {
        let container: Int
        var next = 0
        /// The sibling before the next one.
        var left: Sibling?
        /// The nearest one before it that can be an anchor.
        var anchor: Sibling?
    }

    /// The destination is behind the nearest left sibling that can be an anchor, else first.
    ///
    /// The only row that moves keeps its left sibling as anchor even if that has gone. The base and the wanted order
    /// then agree on the rows to the left of the anchor, so the rebase adjusts the move and says so, as for any other.
    private func destination(of walk: Walk) -> Destination {
        let name = name(of: walk.container)
        guard exists(name) else { return .first(name) }
        if let left = walk.left, left.stays, movers[walk.container] == 1 { return behind(left, in: name) }
        return walk.anchor.map { behind($0, in: name) } ?? .first(name)
    }

    /// A sibling that stays gets a guard, because others may have taken it away. A sibling that moves was put there by
    /// an earlier move.
    private func behind(_ sibling: Sibling, in container: Container) -> Destination {
        .anchor(ItemAnchor(.after, base[sibling.item].id, guardedBy: sibling.stays ? container : nil))
    }

    /// Whether a wanted sibling is at its planned place once the earlier operations have been resolved.
    private func isAnchor(_ sibling: Sibling, in container: Int) -> Bool {
        Steps.add(1)
        guard let head else { return true }
        guard !sibling.stays else { return isStillThere(sibling.item) }
        guard let now = head.handle(of: base[sibling.item].id) else { return false }
        guard container < forest.parents.count else { return true }
        // The sibling's own move is dropped if others have put the parent into its subtree since the base.
        let parent = forest.table.rows[container].item
        guard let parentNow = head.handle(of: base[parent].id) else { return false }
        return !head.isWithin(parentNow, subtreeOf: now) || base.isWithin(parent, subtreeOf: sibling.item)
    }

    private func exists(_ container: Container) -> Bool {
        guard let head else { return true }
        switch container {
        case .section(let id): return head.contains(id)
        case .parent(let id): return head.contains(id)
        }
    }

    private func name(of container: Int) -> Container {
        guard container >= forest.parents.count else { return .parent(base[forest.table.rows[container].item].id) }
        return .section(wanted.sections[container - forest.parents.count].id)
    }

    /// The moves of rows that the base lacks. Each row keeps its parent and goes behind the sibling before it.
    private func newcomers(_ target: Int) -> [Operation] {
        guard let head, !wanted.sections[target].newcomers.isEmpty else { return [] }
        let section = wanted.sections[target]
        let anchors = anchors()
        var operations: [Operation] = []
        var lefts: [ItemID?: ItemID] = [:]
        var rows = section.rows[...]
        for (item, rowsBefore) in section.newcomers {
            while rows.startIndex < rowsBefore, let row = rows.popFirst() {
                guard let index = forest.table.index(of: row), anchors.contains(index) else { continue }
                lefts[forest.parents[index].map { base[forest.table.rows[$0].item].id }] = base[row].id
            }
            let parent = head.handle(of: item).flatMap { head.parent(of: $0) }.map { head[$0].id }
            let container = parent.map { Container.parent($0) } ?? .section(section.id)
            let anchor = lefts[parent].map { Destination.anchor(ItemAnchor(.after, $0)) }
            operations.append(.moveItem(item, anchor ?? .first(container)))
            lefts[parent] = item
        }
        return operations
    }

    /// The rows that can be anchors.
    private func anchors() -> Set<Int> {
        var anchors: Set<Int> = []
        for (container, siblings) in children.enumerated() where !siblings.isEmpty && exists(name(of: container)) {
            for sibling in siblings where isAnchor(sibling, in: container) {
                if let row = sibling.row { anchors.insert(row) }
            }
        }
        return anchors
    }
}
