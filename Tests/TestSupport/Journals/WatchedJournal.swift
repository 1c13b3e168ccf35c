public import ListModel
public import ListStore
import Threads

/// A journal in memory that several stores share, each through a journal of this kind. It gives no hints. It tells what
/// it was asked, can be away, and can hold its callers.
public final class WatchedJournal: PartialJournal {
    /// A moment of a call.
    public enum Moment: Hashable, Sendable {
        /// A commit is written, and its store does not know it.
        case afterCommit
        /// The places of lists are about to be looked for.
        case beforePlaces
        /// The places of lists are found, and their reader does not know them.
        case afterPlaces
        /// The entries of a list are about to be read.
        case beforeLoad(ListID)
        /// The entries of a list are read, and their reader does not know that they end.
        case afterLoad(ListID)
    }

    private struct State: Sendable {
        var failure: JournalError?
        var failuresLeft = 0
        var asked: [[ListID]] = []
        var held: Set<Moment> = []
        var arrived: [Moment] = []
    }

    private let journal: MemoryJournal
    private let state = Locked(State())

    public init(over journal: MemoryJournal) { self.journal = journal }

    public var isShared: Bool { true }
    public var isAway: Bool { state.withLock { $0.failure != nil } }

    public func onHint(_ hint: @escaping @Sendable ([ListID]) -> Void) { journal.onHint { _ in } }

    /// Fails the next calls with an error, or none any more.
    public func fail(with error: JournalError?, calls: Int = .max) {
        state.withLock { ($0.failure, $0.failuresLeft) = (error, calls) }
    }

    /// The lists of each question for places, in order.
    public var asked: [[ListID]] { state.withLock { $0.asked } }

    // MARK: Holding

    /// Holds callers at a moment, until `release(_:)`.
    public func hold(_ moment: Moment) { state.change { _ = $0.held.insert(moment) } }

    public func release(_ moment: Moment) { state.change { _ = $0.held.remove(moment) } }

    /// Waits until a caller is held at a moment.
    public func waitForCaller(at moment: Moment) { state.wait(until: { $0.arrived.contains(moment) }) { _ in } }

    /// Whether a caller is held at a moment.
    public func isHolding(_ moment: Moment) -> Bool { state.withLock { $0.arrived.contains(moment) } }

    private func pass(_ moment: Moment) {
        state.change { state in
            if state.held.contains(moment) { state.arrived.append(moment) }
        }
        state.wait(until: { !$0.held.contains(moment) }) { $0.arrived.removeAll { $0 == moment } }
    }

    private func look<Found>(_ body: () throws(JournalError) -> Found) throws(JournalError) -> Found {
        try mayFail()
        return try body()
    }

    private func mayFail() throws(JournalError) {
        let error: JournalError? = state.withLock { state in
            guard let error = state.failure else { return nil }
            state.failuresLeft -= 1
            if state.failuresLeft == 0 { state.failure = nil }
            return error
        }
        if let error { throw error }
    }

    // MARK: The journal

    public func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws {
        try journal.open(receipt: receipt, receiptsMax: receiptsMax, since: since)
    }

    public func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome] {
        let outcomes = try look { () throws(JournalError) in try journal.commit(commits) }
        pass(.afterCommit)
        return outcomes
    }

    public func lists(after id: ListID?, limit: Int) throws(JournalError) -> [ListID] {
        try look { () throws(JournalError) in try journal.lists(after: id, limit: limit) }
    }

    public func retired() throws -> [RetiredList] {
        try mayFail()
        return try journal.retired()
    }

    public func places(of lists: [ListID]) throws(JournalError) -> [LogPlace?] {
        try mayFail()
        pass(.beforePlaces)
        let places = try journal.places(of: lists)
        state.change { $0.asked.append(lists) }
        pass(.afterPlaces)
        return places
    }

    public func load(
        _ list: ListID, after place: LogPlace?, snapshot: (SnapshotPart) throws -> Void,
        entry: (JournalEntry) throws -> Void
    ) throws -> LogPlace? {
        pass(.beforeLoad(list))
        try mayFail()
        let end = try journal.load(list, after: place, snapshot: snapshot, entry: entry)
        pass(.afterLoad(list))
        return end
    }

    public func receipt(_ key: [UInt8]) throws(JournalError) -> Receipt? {
        try look { () throws(JournalError) in try journal.receipt(key) }
    }

    public func record(_ key: KeyedRecord.Key) throws(JournalError) -> KeyedRecord.Content? {
        try look { () throws(JournalError) in try journal.record(key) }
    }

    public func records(
        of kind: KeyedRecord.Kind, after key: [UInt8]?, limit: Int
    ) throws(JournalError) -> [KeyedRecord] {
        try look { () throws(JournalError) in try journal.records(of: kind, after: key, limit: limit) }
    }

    public func keep(_ records: [RecordWrite]) throws(JournalError) -> [Bool] {
        try look { () throws(JournalError) in try journal.keep(records) }
    }
}
