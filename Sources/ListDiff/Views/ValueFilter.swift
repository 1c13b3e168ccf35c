public import ListModel

/// Selects items of which a value of the content is a given one.
public struct ValueFilter: Sendable, Hashable {
    /// The way to the value.
    public let path: ContentPath
    public let value: ContentValue

    public init(_ path: ContentPath, is value: ContentValue) {
        self.path = path
        self.value = value
    }

    /// Whether an item with this content is selected.
    func matches(_ content: JSONText) -> Bool { content.holds(value, at: path) }
}
