internal import ListDiff
internal import ListModel
internal import ListStore
internal import Threads

/// The rows of the queries by which a long list was read last, each at one version.
///
/// Rows that a query selects or orders are found by a look at every row. So the pages after the first one, and windows
/// that move, would cost as much as the first. The rows stay as long as the list is in memory, or until another query
/// takes their place. They count as memory of the list.
final class RecentRows: Sendable {
    private struct Entry: Sendable {
        let version: Version
        /// A query without a window.
        let query: RowQuery
        let rows: SelectedRows
    }

    /// The entry that was used last is at the end.
    private let entries = Locked<[Entry]>([])

    /// Rows take some 16 bytes each, and a list in memory 416.
    private static let entriesMax = 2

    /// The rows of a query in a snapshot of the list.
    func rows(of query: RowQuery, in snapshot: ListSnapshot, of list: ListActor) -> ViewedRows {
        guard !query.isIndexed else { return ViewedRows(query, of: snapshot.state) }
        let wanted = query.withoutWindow
        let known = entries.withLock { entries -> SelectedRows? in
            guard let index = entries.firstIndex(where: { $0.version == snapshot.version && $0.query == wanted }) else {
                return nil
            }
            entries.append(entries.remove(at: index))
            return entries.last?.rows
        }
        let rows = known ?? SelectedRows(wanted, of: snapshot.state)
        if known == nil { list.countBeside(keep(Entry(version: snapshot.version, query: wanted, rows: rows))) }
        return ViewedRows(query, of: snapshot.state, rows)
    }

    /// Returns by how many bytes the entries have grown.
    private func keep(_ entry: Entry) -> Int {
        let replaced = entries.withLock { entries -> [Entry] in
            // Somebody else may have found the same rows meanwhile.
            guard !entries.contains(where: { $0.version == entry.version && $0.query == entry.query }) else {
                return [entry]
            }
            entries.append(entry)
            let replaced = entries.prefix(max(0, entries.count - Self.entriesMax))
            entries.removeFirst(replaced.count)
            return Array(replaced)
        }
        // Long rows are freed here, outside of the lock.
        return entry.rows.estimatedBytes - replaced.reduce(0) { $0 + $1.rows.estimatedBytes }
    }
}
