public import ListDiff
public import ListModel

/// The least that a change set between two states must name, found slowly and simply.
public struct SlowDiff {
    public var deletedSections: Set<SectionID>
    public var insertedSections: Set<SectionID>
    public var sectionMoves: Int
    public var deletedItems: Set<ItemID>
    public var insertedItems: Set<ItemID>
    /// The moves between sections, and the fewest moves within each section.
    public var itemMoves: Int
    /// The rows that are in both states, in sections that are in both.
    public var keptItems: Set<ItemID> = []
    /// The kept rows that differ.
    public var changedItems: Set<ItemID>
    /// The kept rows whose kind differs; of a change set, the rows that are reloaded.
    public var rekindledItems: Set<ItemID>

    public init(from old: Rows, to new: Rows, view: View) {
        let oldIDs = old.sections.map(\.properties.id)
        let newIDs = new.sections.map(\.properties.id)
        deletedSections = Set(oldIDs).subtracting(newIDs)
        insertedSections = Set(newIDs).subtracting(oldIDs)
        sectionMoves = fewestMoves(oldIDs, newIDs)
        let oldPlaces = places(old, without: deletedSections)
        let newPlaces = places(new, without: insertedSections)
        deletedItems = Set(oldPlaces.keys).subtracting(newPlaces.keys)
        insertedItems = Set(newPlaces.keys).subtracting(oldPlaces.keys)
        let kept = Set(oldPlaces.keys).intersection(newPlaces.keys)
        keptItems = kept
        itemMoves = kept.count { oldPlaces[$0]?.section != newPlaces[$0]?.section }
        for section in new.sections {
            guard let before = old.sections.first(where: { $0.properties.id == section.properties.id }) else {
                continue
            }
            itemMoves += fewestMoves(before.items.map(\.item.id), section.items.map(\.item.id))
        }
        changedItems = kept.filter { id in
            guard let before = oldPlaces[id]?.row, let after = newPlaces[id]?.row else { return false }
            return view == .visible ? before != after : before.item != after.item || before.parent != after.parent
        }
        rekindledItems = kept.filter { oldPlaces[$0]?.row.item.kind != newPlaces[$0]?.row.item.kind }
    }

    /// The changes that a change set names. A change set does not name the rows that it keeps.
    public init(_ change: ChangeSet) {
        deletedSections = Set(change.sections.deleted.map(\.id))
        insertedSections = Set(change.sections.inserted.map(\.section.properties.id))
        sectionMoves = change.sections.moved.count
        deletedItems = Set(change.items.deleted.map(\.id))
        insertedItems = Set(change.items.inserted.map(\.row.item.id))
        itemMoves = change.items.moved.count
        rekindledItems = Set(change.items.reloaded.map(\.row.item.id))
        changedItems = rekindledItems.union(change.items.reconfigured.map(\.row.item.id))
    }
}

private func places(
    _ rows: Rows, without sections: Set<SectionID>
) -> [ItemID: (section: SectionID, row: ItemRow)] {
    var places: [ItemID: (section: SectionID, row: ItemRow)] = [:]
    for section in rows.sections where !sections.contains(section.properties.id) {
        for row in section.items { places[row.item.id] = (section.properties.id, row) }
    }
    return places
}

/// The number of common elements that are not in a longest increasing subsequence, in quadratic time.
public func fewestMoves<Element: Hashable>(_ old: [Element], _ new: [Element]) -> Int {
    let positions = new.compactMap { old.firstIndex(of: $0) }
    var longest: [Int] = []
    for (index, position) in positions.enumerated() {
        let before = (0..<index).filter { positions[$0] < position }.map { longest[$0] }
        longest.append((before.max() ?? 0) + 1)
    }
    return positions.count - (longest.max() ?? 0)
}
