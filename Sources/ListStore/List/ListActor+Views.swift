public import ListDiff
public import ListModel

// Catch-ups of queries that do not ask for all rows.

extension ListActor {
    /// The query with an anchor that the list has. If the anchor of the window has left, another item stands in for it.
    ///
    /// - Parameter snapshot: A snapshot of a list of this id. The history covers one life of the list only.
    /// - Returns: Nil if the window's anchor is an item that neither the state nor history knows.
    public func resolved(_ query: RowQuery, at snapshot: ListSnapshot) -> RowQuery? {
        guard let anchor = query.window?.anchor, !snapshot.state.contains(anchor) else { return query }
        guard snapshot.version.epoch == epoch,
            let deltas = history.deltas(since: history.oldest, upTo: snapshot.version.revision),
            let standIn = snapshot.state.standIn(for: anchor, in: deltas)
        else { return nil }
        var query = query
        query.window?.middle = .item(standIn)
        return query
    }

    /// Whether a client can be brought from a version to the durable head.
    public func knows(_ version: Version) -> Bool {
        version.epoch == epoch && history.deltas(since: version.revision, upTo: self.version.revision) != nil
    }

    /// Finds the changes, or the reset, from the rows that a client sees to the rows of its query at the durable head.
    /// If this means a look at many rows, the list does not wait for it.
    ///
    /// - Parameters: Otherwise as for `catchup(since:upTo:view:isReload:)`.
    ///   - previous: The query whose rows the client saw at `version`.
    ///   - followed: The kept rows of followers; nil for a client that asks once.
    ///   - pace: `.long` if there may be many changes.
    public nonisolated func catchup(
        since version: Version?, upTo end: ListSnapshot? = nil, _ previous: RowQuery, _ query: RowQuery, isReload: Bool,
        among followed: FollowedQueries?, pace: Write.Pace = .brief
    ) -> ViewCatchup {
        guard query.isWhole, previous.isWhole, previous.view == query.view else {
            return read(pace) {
                $0.search(since: version, upTo: end, previous, query, isReload: isReload, among: followed)
            }.result()
        }
        let found = read(pace) { $0.catchup(since: version, upTo: end, view: query.view, isReload: isReload) }
        return ViewCatchup(catchup: found.catchup, query: query, isHistoryLost: found.isHistoryLost)
    }

    /// Looks for the rows that a query selects, unless they are known. So a new follower pays for the search, and not
    /// the first change for all of them at once.
    public nonisolated func look(for query: RowQuery, among followed: FollowedQueries) {
        guard !query.isIndexed, followed.known(query.withoutWindow) == nil else { return }
        let head = read { $0.snapshot() }
        let rows = SelectedRows(query.withoutWindow, of: head.state)
        followed.keep(rows, of: query.withoutWindow, at: head.version.revision)
    }

    private func search(
        since version: Version?, upTo end: ListSnapshot?, _ previous: RowQuery, _ query: RowQuery, isReload: Bool,
        among followed: FollowedQueries?
    ) -> ViewSearch {
        let current = end ?? snapshot()
        let wanted = resolved(query, at: current) ?? query
        var search = ViewSearch(current, wanted, rows(of: wanted, at: current, among: followed))
        guard let version else { return search }
        guard version.epoch == epoch,
            let deltas = history.deltas(since: version.revision, upTo: current.version.revision)
        else {
            search.isHistoryLost = true
            return search
        }
        guard !isReload else { return search }
        let old = ListSnapshot(id: id, version: version, state: current.state.reverted(deltas))
        // The anchor has left too long ago to tell which rows the client sees.
        guard let seen = resolved(previous, at: old) else { return search }
        search.isAnimated = history.isAnimated(since: version.revision, upTo: current.version.revision)
        search.span = (version, ViewSpan(from: old.state, seen, to: current.state, wanted, deltas))
        return search
    }

