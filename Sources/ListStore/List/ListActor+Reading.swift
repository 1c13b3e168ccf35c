public import ListDiff
public import ListModel

// Reading: the durable head of a list, and its changes since a version.

extension ListActor {
    /// The durability of the newest commit, until that is known to be durable.
    var pending: Durability? { durable.pending }

    /// The version of a revision in this life of the list.
    public nonisolated func version(at revision: Int) -> Version { Version(epoch: epoch, revision: revision) }

    var head: Version { version(at: history.newest) }
    /// The revision of the durable head. It may grow at any time, so a caller that needs it twice reads it once.
    nonisolated var durableRevision: Int { durable.standing.revision }

    /// Whether readers may see the list: its first commit is durable, and its end is not.
    public nonisolated var isReadable: Bool {
        let (revision, isGone) = durable.standing
        return revision > 0 && !isGone
    }

    /// Whether this life of the list has ended here because others have written to it. The list may be there again.
    public nonisolated var isReplaced: Bool { durable.isReplaced }

    /// The durable head.
    public func snapshot() -> ListSnapshot {
        // The durable head may have moved beyond a copy since the reader got it.
        let revision = min(durableRevision, history.newest)
        return ListSnapshot(
            id: id, version: version(at: revision), state: state(durableAt: revision))
    }

    /// The speculative head, without the handles that only history names.
    func snapshotWithoutHistory() -> ListSnapshot {
        var state = state
        for delta in history.deltas(since: history.oldest) ?? [] { state.release(delta) }
        return ListSnapshot(id: id, version: head, state: state)
    }

    /// Whether an item is in the speculative head.
    public func contains(_ item: ItemID) -> Bool { state.contains(item) }

    /// Whether a section is in the speculative head.
    public func contains(_ section: SectionID) -> Bool { state.contains(section) }

    /// The version of the durable head.
    public var version: Version { version(at: min(durableRevision, history.newest)) }

    private func state(durableAt revision: Int) -> ListState {
        guard revision < history.newest, let deltas = history.deltas(since: revision) else { return state }
        return state.reverted(deltas)
    }

    /// The answer that was published for the durable head; nil once the head has moved on.
    public nonisolated var published: (any AnyObject & Sendable)? { durable.published }

    /// Publishes a prebuilt answer for the durable head to all readers. Does nothing if `version` is not the head any
    /// more.
    public func publish(_ object: any AnyObject & Sendable, for version: Version) {
        guard version.epoch == epoch else { return }
        durable.publish(object, at: version.revision, losses: lossesBefore ?? durable.losses)
    }

    /// The revision of the durable head, and whether the list is durably gone. This is cheap, and does not wait for a
    /// transaction under way.
    public nonisolated var standing: (revision: Int, isGone: Bool) {
        durable.standing
    }

    /// The observer that is told when the standing changes. A list has one; it is made if there is none yet.
    public nonisolated func observer(_ make: () -> any ListObserver) -> any ListObserver { durable.observer(make) }

    /// The note of the transaction that made a revision of this epoch; nil if it is no longer kept.
    public func note(of revision: Int) -> TransactionNote? { history.note(of: revision) }

    /// The catch-up of a client from `version` to the durable head.
    ///
    /// - Parameters:
    ///   - version: The version that the client has; nil if it has none.
    ///   - end: A snapshot of the list to go to instead of the head.
    ///   - isReload: Whether the client asks for a reset.
    /// - Returns: The change set, or a reset where docs/contract.md section 5 wants one; and whether the reset is due
    ///   to a version of another epoch, a version ahead of the head, or one that is no longer kept.
    public func catchup(
        since version: Version?, upTo end: ListSnapshot? = nil, view: View, isReload: Bool = false
    ) -> (catchup: Catchup, isHistoryLost: Bool) {
        let current = end ?? snapshot()
        guard let version else { return (.reset(current), false) }
        guard version.epoch == epoch, version.revision <= current.version.revision,
            history.deltas(since: version.revision, upTo: current.version.revision) != nil
        else { return (.reset(current), true) }
        guard !isReload, let catchup = catchup(from: version, to: current, view: view) else {
            return (.reset(current), false)
        }
        return (catchup, false)
    }

    /// The catch-up from one version of this epoch to another; nil if history does not reach back to it.
    func catchup(from version: Version, to snapshot: ListSnapshot, view: View) -> Catchup? {
        guard let changes = catchups.changes(since: version.revision, to: snapshot, view: view, history) else {
            return nil
        }
        guard !changes.outgrows(rows: snapshot.state.rowCount(view)) else { return .reset(snapshot) }
        return .changes(changes, from: version, to: snapshot.version, counts: snapshot.state.counts)
    }
}
