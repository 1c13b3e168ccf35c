import ListModel

/// A row that a reorder places. A reorder may name a million rows, so the numbers are kept in 32 bits.
struct ReorderRow {
    let item: ItemHandle
    let source: SectionHandle
    private let rawTarget: Int32
    private var rawSpan: Range<Int32> = 0..<0
    /// The parent at the base. It is -1 if there is none that the reorder places as well.
    private var rawOldParent: Int32 = -1
    /// Whether the row leaves the old order of its section.
    var isMoved = true
    private let isLocked: Bool
    private let isUnnamed: Bool

    init(item: ItemHandle, target: Int, source: SectionHandle, weight: StayWeight) {
        self.item = item
        self.source = source
        rawTarget = Int32(truncatingIfNeeded: target)
        (isLocked, isUnnamed) = (weight.locked > 0, weight.unnamed > 0)
    }

    /// The section of the request that wants the row.
    var target: Int { Int(rawTarget) }

    var weight: StayWeight { StayWeight(rows: 1, locked: isLocked ? 1 : 0, unnamed: isUnnamed ? 1 : 0) }

    /// The range of the row and its subtree in the source, with hidden rows.
    var span: Range<Int> {
        get { Int(rawSpan.lowerBound)..<Int(rawSpan.upperBound) }
        set {
            rawSpan =
                Int32(truncatingIfNeeded: newValue.lowerBound)..<Int32(truncatingIfNeeded: newValue.upperBound)
        }
    }

    /// The parent at the base, if the reorder places the parent as well.
    var oldParent: Int? {
        get { rawOldParent < 0 ? nil : Int(rawOldParent) }
        set { rawOldParent = newValue.map { Int32(truncatingIfNeeded: $0) } ?? -1 }
    }
}

/// The rows that a reorder places: those it names, and the ancestors that a named row has in its section.
struct ReorderRows {
    private(set) var rows: [ReorderRow] = []
    /// The wanted order of each section of the request.
    private(set) var orders: [[Int]]
    /// The rows of each section concerned, in the order of the base.
    private(set) var sources: [SectionHandle: [Int]] = [:]
    private var indexes: [ItemHandle: Int32] = [:]
    private(set) var weighing: StayWeighing
    private let base: ListState

    init(_ wanted: WantedOrder, base: ListState) {
        self.base = base
        weighing = StayWeighing(wanted, base: base)
        orders = wanted.sections.map { _ in [] }
        for section in wanted.sections { weighing.add(section.handle) }
        for (target, section) in wanted.sections.enumerated() {
            for item in section.rows {
                guard let source = base.section(of: item) else { continue }
                orders[target].append(add(item, target, from: source))
            }
        }
        for (target, section) in wanted.sections.enumerated() {
            let ancestors = addAncestors(target, section.handle)
            if sources[section.handle] == nil { sources[section.handle] = [] }
            if !ancestors.isEmpty { putBehindLeftNeighbors(ancestors, target, section.handle) }
        }
        for source in Array(sources.keys) { locate(in: source) }
        for target in orders.indices { decideMoved(target, wanted.sections[target].handle) }
    }

    func index(of item: ItemHandle) -> Int? { indexes[item].map { Int($0) } }

    private mutating func add(_ item: ItemHandle, _ target: Int, from source: SectionHandle) -> Int {
        let index = rows.count
        rows.append(
            ReorderRow(item: item, target: target, source: source, weight: weighing.weight(of: item, in: source)))
        indexes[item] = Int32(truncatingIfNeeded: index)
        sources[source, default: []].append(index)
        return index
    }

    private mutating func addAncestors(_ target: Int, _ section: SectionHandle) -> Set<Int> {
        var ancestors: Set<Int> = []
        for row in orders[target] where rows[row].source == section {
            var above = base.parent(of: rows[row].item)
            while let current = above, indexes[current] == nil {
                ancestors.insert(add(current, target, from: section))
                above = base.parent(of: current)
            }
        }
        return ancestors
    }

    /// Puts rows that the order does not name behind the named row that was to their left.
    private mutating func putBehindLeftNeighbors(_ added: Set<Int>, _ target: Int, _ section: SectionHandle) {
        var first: [Int] = []
        var followers: [Int: [Int]] = [:]
        var left: Int?
        for item in base.rows(of: section) {
            guard let row = index(of: item), rows[row].target == target else { continue }
            guard added.contains(row) else {
                left = row
                continue
            }
            if let left { followers[left, default: []].append(row) } else { first.append(row) }
        }
        orders[target] = first + orders[target].flatMap { [$0] + (followers[$0] ?? []) }
    }

    /// Finds the ranges of the rows that come from one section.
    private mutating func locate(in source: SectionHandle) {
        var located: [Int] = []
        var open: [(row: Int, level: Int)] = []
        let items = base.rows(of: source)
        for (position, item) in items.enumerated() {
            let level = base.level(of: item)
            while let last = open.last, last.level >= level {
                rows[last.row].span = rows[last.row].span.lowerBound..<position
                open.removeLast()
            }
            guard let row = index(of: item) else { continue }
            rows[row].span = position..<position
            rows[row].oldParent = base.parent(of: item).flatMap { index(of: $0) }
            located.append(row)
            open.append((row, level))
        }
        for (row, _) in open { rows[row].span = rows[row].span.lowerBound..<items.count }
        sources[source] = located
    }

    private mutating func decideMoved(_ target: Int, _ section: SectionHandle) {
        var positions: [Int: Int] = [:]
        for row in orders[target] where rows[row].source == section { positions[row] = positions.count }
        let here = (sources[section] ?? []).filter { rows[$0].target == target }
        let stays = staying(here.map { positions[$0] ?? 0 }) { rows[here[$0]].weight }
        for (row, stays) in zip(here, stays) { rows[row].isMoved = !stays }
    }

    /// Whether a row stands inside the subtree that another had at the base.
    func isBelow(_ row: Int, _ ancestor: Int) -> Bool {
        rows[row].source == rows[ancestor].source && rows[row].span.lowerBound > rows[ancestor].span.lowerBound
            && rows[ancestor].span.contains(rows[row].span.lowerBound)
    }
}

/// Gives each item its weight if it stays. An item that its section, its own flag or its role as header keeps in place
/// has a greater weight.
struct StayWeighing {
    let base: ListState
    /// The items that the client's differences name.
    let changed: Set<ItemHandle>
    private var headers: [SectionHandle: ItemHandle] = [:]

    init(_ wanted: WantedOrder, base: ListState) {
        self.base = base
        changed = wanted.changed
    }

    /// Looks up the header of a section once for all of its items.
    mutating func add(_ section: SectionHandle) {
        if base.keepsFirstItem(section) { headers[section] = base.rows(of: section).first }
    }

    func weight(of item: ItemHandle, in section: SectionHandle) -> StayWeight {
        let isLocked = headers[section] == item || !base[item].isReorderable || !base[section].isReorderable
        return StayWeight(rows: 1, locked: isLocked ? 1 : 0, unnamed: changed.contains(item) ? 0 : 1)
    }
}
