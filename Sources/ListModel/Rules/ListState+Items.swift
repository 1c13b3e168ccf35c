/// A gap between rows, for the next row.
struct Spot {
    var section: SectionHandle
    var parent: ItemHandle?
    /// An index among the rows of the section as they are now.
    var index: Int
}

// MARK: - Spots

extension ListState {
    /// The end of a container, or of the last section if no container is given.
    func spot(last container: Container?) throws(ModelError) -> Spot {
        switch container {
        case .none:
            guard let last = order.last else { throw .noSections }
            return Spot(section: last, parent: nil, index: rowCount(of: last))
        case .section(let id):
            let section = try known(id)
            return Spot(section: section, parent: nil, index: rowCount(of: section))
        case .parent(let id):
            return spot(behindChildrenOf: try known(id))
        }
    }

    private func spot(first container: Container) throws(ModelError) -> Spot {
        switch container {
        case .section(let id):
            return Spot(section: try known(id), parent: nil, index: 0)
        case .parent(let id):
            let parent = try known(id)
            let (section, rows) = place(of: parent)
            return Spot(section: section, parent: parent, index: rows.lowerBound + 1)
        }
    }

    private func spot(near anchor: ItemAnchor) throws(ModelError) -> Spot {
        let handle = try known(anchor.item)
        switch anchor.guardedBy {
        case .none: break
        case .section(let id):
            let section = try known(id)
            guard items[handle.index].section == section else { throw .anchorElsewhere(anchor.item) }
        case .parent(let id):
            let parent = try known(id)
            guard items[handle.index].parent == parent else { throw .anchorElsewhere(anchor.item) }
        }
        switch anchor.side {
        case .before:
            let (section, rows) = place(of: handle)
            return Spot(section: section, parent: items[handle.index].parent, index: rows.lowerBound)
        case .after:
            return spot(behind: handle)
        }
    }

    private func spot(behind handle: ItemHandle) -> Spot {
        let (section, rows) = place(of: handle)
        return Spot(section: section, parent: items[handle.index].parent, index: rows.upperBound)
    }

    private func spot(behindChildrenOf parent: ItemHandle) -> Spot {
        var spot = spot(behind: parent)
        spot.parent = parent
        return spot
    }
}

// MARK: - Placing

extension ListState {
    mutating func insert(
        _ new: [NewItem], near anchor: ItemAnchor, rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        guard !new.contains(where: { $0.id == anchor.item }) else { throw .itemIsDestination(anchor.item) }
        try place(new, at: spot(near: anchor), rules: rules, &log)
    }

    /// Puts items at a spot. New items are inserted. Existing items move there with their subtrees, and take the given
    /// members.
    mutating func place(
        _ new: [NewItem], at start: Spot, rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        try Self.requireDistinct(new.map(\.id))
        try Self.requireEarlierParents(new)
        let existing = new.filter { contains($0.id) }.map(\.id)
        let added = new.count - existing.count
        guard itemCount + added <= rules.itemsMax else { throw .tooManyItems(limit: rules.itemsMax) }
        if let first = existing.first {
            guard !rules.isStrict else { throw .itemExists(first) }
            log.warnings.append(.movedExisting(existing))
        }
        for item in new where item.value == nil && !contains(item.id) { throw .unknownItem(item.id) }
        guard existing.isEmpty else { return try placeOneByOne(new, at: start, rules: rules, &log) }
        guard !new.isEmpty else { return }
        try requireFree(start, rules: rules)
        let rows = Self.tree(of: new).map { Edit.NewRow(Self.item(new[$0.index]), depth: $0.level) }
        log.sealsItems = rows.count <= Self.sealedItemsMax
        defer { log.sealsItems = true }
        try insert(rows, at: start, &log)
    }

    private mutating func placeOneByOne(
        _ new: [NewItem], at start: Spot, rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        var lastRoot: ItemHandle?
        for item in new {
            let spot: Spot
            if let parent = item.parent {
                spot = self.spot(behindChildrenOf: try known(parent))
            } else {
                spot = lastRoot.map { self.spot(behind: $0) } ?? start
            }
            if let handle = handle(of: item.id) {
                try move(handle, to: spot, rules: rules, &log)
                if let value = item.value { try set(handle, value, rules: rules, &log) }
            } else {
                try requireFree(spot, rules: rules)
                try insert([Edit.NewRow(Self.item(item))], at: spot, &log)
            }
            if item.parent == nil { lastRoot = try known(item.id) }
        }
    }

