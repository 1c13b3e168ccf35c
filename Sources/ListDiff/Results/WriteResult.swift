public import ListModel

/// The answer to a write (docs/contract.md section 2).
public final class WriteResult: Sendable {
    /// The effect of a write on its list.
    public enum Kind: Sendable, Equatable {
        case created
        case changed
        case unchanged
        case deleted
    }

    public let kind: Kind
    /// The version after the write; for a dry run, the head.
    public let version: Version
    /// The outcome of each operation, in the order of the operations.
    public let outcomes: [Outcome]
    /// The missed changes, if the base was older than the head.
    public let missed: Catchup?
    /// The changes of the write. Nil for a list that was created or deleted, and if history no longer has them.
    public let changes: ChangeSet?
    /// The counts of the list at the version to which `changes` lead; nil without them.
    public let counts: ListCounts?
    /// The version before the write; `changes` goes from it to `version`.
    public let from: Version
    /// The warnings about what the operations passed over.
    public let warnings: [Warning]
    /// The further details of operations, in the order of the operations. Most writes have none.
    public let details: [OutcomeDetail]
    /// The list of the first try, if this is a kept answer. The first try may have chosen the id of the list.
    public let keptList: ListID?
    /// Whether this is the kept answer of an earlier try.
    public var isReplay: Bool { keptList != nil }

    public init(
        kind: Kind, version: Version, outcomes: [Outcome], missed: Catchup? = nil, changes: ChangeSet? = nil,
        counts: ListCounts? = nil, from: Version, warnings: [Warning] = [], details: [OutcomeDetail] = [],
        keptList: ListID? = nil
    ) {
        self.kind = kind
        self.version = version
        self.outcomes = outcomes
        self.missed = missed
        self.changes = changes
        self.counts = counts
        self.from = from
        self.warnings = warnings
        self.details = details
        self.keptList = keptList
    }
}

/// The details of an operation beyond its outcome.
public struct OutcomeDetail: Sendable, Equatable {
    /// The index of the operation.
    public var operation: Int
    /// The items to which the server gave ids, in their order.
    public var created: [ItemID]
    /// The items that got another parent although the operation named none. The parent follows from their new place.
    public var reparented: [ItemID]

    public init(operation: Int, created: [ItemID] = [], reparented: [ItemID] = []) {
        self.operation = operation
        self.created = created
        self.reparented = reparented
    }

    public var isEmpty: Bool { created.isEmpty && reparented.isEmpty }
}
