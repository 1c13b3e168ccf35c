import Threads

/// Is told when readers of a list would see something new.
public protocol ListObserver: AnyObject, Sendable {
    /// The durable head has moved, or the list is gone.
    ///
    /// Called on whichever thread made it so, maybe under the list's lock: it must return at once, and not enter the
    /// list.
    func listDidChange()
}

/// What is known to be on disk of a list.
///
/// Behind a lock of its own, so that the thread that settles commits does not wait for a transaction under way.
final class DurableHead: Sendable {
    private struct State: Sendable {
        var revision: Int
        var isGone = false
        /// Bytes that have gone into the log, and the revision, since somebody last looked at them.
        var loggedBytes = 0
        var lookedRevision: Int
        var published: (any AnyObject & Sendable)?
        var pending: Durability?
        var observer: (any ListObserver)?
    }

    private let state: Locked<State>

    init(revision: Int) {
        state = Locked(State(revision: revision, lookedRevision: revision))
    }

    /// The revision that is durable, and whether the list's end is.
    var standing: (revision: Int, isGone: Bool) { state.withLock { ($0.revision, $0.isGone) } }

    /// Makes `revision` the durable head.
    func settle(_ revision: Int) {
        let observer: (any ListObserver)? = state.withLock { state in
            guard revision > state.revision else { return nil }
            state.revision = revision
            state.published = nil
            return state.observer
        }
        observer?.listDidChange()
    }

    /// As `settle(_:)`; `bytes` went into the log for it.
    ///
    /// - Returns: Whether the log has grown so far since it was last looked at that it is worth a look.
    func settle(_ revision: Int, logged bytes: Int, look: LogGrowth) -> Bool {
        let (observer, isWorthALook): ((any ListObserver)?, Bool) = state.withLock { state in
            state.loggedBytes += bytes
            guard revision > state.revision else { return (nil, false) }
            state.revision = revision
            state.published = nil
            let isWorthALook =
                state.loggedBytes >= look.bytes || revision - state.lookedRevision >= look.rows
            if isWorthALook { state.lookedRevision = revision }
            return (state.observer, isWorthALook)
        }
        observer?.listDidChange()
        return isWorthALook
    }

    /// The bytes that have gone into the log since this was last asked.
    func takeLoggedBytes() -> Int {
        state.withLock { state in
            defer { state.loggedBytes = 0 }
            return state.loggedBytes
        }
    }

    func end() {
        let observer = state.withLock { state in
            state.isGone = true
            state.published = nil
            return state.observer
        }
        observer?.listDidChange()
    }

    /// Whoever is told when the standing changes, made if there is nobody yet.
    func observer(_ make: () -> any ListObserver) -> any ListObserver {
        state.withLock { state in
            if let observer = state.observer { return observer }
            let observer = make()
            state.observer = observer
            return observer
        }
    }

    // MARK: What was published for the head

    /// Nil once the head has moved on.
    var published: (any AnyObject & Sendable)? { state.withLock { $0.published } }

    func publish(_ object: any AnyObject & Sendable, at revision: Int) {
        state.withLock { state in
            if state.revision == revision, revision > 0, !state.isGone { state.published = object }
        }
    }

    // MARK: What waits

    /// Of the newest commit that waits; what reads the speculative head must wait for it too. Nobody keeps it longer
    /// than until it is settled, for whoever waits for it may keep the list.
    var pending: Durability? { state.withLock { $0.pending } }

    func wait(for durability: Durability) { state.withLock { $0.pending = durability } }

    /// Does nothing if a newer commit waits.
    func forget(_ durability: Durability) {
        state.withLock { state in
            if state.pending === durability { state.pending = nil }
        }
    }
}
