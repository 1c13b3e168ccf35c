import ListModel

/// A drag of one row to another place among the roots of its section. Most reorders are such drags. They are planned
/// without a look at the rows that stay.
struct SingleMove {
    private let base: ListState
    private let view: View
    private let section: SectionHandle
    private let item: ItemHandle
    /// The offsets of the removal and of the insertion.
    private let from: Int
    private let to: Int

    /// - Returns: Nil if the wish is anything else, or cannot be carried out.
    init?(_ reorder: Reorder, base: ListState) {
        guard reorder.sections.count == 1, case .difference(let insertions, let removals) = reorder.sections[0].wanted,
            insertions.count == 1, removals.count == 1, Self.isMove(removals[0], insertions[0]),
            let section = base.handle(of: reorder.sections[0].section)
        else { return nil }
        let indexes = 0..<base.rowCount(of: section, view: reorder.view)
        (from, to) = (removals[0].offset, insertions[0].offset)
        guard from != to, indexes.contains(from), indexes.contains(to) else { return nil }
        item = base.row(at: from, of: section, view: reorder.view)
        guard base[item].id == removals[0].element else { return nil }
        self.base = base
        self.section = section
        view = reorder.view
    }

    private static func isMove(_ removal: Reorder.Change, _ insertion: Reorder.Change) -> Bool {
        removal.element == insertion.element && (removal.associatedOffset ?? insertion.offset) == insertion.offset
            && (insertion.associatedOffset ?? removal.offset) == removal.offset
    }

    /// The operation for the drag; nil unless it is certain that this row alone moves, from root to root.
    ///
    /// - Parameter head: The state now, if the client named a base.
    func operation(head: ListState?) -> Operation? {
        guard isAlone(item), !isInsteadOfUnlocked() else { return nil }
        let container = Container.section(base[section].id)
        guard let left else { return .moveItem(base[item].id, .first(container)) }
        guard isAlone(left) else { return nil }
        guard head?.contains(base[section].id) ?? true else { return .moveItem(base[item].id, .first(container)) }
        return .moveItem(base[item].id, .anchor(ItemAnchor(.after, base[left].id, guardedBy: container)))
    }

    /// The left neighbour of the dragged row at its new place.
    private var left: ItemHandle? {
        guard to > 0 else { return nil }
        return base.row(at: to > from ? to : to - 1, of: section, view: view)
    }

    /// Whether a row is a root without counted rows below it.
    private func isAlone(_ row: ItemHandle) -> Bool {
        guard base.parent(of: row) == nil else { return false }
        return base.childCount(of: row) == 0 || (view == .visible && !base[row].isExpanded)
    }

    /// Whether the neighbour that the row passes could move instead, and should, because the row is kept in place.
    private func isInsteadOfUnlocked() -> Bool {
        guard abs(from - to) == 1 || !isAlone(base.row(at: to, of: section, view: view)) else { return false }
        return isLocked(item)
    }

    private func isLocked(_ row: ItemHandle) -> Bool {
        guard base[row].isReorderable, base[section].isReorderable else { return true }
        return base.keepsFirstItem(section) && base.index(of: row) == 0
    }
}
