public import ListModel

/// A summary of a list, as the journal keeps it, so that a page of lists can be shown without reading the lists.
public struct StoredSummary: Sendable, Equatable {
    public var list: ListID
    /// The number of entries of the list's present life that the summary stands for.
    public var position: Int
    /// The summary. The journal does not read it.
    public var bytes: [UInt8]

    public init(list: ListID, position: Int, bytes: [UInt8]) {
        self.list = list
        self.position = position
        self.bytes = bytes
    }
}
