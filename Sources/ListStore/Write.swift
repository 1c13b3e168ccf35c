public import ListDiff
public import ListModel
public import Texts

/// A transaction, with the conditions that its client sets.
public struct Write: Sendable {
    /// A precondition (`If-Match`).
    public enum Match: Sendable, Equatable {
        /// The list must exist (`*`).
        case any
        /// The head must be one of these versions.
        case versions([Version])
    }

    /// How a write waits, and how others wait for it.
    public enum Pace: Sendable {
        /// It waits for the list and for the disk, as others wait for it.
        case ordinary
        /// It is refused with `.busy` where it would have to wait, or would take, for long. Its caller then does it again
        /// on a thread that can wait.
        case brief
        /// It waits as an ordinary one does. It is carried out as a brief one, because most writes that were refused only
        /// found their list busy; and if it then turns out to take long, as a long one.
        case patient
        /// It may take long. Meanwhile readers read a copy of the list, and brief writes are refused.
        case long

        /// Whether a write ends with `.busy` as soon as it turns out to take long.
        var isBounded: Bool { self == .brief || self == .patient }
    }

    /// The most rows that a brief or patient write may visit, and the most bytes of changes that it may look at: about a
    /// millisecond's work.
    static let briefRowsMax = 2_000
    static let briefBytesMax = 1 << 18
    /// Texts of more bytes are searched by threads that can wait.
    static let briefSearchBytesMax = 1 << 15
    /// A history of more bytes is searched for a version by threads that can wait.
    static let briefHistoryBytesMax = 1 << 22

    public var intent: WriteIntent
    public var pace = Pace.ordinary
    /// Whether the caller waits by itself until a contended list is locked (`Store.whenLocked`). Otherwise the store waits,
    /// unless the write is brief.
    public var waitsElsewhere = false
    /// The version that the client knew; nil stands for the head.
    public var base: Version?
    /// What is done if the base is not known.
    public enum LostBase: Sendable {
        case refuse
        /// The write is carried out on the head, by ids, as far as possible.
        case reapply
    }

    public var onLostBase = LostBase.refuse
    /// Whether the base is the version inside a snapshot that is put. The client may not have meant it as a base.
    public var isBaseOfSnapshot = false
    /// Whether the write puts a snapshot. A client may have left something out of it by mistake.
    public var isSnapshot = false
    /// A section that the list must not have yet (`If-None-Match: *`); nil if there is none.
    public var newSection: SectionID?
    /// The newest version of a deleted list that a new list of this id replaces.
    var replaced: Version?
    /// The precondition; nil if there is none.
    public var match: Match?
    /// Whether the write is refused if it would be rebased or give warnings.
    public var isStrict: Bool
    /// Whether this is a dry run, of which nothing is kept.
    public var isDryRun: Bool
    /// The view in which the answered change sets count indexes.
    public var view: View
    /// The parts of a write that may make a list or change one.
    public struct Permits: OptionSet, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Make a list that is not there.
        public static let make = Permits(rawValue: 1)
        /// Change a list that is there.
        public static let change = Permits(rawValue: 2)
        public static let all: Permits = [.make, .change]
    }

    /// The parts of a write that puts a list which its caller may carry out.
    public var permits = Permits.all
    /// The actor of the transaction: `anonymous` if the caller has no token.
    public var caller: ByteText
    /// The client's own text about the transaction.
    public var label: ByteText?
    /// Whether clients may animate the changes. The change sets say so.
    public var isAnimated: Bool
    /// The client's `Idempotency-Key`, if any.
    public var key: ReceiptKey?
    /// The client's own number of the write, if any. A write has a key or a number, not both.
    public var number: WriteNumber?

    public init(
        _ intent: WriteIntent, base: Version? = nil, match: Match? = nil, isStrict: Bool = false,
        isDryRun: Bool = false, view: View = .items, caller: ByteText = "anonymous", label: ByteText? = nil,
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

extension WriteIntent {
    /// Whether the write says what it wants without the state that its client knew.
    var canBeReapplied: Bool {
        switch self {
        case .operation(let operation): !operation.isOfWholeState
        case .operations(let operations): !operations.isEmpty && !operations.contains(where: \.isOfWholeState)
        case .reorder(let reorder): reorder.sections.allSatisfy(\.isFinal)
        case .undo, .redo, .restore: false
        }
    }

    /// The snapshot that is applied; nil if the intent is another one, or has further operations.
    var snapshot: WantedSnapshot? {
        guard case .operations(let operations) = self, operations.count == 1,
            case .applySnapshot(let snapshot) = operations[0]
        else { return nil }
        return snapshot
    }
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

/// The reason why a version cannot be read.
public enum UnknownVersion: Error, Sendable {
    /// The version is of another epoch, or no longer kept.
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
    case nothingToUndo(NothingToUndo)
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
    /// A brief write would have to wait for a long one, or for the list to be read from the disk.
    case busy
    /// Others may have written to the list, which must follow first. The store then tries the write again.
    case behind
    /// Others write to the list again and again, so it must be locked first. The write is then to be tried again.
    case contended
    /// All lists together take as much memory as they may, and this one would grow.
    case memoryFull
    /// There are as many lists as there may be.
    case tooManyLists(limit: Int)
    /// The creator of the list may have no more.
    case holdingFull(Holding.Part, limit: Int)
    /// The caller may only make lists, and this one is there, or the other way round.
    case notPermitted(needed: Write.Permits)
    /// The key came with another request before.
    case keyReused
    /// The key's first request is still being answered.
    case keyInFlight
    /// The number of the write is not the next one of its sequence.
    case outOfSequence(OutOfSequence)
    /// The disk does not have the write.
    case journal(JournalError)
    /// The list is in the journal, but cannot be read.
    case unreadable(ListID, JournalError)

    /// Why a transaction cannot be undone or redone.
    public enum NothingToUndo: Sendable {
        /// The transaction made the list.
        case creation
        /// The transaction changed no state. A transaction of marks alone has nothing to undo.
        case noEffect
        /// The transaction is undone already.
        case undone
        /// The transaction is to be redone, but is not undone.
        case notUndone
        /// No transaction of the caller can be undone or redone.
        case noTransaction
    }
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

    /// The refusal of a brief write.
    static let busy = Submission(.failure(.busy), durability: nil)

    /// The refusal of a list that must follow first.
    static let behind = Submission(.failure(.behind), durability: nil)

    /// Whether a brief write is to be done again as a long one.
    public var isBusy: Bool {
        if case .failure(.busy) = result { true } else { false }
    }

    var isBehind: Bool {
        if case .failure(.behind) = result { true } else { false }
    }

    /// The refusal of a list that must be locked first.
    static let contended = Submission(.failure(.contended), durability: nil)

    /// Whether the write is to be done again while its list is locked (`Store.whenLocked`). Nothing has changed.
    public var isContended: Bool {
        if case .failure(.contended) = result { true } else { false }
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

extension Operation {
    /// Whether a rebase makes the operation the difference of two states.
    fileprivate var isOfWholeState: Bool {
        switch self {
        case .replaceChildren, .applySnapshot, .applySectionSnapshot, .deleteAllItems: true
        case .appendSections, .insertSections, .deleteSections, .reloadSections, .moveSection, .updateSection,
            .updateList, .appendItems, .insertItems, .deleteItems, .moveItem, .updateItem, .reconfigureItems,
            .reloadItems, .setStarred, .toggleStar, .setExpanded:
            false
        }
    }
}

extension Reorder.SectionOrder {
    fileprivate var isFinal: Bool {
        switch wanted {
        case .final: true
        case .difference: false
        }
    }
}
