public import ListModel

/// A journal in which a store can lock lists before it decides what to write to them.
///
/// A commit that compares loses if others are faster, and a store can lose again and again. Such a store locks the list,
/// reads what others have written, decides, and writes, all in one call:
///
///     commit(locking: lists) ──locked──▶ tails(after: places) ──▶ commits ──written──▶ outcomes
///
/// A lock only makes a store wait for its turn. A commit compares the place of its list all the same, so nothing depends
/// on a lock that is lost on the way.
public protocol LocksLists: Sendable {
    /// Locks lists, has commits decided, and writes them as `Journal.commit` does. Then others can write to the lists
    /// again.
    ///
    /// It locks those lists that nobody else has locked. If there are none, it waits for the first one. It may be called
    /// beside commits of other lists, which do not wait for it.
    ///
    /// - Parameter decide: It is called at most once, and returns commits of the locked lists, each with a place as its
    ///   condition.
    /// - Returns: The outcome of each commit, in their order.
    /// - Throws: As `Journal.commit`; `.moved` if no list could be locked in time. `decide` may have been called, except
    ///   with `.moved`.
    func commit(
        locking wanted: WantedLocks, _ decide: (any LockedLists) -> [Commit]
    ) throws(JournalError) -> [CommitOutcome]
}

/// The lists that a store wants to lock.
public struct WantedLocks: Sendable {
    /// At least one. A list that is not there is not locked.
    public let lists: [ListID]
    /// Whether the first list is waited for even if others can be locked at once.
    public let waitsForFirst: Bool
    /// The most seconds for which a list is waited for, at least 1.
    public let secondsMax: Int
    /// The places after which their entries will be asked for, as far as they are known. A journal may read them as soon as
    /// it has the locks.
    public var places: [ListPlace] = []

    public init(_ lists: [ListID], waitsForFirst: Bool, secondsMax: Int) {
        (self.lists, self.waitsForFirst, self.secondsMax) = (lists, waitsForFirst, secondsMax)
    }
}

/// The lists that a store has locked.
public protocol LockedLists {
    var ids: [ListID] { get }
    /// The list that was waited for; nil if there was none. If it is not locked, it is not there.
    var awaited: ListID? { get }

    /// The entries that others have written to locked lists, as `Journal.tails` reads them.
    func tails(after places: [ListPlace]) throws(JournalError) -> [Tail?]
}
