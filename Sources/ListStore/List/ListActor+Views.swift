public import ListDiff
public import ListModel

// What clients see that have not asked for all rows, and what happened to that.

extension ListActor {
    /// The query with an anchor that the list has: where an item has left, what stands in for it.
    ///
    /// - Parameter snapshot: Of a list of this id; history knows nothing of another life of it.
    /// - Returns: Nil if the window's anchor is an item that neither the state nor history knows.
    public func resolved(_ query: RowQuery, at snapshot: ListSnapshot) -> RowQuery? {
        guard let window = query.window, !snapshot.state.contains(window.anchor) else { return query }
        guard snapshot.version.epoch == epoch,
            let deltas = history.deltas(since: history.oldest, upTo: snapshot.version.revision),
            let anchor = snapshot.state.standIn(for: window.anchor, in: deltas)
        else { return nil }
        var query = query
        query.window?.anchor = anchor
        return query
    }

    /// Whether a client can be brought from a version to the durable head.
    public func knows(_ version: Version) -> Bool {
        version.epoch == epoch && history.deltas(since: version.revision, upTo: self.version.revision) != nil
    }

    /// What brings a client from what it sees to what it is to see at the durable head, found without keeping the list
    /// waiting where that looks at many rows.
    ///
    /// - Parameters:
    ///   - version: Nil if it knows none.
    ///   - end: A snapshot of the list to go to instead of the head; then nobody follows.
    ///   - previous: What it asked for when it was at `version`.
    ///   - isReload: Whether the client asks for a reset.
    ///   - followed: Where rows are known and kept; nil for somebody who asks once.
    public nonisolated func catchup(
        since version: Version?, upTo end: ListSnapshot? = nil, _ previous: RowQuery, _ query: RowQuery, isReload: Bool,
        among followed: FollowedQueries?
    ) -> ViewCatchup {
        guard query.isWhole, previous.isWhole, previous.view == query.view else {
            return enter {
                $0.search(since: version, upTo: end, previous, query, isReload: isReload, among: followed)
            }.result()
        }
        let found = enter { $0.catchup(since: version, upTo: end, view: query.view, isReload: isReload) }
        return ViewCatchup(catchup: found.catchup, query: query, isHistoryLost: found.isHistoryLost)
    }

    /// Looks for the rows that a query selects, unless they are known: whoever begins to follow pays for that, and not
    /// the first change for all of them at once.
    public nonisolated func look(for query: RowQuery, among followed: FollowedQueries) {
        guard !query.isIndexed, followed.known(query.withoutWindow) == nil else { return }
        let head = enter { $0.snapshot() }
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
        // What the client sees around an item that left so long ago cannot be told any more.
        guard let seen = resolved(previous, at: old) else { return search }
        search.isAnimated = history.isAnimated(since: version.revision, upTo: current.version.revision)
        search.span = (version, ViewSpan(from: old.state, seen, to: current.state, wanted, deltas))
        return search
    }

    /// What is known of the rows that a query selects.
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

/// What brings a client up to date with a query.
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

    /// The same as another change set or reset.
    public func told(_ catchup: Catchup) -> ViewCatchup {
        ViewCatchup(catchup: catchup, query: query, rows: rows, isHistoryLost: isHistoryLost)
    }
}

/// The rows that a query selects, as followers know them.
private struct KeptRows: Sendable {
    /// Without a window.
    let query: RowQuery
    let followed: FollowedQueries
    var known: FollowedQueries.Known?
    /// What leads from the state that the rows are known of to the head.
    var way: (from: ListState, deltas: [Delta])?

    /// The rows of the head.
    func rows(of head: ListSnapshot) -> SelectedRows {
        guard let known, let way else { return SelectedRows(query, of: head.state) }
        return known.rows.gone(from: way.from, to: head.state, query, way.deltas)
    }
}

/// What is needed to find out what brings a client up to date with a query, so that the list need not wait for it.
private struct ViewSearch: Sendable {
    /// The durable head.
    let head: ListSnapshot
    /// The query for it, whose anchor it has.
    let query: RowQuery
    /// Nil for a query whose rows nobody keeps.
    private let kept: KeptRows?
    var isHistoryLost = false
    /// Whether what happened may be shown moving.
    var isAnimated = true
    /// Nil where there is to be a reset.
    var span: (since: Version, view: ViewSpan)?

    init(_ head: ListSnapshot, _ query: RowQuery, _ kept: KeptRows?) {
        self.head = head
        self.query = query
        self.kept = kept
    }

    /// The change set, or a reset where docs/contract.md section 5 wants one.
    ///
    /// - Complexity: That of `ViewSpan.outcome(knowing:)`; of a reset that of `SelectedRows`.
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
