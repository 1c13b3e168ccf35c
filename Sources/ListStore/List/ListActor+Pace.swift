import ListDiff
import ListModel
internal import Glibc
internal import Synchronization

// Long writes, and what others do meanwhile. A thread that serves many connections must not wait for a list, so it
// carries out brief writes only. A write that turns out to be long is done again by a thread that can wait.

extension ListActor {
    /// Runs `body`, which only reads, as `enter` does. If a long write is at work, or waits for the disk, `body` runs on
    /// a copy of the list from before that write.
    ///
    /// - Parameter pace: `.long` if `body` may take long. It then runs on a copy in any case, so that nobody waits for
    ///   it.
    public nonisolated func read<Result: Sendable>(
        _ pace: Write.Pace = .brief, body: (isolated ListActor) throws -> Result
    ) rethrows -> Result {
        while true {
            guard let copy = copyToRead(pace) else {
                if let result = try executor.withLockUnlessLong({ try assumeIsolated(body) }) { return result }
                usleep(LockExecutor.pauseMicroseconds)
                continue
            }
            let result = try copy.enter(body)
            // Revisions of the copy may name other states since a loss.
            if durable.losses == copy.lossesBefore { return result }
        }
    }

    /// The copy that a reader reads; nil if it reads the list itself, or has to ask again because a long write begins.
    private nonisolated func copyToRead(_ pace: Write.Pace) -> ListActor? {
        let shown = durable.copy
        guard pace == .long else { return shown }
        return if let shown { shown.enter { $0.copy } } else {
            executor.withLockUnlessLong { assumeIsolated { $0.copy } }
        }
    }

    private var copy: ListActor {
        ListActor(of: self, state, history, catchups, losses: lossesBefore ?? durable.losses)
    }

    /// Runs `body`, which carries a write out, as `enter` does.
    ///
    /// - Returns: `busy` if the write is brief and a long one is at work; `body` does not run then.
    nonisolated func enter<Result: Sendable>(
        for write: Write, busy: Result, _ body: (isolated ListActor) -> Result
    ) -> Result {
        enter(at: write.pace, busy: busy, body)
    }

    /// As `enter(for:busy:_:)`, for any change of the list.
    nonisolated func enter<Result: Sendable>(
        at pace: Write.Pace, busy: Result, _ body: (isolated ListActor) -> Result
    ) -> Result {
        switch pace {
        case .ordinary, .patient: enter(body)
        case .brief: executor.withLockUnlessLong { assumeIsolated(body) } ?? busy
        case .long:
            executor.withLongLock {
                let (copy, revision) = assumeIsolated { $0.showCopy() }
                defer { assumeIsolated { $0.hide(copy, unlessBeyond: revision) } }
                return assumeIsolated(body)
            }
        }
    }

    /// Lets readers read a copy of the list while a long write is at work.
    ///
    /// - Returns: The copy, and its newest revision.
    private func showCopy() -> (ListActor, Int) {
        let copy = copy
        durable.show(copy, upTo: history.newest)
        return (copy, history.newest)
    }

    /// Takes a copy back. If the write has made a revision, readers need the copy until that is durable.
    private func hide(_ copy: ListActor, unlessBeyond revision: Int) {
        if history.newest == revision { durable.hide(copy) }
    }

    /// About how many bytes of JSON the whole list is.
    public nonisolated var answerBytes: Int {
        textBytes.load(ordering: .relaxed) + Self.rowTextBytes * mostRows.load(ordering: .relaxed)
    }

    /// About how many bytes of JSON a row has besides its texts.
    private static let rowTextBytes = 64

    /// Whether a look at all rows of the list, or at its whole history, may take longer than a millisecond.
    public nonisolated var isLong: Bool {
        mostRows.load(ordering: .relaxed) > Write.briefRowsMax
            || textBytes.load(ordering: .relaxed) > Write.briefBytesMax
            || historyBytes.load(ordering: .relaxed) > Write.briefHistoryBytesMax
    }

    /// Whether a search through the texts of the list may take longer than a millisecond. A byte that is searched costs
    /// about eight times as much as one that is copied.
    public nonisolated var isLongToSearch: Bool {
        isLong || textBytes.load(ordering: .relaxed) > Write.briefSearchBytesMax
    }

    /// Whether it may take longer than a millisecond to find the changes since a revision.
    public nonisolated func isLongCatchup(since revision: Int) -> Bool {
        read { $0.history.cost(since: revision) > Write.briefBytesMax }
    }
}

// MARK: - The bounds of a brief write

extension ListActor {
    /// Whether a write of a long list looks only at rows that it names. Others look at whole sections, or make a copy
    /// of the state.
    func namesAFewRows(_ write: Write) -> Bool {
        switch write.intent {
        case .operation, .operations: write.base == nil || write.base == head
        case .reorder, .undo, .redo, .restore: false
        }
    }

    /// The budget of a write; nil for an undo, a redo and a restore, which bring only values that are kept already.
    func budget(of write: Write) -> Budget? {
        let (bytesMax, rowsMax) = (shared.limits.transactionBytesMax, shared.limits.transactionRowsMax)
        return switch write.intent {
        case .operation, .operations, .reorder:
            write.pace.isBounded
                ? Budget(bytesMax: bytesMax, rowsMax: min(Write.briefRowsMax, rowsMax))
                : Budget(bytesMax: bytesMax, rowsMax: rowsMax, on: state)
        case .undo, .redo, .restore: nil
        }
    }

    /// Throws `busy` if a brief or patient write would look at many changes since a version, or be answered with a long snapshot,
    /// because the version is unknown.
    func requireBriefness(of write: Write, since version: Version?) throws(StoreError) {
        guard write.pace.isBounded else { return }
        let isBrief =
            if let version, version.epoch == epoch, history.deltas(since: version.revision) != nil {
                history.cost(since: version.revision) <= Write.briefBytesMax
            } else {
                state.itemCount <= Write.briefRowsMax && state.textBytes <= Write.briefBytesMax
            }
        guard isBrief else { throw .busy }
    }
}
