internal import Glibc
public import ListModel
public import Texts
import Threads

/// What one committed transaction adds to the log.
public struct JournalEntry: Sendable, Equatable {
    /// What an entry means for the life of its list.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// Starts a new life of the list, with a new epoch.
        case create
        /// Goes on from the entry before.
        case append
        /// Ends the life of the list for good.
        case delete
        /// Deletes the list in a way that it can be restored: its life can go on.
        case retire
        /// Goes on from the entry before, which was `.retire`.
        case revive
        /// Changes no list; only its receipt is kept.
        case receiptOnly
    }

    public var list: ListID
    public var kind: Kind
    /// Opaque to the engine: the store's record codec makes and reads it. Empty for `.receiptOnly`.
    public var bytes: [UInt8]
    /// What a retry of the same request gets; durable together with the entry.
    public var receipt: Receipt?

    public init(list: ListID, kind: Kind, bytes: [UInt8], receipt: Receipt?) {
        self.list = list
        self.kind = kind
        self.bytes = bytes
        self.receipt = receipt
    }
}

/// The answer to a write, kept under its idempotency key; it outlives the log of its list.
public struct Receipt: Sendable, Equatable {
    /// The hash of caller, method, path and key; opaque to the engine.
    public var key: [UInt8]
    /// Seconds since 1970.
    public var time: Int
    /// Opaque to the engine.
    public var bytes: [UInt8]

    public init(key: [UInt8], time: Int, bytes: [UInt8]) {
        self.key = key
        self.time = time
        self.bytes = bytes
    }
}

/// A part of a snapshot: what a list was after so many entries of its present life.
///
/// Parts of one snapshot follow one another; it counts once its last one is written.
public struct SnapshotPart: Sendable, Equatable {
    public var list: ListID
    /// How many entries the snapshot stands for, counted from the `.create` that began the list's present life.
    public var position: Int
    /// The number of the first chunk in here, from 0.
    public var first: Int
    /// Opaque to the engine, some ten thousand bytes each.
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

/// What a client has asked to follow.
public struct StoredSubscription: Sendable, Equatable {
    /// Its own among all that there ever were.
    public var number: Int
    /// By which the client asks for it.
    public var name: ByteText
    /// When it was last used, as far as that was noted; in seconds since 1970.
    public var used: Int
    /// Opaque to the store.
    public var bytes: [UInt8]

    public init(number: Int, name: ByteText, used: Int, bytes: [UInt8]) {
        self.number = number
        self.name = name
        self.used = used
        self.bytes = bytes
    }
}

/// Why a journal refused or failed; the text names what was done to which file.
public enum JournalError: Error, Sendable, Equatable {
    /// No room on the disk. Nothing was written; later writes may work.
    case full
    /// An entry is longer than the engine can hold. Nothing was written; other entries can be.
    case tooLarge(String)
    /// The system failed. Whether the last batch is on the disk is unknown; reopen to find out.
    case io(String)
    /// The files are not what was written, or commits that were acknowledged are missing. Nothing was changed.
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

/// A durable log of what was committed to every list, and of receipts.
///
/// It knows no lists' content: what it stores are bytes. Nothing of it knows JSON, HTTP or file paths.
public protocol Journal: AnyObject, Sendable {
    /// Makes a whole batch durable, or none of it.
    ///
    /// Blocks until the disk has it. Called from one thread only, as is all that writes.
    ///
    /// - Throws: `.full` if there is no room, `.tooLarge` if an entry is too long: nothing was written and the journal
    ///   goes on. `.io` if the outcome is
    ///   unknown: every later call throws as well.
    func append(_ batch: [JournalEntry]) throws(JournalError)

    /// Reads and checks everything, and hands over the receipts, oldest first; called once, before all else.
    ///
    /// - Parameters:
    ///   - receiptsMax: Only the newest so many receipts are handed over.
    ///   - since: Receipts with an earlier `time` (seconds since 1970) are left out.
    /// - Returns: The lists that are there, in no order.
    /// - Throws: `JournalError`, or what `receipt` throws. Whoever reads must drop all of it then; files are unchanged.
    func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws -> [ListID]

    /// The lists among those that are there whose last entry is `.retire`, each with the bytes of that.
    ///
    /// - Throws: As `open`.
    func retired() throws -> [ListID: [UInt8]]

    /// Reads one list: its snapshot, if there is one, then the entries of its present life that the snapshot does not
    /// stand for, in the order in which they were appended and without their receipts.
    ///
    /// Called from any thread, while nobody writes to the list; does nothing if there is no such list.
    ///
    /// - Throws: `JournalError`, or what `snapshot` or `entry` throws. Whoever reads must drop all of it then.
    func read(
        _ list: ListID, snapshot: (SnapshotPart) throws -> Void, entry: (JournalEntry) throws -> Void
    ) throws

    /// Writes a part of a snapshot aside; with the last part the entries that it stands for are no longer needed.
    ///
    /// Does nothing if the snapshot is of no use any more: the list has ended meanwhile, a part before this one failed,
    /// or there is a newer one.
    ///
    /// - Throws: As `append`.
    func write(_ part: SnapshotPart) throws(JournalError)

    /// Removes some of what is not needed any more: entries that a snapshot stands for or whose list has ended, and
    /// snapshots that were replaced or never finished.
    ///
    /// - Parameter all: Also what costs more to remove than it takes up.
    /// - Returns: Whether nothing is left to remove.
    /// - Throws: As `append`.
    func removeSome(all: Bool) throws(JournalError) -> Bool

    /// Forgets some of the oldest receipts: of all but the newest `keepNewest`, and of the run of oldest ones whose
    /// `time` is before `olderThan`.
    ///
    /// - Returns: Whether nothing is left to forget.
    /// - Throws: As `append`.
    func trimReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool

    /// The subscriptions that are kept, in no order; one that is damaged is left out, for its client can make another.
    func subscriptions() throws(JournalError) -> [StoredSubscription]

    /// Keeps subscriptions, each in the place of one with the same number, and removes others, by number.
    ///
    /// - Throws: As `append`.
    func keep(_ subscriptions: [StoredSubscription], removing numbers: [Int]) throws(JournalError)

    /// Says that every list has a new epoch if acknowledged commits may have been missing: from now on none are.
    ///
    /// - Throws: As `append`.
    func settleRecovery() throws(JournalError)

    /// Releases the files; every later call throws `.closed`.
    func close()
}

/// A journal that keeps no subscriptions.
extension Journal {
    public func subscriptions() throws(JournalError) -> [StoredSubscription] { [] }
    public func keep(_ subscriptions: [StoredSubscription], removing numbers: [Int]) throws(JournalError) {}
}

/// Starts a thread of the store.
///
/// - Throws: `.io` when the system has no thread to give.
func startThread(_ body: @escaping @Sendable () -> Void) throws(JournalError) -> Thread {
    do throws(ThreadError) { return try Thread(body) } catch {
        throw .io("pthread_create: \(String(cString: strerror(error.code)))")
    }
}
