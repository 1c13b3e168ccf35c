public import ListDiff
public import ListModel
public import Texts

/// A transaction, with the conditions that its client sets.
public struct Write: Sendable {
    /// The change that a client asks for.
    public enum Intent: Sendable {
        indirect case operation(Operation)
        case operations([Operation])
        case reorder(Reorder)
        /// Takes a transaction back. Nil stands for the caller's last transaction that is in effect.
        case undo(Version?)
        /// Takes an undo back. The version is that of the transaction or of its undo. Nil stands for the caller's last
        /// undo that is in effect.
        case redo(Version?)
        /// Makes the state of a kept version the head again.
        case restore(Version)
    }

    /// A precondition (`If-Match`).
    public enum Match: Sendable, Equatable {
        /// The list must exist (`*`).
        case any
        /// The head must be one of these versions.
        case versions([Version])
    }

    public var intent: Intent
    /// The version that the client knew; nil stands for the head.
    public var base: Version?
    /// Whether the base is the version inside a snapshot that is put. The client may not have meant it as a base.
    public var isBaseOfSnapshot = false
    /// The precondition; nil if there is none.
    public var match: Match?
    /// Whether the write is refused if it would be rebased or give warnings.
    public var isStrict: Bool
    /// Whether this is a dry run, of which nothing is kept.
    public var isDryRun: Bool
    /// The view in which the answered change sets count indexes.
    public var view: View
    /// The actor of the transaction. The server has no users, so it is `anonymous`.
    public var caller: ByteText
    /// The client's own text about the transaction.
    public var label: ByteText?
    /// Whether clients may animate the changes. The change sets say so.
    public var isAnimated: Bool
    /// The client's `Idempotency-Key`, if any.
    public var key: ReceiptKey?

    /// The initializer is inlined, so that a write is made in the place where it is kept.
    @inlinable
    public init(
        _ intent: Intent, base: Version? = nil, match: Match? = nil, isStrict: Bool = false, isDryRun: Bool = false,
        view: View = .items, caller: ByteText = "anonymous", label: ByteText? = nil,
        isAnimated: Bool = true, key: ReceiptKey? = nil
    ) {
        self.intent = intent
        self.base = base
        self.match = match
        self.isStrict = isStrict
        self.isDryRun = isDryRun
        self.view = view
        self.caller = caller
        self.label = label
        self.isAnimated = isAnimated
        self.key = key
    }
}

extension Write {
    /// Whether the write names no version that it depends on, and is no dry run.
    var isUnconditional: Bool { base == nil && (match == nil || match == .any) && !isDryRun }
}

/// An `Idempotency-Key` in its scope, and the request that it came with.
public struct ReceiptKey: Sendable, Hashable {
    /// A digest of caller, method, path and key.
    public var scope: [UInt8]
    /// A digest of query, body and preconditions.
    public var request: [UInt8]

    public init(scope: [UInt8], request: [UInt8]) {
        self.scope = scope
        self.request = request
    }
}

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
    /// The outcome of each operation, in their order.
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
    /// Further details of operations, in the order of the operations. Most writes have none.
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

    var isEmpty: Bool { created.isEmpty && reparented.isEmpty }
}

/// A catch-up: it brings a client from the version that it knows to a later one (docs/contract.md section 5).
public indirect enum Catchup: Sendable {
    /// - Parameter counts: The counts of the whole list at `to`.
    case changes(ChangeSet, from: Version, to: Version, counts: ListCounts)
    /// The whole snapshot, if no change set can or should be made.
    case reset(ListSnapshot)

    /// The version that it leads to.
    public var version: Version {
        switch self {
        case .changes(_, _, let version, _): version
        case .reset(let snapshot): snapshot.version
        }
    }
}

/// A list at one version, for reading.
public final class ListSnapshot: Sendable {
    public let id: ListID
    public let version: Version
    public let state: ListState

    public init(id: ListID, version: Version, state: ListState) {
        self.id = id
        self.version = version
        self.state = state
    }
}

/// The reason why a version cannot be read.
public enum UnknownVersion: Error, Sendable {
    /// It is of another epoch, or no longer kept.
    case gone
    case ahead
}

/// The reason why the store refused. Nothing has changed.
public indirect enum StoreError: Error, Sendable {
    /// The state does not allow the operation. `operation` is its index.
    case model(ModelError, operation: Int?)
    case reorder(ReorderError)
    /// `If-Match` or `If-None-Match` failed. `head` is nil if there is no list.
    case preconditionFailed(head: Version?, missed: Catchup?)
    /// The write is strict, and its base is not the head.
    case staleBase(head: Version, missed: Catchup)
    /// The base is of another epoch, ahead of the head, or older than the kept history.
    case unknownBase(head: Version, missed: Catchup)
    /// No such transaction is in effect; for a redo, none is undone.
    case nothingToUndo
    /// The transaction is no longer kept.
    case transactionGone
    /// The version that is to be restored is no longer kept.
    case versionGone
    /// The list is not deleted, so the version that is to be restored must be named.
    case notDeleted(head: Version)
    /// The version that is to be restored is ahead of the head.
    case versionAhead
    /// The version that is to be restored is of another epoch, because the list was made anew since.
    case madeAnew(head: Version)
    /// The caller is anonymous and has no transactions of its own, so the transaction must be named.
    case transactionNotNamed
    case noSuchList(ListID)
    /// The key came with another request before.
    case keyReused
    /// The key's first request is still being answered.
    case keyInFlight
    /// The disk does not have the write.
    case journal(JournalError)
    /// The list is in the journal, but cannot be read.
    case unreadable(ListID, JournalError)
}

/// The result of a write, and the moment from which it may be told.
public struct Submission: Sendable {
    public let result: Result<WriteResult, StoreError>
    /// Nil if the answer may be given at once. Otherwise the answer must wait for this outcome.
    public let durability: Durability?

    public init(_ result: Result<WriteResult, StoreError>, durability: Durability?) {
        self.result = result
        self.durability = durability
    }

    var isSuccess: Bool {
        switch result {
        case .success: true
        case .failure: false
        }
    }
}

extension ChangeSet {
    /// Whether the change set is long and names more rows than a snapshot has. A client is then sent a reset
    /// (docs/contract.md section 5).
    ///
    /// - Parameter rows: The number of rows of the snapshot.
    func outgrows(rows: @autoclosure () -> Int) -> Bool { namedRowCount > 1_000 && namedRowCount > rows() }
}
