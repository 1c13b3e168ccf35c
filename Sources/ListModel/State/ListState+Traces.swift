// History finds a neighbour for an item that has left the list.

extension ListState {
    /// The item that stands in for one that has left the list.
    ///
    /// Of the rows that stood above the item when it left, this is the nearest one that this state still has. If there
    /// is none, it is the nearest one below, in the same section.
    ///
    /// - Parameter deltas: Consecutive ones that end at this state, oldest first.
    /// - Returns: Nil if no delta deleted the item, or if no item of its section is left.
    /// - Complexity: O(*d* + *c*), *d* = deltas, *c* = the changes since the item left, and the items around it that
    ///   have left too.
    public func standIn(for id: ItemID, in deltas: ArraySlice<Delta>) -> ItemID? {
        guard let handle = interned(id), let last = deltas.lastIndex(where: { $0.itemDeaths.contains(handle) }) else {
            return nil
        }
        let past = reverted(deltas[last...])
        guard let section = past.section(of: handle), let index = past.index(of: handle) else { return nil }
        let near =
            nearest(in: (0..<index).reversed(), of: section, past)
            ?? nearest(in: index + 1..<past.rowCount(of: section), of: section, past)
        return near.map { self.id(of: $0) }
    }

    private func nearest(in indexes: some Sequence<Int>, of section: SectionHandle, _ past: ListState) -> ItemHandle? {
        for index in indexes {
            let candidate = past.row(at: index, of: section)
            if self.section(of: candidate) != nil { return candidate }
        }
        return nil
    }
}
