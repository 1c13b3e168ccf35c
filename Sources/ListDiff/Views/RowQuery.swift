public import ListModel
public import Texts

/// What a client asks to see of a list (docs/contract.md section 8).
///
/// Members narrow or order what `view` gives; all of them hold at once.
public struct RowQuery: Sendable, Hashable {
    /// Applied first.
    public var view: View
    /// A viewer's own disclosure: as if exactly these were expanded. Nil takes each item's own. Ids that the list does
    /// not have mean nothing. Only with the view `visible`.
    public var expanded: NamedIDs<ItemNamespace>?
    /// Only these sections; those that the list does not have are no error, since they may come.
    public var sections: NamedIDs<SectionNamespace>?
    public var filter: TextFilter?
    /// Only items that are starred, or only those that are not.
    public var isStarred: Bool?
    /// Only items of this kind.
    public var kind: ByteText?
    /// Only items for which all of these hold.
    public var values: [ValueFilter] = []
    /// Within each section, flat.
    public var sort: SortOrder?
    /// Applied last.
    public var window: Window?

    /// All rows of a view.
    public init(_ view: View = .items) { self.view = view }

    /// Whether the view's rows are all that it asks for.
    public var isWhole: Bool { expanded == nil && sections == nil && !selects && sort == nil && window == nil }

    /// Whether an item may be a row where its parent is none.
    var losesParents: Bool { selects || sort != nil && window != nil }

    /// Whether it asks for items by what they are.
    var selects: Bool { filter != nil || isStarred != nil || kind != nil || !values.isEmpty }

    /// Whether it asks for an item of the list by what that is, wherever it stands.
    func selects(_ item: ItemHandle, of state: ListState) -> Bool {
        if let isStarred, state.marks(of: item).isStarred != isStarred { return false }
        if let kind, state.kind(of: item) != kind { return false }
        guard filter != nil || !values.isEmpty else { return true }
        let content = state.content(of: item)
        return values.allSatisfy { $0.matches(content) } && filter?.matches(content) ?? true
    }
}

/// Within a section: numbers, then strings by code point, then items without either; ties in list order.
public struct SortOrder: Sendable, Hashable {
    /// The value to sort by, in the content.
    public var path: ContentPath
    /// Whether numbers and strings come the other way round, each among themselves.
    public var isDescending: Bool

    public init(_ path: ContentPath, isDescending: Bool = false) {
        self.path = path
        self.isDescending = isDescending
    }
}

/// Some rows around one, counted through the list.
public struct Window: Sendable, Hashable {
    /// The item around whose row they are; where it is hidden, its nearest ancestor that is not, and where that is not
    /// asked for, the row next above it in its section.
    public var anchor: ItemID
    /// How many rows above the anchor's, and how many below; fewer at the ends.
    public var before: Int
    public var after: Int

    public init(around anchor: ItemID, before: Int, after: Int) {
        self.anchor = anchor
        self.before = before
        self.after = after
    }
}

/// Where a window is among the rows of its view, counted through the list.
public struct WindowPlace: Sendable, Equatable {
    /// The number of rows before the window's first.
    public var start: Int
    /// How many rows the view has without the window.
    public var total: Int
}
