public import ListDiff
public import ListModel
public import Texts

/// A transaction, and how careful its client is.
public struct Write: Sendable {
    /// What is to be done.
    public enum Intent: Sendable {
        indirect case operation(Operation)
        case operations([Operation])
        case reorder(Reorder)
        /// Takes a transaction back; nil stands for the caller's last one that is in effect.
        case undo(Version?)
        /// Takes an undo back; the version is that of the transaction or of its undo, nil stands for the caller's last
        /// undo that is in effect.
        case redo(Version?)
        /// Makes the state of a kept version the head's again.
        case restore(Version)
    }

    /// `If-Match`.
    public enum Match: Sendable, Equatable {
        /// `*`: the list exists.
        case any
        /// The head is one of these.
        case versions([Version])
    }

    public var intent: Intent
    /// The version that the client knew; nil applies to the head.
    public var base: Version?
    /// Whether the base is the version of the snapshot that is put, and the client may not have meant it as one.
    public var isBaseOfSnapshot = false
    /// What must hold of the head; nil if nothing must.
    public var match: Match?
    /// Whether warnings and rebasing are refused.
    public var isStrict: Bool
    /// Whether nothing is to be kept.
    public var isDryRun: Bool
    /// The index space of the change sets that are answered.
    public var view: View
    /// The token's subject, else `anonymous`.
    public var caller: ByteText
    /// The client's own words for what it did.
    public var label: ByteText?
    /// Whether those who are shown what it changes may be shown it move; its change sets say so.
    public var isAnimated: Bool
    /// The client's `Idempotency-Key`, if any.
    public var key: ReceiptKey?

    /// Inlined, so that a write is made where it is kept.
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
    /// Whether it is right whatever the list is now.
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
    /// What happened to the list.
    public enum Kind: Sendable, Equatable {
        case created
        case changed
        case unchanged
        case deleted
    }

    public let kind: Kind
    /// The head after the write; for a dry run, the head.
    public let version: Version
    /// What became of each operation, in their order.
    public let outcomes: [Outcome]
    /// What the client had not seen, when its base was older than the head.
    public let missed: Catchup?
    /// Nil for a list that was created or deleted, and where history no longer holds it.
    public let changes: ChangeSet?
    /// The list's where `changes` lead; nil without them.
    public let counts: ListCounts?
    /// The version before the write; `changes` goes from it to `version`.
    public let from: Version
    /// What the operations passed over.
    public let warnings: [Warning]
    /// What there is to tell of operations beside that, in their order; most often nothing.
    public let details: [OutcomeDetail]
    /// Of a kept answer: the list of the first try, which may have been given its id then.
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

/// What there is to tell of an operation beside its outcome.
public struct OutcomeDetail: Sendable, Equatable {
    /// The index of the operation.
    public var operation: Int
    /// The items that it made under ids of the server's, in its order.
    public var created: [ItemID]
    /// The items that have another parent, although the operation named none: it followed from their new place.
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
    /// - Parameter counts: The whole list's at `to`.
    case changes(ChangeSet, from: Version, to: Version, counts: ListCounts)
    /// The whole snapshot, where no change set can or should be had.
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

/// Why a version cannot be read.
public enum UnknownVersion: Error, Sendable {
    /// It is of another epoch, or no longer kept.
    case gone
    case ahead
}

/// Why the store refused; nothing has changed.
public indirect enum StoreError: Error, Sendable {
    /// The state refuses; `operation` is the index of the one that failed.
    case model(ModelError, operation: Int?)
    case reorder(ReorderError)
    /// `If-Match` or `If-None-Match` failed; `head` is nil where there is no list.
    case preconditionFailed(head: Version?, missed: Catchup?)
    /// A strict write whose base is not the head.
    case staleBase(head: Version, missed: Catchup)
    /// A base of another epoch, ahead of the head, or older than the kept history.
    case unknownBase(head: Version, missed: Catchup)
    /// There is no such transaction that is in effect, or for a redo none that is undone.
    case nothingToUndo
    /// The transaction is no longer kept.
    case transactionGone
    /// The version that is to be restored is no longer kept.
    case versionGone
    /// The version that is to be restored is not named, and the list is not deleted.
    case notDeleted(head: Version)
    /// The version that is to be restored is ahead of the head.
    case versionAhead
    /// The version that is to be restored is of another epoch: the list was made anew since.
    case madeAnew(head: Version)
    /// An anonymous caller has no transactions of its own.
    case transactionNotNamed
    case noSuchList(ListID)
    /// The key came with another request before.
    case keyReused
    /// The key's first request is still being answered.
    case keyInFlight
    /// The write is not on disk.
    case journal(JournalError)
    /// The list is in the journal, and cannot be read from there.
    case unreadable(ListID, JournalError)
}

/// A write that has been decided, and when its answer may be given.
public struct Submission: Sendable {
    public let result: Result<WriteResult, StoreError>
    /// Nil if the answer may be given at once; otherwise it must wait until what it speaks of is durable.
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
    /// Whether a snapshot says the same with fewer rows, so that a client is sent a reset (docs/contract.md section 5).
    ///
    /// - Parameter rows: How many the snapshot has.
    func outgrows(rows: @autoclosure () -> Int) -> Bool { namedRowCount > 1_000 && namedRowCount > rows() }
}
