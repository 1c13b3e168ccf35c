internal import Glibc
public import ListModel
public import Texts
import Threads

/// The entry that one committed transaction adds to the log.
public struct JournalEntry: Sendable, Equatable {
    /// The effect of an entry on the life of its list.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// Starts a new life of the list, with a new epoch.
        case create
        /// Continues the life of the list.
        case append
        /// Ends the life of the list for good.
        case delete
        /// Deletes the list, which can be restored: its life can go on.
        case retire
        /// Continues the life of the list after `.retire`.
        case revive
        /// Changes no list. Only its receipt is kept.
        case receiptOnly
    }

    public var list: ListID
    public var kind: Kind
    /// The record, which only the store encodes and decodes. Empty for `.receiptOnly`.
    public var bytes: [UInt8]
    /// Whether `bytes` is the name of a record that was written ahead. Entries that are read have their whole records.
    public var isAhead = false
    /// The answer to retries of the same request. It becomes durable together with the entry.
    public var receipt: Receipt?
    /// Records that become durable together with the entry. Entries that are read have none. Each has a content, because
    /// a commit removes no record, and a condition if its commit has one.
    public var records: [RecordWrite] = []
    /// The part of the list in the holding of its creator after the entry; nil if it has none. Only a shared journal keeps
    /// it. Entries that are read have none.
    public var holding: ListHolding?

    public init(list: ListID, kind: Kind, bytes: [UInt8], receipt: Receipt?) {
        self.list = list
        self.kind = kind
        self.bytes = bytes
        self.receipt = receipt
    }
}

/// The answer to a write, kept under its idempotency key. It outlives the log of its list.
public struct Receipt: Sendable, Equatable {
    /// The digest of caller, method, path and key. The journal does not read it.
    public var key: [UInt8]
    /// The time in seconds since 1970.
    public var time: Int
    /// The answer. The journal does not read it.
    public var bytes: [UInt8]

    public init(key: [UInt8], time: Int, bytes: [UInt8]) {
        self.key = key
        self.time = time
        self.bytes = bytes
    }
}

/// Entries of one list that are written together or not at all.
public struct Commit: Sendable, Equatable {
    /// The condition under which the entries are written.
    public enum Condition: Sendable, Hashable {
        /// There is no such list, or it is deleted and could be restored.
        case isNew
        /// The log of the list ends at that place.
        case isAt(LogPlace)
        /// None. The entries are written after whatever is there.
        case unconditional
    }

    public let list: ListID
    public var condition: Condition
    /// At least one.
    public var entries: [JournalEntry]

    public init(_ first: JournalEntry, _ condition: Condition) {
        list = first.list
        entries = [first]
        self.condition = condition
    }
}

/// The outcome of a commit.
public enum CommitOutcome: Sendable, Equatable {
    /// The entries are durable. The log of the list ends at the place after them; nil if the life of the list is over.
    case written(LogPlace?)
    /// Somebody else has written to the list, or has answered a request of the commit. Nothing of the commit was written.
    case moved
    /// Somebody else has locked the list at the moment. Nothing of the commit was written.
    case locked

    public var isWritten: Bool {
        if case .written = self { true } else { false }
    }
}

/// A deleted list that can be restored.
public struct RetiredList: Sendable, Equatable {
    public var list: ListID
    /// The place after the entry that deleted the list.
    public var place: LogPlace
    /// The bytes of that entry.
    public var bytes: [UInt8]

    public init(list: ListID, place: LogPlace, bytes: [UInt8]) {
        self.list = list
        self.place = place
        self.bytes = bytes
    }
}

/// A part of a stored snapshot: the state of a list after some entries of one of its lives.
///
/// The parts of a snapshot follow one another. The journal uses the snapshot once its last part is written.
public struct SnapshotPart: Sendable, Equatable {
    public var list: ListID
    /// The life that the snapshot is of; nil for the present one.
    public var life: Int?
    /// The generation of the life, as in `LogPlace`.
    public var generation: Int
    /// The number of entries that the snapshot stands for, from the `.create` that began the life.
    public var position: Int
    /// The number of the first chunk of this part, from 0.
    public var first: Int
    /// The chunks, of some ten thousand bytes each. The journal does not read them.
    public var chunks: [[UInt8]]
    public var isLast: Bool
    /// A number that all parts of a snapshot share, and no other snapshot of its list has.
    public var number: Int

