internal import ListModel
internal import ListStore
internal import Threads

/// The index of the log. One thread at a time changes it, while others look up the lists that they read.
///
/// - Safety: `@unchecked` is sound because a thread that writes holds the lock of the `SQLiteJournal`, so there is one
///   at a time. It changes `index` under `lock` only, and all other threads read it under `lock`.
final class SharedIndex: @unchecked Sendable {
    private let lock = Lock()
    private var index = LogIndex()

    /// The index, for the thread that writes.
    var ofWriter: LogIndex {
        _read { yield index }
        _modify {
            lock.lock()
            defer { lock.unlock() }
            yield &index
        }
    }

    /// The deleted lists that can be restored, each with the row that deleted it and the place behind that.
    var retired: [(list: ListID, row: Int, place: LogPlace)] {
        lock.withLock {
            index.lives.compactMap { list, life in life.retired.map { (list, $0, life.end) } }
        }
    }

    /// As `Journal.lists(after:limit:)`.
    func lists(after id: ListID?, limit: Int) -> [ListID] {
        let all = lock.withLock { index.lives.lists }
        let wanted = id.map { id in all.filter { id.rawValue < $0.rawValue } } ?? all
        return Array(wanted.sorted { $0.rawValue < $1.rawValue }.prefix(limit))
    }

    /// As `Journal.places(of:)`.
    func places(of lists: [ListID]) -> [LogPlace?] {
        lock.withLock { lists.map { index.lives[$0]?.end } }
    }

    /// As `LogIndex.summaryPlaces(_:)`.
    func summaryPlaces(_ lists: [ListID]) -> [(list: ListID, place: LogPlace)] {
        lock.withLock { index.summaryPlaces(lists) }
    }

    /// The places of a list in the files; nil if there is no such list.
    func stored(_ list: ListID) -> LogIndex.StoredList? { lock.withLock { index.stored(list) } }
}
