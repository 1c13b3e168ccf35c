internal import Synchronization
import Threads

/// An object that is told when readers of a list would see something new.
public protocol ListObserver: AnyObject, Sendable {
    /// The durable head has moved, or the list is gone.
    ///
    /// Called on the thread that caused the change, perhaps under the list's lock. The method must return at once, and
    /// must not enter the list.
    func listDidChange()

    /// Whether somebody waits for a change now. It is said at once.
    var isWatched: Bool { get }
}

/// The part of a list that is known to be on the disk.
///
/// It has a lock of its own, so that the thread that settles commits does not wait for a transaction under way.
final class DurableHead: Sendable {
    private struct State: Sendable {
        var revision: Int
        var isGone = false
        /// Whether others have ended the list or changed it as a whole, so that it may be there again.
        var isReplaced = false
        /// The number of bytes that have gone into the log since `takeLoggedBytes()`.
        var loggedBytes = 0
        var lookedRevision: Int
        var published: (any AnyObject & Sendable)?
        var pending: Durability?
        var observer: (any ListObserver)?
        /// The copies of the list from before long writes, oldest first, each with its newest revision.
        var copies: [(list: ListActor, revision: Int)] = []
        /// How often commits were lost. Revisions of a copy from before a loss may name other states now.
        var losses = 0
    }

    private let state: Locked<State>
    /// Whether there are copies. Readers look here first, because there is hardly ever one.
    private let hasCopies = Atomic<Bool>(false)

    init(revision: Int) {
        state = Locked(State(revision: revision, lookedRevision: revision))
    }

    /// The durable revision, and whether the end of the list is durable.
    var standing: (revision: Int, isGone: Bool) { state.withLock { ($0.revision, $0.isGone) } }

    /// Makes `revision` the durable head.
    func settle(_ revision: Int) {
        let (observer, copies): ((any ListObserver)?, [ListActor]) = state.withLock { state in
            guard revision > state.revision else { return (nil, []) }
            state.revision = revision
            state.published = nil
            return (state.observer, dropCopies(from: &state) { $0 < revision })
        }
        ListActor.free(copies)
        observer?.listDidChange()
    }

    /// As `settle(_:)`; `bytes` went into the log for it.
    ///
    /// - Returns: Whether the log has grown enough since the last look to be worth another.
    func settle(_ revision: Int, logged bytes: Int, look: Store.Compaction) -> Bool {
        let (observer, isWorthALook, copies): ((any ListObserver)?, Bool, [ListActor]) = state.withLock { state in
            state.loggedBytes += bytes
            guard revision > state.revision else { return (nil, false, []) }
            state.revision = revision
            state.published = nil
            let isWorthALook =
                state.loggedBytes >= look.bytes || revision - state.lookedRevision >= look.rows
            if isWorthALook { state.lookedRevision = revision }
            return (state.observer, isWorthALook, dropCopies(from: &state) { $0 < revision })
        }
        ListActor.free(copies)
        observer?.listDidChange()
        return isWorthALook
    }

    /// The bytes that have gone into the log since the last call.
    func takeLoggedBytes() -> Int {
        state.withLock { state in
            defer { state.loggedBytes = 0 }
            return state.loggedBytes
        }
    }

    /// Whether the list has ended here because others have written to it. It may be there again.
    var isReplaced: Bool { state.withLock { $0.isReplaced } }

    /// Tells readers that the list is gone.
    func end(isReplaced: Bool = false) {
        let (observer, copies) = state.withLock { state in
            state.isGone = true
            state.isReplaced = isReplaced
            state.published = nil
            return (state.observer, dropCopies(from: &state) { _ in true })
        }
        ListActor.free(copies)
        observer?.listDidChange()
    }

    /// The observer that is told when the standing changes; made if there is none yet.
    func observer(_ make: () -> any ListObserver) -> any ListObserver {
        state.withLock { state in
            if let observer = state.observer { return observer }
            let observer = make()
            state.observer = observer
            return observer
        }
    }

    /// Whether somebody waits for a change now.
    var isWatched: Bool { state.withLock { $0.observer }?.isWatched ?? false }

    // MARK: Copies for readers

    /// A copy of the list that has the durable head; nil if readers can have the list itself.
    var copy: ListActor? {
        guard hasCopies.load(ordering: .acquiring) else { return nil }
        return state.withLock { $0.copies.first?.list }
    }

    /// Lets readers have a copy until the durable head is beyond its newest revision.
    func show(_ copy: ListActor, upTo revision: Int) {
        state.withLock { state in
            state.copies.append((copy, revision))
            hasCopies.store(true, ordering: .releasing)
        }
    }

    /// Takes a copy back.
    func hide(_ copy: ListActor) {
        // The caller has the copy too, so nothing is freed here.
        state.withLock { state in
            state.copies.removeAll { $0.list === copy }
            hasCopies.store(!state.copies.isEmpty, ordering: .releasing)
        }
    }

    /// How often commits were lost.
    var losses: Int { state.withLock { $0.losses } }

    /// Takes all copies back, because they may have commits that are lost.
    func noteLoss() {
        let copies = state.withLock { state in
            state.losses += 1
            return dropCopies(from: &state) { _ in true }
        }
        ListActor.free(copies)
    }

    private func dropCopies(from state: inout State, _ isOver: (Int) -> Bool) -> [ListActor] {
        guard !state.copies.isEmpty else { return [] }
        let dropped = state.copies.filter { isOver($0.revision) }.map(\.list)
        state.copies.removeAll { isOver($0.revision) }
        hasCopies.store(!state.copies.isEmpty, ordering: .releasing)
        return dropped
    }

    // MARK: Published answer

    /// The answer that was published for the head; nil once the head has moved on.
    var published: (any AnyObject & Sendable)? { state.withLock { $0.published } }

    /// - Parameter losses: How often commits had been lost when `object` was made.
    func publish(_ object: any AnyObject & Sendable, at revision: Int, losses: Int) {
        state.withLock { state in
            guard state.revision == revision, revision > 0, !state.isGone, state.losses == losses else { return }
            state.published = object
        }
    }

    // MARK: Pending commit

    /// The durability of the newest commit that waits for the disk. A reader of the speculative head must wait for it
    /// too. The reference to it is dropped when it is settled, because its waiters may keep the list in memory.
    var pending: Durability? { state.withLock { $0.pending } }

    func wait(for durability: Durability) { state.withLock { $0.pending = durability } }

    /// Drops the reference to a commit that is settled. Does nothing if a newer commit waits.
    func forget(_ durability: Durability) {
        state.withLock { state in
            if state.pending === durability { state.pending = nil }
        }
    }
}
