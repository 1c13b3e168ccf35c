public import ListModel
public import ListStore

/// A journal for tests, which write the parts that they need. The other parts do nothing, and find nothing.
public protocol PartialJournal: Journal {}

extension PartialJournal {
    /// Says of every commit that it was written, and that its list is over.
    public func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome] {
        commits.map { _ in .written(nil) }
    }
    public func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws {}
    public func lists(after id: ListID?, limit: Int) throws(JournalError) -> [ListID] { [] }
    public func retired() throws -> [RetiredList] { [] }
    public func places(of lists: [ListID]) throws(JournalError) -> [LogPlace?] { lists.map { _ in nil } }
    public func load(
        _ list: ListID, after place: LogPlace?, snapshot: (SnapshotPart) throws -> Void,
        entry: (JournalEntry) throws -> Void
    ) throws -> LogPlace? { nil }
    public func receipt(_ key: [UInt8]) throws(JournalError) -> Receipt? { nil }
    public func write(_ part: SnapshotPart) throws(JournalError) {}
    public func removeSome(all: Bool) throws(JournalError) -> Bool { true }
    public func trimReceipts(keepNewest: Int, olderThan: Int) throws(JournalError) -> Bool { true }
    public func settleRecovery() throws(JournalError) {}
    public func close() {}
}