    public init(
        list: ListID, life: Int? = nil, generation: Int = 0, position: Int, first: Int, chunks: [[UInt8]],
        isLast: Bool, number: Int = 0
    ) {
        self.number = number
        self.generation = generation
        self.list = list
        self.life = life
        self.position = position
        self.first = first
        self.chunks = chunks
        self.isLast = isLast
    }
}

/// The reason why a journal refused or failed. The text names the call and the file.
public enum JournalError: Error, Sendable, Equatable {
    /// There is no room on the disk. Nothing was written, and later writes may succeed.
    case full
    /// An entry is longer than the journal can hold. Nothing was written, and other entries can be.
    case tooLarge(String)
    /// Somebody else has written to the list, or does so now. Nothing was written, and the list must follow before it
    /// writes.
    case moved
    /// The journal cannot be reached now. Nothing was written, and later calls may succeed.
    case away(String)
    /// The journal was lost on the way. Nobody knows whether the batch was written; the next load of a list shows it.
    case unknown(String)
    /// The system failed. Nobody knows whether the disk has the last batch; opening the journal again shows it.
    case io(String)
    /// The files are damaged, or acknowledged commits are missing. Nothing was changed.
    case corrupt(String)
    /// The files have a format that this program does not know. The newest one that it knows is `newest`. Nothing was
    /// changed.
    case otherFormat(Int, newest: Int)
    /// Another process uses the folder.
    case locked(String)
    /// The folder or a file in it may not be written.
    case readOnly(String)
    /// The journal or its queue has been closed. Nothing was written.
    case closed

    /// The state of the journal after an error.
    public enum Consequence: Sendable {
        /// Nothing was written, and the journal goes on.
        case nothingWritten
        /// Nothing was written. Everything else would fail as well at the moment.
        case notNow
        /// Nobody knows what was written. The journal goes on.
        case unknown
        /// The journal takes no further writes.
        case failed
    }

    /// Whether the log of the list may have entries that the store does not know.
    var mayBeElsewhere: Bool { self == .moved || consequence == .unknown }

    public var consequence: Consequence {
        switch self {
        case .full, .tooLarge, .moved: .nothingWritten
        case .away: .notNow
        case .unknown: .unknown
        case .io, .corrupt, .otherFormat, .locked, .readOnly, .closed: .failed
        }
    }
}

