public import ListModel

/// Selects the items that have a given value at a path of their content.
public struct ValueFilter: Sendable, Hashable {
    /// The path to the value.
    public let path: ContentPath
    public let value: ContentValue

    public init(_ path: ContentPath, is value: ContentValue) {
        self.path = path
        self.value = value
    }

    /// Whether an item with this content is selected.
    func matches(_ content: JSONText) -> Bool { content.holds(value, at: path) }
}
