public import ListModel
public import Texts

/// The choice of rows that a client asks for (docs/contract.md section 8).
///
/// The other members narrow or order the rows of `view`. All of them apply together.
public struct RowQuery: Sendable, Hashable {
    /// The view whose rows the other members narrow or order. It is applied first.
    public var view: View
    /// A viewer's own disclosure: exactly these items are taken as expanded. Nil takes the flag of each item. Ids that
    /// the list does not have are ignored. The disclosure is used only with the view `visible`.
    public var expanded: NamedIDs<ItemNamespace>?
    /// The sections whose rows are shown; nil for all. A section that the list does not have is no error, because it
    /// may come later.
    public var sections: NamedIDs<SectionNamespace>?
    public var filter: TextFilter?
    /// Whether only starred items are selected, or only items without a star; nil for both.
    public var isStarred: Bool?
    /// The kind of the selected items; nil for all kinds.
    public var kind: ByteText?
    /// The filters of values. Only items that match all of them are selected.
    public var values: [ValueFilter] = []
    /// The order within each section, without regard to parents.
    public var sort: SortOrder?
    /// The window is applied last.
    public var window: Window?

    /// All rows of a view.
    public init(_ view: View = .items) { self.view = view }

    /// Whether the query asks for all rows of the view, in their order.
    public var isWhole: Bool { expanded == nil && sections == nil && !selects && sort == nil && window == nil }

    /// Whether an item may be a row although its parent is none.
    var losesParents: Bool { selects || sort != nil && window != nil }

    /// Whether the query selects items by their content, kind or star.
    var selects: Bool { filter != nil || isStarred != nil || kind != nil || !values.isEmpty }

    /// Whether the query selects an item of the list. The place of the item does not matter.
    func selects(_ item: ItemHandle, of state: ListState) -> Bool {
        if let isStarred, state.marks(of: item).isStarred != isStarred { return false }
        if let kind, state.kind(of: item) != kind { return false }
        guard filter != nil || !values.isEmpty else { return true }
        let content = state.content(of: item)
        return values.allSatisfy { $0.matches(content) } && filter?.matches(content) ?? true
    }
}

/// A sort within each section: numbers come first, then strings by code point, then items with neither. Ties stay in
/// list order.
public struct SortOrder: Sendable, Hashable {
    /// The value to sort by, in the content.
    public var path: ContentPath
    /// Whether numbers and strings are sorted in reverse, each among themselves.
    public var isDescending: Bool

    public init(_ path: ContentPath, isDescending: Bool = false) {
        self.path = path
        self.isDescending = isDescending
    }
}

/// The rows around one row, counted across all sections.
public struct Window: Sendable, Hashable {
    /// The row that a window surrounds.
    public enum Middle: Sendable, Hashable {
        /// The row of an item. If the item is hidden, its nearest visible ancestor takes its place. If the query does
        /// not select that, the next row above it in its section does.
        case item(ItemID)
        /// The row of this number among those of the view, from 0 on; the last one if there are fewer rows.
        case row(Int)
    }

    public var middle: Middle
    /// How many rows above the middle one, and how many below; fewer at the ends.
    public var before: Int
    public var after: Int

    public init(around middle: Middle, before: Int, after: Int) {
        self.middle = middle
        self.before = before
        self.after = after
    }

    public init(around anchor: ItemID, before: Int, after: Int) {
        self.init(around: .item(anchor), before: before, after: after)
    }

    /// The item whose row the window surrounds; nil if the row is named by its number.
    public var anchor: ItemID? {
        switch middle {
        case .item(let item): item
        case .row: nil
        }
    }
}

/// The place of a window among the rows of its view, counted across all sections.
public struct WindowPlace: Sendable, Equatable {
    /// The number of rows before the window's first.
    public var start: Int
    /// How many rows the view has without the window.
    public var total: Int

    public init(start: Int, total: Int) { (self.start, self.total) = (start, total) }
}
