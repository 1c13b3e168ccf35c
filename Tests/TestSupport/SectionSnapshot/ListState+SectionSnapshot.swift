public import ListModel

extension ListState {
    /// A copy of a section's tree and its disclosure; empty if the list has no such section.
    ///
    /// - Complexity: O(*n*), *n* = items of the section.
    ///
    /// Source: `snapshot(for:)` of `UICollectionViewDiffableDataSource` (iOS 14).
    public func sectionSnapshot(of section: SectionID) -> SectionSnapshot {
        guard let handle = handle(of: section) else { return SectionSnapshot() }
        return SectionSnapshot(
            rows(of: handle).map { row in
                SectionSnapshot.Row(
                    item: self[row].id, parent: parent(of: row).map { self[$0].id }, isExpanded: self[row].isExpanded)
            })
    }
}