    private mutating func insert(
        _ rows: [Edit.NewRow], at spot: Spot, _ log: inout TransactionLog
    ) throws(ModelError) {
        let parent = spot.parent.map { id(of: $0) }
        try perform(.insertItems(rows, section: index(spot.section), at: spot.index, parent: parent), &log)
    }

    /// The value of an item that is new to the list.
    static func item(_ new: NewItem) -> Item {
        (new.value ?? ItemChanges()).applied(to: Item(id: new.id))
    }

    mutating func moveItem(
        _ id: ItemID, to destination: Destination, rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        let handle = try known(id)
        switch destination {
        case .anchor(let anchor):
            guard anchor.item != id else { throw .itemMovesToItself(id) }
            try move(handle, to: spot(near: anchor), rules: rules, &log)
        case .first(let container):
            try move(handle, to: spot(first: container), rules: rules, &log)
        case .last(let container):
            try move(handle, to: spot(last: container), rules: rules, &log)
        }
    }

    /// Moves a subtree; nothing happens if it stands there already.
    private mutating func move(
        _ handle: ItemHandle, to spot: Spot, rules: Rules, _ log: inout TransactionLog
    ) throws(ModelError) {
        if let parent = spot.parent, isWithin(parent, subtreeOf: handle) { throw .cycle(self[handle].id) }
        let (source, rows) = place(of: handle)
        let staysInSection = spot.section == source
        let isUnderParent = staysInSection && items[handle.index].parent == spot.parent
        let isInPlace = isUnderParent && (rows.lowerBound...rows.upperBound).contains(spot.index)
        guard !isInPlace else { return }
        let target = staysInSection && spot.index >= rows.upperBound ? spot.index - rows.count : spot.index
        let gap = Spot(section: spot.section, parent: spot.parent, index: target)
        try requireMovable(handle, at: rows.lowerBound, of: source, rules: rules)
        try requireFree(gap, without: staysInSection ? rows.count : 0, rules: rules)
        try perform(
            .moveItem(
                section: index(source), rows: rows, toSection: index(spot.section), at: target,
                parent: spot.parent.map { self[$0].id }), &log)
    }
}

// MARK: - Policy

extension ListState {
    /// Refuses to move an item that its section, its own flag or its role as header keeps in place.
    private func requireMovable(
        _ handle: ItemHandle, at index: Int, of section: SectionHandle, rules: Rules
    ) throws(ModelError) {
        guard rules.isOrderBound else { return }
        let isHeader = index == 0 && keepsFirstItem(section)
        guard self[handle].isReorderable, self[section].isReorderable, !isHeader else {
            throw .notReorderable(self[handle].id)
        }
    }

    /// Refuses a place before the first item, if the section keeps its first item first.
    ///
    /// - Parameter count: Rows of the section that are about to leave it.
    private func requireFree(_ spot: Spot, without count: Int = 0, rules: Rules) throws(ModelError) {
        guard rules.isOrderBound else { return }
        guard spot.index == 0, rowCount(of: spot.section) > count, keepsFirstItem(spot.section) else { return }
        throw .notReorderable(self[row(at: 0, of: spot.section)].id)
    }
}

// MARK: - Deleting

extension ListState {
    mutating func deleteItems(_ ids: [ItemID], rules: Rules, _ log: inout TransactionLog) throws(ModelError) {
        try Self.requireDistinct(ids)
        let missing = ids.filter { !contains($0) }
        if let first = missing.first {
            guard !rules.isStrict else { throw .unknownItem(first) }
            log.warnings.append(.missingItems(missing))
        }
        for id in ids {
            // The item has gone already if the argument names one of its ancestors earlier.
            guard let handle = handle(of: id) else { continue }
            let (section, rows) = place(of: handle)
            try perform(.deleteItems(section: index(section), rows: rows), &log)
        }
    }
}
