import ListModel

/// Explains the ids of one section's final order, and the rows that the order leaves out.
///
/// An example: section A has the rows a b c at the base, and others have added x to it since.
///
///     c x a b     allowed: x came after the base, so it is a newcomer
///     c b a       allowed: the client did not know x
///     c a         refused: b is missing, and the head still has it; allowed if others have deleted b
///     c b a q     refused: neither the base nor section A of the head has q
///     c b a y     y is in section B at the base: allowed if B is in the request too and gives y up, or if the head
///                 has y in A
///
/// A client that names no base is not refused for b or q: b is kept in place and q is skipped, with a warning for each.
struct FinalOrder {
    enum Role {
        /// An item of the base, from this section or moved into it.
        case row(ItemHandle)
        /// An item that came into the section after the base.
        case newcomer
        /// An unknown item, which is skipped.
        case unknown
    }

    let section: SectionID
    let view: View
    let claims: Claims
    let base: ListState
    /// Nil if the client named no base. Then unknown and missing rows are no error.
    let head: ListState?

    func role(of id: ItemID) throws(ReorderError) -> Role {
        guard let item = base.handle(of: id) else {
            guard head != nil else { return .unknown }
            guard headHoldsHere(id) else { throw .invalidFinal(section: section, item: id, reason: .unknownItem) }
            return .newcomer
        }
        guard base.section(of: item) != base.handle(of: section) else { return .row(item) }
        let isFree = head == nil ? !claims.holds(item, of: base) : claims.letsGo(item, of: base) || headHoldsHere(id)
        guard isFree else { throw .invalidFinal(section: section, item: id, reason: .inAnotherSection) }
        return .row(item)
    }

    /// The ids of the rows that no section of the request names; empty if the client named a base.
    ///
    /// - Throws: `.invalidFinal` if the client named a base: for the first of these rows that the head still shows and
    ///   that does not leave with an ancestor.
    func missing(of rows: [ItemHandle]) throws(ReorderError) -> [ItemID] {
        let unnamed = unnamed(of: rows)
        guard !unnamed.isEmpty, let head else { return unnamed.map { base[$0.row].id } }
        let shown = shownRows(of: head)
        for (row, leaves) in unnamed where !leaves {
            guard let now = head.handle(of: base[row].id), shown.contains(now) else { continue }
            throw .invalidFinal(section: section, item: base[row].id, reason: .missing)
        }
        return []
    }

    /// The rows that no section names, and whether each leaves with an ancestor that another section names.
    private func unnamed(of rows: [ItemHandle]) -> [(row: ItemHandle, leaves: Bool)] {
        var unnamed: [(row: ItemHandle, leaves: Bool)] = []
        var leavingLevel = Int.max
        for row in rows {
            let level = base.level(of: row)
            if level <= leavingLevel { leavingLevel = Int.max }
            guard let claimant = claims.claimant(of: base[row].id) else {
                unnamed.append((row, level > leavingLevel))
                continue
            }
            if claimant != base.section(of: row), leavingLevel == Int.max { leavingLevel = level }
        }
        return unnamed
    }

    /// The rows of the section in the head, as the view counts them.
    private func shownRows(of head: ListState) -> Set<ItemHandle> {
        guard let handle = head.handle(of: section) else { return [] }
        switch view {
        case .items: return Set(head.rows(of: handle))
        case .visible: return Set(head.visibleRows(of: handle))
        }
    }

    private func headHoldsHere(_ id: ItemID) -> Bool {
        guard let head, let item = head.handle(of: id), let holder = head.section(of: item) else { return false }
        return head[holder].id == section
    }
}
