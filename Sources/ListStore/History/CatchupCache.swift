import ListDiff
import ListModel

/// The net changes since the versions from which clients have caught up lately.
///
/// A client that polls from the same version as another before it costs only the changes since that poll.
struct CatchupCache {
    private struct Entry {
        var base: Int
        var view: View
        /// The revision to which `net` leads.
        var end: Int
        var net: NetChange
        var changes: ChangeSet
    }

    private static let entriesMax = 8
    /// The one that was used last is at the end.
    private var entries: [Entry] = []

    var count: Int { entries.count }

    /// The change set from `base` to `snapshot`; nil if history no longer reaches back to `base`.
    mutating func changes(since base: Int, to snapshot: ListSnapshot, view: View, _ history: History) -> ChangeSet? {
        let end = snapshot.version.revision
        // Changes since a version that history has dropped are not kept here either.
        entries.removeAll { $0.base < history.oldest }
        guard history.deltas(since: base, upTo: end) != nil else { return nil }
        guard base < end else { return ChangeSet() }
        var entry =
            take(base, view, end)
            ?? Entry(base: base, view: view, end: base, net: NetChange(view: view), changes: ChangeSet())
        if entry.end < end {
            for delta in history.deltas(since: entry.end, upTo: end) ?? [] { entry.net.append(delta) }
            entry.changes = entry.net.changes(to: snapshot.state)
            entry.end = end
        }
        if entries.count == Self.entriesMax { entries.removeFirst() }
        entries.append(entry)
        var changes = entry.changes
        changes.isAnimated = history.isAnimated(since: base, upTo: end) || changes.isEmpty
        return changes
    }

    /// Takes out the entry of a base and view, unless it goes beyond `end`.
    private mutating func take(_ base: Int, _ view: View, _ end: Int) -> Entry? {
        let index = entries.firstIndex { $0.base == base && $0.view == view && $0.end <= end }
        return index.map { entries.remove(at: $0) }
    }
}
