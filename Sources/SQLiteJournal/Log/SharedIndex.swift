internal import ListModel
internal import Threads

/// The index of the log, which whoever writes changes while others read lists by it.
///
/// - Safety: `@unchecked` is sound because whoever writes holds the lock of the `SQLiteJournal`, so that there is one
///   such thread at a time, and changes `index` under `lock` only; all others read it under `lock`.
final class SharedIndex: @unchecked Sendable {
    private let lock = Lock()
    private var index = LogIndex()

    /// For who writes.
    var ofWriter: LogIndex {
        _read { yield index }
        _modify {
            lock.lock()
            defer { lock.unlock() }
            yield &index
        }
    }

    /// The lists that are deleted and can go on, and the rows that say so.
    var retired: [ListID: Int] { lock.withLock { index.lives.compactMapValues(\.retired) } }

    /// Where a list is in the files; nil if there is no such list.
    func stored(_ list: ListID) -> LogIndex.StoredList? { lock.withLock { index.stored(list) } }
}