/// A durable log of the commits of all lists, with receipts and keyed records.
///
/// It stores bytes. It knows nothing of lists' contents, JSON, HTTP or file paths. Several stores may use one journal,
/// each on its own; the places of commits keep them in step.
///
/// All methods may be called on any thread once `open` has returned. Commits come from as many threads of a store as the
/// journal says. Other work comes in short pieces while commits go on, from several threads. The journal decides when it does a piece: a
/// commit that waits should go before the next one.
public protocol Journal: AnyObject, Sendable {
    /// Makes commits durable. A list is written or has moved, alone: the outcome of one says nothing of the others.
    ///
    /// Blocks until the disk has all that is written. Several commits may be of one list. A later one of them is written
    /// after the earlier one, and has moved if the earlier one has. A commit with a record that was written ahead and is
    /// no longer there has moved as well.
    ///
    /// If the journal is shared, a commit with a condition also has moved if there is a receipt under the key of one of
    /// its own receipts, or if the condition of one of its records does not hold. So of two stores that work on the same
    /// request only one is written. A journal that is not shared need not compare keys and records: its one store knows
    /// all of them, also those that are being worked on. Of several records of a key in a commit, each rests on the one
    /// before.
    ///
    /// - Returns: The outcome of each commit, in their order.
    /// - Throws: `.full` if there is no room, `.tooLarge` if an entry is too long, `.away` if the journal cannot be
    ///   reached. Nothing at all was written then. `.unknown` or `.io` if the outcome is unknown. After `.io` every
    ///   later call throws as well.
    func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome]

    /// How many calls of `commit` a store may have under way at a time, at least 1. No two of them are of the same list.
    var commitsAtOnce: Int { get }

    /// Checks everything that the journal has to check before it is used, and calls `receipt` with the receipts, oldest
    /// first. Called once, before all else.
    ///
    /// - Parameters:
    ///   - receiptsMax: The most receipts that are handed over: the newest ones.
    ///   - since: Receipts with an earlier `time` (seconds since 1970) are left out.
    /// - Throws: `JournalError`, or the error of `receipt`. The caller must then drop everything. The files are
    ///   unchanged.
    func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws

    /// A page of the lists that are there, deleted ones too, in the order of the bytes of their ids.
    ///
    /// - Parameter id: Only lists after this id are returned; nil stands for all.
    /// - Throws: As `load`.
    func lists(after id: ListID?, limit: Int) throws(JournalError) -> [ListID]

    /// The deleted lists that can be restored: those whose last entry is `.retire`.
    ///
    /// - Throws: As `load`.
    func retired() throws -> [RetiredList]

    /// The ends of the logs of some lists, in their order; nil for a list that is not there.
    ///
    /// - Throws: As `load`.
    func places(of lists: [ListID]) throws(JournalError) -> [LogPlace?]

    /// Reads one list: its stored snapshot, if there is one, then the entries of its present life that the snapshot
    /// does not stand for. The entries come in the order in which they were written, without their receipts.
    ///
    /// - Parameter place: If it is not nil, only the entries after that place are read, and no snapshot.
    /// - Returns: The place after the last entry that was read; nil if there is no such list.
    /// - Throws: `.moved` if entries after `place` are no longer there by themselves, `place` is in another life, or
    ///   what was being read was removed meanwhile: the list must then be read again as a whole. Otherwise
    ///   `JournalError`, or the error of `snapshot` or `entry`. The caller must drop everything that it was given.
    func load(
        _ list: ListID, after place: LogPlace?, snapshot: (SnapshotPart) throws -> Void,
        entry: (JournalEntry) throws -> Void
    ) throws -> LogPlace?

    /// The entries that are behind a place of each of some lists, as `load` reads them, in the order of the places.
    ///
    /// - Returns: Nil for a list of which `load` must find out why it cannot be read from that place.
    /// - Throws: `JournalError` if none can be read.
    func tails(after places: [ListPlace]) throws(JournalError) -> [Tail?]

    /// The receipt that is kept under a key; nil if there is none. It may take time in the number of all receipts.
    ///
    /// - Throws: As `load`.
    func receipt(_ key: [UInt8]) throws(JournalError) -> Receipt?

    /// The way in which the journal takes long records; nil if it takes every record whole.
    var ahead: (any WritesAhead)? { get }

    /// The way in which lists are locked; nil if no other store writes to them.
    var locker: (any LocksLists)? { get }

    /// Whether other stores may write to the journal.
    var isShared: Bool { get }

    /// Whether the journal could not be reached lately. It comes back by itself.
    var isAway: Bool { get }

    /// Has `hint` called with the lists to which others may have written; an empty array says that they may have written
    /// to any. Lists that nobody else wrote to can be among them, and hints can be late or missing.
    ///
    /// - Parameter hint: It may be called on any thread, and returns at once.
    func onHint(_ hint: @escaping @Sendable ([ListID]) -> Void)

    /// Takes the entries behind a place that came with a hint; nil if none did. There may be more behind them.
    func heard(after place: ListPlace) -> Tail?

    /// Writes a part of a snapshot. With the last part, the entries that the snapshot stands for are no longer needed.
    ///
    /// Does nothing if the snapshot is of no use any more: that life of the list is over, a part before this one
    /// failed, another snapshot of the list was begun meanwhile, or there is a newer one.
    ///
    /// - Throws: As `commit`.
    func write(_ part: SnapshotPart) throws(JournalError)

    /// Removes some of what is no longer needed: entries that a snapshot stands for or whose list has ended, and
    /// snapshots that were replaced or never finished.
    ///
    /// - Parameter all: Whether that includes rows that cost more to remove than they take up.
    /// - Returns: Whether nothing is left to remove.
    /// - Throws: As `commit`.
    func removeSome(all: Bool) throws(JournalError) -> Bool

    /// Removes some of the oldest receipts: those before the newest `keepNewest`, and the oldest ones whose `time` is
    /// before `olderThan`, up to the first that is not.
    ///
    /// - Returns: Whether nothing is left to remove.
    /// - Throws: As `commit`.
    func trimReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool

    /// The content of a record; nil if there is none.
    ///
    /// - Throws: As `load`.
    func record(_ key: KeyedRecord.Key) throws(JournalError) -> KeyedRecord.Content?

    /// A page of the records of a kind, in the order of the bytes of their keys.
    ///
    /// - Parameter key: Only records after this key are returned; nil stands for all.
    /// - Throws: As `load`.
    func records(
        of kind: KeyedRecord.Kind, after key: [UInt8]?, limit: Int
    ) throws(JournalError) -> [KeyedRecord]

    /// Writes records durably. A record is written, or its condition does not hold, alone: the outcome of one says
    /// nothing of the others. Writes of the same record are done in their order.
    ///
    /// - Returns: Whether the condition of each write held, so that it was written.
    /// - Throws: As `commit`. `.tooLarge` if `requireFitting` throws for one of the writes.
    func keep(_ records: [RecordWrite]) throws(JournalError) -> [Bool]

    /// The stored summaries of some lists, in no order. Those that are missing or damaged are left out, and those that
    /// do not stand for all entries of their lists.
    ///
    /// It may be called on any thread.
    func summaries(of lists: [ListID]) -> [StoredSummary]

    /// Stores summaries, each in the place of an older one of its list. Those that do not stand for all entries of their
    /// lists are left out.
    ///
    /// - Throws: As `commit`.
    func keep(_ summaries: [StoredSummary]) throws(JournalError)

    /// The holdings of all creators, of those lists that are there and not deleted. Only a shared journal is asked.
    ///
    /// - Throws: As `load`.
    func holdings() throws(JournalError) -> [ByteText: Holding]

    /// Notes that every list has a new epoch, if acknowledged commits may have been missing. From now on none may be.
    ///
    /// - Throws: As `commit`.
    func settleRecovery() throws(JournalError)

    /// Releases the files; every later call throws `.closed`.
    func close()
}

