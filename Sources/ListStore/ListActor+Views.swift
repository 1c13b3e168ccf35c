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
    ///   - previous: What it asked for when it was at `version`.
    ///   - isReload: Whether the client asks for a reset.
    /// - Returns: The change set or reset; the query, with an anchor that the list has; and whether there is a reset
    ///   because the version is of another epoch, ahead, or no longer kept.
    public nonisolated func catchup(
        since version: Version?, _ previous: RowQuery, _ query: RowQuery, isReload: Bool = false
    ) -> (catchup: Catchup, rows: RowQuery, isHistoryLost: Bool) {
        guard query.isWhole, previous == query else {
            let viewed = enter { $0.viewedCatchup(since: version, previous, query, isReload: isReload) }
            return (viewed.catchup(), viewed.query, viewed.isHistoryLost)
        }
        let found = enter { $0.catchup(since: version, view: query.view, isReload: isReload) }
        return (found.catchup, query, found.isHistoryLost)
    }

    /// - Parameters:
    ///   - version: Nil if it knows none.
    ///   - previous: What it asked for when it was at `version`.
    ///   - isReload: Whether the client asks for a reset.
    private func viewedCatchup(
        since version: Version?, _ previous: RowQuery, _ query: RowQuery, isReload: Bool
    ) -> ViewedCatchup {
        let current = snapshot()
        let wanted = resolved(query, at: current) ?? query
        guard let version else { return ViewedCatchup(current, wanted, isHistoryLost: false) }
        guard version.epoch == epoch,
            let deltas = history.deltas(since: version.revision, upTo: current.version.revision)
        else { return ViewedCatchup(current, wanted, isHistoryLost: true) }
        guard !isReload else { return ViewedCatchup(current, wanted, isHistoryLost: false) }
        let old = ListSnapshot(id: id, version: version, state: current.state.reverted(deltas))
        // What the client sees around an item that left so long ago cannot be told any more.
        guard let seen = resolved(previous, at: old) else {
            return ViewedCatchup(current, wanted, isHistoryLost: false)
        }
        let span = ViewSpan(from: old.state, seen, to: current.state, wanted, deltas)
        return ViewedCatchup(current, wanted, isHistoryLost: false, since: version, span)
    }
}

/// What is needed to find out what brings a client up to date with a query, so that the list need not wait for it.
private struct ViewedCatchup: Sendable {
    /// The durable head.
    let snapshot: ListSnapshot
    /// The query for it, whose anchor it has.
    let query: RowQuery
    /// Whether the client's version is of another epoch, ahead, or no longer kept.
    let isHistoryLost: Bool
    /// Nil where there is to be a reset.
    private let known: (version: Version, span: ViewSpan)?

    init(
        _ snapshot: ListSnapshot, _ query: RowQuery, isHistoryLost: Bool, since version: Version? = nil,
        _ span: ViewSpan? = nil
    ) {
        self.snapshot = snapshot
        self.query = query
        self.isHistoryLost = isHistoryLost
        known = version.flatMap { version in span.map { (version, $0) } }
    }

    /// The change set, or a reset where CONTRACT.md section 5 wants one.
    ///
    /// - Complexity: That of `ViewSpan.changes()`.
    func catchup() -> Catchup {
        guard let known else { return .reset(snapshot) }
        let changes = known.span.changes()
        let rows = changes.namedRowCount
        guard rows > 1_000, rows > ViewedRows(query, of: snapshot.state).rowCount else {
            return .changes(changes, from: known.version, to: snapshot.version)
        }
        return .reset(snapshot)
    }
}
