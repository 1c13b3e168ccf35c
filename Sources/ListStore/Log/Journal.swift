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
    /// The answer to retries of the same request. It becomes durable together with the entry.
    public var receipt: Receipt?

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

/// A part of a stored snapshot: the state of a list after some entries of its present life.
///
/// The parts of a snapshot follow one another. The journal uses the snapshot once its last part is written.
public struct SnapshotPart: Sendable, Equatable {
    public var list: ListID
    /// The number of entries that the snapshot stands for, from the `.create` that began the list's present life.
    public var position: Int
    /// The number of the first chunk of this part, from 0.
    public var first: Int
    /// The chunks, of some ten thousand bytes each. The journal does not read them.
    public var chunks: [[UInt8]]
    public var isLast: Bool

    public init(list: ListID, position: Int, first: Int, chunks: [[UInt8]], isLast: Bool) {
        self.list = list
        self.position = position
        self.first = first
        self.chunks = chunks
        self.isLast = isLast
    }
}

/// A subscription, as the journal keeps it.
public struct StoredSubscription: Sendable, Equatable {
    /// A number that no other subscription has or had.
    public var number: Int
    /// The name by which the client asks for the subscription.
    public var name: ByteText
    /// The time of the last use that was noted, in seconds since 1970.
    public var used: Int
    /// The body that the client sent. The store does not read it.
    public var bytes: [UInt8]

    public init(number: Int, name: ByteText, used: Int, bytes: [UInt8]) {
        self.number = number
        self.name = name
        self.used = used
        self.bytes = bytes
    }
}

/// The reason why a journal refused or failed. The text names the call and the file.
public enum JournalError: Error, Sendable, Equatable {
    /// There is no room on the disk. Nothing was written, and later writes may succeed.
    case full
    /// An entry is longer than the journal can hold. Nothing was written, and other entries can be.
    case tooLarge(String)
    /// The system failed. Nobody knows whether the disk has the last batch; opening the journal again shows it.
    case io(String)
    /// The files are damaged, or acknowledged commits are missing. Nothing was changed.
    case corrupt(String)
    /// Another process uses the folder.
    case locked(String)
    /// The folder or a file in it may not be written.
    case readOnly(String)
    /// The journal or its queue has been closed. Nothing was written.
    case closed

    /// Whether nothing was written and the journal goes on.
    public var leavesAllAsItWas: Bool {
        switch self {
        case .full, .tooLarge: true
        case .io, .corrupt, .locked, .readOnly, .closed: false
        }
    }
}

/// A durable log of the commits of all lists, and of receipts.
///
/// It stores bytes. It knows nothing of lists' contents, JSON, HTTP or file paths.
public protocol Journal: AnyObject, Sendable {
    /// Makes all entries of a batch durable, or none.
    ///
    /// Blocks until the disk has the batch. All calls that write come from one thread.
    ///
    /// - Throws: `.full` if there is no room, `.tooLarge` if an entry is too long. Nothing was written then, and the
    ///   journal goes on. `.io` if the outcome is unknown. Every later call then throws as well.
    func append(_ batch: [JournalEntry]) throws(JournalError)

    /// Reads and checks everything, and calls `receipt` with the receipts, oldest first. Called once, before all else.
    ///
    /// - Parameters:
    ///   - receiptsMax: The most receipts that are handed over: the newest ones.
    ///   - since: Receipts with an earlier `time` (seconds since 1970) are left out.
    /// - Returns: The lists that are there, in no order.
    /// - Throws: `JournalError`, or the error of `receipt`. The caller must then drop everything. The files are
    ///   unchanged.
    func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws -> [ListID]

    /// The deleted lists that can be restored: those whose last entry is `.retire`, each with the bytes of that entry.
    ///
    /// - Throws: As `open`.
    func retired() throws -> [ListID: [UInt8]]

    /// Reads one list: its stored snapshot, if there is one, then the entries of its present life that the snapshot
    /// does not stand for. The entries come in the order in which they were appended, without their receipts.
    ///
    /// It may be called on any thread while nobody writes to the list. It does nothing if there is no such list.
    ///
    /// - Throws: `JournalError`, or the error of `snapshot` or `entry`. The caller must then drop everything.
    func read(
        _ list: ListID, snapshot: (SnapshotPart) throws -> Void, entry: (JournalEntry) throws -> Void
    ) throws

    /// Writes a part of a snapshot. With the last part, the entries that the snapshot stands for are no longer needed.
    ///
    /// Does nothing if the snapshot is of no use any more: the list has ended meanwhile, a part before this one failed,
    /// or there is a newer snapshot.
    ///
    /// - Throws: As `append`.
    func write(_ part: SnapshotPart) throws(JournalError)

    /// Removes some of what is no longer needed: entries that a snapshot stands for or whose list has ended, and
    /// snapshots that were replaced or never finished.
    ///
    /// - Parameter all: Whether that includes rows that cost more to remove than they take up.
    /// - Returns: Whether nothing is left to remove.
    /// - Throws: As `append`.
    func removeSome(all: Bool) throws(JournalError) -> Bool

    /// Removes some of the oldest receipts: those before the newest `keepNewest`, and the oldest ones whose `time` is
    /// before `olderThan`, up to the first that is not.
    ///
    /// - Returns: Whether nothing is left to remove.
    /// - Throws: As `append`.
    func trimReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool

    /// The stored subscriptions, in no order. A damaged one is left out, because its client can make another.
    func subscriptions() throws(JournalError) -> [StoredSubscription]

    /// Stores subscriptions, each in the place of one with the same number, and removes others by their numbers.
    ///
    /// - Throws: As `append`.
    func keep(_ subscriptions: [StoredSubscription], removing numbers: [Int]) throws(JournalError)

    /// The stored summaries of some lists, in no order. Those that are missing or damaged are left out, and those that
    /// do not stand for all entries of their lists.
    ///
    /// It may be called on any thread.
    func summaries(of lists: [ListID]) -> [StoredSummary]

    /// Stores summaries, each in the place of an older one of its list. Those that do not stand for all entries of their
    /// lists are left out.
    ///
    /// - Throws: As `append`.
    func keep(_ summaries: [StoredSummary]) throws(JournalError)

    /// Notes that every list has a new epoch, if acknowledged commits may have been missing. From now on none may be.
    ///
    /// - Throws: As `append`.
    func settleRecovery() throws(JournalError)

    /// Releases the files; every later call throws `.closed`.
    func close()
}

/// The default: a journal that keeps neither subscriptions nor summaries.
extension Journal {
    public func subscriptions() throws(JournalError) -> [StoredSubscription] { [] }
    public func keep(_ subscriptions: [StoredSubscription], removing numbers: [Int]) throws(JournalError) {}
    public func summaries(of lists: [ListID]) -> [StoredSummary] { [] }
    public func keep(_ summaries: [StoredSummary]) throws(JournalError) {}
}

/// Starts a thread of the store.
///
/// - Throws: `.io` if the system cannot start a thread.
func startThread(_ body: @escaping @Sendable () -> Void) throws(JournalError) -> Thread {
    do throws(ThreadError) { return try Thread(body) } catch {
        throw .io("pthread_create: \(String(cString: strerror(error.code)))")
    }
}
