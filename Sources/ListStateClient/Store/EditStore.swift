/// An edit as it is kept until the server has answered it.
public struct StoredEdit: Sendable, Equatable, Identifiable {
    /// The place of the edit among all edits of the client.
    public let id: Int
    /// The id of the list.
    public let list: String
    /// The operations as a JSON array, in the form in which they are sent. An undo has none.
    public let operations: [UInt8]
    /// The text about the edit that history shows.
    public let label: String?
    /// Whether the views that show the edit may show it moving.
    public let isAnimated: Bool
    /// The version that the edit was made on; nil if the client knew none.
    public var base: String?
    /// The edit that this one takes back, if it is an undo of an edit without an answer.
    public let undoes: Int?
    /// The version of the transaction that this edit takes back; nil for an edit with operations, and for an undo as
    /// long as the answer to its edit is missing.
    public var undoneVersion: String?
    /// The `Client-Sequence` of the write that the edit is in; nil before it is sent. A write that may have reached the
    /// server is always sent as it is.
    public var number: Int?

    /// An edit to be kept.
    public init(
        id: Int, list: String, operations: [UInt8], label: String?, isAnimated: Bool, base: String?, undoes: Int?,
        undoneVersion: String?, number: Int?
    ) {
        (self.id, self.list, self.operations, self.label) = (id, list, operations, label)
        (self.isAnimated, self.base) = (isAnimated, base)
        (self.undoes, self.undoneVersion, self.number) = (undoes, undoneVersion, number)
    }
}

/// How the writes of a client to a list are numbered.
public struct StoredSequence: Sendable, Equatable {
    /// The name of the client, as its writes have it in `Client`.
    public var client: String
    /// The number of the next write.
    public var next: Int

    /// A sequence as it was stored.
    public init(client: String, next: Int) { (self.client, self.next) = (client, next) }
}

/// Everything that a store keeps.
public struct StoredQueue: Sendable, Equatable {
    /// The edits without an answer, in their order.
    public var edits: [StoredEdit]
    /// The sequence of each list that has had an edit.
    public var sequences: [String: StoredSequence]

    /// A queue as it was stored.
    public init(edits: [StoredEdit], sequences: [String: StoredSequence]) {
        (self.edits, self.sequences) = (edits, sequences)
    }
}

/// What a store is to take over, all of it or nothing.
public struct StoreChange: Sendable, Equatable {
    /// Edits to be kept, in the place of those with the same ids.
    public var edits: [StoredEdit]
    /// Edits to be forgotten, because they were answered. The store may have none of them.
    public var answered: [StoredEdit.ID]
    /// Sequences to be kept, in the place of those of the same lists.
    public var sequences: [String: StoredSequence]

    /// A change to be stored.
    public init(edits: [StoredEdit], answered: [StoredEdit.ID], sequences: [String: StoredSequence]) {
        (self.edits, self.answered, self.sequences) = (edits, answered, sequences)
    }
}

/// The place in which edits wait for their answers. One client has it open at a time.
public protocol EditStore: Sendable {
    /// Everything that is kept.
    ///
    /// - Throws: `EditStoreError`, if the store is of this library.
    func open() async throws -> StoredQueue

    /// Keeps a change. When this returns, the change survives whatever the store survives.
    ///
    /// - Throws: An error after which nothing of the change is kept.
    func save(_ change: StoreChange) async throws

    /// Lets another client open the store.
    func close() async
}

/// The reason why a store cannot be opened or written.
public enum EditStoreError: Error, Sendable, Equatable {
    /// Another client has it open, perhaps one of another process.
    case inUse
    /// The file is damaged, or is none of a store. The text is that of SQLite.
    case damaged(String)
    /// The disk is full, a right is missing, or something else. The text is that of SQLite or of the system.
    case failed(String)
}

/// A store in memory. What it keeps ends with the process.
public actor MemoryEditStore: EditStore {
    private var edits: [StoredEdit.ID: StoredEdit] = [:]
    private var sequences: [String: StoredSequence] = [:]

    /// An empty store.
    public init() {}

    /// What is kept.
    public func open() -> StoredQueue {
        StoredQueue(edits: edits.values.sorted { $0.id < $1.id }, sequences: sequences)
    }

    /// Keeps a change.
    public func save(_ change: StoreChange) {
        for edit in change.edits { edits[edit.id] = edit }
        for id in change.answered { edits[id] = nil }
        sequences.merge(change.sequences) { _, new in new }
    }

    /// Does nothing.
    public func close() {}
}