    /// The known rows of a query, and the way from them to the head; nil if nobody keeps the rows.
    private func rows(of query: RowQuery, at head: ListSnapshot, among followed: FollowedQueries?) -> KeptRows? {
        guard let followed, !query.isIndexed else { return nil }
        var kept = KeptRows(query: query.withoutWindow, followed: followed)
        guard let known = followed.known(kept.query),
            let deltas = history.deltas(since: known.revision, upTo: head.version.revision)
        else { return kept }
        kept.known = known
        kept.way = (head.state.reverted(deltas), Array(deltas))
        return kept
    }
}

/// The catch-up of a client that asks a query.
public struct ViewCatchup: Sendable {
    public let catchup: Catchup
    /// The query, with an anchor that the list has.
    public let query: RowQuery
    /// The rows of a reset, if they were looked for.
    public let rows: ViewedRows?
    /// Whether there is a reset because the version is of another epoch, ahead, or no longer kept.
    public let isHistoryLost: Bool

    init(catchup: Catchup, query: RowQuery, rows: ViewedRows? = nil, isHistoryLost: Bool) {
        self.catchup = catchup
        self.query = query
        self.rows = rows
        self.isHistoryLost = isHistoryLost
    }

    /// The same with another change set or reset.
    public func told(_ catchup: Catchup) -> ViewCatchup {
        ViewCatchup(catchup: catchup, query: query, rows: rows, isHistoryLost: isHistoryLost)
    }
}

/// The rows that a query selects, as followers know them.
private struct KeptRows: Sendable {
    /// The query, without its window.
    let query: RowQuery
    let followed: FollowedQueries
    var known: FollowedQueries.Known?
    /// The state of the known rows, and the deltas from it to the head.
    var way: (from: ListState, deltas: [Delta])?

    /// The rows of the head.
    func rows(of head: ListSnapshot) -> SelectedRows {
        guard let known, let way else { return SelectedRows(query, of: head.state) }
        return known.rows.gone(from: way.from, to: head.state, query, way.deltas)
    }
}

/// Everything that is needed to find a catch-up, so that the list need not wait for it.
private struct ViewSearch: Sendable {
    /// The durable head.
    let head: ListSnapshot
    /// The query, with an anchor that the head has.
    let query: RowQuery
    /// Nil for a query whose rows nobody keeps.
    private let kept: KeptRows?
    var isHistoryLost = false
    /// Whether the changes may be animated.
    var isAnimated = true
    /// Nil if the answer is a reset.
    var span: (since: Version, view: ViewSpan)?

    init(_ head: ListSnapshot, _ query: RowQuery, _ kept: KeptRows?) {
        self.head = head
        self.query = query
        self.kept = kept
    }

    /// The change set, or a reset where docs/contract.md section 5 wants one.
    ///
    /// - Complexity: The cost of `ViewSpan.outcome(knowing:)`; for a reset the cost of `SelectedRows`.
    func result() -> ViewCatchup {
        guard let span else { return reset(kept?.rows(of: head)) }
        let outcome = span.view.outcome(knowing: knowledge(at: span.since))
        keep(outcome.selected)
        var changes = outcome.changes
        guard !changes.outgrows(rows: ViewedRows(query, of: head.state, outcome.selected).rowCount) else {
            return reset(outcome.selected)
        }
        changes.isAnimated = isAnimated || changes.isEmpty
        let catchup = Catchup.changes(changes, from: span.since, to: head.version, counts: head.state.counts)
        return ViewCatchup(catchup: catchup, query: query, isHistoryLost: isHistoryLost)
    }

    private func reset(_ selected: SelectedRows?) -> ViewCatchup {
        keep(selected)
        return ViewCatchup(
            catchup: .reset(head), query: query, rows: selected.map { ViewedRows(query, of: head.state, $0) },
            isHistoryLost: isHistoryLost)
    }

    private func knowledge(at version: Version) -> ViewSpan.Knowledge {
        guard let kept, let known = kept.known else { return .nothing }
        return known.revision == version.revision ? .old(known.rows) : .new(kept.rows(of: head))
    }

    private func keep(_ selected: SelectedRows?) {
        guard let selected, let kept else { return }
        kept.followed.keep(selected, of: kept.query, at: head.version.revision)
    }
}
