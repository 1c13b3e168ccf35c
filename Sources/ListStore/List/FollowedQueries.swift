public import ListDiff
public import Threads

/// The rows that the queries of a list's followers select. Followers that ask the same share one search, and its rows
/// are kept from version to version while somebody follows.
///
/// Only queries with a filter, a sort or a viewer's own disclosure are kept. The rows of other queries are found by
/// their indexes. Kept rows count as memory. If there is no room for them, each change is searched for anew.
public final class FollowedQueries: Sendable {
    private let entries = Locked(Entries())

    private struct Entries {
        var queries: [RowQuery: Entry] = [:]
        /// The queries that nobody follows right now. The one that was left last is at the end. A client that polls
        /// comes back after each change.
        var idle: [RowQuery] = []
    }

    private struct Entry {
        var followers = 0
        var known: Known?
    }

    struct Known: Sendable {
        let revision: Int
        let rows: SelectedRows
        fileprivate let claim: MemoryClaim
    }

    private static let idleMax = 8

    private let memory: MemoryBudget

    public init(within memory: MemoryBudget) { self.memory = memory }

    /// Adds a follower of a query.
    ///
    /// - Parameter queriesMax: How many different queries may be followed.
    /// - Returns: False if so many other queries are followed already.
    public func admit(_ query: RowQuery, queriesMax: Int) -> Bool {
        guard !query.isIndexed else { return true }
        let query = query.withoutWindow
        return entries.withLock { entries in
            let isFollowed = entries.queries[query].map { $0.followers > 0 } ?? false
            guard isFollowed || entries.queries.count - entries.idle.count < queriesMax else { return false }
            if !isFollowed { entries.idle.removeAll { $0 == query } }
            entries.queries[query, default: Entry()].followers += 1
            return true
        }
    }

    /// Removes a follower that `admit(_:queriesMax:)` has added.
    public func leave(_ query: RowQuery) {
        guard !query.isIndexed else { return }
        let query = query.withoutWindow
        entries.withLock { entries in
            guard let followers = entries.queries[query]?.followers else { return }
            entries.queries[query]?.followers = followers - 1
            guard followers == 1 else { return }
            entries.idle.append(query)
            if entries.idle.count > Self.idleMax { entries.queries[entries.idle.removeFirst()] = nil }
        }
    }

    /// How many different queries are followed.
    public var count: Int { entries.withLock { $0.queries.count - $0.idle.count } }

    /// - Parameter query: A query without a window.
    func known(_ query: RowQuery) -> Known? { entries.withLock { $0.queries[query]?.known } }

    /// Keeps the rows of a query at a revision, if somebody follows it and nothing newer is known.
    func keep(_ rows: SelectedRows, of query: RowQuery, at revision: Int) {
        let claim = MemoryClaim(taking: rows.estimatedBytes, of: memory, for: .lists)
        entries.withLock { entries in
            guard let entry = entries.queries[query], revision >= entry.known?.revision ?? 0 else { return }
            entries.queries[query]?.known = claim.map { Known(revision: revision, rows: rows, claim: $0) }
        }
    }
}
