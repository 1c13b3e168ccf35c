/// One primitive change of a list. Operations become edits, the log keeps edits, and a `ListState` changes only by
/// edits. An edit names places by index and contents by id.
///
/// Indexes are those of the state on which the edit is performed. The rules in `ListState.apply(_:)` check everything
/// and make the edits; to perform one decides nothing.
public enum Edit: Sendable, Equatable {
    /// A new item in a run of rows, with its level relative to the first row of the run.
    public struct NewRow: Sendable, Equatable {
        public var item: Item
        /// The number of ancestors in the run. It is 0 for the run's own roots.
        public var depth: Int

        public init(_ item: Item, depth: Int = 0) {
            self.item = item
            self.depth = depth
        }
    }

    /// The wanted rows of one section, depth first. Each item comes from one of the sections that are arranged
    /// together.
    public struct Arrangement: Sendable, Equatable {
        public var section: Int
        public var rows: [(item: ItemID, level: Int)]

        public init(section: Int, rows: [(item: ItemID, level: Int)]) {
            self.section = section
            self.rows = rows
        }

        public static func == (left: Self, right: Self) -> Bool {
            left.section == right.section && left.rows.elementsEqual(right.rows, by: ==)
        }
    }

    case changeList(ListChanges)
    case insertSection(SectionProperties, at: Int)
    /// Deletes the items of the section too.
    case deleteSection(at: Int)
    /// `to` is an index among the other sections.
    case moveSection(from: Int, to: Int)
    case changeSection(at: Int, SectionChanges)
    case reloadSection(at: Int)
    /// A run of whole subtrees under `parent`, a row of the same section; nil makes them roots.
    case insertItems([NewRow], section: Int, at: Int, parent: ItemID?)
    /// A run of whole subtrees.
    case deleteItems(section: Int, rows: Range<Int>)
    /// One subtree; `at` is an index among the rows without it.
    case moveItem(section: Int, rows: Range<Int>, toSection: Int, at: Int, parent: ItemID?)
    /// New members of the item of this id, which stays at its place. Members that are not given stay.
    case changeItem(ItemID, ItemChanges)
    case reconfigureItem(ItemID)
    case reloadItem(ItemID)
    /// The order and hierarchy of whole sections at once.
    case arrange([Arrangement])
    /// The order and hierarchy of a run of whole subtrees from a row on. Levels are relative to the first row.
    case arrangeRun(Arrangement, at: Int)
    /// The order of all sections at once.
    case arrangeSections([SectionID])
}
