import ListDiff
public import ListModel
public import Observation

/// One section of a list, with the ids of its shown rows.
@MainActor @Observable public final class LiveSection: Identifiable {
    /// The id of the section.
    public nonisolated let id: SectionID
    /// The title, the layout, the header and the footer.
    public private(set) var properties: SectionProperties
    /// The items whose rows are shown, in order.
    public private(set) var items: [ItemID]

    init(_ section: SectionHandle, of state: ListState) {
        id = state[section].id
        properties = state[section]
        items = Self.items(of: section, state)
    }

    func update(_ new: SectionProperties) { if properties != new { properties = new } }

    /// Reads all rows anew.
    func reload(_ section: SectionHandle, of state: ListState) {
        update(state[section])
        let new = Self.items(of: section, state)
        if items != new { items = new }
    }

    /// Takes rows out, by their old indexes in any order, and puts rows in, by their new indexes.
    func replace(_ leaving: [Int], by coming: [(index: Int, item: ItemID)]) {
        guard !leaving.isEmpty || !coming.isEmpty else { return }
        var new = items
        for index in leaving.sorted(by: >) { new.remove(at: index) }
        for (index, item) in coming.sorted(by: { $0.index < $1.index }) { new.insert(item, at: index) }
        items = new
    }

    private static func items(of section: SectionHandle, _ state: ListState) -> [ItemID] {
        state.visibleRows(of: section).map { state.id(of: $0) }
    }
}
