public import ListModel

/// A place in the log of a list.
public struct ListPlace: Sendable, Equatable {
    public let list: ListID
    public let place: LogPlace

    public init(_ list: ListID, _ place: LogPlace) { (self.list, self.place) = (list, place) }
}

/// The entries of a list behind a place.
public struct Tail: Sendable, Equatable {
    public let entries: [JournalEntry]
    /// The place after them.
    public let end: LogPlace

    public init(_ entries: [JournalEntry], end: LogPlace) { (self.entries, self.end) = (entries, end) }
}

extension Journal {
    public func tails(after places: [ListPlace]) throws(JournalError) -> [Tail?] {
        places.map { one in
            var entries: [JournalEntry] = []
            let end = try? load(one.list, after: one.place, snapshot: { _ in }, entry: { entries.append($0) })
            return end.map { Tail(entries, end: $0) }
        }
    }
}
