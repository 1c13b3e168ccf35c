/// The numbers of a whole list, which are the same in every view.
public struct ListCounts: Sendable, Equatable {
    public var sections: Int
    public var items: Int
    /// The items whose ancestors are all expanded.
    public var visibleItems: Int

    public init(sections: Int, items: Int, visibleItems: Int) {
        self.sections = sections
        self.items = items
        self.visibleItems = visibleItems
    }
}
