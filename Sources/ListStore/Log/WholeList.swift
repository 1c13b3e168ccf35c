public import ListModel

/// Everything that a journal has of the present life of a list, as one journal hands it to another.
public struct WholeList: Sendable, Equatable {
    public let list: ListID
    /// The number of entries that the snapshot stands for; 0 if there is no snapshot.
    public private(set) var covered = 0
    /// The chunks of the snapshot, in their order.
    public private(set) var chunks: [[UInt8]] = []
    /// The entries that the snapshot does not stand for, without their receipts. They are in the order in which they
    /// were written.
    public var entries: [JournalEntry] = []
    /// The part of the list in the holding of its creator; nil if it has none. A journal that is not shared finds it in
    /// what it was given.
    public var holding: ListHolding?

    public init(_ list: ListID) { self.list = list }

    /// Adds the next part of the snapshot.
    public mutating func add(_ part: SnapshotPart) {
        covered = part.position
        chunks += part.chunks
    }

    /// Adds the next entry.
    public mutating func add(_ entry: JournalEntry) { entries.append(entry) }

    /// The number of entries of the life.
    public var position: Int { covered + entries.count }

    /// The number of bytes of the chunks and of the records.
    public var byteCount: Int {
        chunks.reduce(0) { $0 + $1.count } + entries.reduce(0) { $0 + $1.bytes.count }
    }
}

/// A journal that takes over lists of another one.
public protocol TakesWholeLists: Journal {
    /// Writes lists as another journal has them. Each entry keeps its position in the life of its list, and the life gets
    /// a number of this journal.
    ///
    /// Blocks until the disk has all that is written. A list is written whole or not at all. It has moved if there is a
    /// list of its id, deleted or not. The outcome of one list says nothing of the others.
    ///
    /// - Parameter lists: Each has an entry or a snapshot.
    /// - Returns: The outcome of each list, in their order.
    /// - Throws: As `commit`.
    func write(_ lists: [WholeList]) throws(JournalError) -> [CommitOutcome]
}
