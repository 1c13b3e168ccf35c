import ListModel

// Places for items whose anchor has moved or gone.

extension Rebase {
    /// A place in the head instead of a lost one, or the reason why there is none.
    private enum Place {
        case anchor(ItemAnchor)
        case first(Container)
        case gone(Outcome.Reason)
    }

    mutating func insert(_ items: [NewItem], near anchor: ItemAnchor, on head: ListState) -> Resolution {
        guard isLost(anchor, on: head) else {
            let (now, known) = containers(around: anchor.item, on: head)
            return placing(items, under: now, known: known, on: head) { [.insertItems($0, anchor)] }
        }
        switch substitute(for: anchor, without: Set(items.map(\.id)), on: head) {
        case .gone(.anchorDeleted) where head.sectionCount > 0:
            return placing(items, under: nil, on: head) { [.appendItems($0, nil)] }.adjusted
        case .gone(let reason):
            return drop(items, reason)
        case .anchor(let left):
            let container = Self.container(around: left.item, in: head)
            return placing(items, under: container, on: head) { [.insertItems($0, left)] }.adjusted
        case .first(let container):
            return placing(items, under: container, on: head) { Self.prepending($0, to: container) }.adjusted
        }
    }

    mutating func move(_ id: ItemID, to destination: Destination, on head: ListState) -> Resolution {
        guard !isLost(id, on: head) else { return .dropped(.itemDeleted) }
        switch destination {
        case .first(let container), .last(let container):
            if let reason = lost(container, on: head) { return .dropped(reason) }
            return moving(id, to: destination, under: container, on: head)
        case .anchor(let anchor):
            guard isLost(anchor, on: head) else {
                let (now, known) = containers(around: anchor.item, on: head)
                return moving(id, to: destination, under: now, known: known, on: head)
            }
            switch substitute(for: anchor, without: [id], on: head) {
            case .gone(let reason):
                return .dropped(reason)
            case .anchor(let left):
                let container = Self.container(around: left.item, in: head)
                return moving(id, to: .anchor(left), under: container, on: head).adjusted
            case .first(let container):
                return moving(id, to: .first(container), under: container, on: head).adjusted
            }
        }
    }

    /// - Parameter known: As for `placing`.
    private func moving(
        _ id: ItemID, to destination: Destination, under container: Container?, known: Container? = nil,
        on head: ListState
    ) -> Resolution {
        guard !formsCycle(id, under: container, known: known, on: head) else { return .dropped(.cycle) }
        return Resolution([.moveItem(id, destination)])
    }

    /// Places the items that can be placed. It leaves out bare ids that are lost, items that the argument puts below
    /// those, and items that others have moved above the container since.
    ///
    /// - Parameter known: The container at the base, where the client saw the place; nil if it is `container`.
    mutating func placing(
        _ items: [NewItem], under container: Container?, known: Container? = nil, on head: ListState,
        _ operations: ([NewItem]) -> [Operation]
    ) -> Resolution {
        var left: [NewItem] = []
        var dropped: [ItemID] = []
        var out: Set<ItemID> = []
        var reason = Outcome.Reason.itemDeleted
        for item in items {
            let isGone = item.value == nil && isLost(item.id, on: head)
            let isBelowGone = item.parent.map(out.contains) ?? false
            let isCycle = formsCycle(item.id, under: container, known: known, on: head)
            guard isGone || isBelowGone || isCycle else {
                left.append(item)
                continue
            }
            if isCycle { reason = .cycle }
            out.insert(item.id)
            dropped.append(item.id)
            if !base.contains(item.id) { _ = drop([item], reason) }
        }
        guard !dropped.isEmpty else { return Resolution(operations(items)) }
        guard !left.isEmpty else { return .dropped(reason) }
        return Resolution(operations(left), .partial(dropped, reason))
    }

    /// Inserts at the start of a container: new items are made at its end and moved.
    private static func prepending(_ items: [NewItem], to container: Container) -> [Operation] {
        let roots = items.filter { $0.parent == nil }.map(\.id)
        return [.appendItems(items, container)] + roots.reversed().map { .moveItem($0, .first(container)) }
    }
}

// MARK: - Anchors

extension Rebase {
    /// Whether an anchor has gone since the base, or has left the container that guards it.
    private func isLost(_ anchor: ItemAnchor, on head: ListState) -> Bool {
        guard !isLost(anchor.item, on: head) else { return true }
        guard let container = anchor.guardedBy, base.contains(anchor.item), head.contains(anchor.item) else {
            return false
        }
        let wasHeld = isReapplied || holds(container, around: anchor.item, in: base)
        return wasHeld && !holds(container, around: anchor.item, in: head)
    }

