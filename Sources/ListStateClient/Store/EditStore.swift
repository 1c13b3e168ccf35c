/// An edit as it is kept until the server has answered it.
public struct StoredEdit: Sendable, Equatable, Identifiable {
    /// The place of the edit among all edits of the client.
    public let id: Int
    /// The id of the list.
    public let list: String
    /// The `Client-Sequence` of the edit in its list.
    public var number: Int
    /// The operations as a JSON array, in the form in which they are sent.
    public let operations: [UInt8]
    /// The text about the edit that history shows.
    public let label: String?
    /// The version that the edit was made on; nil if the client knew none.
    public var base: String?
    /// Whether the edit may have reached the server. From then on it is always sent as it is.
    public var isSent: Bool

    /// An edit to be kept.
    public init(
        id: Int, list: String, number: Int, operations: [UInt8], label: String?, base: String?, isSent: Bool
    ) {
        (self.id, self.list, self.number, self.operations) = (id, list, number, operations)
        (self.label, self.base, self.isSent) = (label, base, isSent)
    }
}

/// Everything that a store keeps.
public struct StoredQueue: Sendable, Equatable {
    /// The name of the client, as its writes have it in `Client`.
    public var client: String
    /// The edits without an answer, in their order.
    public var edits: [StoredEdit]
    /// The next number of each list that has had an edit.
    public var nextNumbers: [String: Int]

    /// A queue as it was stored.
    public init(client: String, edits: [StoredEdit], nextNumbers: [String: Int]) {
        (self.client, self.edits, self.nextNumbers) = (client, edits, nextNumbers)
    }
}

/// The place in which edits wait for their answers.
public protocol EditStore: Sendable {
    /// Everything that is kept.
    ///
    /// - Parameter name: The name of the client, if the store is new.
    func open(naming name: String) async throws -> StoredQueue

    /// Keeps edits of a list, in the place of those with the same ids, and the next number of that list.
    func put(_ edits: [StoredEdit], of list: String, next number: Int) async throws

    /// Forgets an edit that was answered.
    func remove(_ id: StoredEdit.ID) async throws
}

/// A store in memory. What it keeps ends with the process.
public actor MemoryEditStore: EditStore {
    private var queue: StoredQueue?

    /// An empty store.
    public init() {}

    /// Everything that was kept.
    public func open(naming name: String) -> StoredQueue {
        let opened = queue ?? StoredQueue(client: name, edits: [], nextNumbers: [:])
        queue = opened
        return opened
    }

    /// Keeps edits of a list.
    public func put(_ edits: [StoredEdit], of list: String, next number: Int) {
        for edit in edits {
            queue?.edits.removeAll { $0.id == edit.id }
            queue?.edits.append(edit)
        }
        queue?.edits.sort { $0.id < $1.id }
        queue?.nextNumbers[list] = number
    }

    /// Forgets an edit that was answered.
    public func remove(_ id: StoredEdit.ID) { queue?.edits.removeAll { $0.id == id } }
}
