public import ListModel

/// A summary of a list, as the journal keeps it, so that a page of lists can be shown without reading the lists.
public struct StoredSummary: Sendable, Equatable {
    public var list: ListID
    /// The place up to which the summary stands for the entries of the list.
    public var place: LogPlace
    /// The summary. The journal does not read it.
    public var bytes: [UInt8]

    public init(list: ListID, place: LogPlace, bytes: [UInt8]) {
        self.list = list
        self.place = place
        self.bytes = bytes
    }
}
