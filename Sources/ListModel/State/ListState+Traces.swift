// What history tells of items that are in the list no longer.

extension ListState {
    /// The item that stands in for one that has left the list: its nearest neighbour above, when it left, that is in
    /// this state; else the nearest one below in the same section.
    ///
    /// - Parameter deltas: Consecutive ones that end at this state, oldest first.
    /// - Returns: Nil if the deltas do not tell of the item's end, or none of its section's items is left.
    /// - Complexity: O(*d* + *c*), *d* = deltas, *c* = what those since the item's end changed, and the items about it
    ///   that have left too.
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