/// The default: a journal that takes one batch at a time, keeps neither keyed records nor summaries, takes entries whole,
/// and that nobody else writes to.
extension Journal {
    public var commitsAtOnce: Int { 1 }
    public var ahead: (any WritesAhead)? { nil }
    public var locker: (any LocksLists)? { nil }
    public func record(_ key: KeyedRecord.Key) throws(JournalError) -> KeyedRecord.Content? { nil }
    public func records(
        of kind: KeyedRecord.Kind, after key: [UInt8]?, limit: Int
    ) throws(JournalError) -> [KeyedRecord] { [] }
    public func keep(_ records: [RecordWrite]) throws(JournalError) -> [Bool] { records.map { _ in true } }
    public func summaries(of lists: [ListID]) -> [StoredSummary] { [] }
    public func keep(_ summaries: [StoredSummary]) throws(JournalError) {}
    public func holdings() throws(JournalError) -> [ByteText: Holding] { [:] }
    public var isShared: Bool { false }
    public var isAway: Bool { false }
    public func onHint(_ hint: @escaping @Sendable ([ListID]) -> Void) {}
    public func heard(after place: ListPlace) -> Tail? { nil }
}

/// Starts a thread of the store.
///
/// - Throws: `.io` if the system cannot start a thread.
func startThread(_ body: @escaping @Sendable () -> Void) throws(JournalError) -> Thread {
    do throws(ThreadError) { return try Thread(body) } catch {
        throw .io("pthread_create: \(String(cString: strerror(error.code)))")
    }
}