    private func holds(_ container: Container, around item: ItemID, in state: ListState) -> Bool {
        guard let handle = state.handle(of: item) else { return false }
        switch container {
        case .section(let id): return state.section(of: handle).map { state[$0].id } == id
        case .parent(let id): return state.parent(of: handle).map { state[$0].id } == id
        }
    }

    /// The parent of an item; for a root its section.
    private static func container(around item: ItemID, in state: ListState) -> Container? {
        guard let handle = state.handle(of: item), let section = state.section(of: handle) else { return nil }
        if let parent = state.parent(of: handle) { return .parent(state[parent].id) }
        return .section(state[section].id)
    }

    /// The containers of an anchor in the head and at the base; the latter is nil if the base does not have the anchor.
    private func containers(around item: ItemID, on head: ListState) -> (now: Container?, known: Container?) {
        (Self.container(around: item, in: head), Self.container(around: item, in: base))
    }

    /// The place behind the nearest left sibling that the anchor had at the base and that is still there; else the
    /// first place in the same container. If the base is not known, the container is the one that guards the anchor, and
    /// the reason is `anchorDeleted` if there is none.
    private mutating func substitute(for anchor: ItemAnchor, without placed: Set<ItemID>, on head: ListState) -> Place {
        let known = isReapplied ? anchor.guardedBy : Self.container(around: anchor.item, in: base)
        guard let container = known else { return .gone(isReapplied ? .anchorDeleted : .itemDeleted) }
        let left = nearestLeftSibling(of: anchor.item) { base, sibling in
            guard Self.container(around: base.id(of: sibling), in: head) == container else { return .isGone }
            return placed.contains(base.id(of: sibling)) ? .isPassedOver : .fits
        }
        if let left { return .anchor(ItemAnchor(.after, left)) }
        switch container {
        case .section(let id): return head.contains(id) ? .first(container) : .gone(.sectionDeleted)
        case .parent(let id): return head.contains(id) ? .first(container) : .gone(.parentDeleted)
        }
    }

    /// The nearest left sibling that an item had at the base and that fits.
    ///
    /// Most often a near row fits, so a few are looked at before all siblings are listed.
    private mutating func nearestLeftSibling(
        of id: ItemID, where find: (ListState, ItemHandle) -> Standing.Finding
    ) -> ItemID? {
        let base = base
        guard let item = base.handle(of: id), let section = base.section(of: item) else { return nil }
        let key = SiblingsKey(section: section, parent: base.parent(of: item))
        if siblings[key] == nil {
            switch base.lookLeft(of: item, under: key, { find(base, $0) }) {
            case .found(let left): return left.map { base.id(of: $0) }
            case .isFar: siblings[key] = BaseSiblings(base.siblings(under: key))
            }
        }
        return siblings[key]?.last(before: item) { find(base, $0) }.map { base.id(of: $0) }
    }

    /// Whether the container is in the item's own subtree, and the client could not know this.
    ///
    /// - Parameter known: The container at the base, where the client saw the place; nil if it is `container`.
    private func formsCycle(
        _ item: ItemID, under container: Container?, known: Container? = nil, on head: ListState
    ) -> Bool {
        guard isWithin(container, subtreeOf: item, in: head) else { return false }
        return hasActed || isReapplied || !isWithin(known ?? container, subtreeOf: item, in: base)
    }

    private func isWithin(_ container: Container?, subtreeOf ancestor: ItemID, in state: ListState) -> Bool {
        switch container {
        case .parent(let parent):
            guard let parent = state.handle(of: parent), let ancestor = state.handle(of: ancestor) else { return false }
            return state.isWithin(parent, subtreeOf: ancestor)
        case .section, nil:
            return false
        }
    }
}

extension ListState {
    fileprivate enum Look {
        case found(ItemHandle?)
        /// The nearest rows do not decide, and there are more.
        case isFar
    }

    private static let fewMax = 32

    /// Looks for a sibling that fits among the rows just before an item.
    fileprivate func lookLeft(
        of item: ItemHandle, under key: Rebase.SiblingsKey, _ find: (ItemHandle) -> Standing.Finding
    ) -> Look {
        guard let end = index(of: item) else { return .found(nil) }
        for row in rows(max(end - Self.fewMax, 0)..<end, of: key.section).reversed() {
            guard row != key.parent else { return .found(nil) }
            if parent(of: row) == key.parent, find(row) == .fits { return .found(row) }
        }
        return end > Self.fewMax ? .isFar : .found(nil)
    }

    /// - Complexity: O(*c* log *n*), *c* = the siblings.
    fileprivate func siblings(under key: Rebase.SiblingsKey) -> [ItemHandle] {
        key.parent.map { children(of: $0) } ?? roots(of: key.section)
    }
}
