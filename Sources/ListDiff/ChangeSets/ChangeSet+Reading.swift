public import ListModel

// A client makes the parts of a change set from what its server has written.

extension ChangeSet.DeletedSection {
    /// - Parameter index: An index of the old list.
    public init(_ id: SectionID, at index: Int) { (self.id, self.index) = (id, index) }
}

extension ChangeSet.PlacedSection {
    /// - Parameter index: An index of the new list.
    public init(_ section: SectionRows, at index: Int) { (self.section, self.index) = (section, index) }
}

extension ChangeSet.MovedSection {
    /// - Parameters:
    ///   - source: An index of the old list.
    ///   - target: An index of the new list.
    public init(_ id: SectionID, from source: Int, to target: Int) { (self.id, from, to) = (id, source, target) }
}

extension ChangeSet.ChangedSection {
    /// - Parameter index: An index of the new list.
    public init(_ properties: SectionProperties, at index: Int) { (self.properties, self.index) = (properties, index) }
}

extension ChangeSet.DeletedItem {
    /// - Parameter path: A path of the old rows.
    public init(_ id: ItemID, at path: RowPath) { (self.id, self.path) = (id, path) }
}

extension ChangeSet.PlacedItem {
    /// - Parameter path: A path of the new rows.
    public init(_ row: ItemRow, at path: RowPath) { (self.row, self.path) = (row, path) }
}

extension ChangeSet.MovedItem {
    /// - Parameters:
    ///   - source: A path of the old rows.
    ///   - target: A path of the new rows.
    public init(_ id: ItemID, from source: RowPath, to target: RowPath) { (self.id, from, to) = (id, source, target) }
}
