import ListModel

/// The wanted rows of each section of a reorder, in order, checked over all sections of the request.
struct WantedOrder {
    struct Section {
        let id: SectionID
        let handle: SectionHandle
        /// The items of the base, from this section or another.
        var rows: [ItemHandle] = []
        /// The items that the list got after the base, and how many of `rows` stand before each.
        var newcomers: [(item: ItemID, rowsBefore: Int)] = []
    }

    private(set) var sections: [Section] = []
    /// The rows that the client's differences name. These are the rows that were dragged.
    private(set) var changed: Set<ItemHandle> = []
    private(set) var warnings: [Warning] = []

    /// - Parameter head: The state now, if the client named a base.
    init(_ reorder: Reorder, base: ListState, head: ListState?) throws(ReorderError) {
        let claims = try Claims(reorder, base: base)
        var kept: [ItemID] = []
        var skipped: [ItemID] = []
        for (index, part) in reorder.sections.enumerated() {
            sections.append(Section(id: part.section, handle: claims.handles[index]))
            switch part.wanted {
            case .difference:
                guard let difference = claims.differences[index] else { continue }
                try claims.check(difference, in: base)
                sections[index].rows = difference.order.compactMap { base.handle(of: $0) }
                changed.formUnion(difference.removed.union(difference.inserted).compactMap { base.handle(of: $0) })
            case .final(let order):
                let final = FinalOrder(
                    section: part.section, view: reorder.view, claims: claims, base: base, head: head)
                for id in order {
                    switch try final.role(of: id) {
                    case .row(let handle): sections[index].rows.append(handle)
                    case .newcomer: sections[index].newcomers.append((id, sections[index].rows.count))
                    case .unknown: skipped.append(id)
                    }
                }
                kept += try final.missing(of: claims.rows[index])
            }
        }
        if !kept.isEmpty { warnings.append(.keptInPlace(kept)) }
        if !skipped.isEmpty { warnings.append(.skippedUnknown(skipped)) }
    }
}

/// The section of a request that wants each item.
struct Claims {
    /// The handles of the sections, in the order of the request.
    private(set) var handles: [SectionHandle] = []
    /// The counted rows of each section at the base.
    private(set) var rows: [[ItemHandle]] = []
    /// Nil for final orders.
    private(set) var differences: [CheckedDifference?] = []
    private var indexes: [SectionHandle: Int] = [:]
    /// For each id that a final order names or a difference inserts, the index of the section in the request.
    private var claimants: [ItemID: Int] = [:]

    init(_ reorder: Reorder, base: ListState) throws(ReorderError) {
        for (index, part) in reorder.sections.enumerated() {
            guard let handle = base.handle(of: part.section) else { throw .model(.unknownSection(part.section)) }
            guard indexes.updateValue(index, forKey: handle) == nil else {
                throw .model(.repeatedSection(part.section))
            }
            handles.append(handle)
            switch reorder.view {
            case .items: rows.append(base.rows(of: handle))
            case .visible: rows.append(base.visibleRows(of: handle))
            }
            try add(part, index, base)
        }
    }

    private mutating func add(
        _ part: Reorder.SectionOrder, _ index: Int, _ base: ListState
    ) throws(ReorderError) {
        switch part.wanted {
        case .difference(let insertions, let removals):
            let difference = try CheckedDifference(
                section: part.section, insertions: insertions, removals: removals,
                rows: rows[index].map { base[$0].id })
            for (position, insertion) in insertions.enumerated() {
                guard let other = claimants.updateValue(index, forKey: insertion.element) else { continue }
                guard differences[other] != nil else { throw .repeatedItem(insertion.element) }
                throw difference.fault(.insertion(position), .repeatedItem)
            }
            differences.append(difference)
        case .final(let order):
            for id in order {
                guard claimants.updateValue(index, forKey: id) == nil else { throw .repeatedItem(id) }
            }
            differences.append(nil)
        }
    }

    /// The section of the request that wants the item.
    func claimant(of id: ItemID) -> SectionHandle? { claimants[id].map { handles[$0] } }

    /// Whether the section that holds an item at the base is in the request and lets it go.
    func letsGo(_ item: ItemHandle, of base: ListState) -> Bool {
        guard let section = base.section(of: item), let index = indexes[section] else { return false }
        guard let difference = differences[index] else { return true }
        return difference.removed.contains(base[item].id)
    }

    /// Whether a difference of the request lists the item's present section and keeps it there.
    func holds(_ item: ItemHandle, of base: ListState) -> Bool {
        guard let section = base.section(of: item), let index = indexes[section] else { return false }
        guard let difference = differences[index] else { return false }
        return !difference.removed.contains(base[item].id)
    }

    /// Checks that each item which a difference removes arrives in a section of the request, and that each item which
    /// it inserts leaves one.
    func check(_ difference: CheckedDifference, in base: ListState) throws(ReorderError) {
        for (index, removal) in difference.removals.enumerated() where claimant(of: removal.element) == nil {
            throw difference.fault(.removal(index), .doesNotArrive)
        }
        for (index, insertion) in difference.insertions.enumerated()
        where !difference.removed.contains(insertion.element) {
            guard let item = base.handle(of: insertion.element) else {
                throw difference.fault(.insertion(index), .unknownItem)
            }
            guard letsGo(item, of: base) else { throw difference.fault(.insertion(index), .doesNotLeave) }
        }
    }
}
