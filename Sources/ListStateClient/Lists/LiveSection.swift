import ClientState
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

    init(_ section: SectionHandle, of rows: any LocalRows) {
        let properties = rows.state[section]
        (id, self.properties) = (properties.id, properties)
        items = rows.items(of: section)
    }

    func update(_ new: SectionProperties) { if properties != new { properties = new } }

    /// Reads all rows anew.
    func reload(_ section: SectionHandle, of rows: any LocalRows) {
        update(rows.state[section])
        let new = rows.items(of: section)
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
}
