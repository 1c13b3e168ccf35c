import ListDiff
import ListModel

/// All rows of a list, and which of them look different, in the form in which a diffable data source takes them.
///
/// A diffable data source finds by itself what has come, gone and moved. It must be told which of the rows that it shows
/// already look different.
struct ViewSnapshot {
    let sections: [(id: SectionID, items: [ItemID])]
    private(set) var reloadedSections: [SectionID] = []
    private(set) var reloadedItems: [ItemID] = []
    private(set) var reconfiguredItems: [ItemID] = []

    /// - Parameters:
    ///   - changes: The difference to what was shown; nil if everything is new.
    ///   - isShown: Whether the data source shows an item already. An item that has left a deleted section is an
    ///     insertion by the change set. The data source knows it, and would keep its old contents.
    init(
        _ sections: [(id: SectionID, items: [ItemID])], after changes: ChangeSet?, isShown: (ItemID) -> Bool
    ) {
        self.sections = sections
        guard let changes else { return }
        let (changed, items) = (changes.sections, changes.items)
        reloadedSections = changed.reloaded.map(\.section.properties.id) + changed.reconfigured.map(\.properties.id)
        let arrived = items.inserted.map(\.row.item.id) + changed.inserted.flatMap { $0.section.items.map(\.item.id) }
        reloadedItems = items.reloaded.map(\.row.item.id) + arrived.filter(isShown)
        reconfiguredItems = items.reconfigured.map(\.row.item.id)
    }
}
