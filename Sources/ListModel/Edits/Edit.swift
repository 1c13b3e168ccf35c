/// One primitive change of a list: what operations come down to, what the log keeps, and the only way in which a
/// `ListState` changes. Structure is in index form, content by id.
///
/// Indexes are those of the state that the edit is performed on. An edit is made by the rules in
/// `ListState.apply(_:)`, which check everything; performing one decides nothing.
public enum Edit: Sendable, Equatable {
    /// A new item of a run of rows, with its level below the run's first row.
    public struct NewRow: Sendable, Equatable {
        public var item: Item
        /// 0 for the run's own roots.
        public var depth: Int

        public init(_ item: Item, depth: Int = 0) {
            self.item = item
            self.depth = depth
        }
    }

    /// The wanted rows of one section, depth first; each item is in one of the sections arranged together.
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
    /// Takes its items with it.
    case deleteSection(at: Int)
    /// `to` counts without the section.
    case moveSection(from: Int, to: Int)
    case changeSection(at: Int, SectionChanges)
    case reloadSection(at: Int)
    /// A run of whole subtrees under `parent`, a row of the same section; nil makes them roots.
    case insertItems([NewRow], section: Int, at: Int, parent: ItemID?)
    /// A run of whole subtrees.
    case deleteItems(section: Int, rows: Range<Int>)
    /// One subtree; `at` counts without it.
    case moveItem(section: Int, rows: Range<Int>, toSection: Int, at: Int, parent: ItemID?)
    /// New members of the item of this id, which stays where it is; those that are not given stay.
    case changeItem(ItemID, ItemChanges)
    case reconfigureItem(ItemID)
    case reloadItem(ItemID)
    /// The order and hierarchy of whole sections at once.
    case arrange([Arrangement])
    /// The order and hierarchy of a run of whole subtrees, from a row on; levels count from the run's first.
    case arrangeRun(Arrangement, at: Int)
    /// The order of all sections at once.
    case arrangeSections([SectionID])
}
