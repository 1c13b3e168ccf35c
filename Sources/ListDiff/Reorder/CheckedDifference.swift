import ListModel

/// The difference of one section, after all checks that need no other section.
///
/// An example: the section has the rows a b c d. To remove b at 1 and insert b at 2 gives the order a c b d: the result
/// has four slots, b takes slot 2, and the rows that stay, a c d, fill the other slots in order. These are refused:
///
///     remove c at 1                  the row at 1 is b
///     remove e at 4                  there is no row at 4
///     insert d at 0                  d is in the section already and is not removed
///     remove b at 1, as moved to 3   there is no insertion at 3
///
/// `CollectionDifference.applying(_:)` is not used: it compares no elements, and an offset of `Int.max` makes it trap.
struct CheckedDifference {
    let section: SectionID
    let insertions: [Reorder.Change]
    let removals: [Reorder.Change]
    /// The removed ids, with those that are inserted again in this section.
    private(set) var removed: Set<ItemID> = []
    private(set) var inserted: Set<ItemID> = []
    /// The rows after the difference.
    private(set) var order: [ItemID] = []

    /// - Parameter rows: The counted rows of the section at the base.
    init(
        section: SectionID, insertions: [Reorder.Change], removals: [Reorder.Change], rows: [ItemID]
    ) throws(ReorderError) {
        self.section = section
        self.insertions = insertions
        self.removals = removals
        var isRemoved = Array(repeating: false, count: rows.count)
        for (index, removal) in removals.enumerated() {
            guard rows.indices.contains(removal.offset) else { throw fault(.removal(index), .offsetOutOfRange) }
            guard !isRemoved[removal.offset] else { throw fault(.removal(index), .repeatedOffset) }
            guard rows[removal.offset] == removal.element else { throw fault(.removal(index), .otherElement) }
            isRemoved[removal.offset] = true
            removed.insert(removal.element)
        }
        // The count cannot be negative, because the removals are distinct and in range.
        var slots = [ItemID?](repeating: nil, count: rows.count - removals.count + insertions.count)
        for (index, insertion) in insertions.enumerated() {
            guard slots.indices.contains(insertion.offset) else { throw fault(.insertion(index), .offsetOutOfRange) }
            guard slots[insertion.offset] == nil else { throw fault(.insertion(index), .repeatedOffset) }
            guard inserted.insert(insertion.element).inserted else { throw fault(.insertion(index), .repeatedItem) }
            slots[insertion.offset] = insertion.element
        }
        try checkAssociations()
        try checkRepeats(rows)
        var staying = zip(rows, isRemoved).lazy.filter { !$0.1 }.map(\.0).makeIterator()
        order = slots.compactMap { $0 ?? staying.next() }
    }

    func fault(_ change: ReorderError.ChangeIndex, _ reason: ReorderError.DifferenceFault) -> ReorderError {
        .invalidDifference(section: section, change: change, reason: reason)
    }

    private func checkAssociations() throws(ReorderError) {
        if let index = Self.firstBroken(removals, to: insertions) { throw fault(.removal(index), .brokenAssociation) }
        if let index = Self.firstBroken(insertions, to: removals) { throw fault(.insertion(index), .brokenAssociation) }
    }

    /// The first change whose partner is missing, of another item, or associated with something else.
    private static func firstBroken(_ changes: [Reorder.Change], to partners: [Reorder.Change]) -> Int? {
        guard changes.contains(where: { $0.associatedOffset != nil }) else { return nil }
        let byOffset = Dictionary(partners.map { ($0.offset, $0) }, uniquingKeysWith: { first, _ in first })
        return changes.firstIndex { change in
            guard let offset = change.associatedOffset else { return false }
            guard let partner = byOffset[offset], partner.element == change.element else { return true }
            return partner.associatedOffset.map { $0 != change.offset } ?? false
        }
    }

    private func checkRepeats(_ rows: [ItemID]) throws(ReorderError) {
        guard !inserted.isEmpty else { return }
        let before = Set(rows)
        for (index, insertion) in insertions.enumerated()
        where before.contains(insertion.element) && !removed.contains(insertion.element) {
            throw fault(.insertion(index), .repeatedItem)
        }
    }
}
