internal import ListDiff
internal import ListModel
internal import Synchronization

// The next revision, and what the list takes with it.

extension ListActor {
    /// Makes the state revision 1. There is no older state to go back to.
    func begin(_ delta: Delta, _ note: TransactionNote) {
        state.retain(delta)
        state.release(delta)
        history = History(startingAt: 1, note, isCreation: true)
        noteSize(isOwn: true)
    }

    /// - Parameter isOwn: Whether this store has changed the list.
    func noteSize(isOwn: Bool) {
        if let held {
            let (items, bytes) = Self.heldItemsAndBytes(of: &state)
            held.note(items: items, bytes: bytes, isOwn: isOwn)
        }
        let (rows, bytes) = Self.rowsAndTextBytes(of: &state)
        if rows > mostRows.load(ordering: .relaxed) { mostRows.store(rows, ordering: .relaxed) }
        textBytes.store(bytes, ordering: .relaxed)
        historyBytes.store(history.bytes, ordering: .relaxed)
        let size = size + besideBytes.load(ordering: .relaxed)
        shared.memory.add(size - counted.exchange(size, ordering: .relaxed))
    }

    /// About how many bytes of memory the list takes.
    var size: Int { Self.baseBytes + Self.bytes(of: &state) + history.bytes }

    /// - Parameter state: The state is `inout` so that it is not copied.
    private static func bytes(of state: inout ListState) -> Int { state.estimatedBytes }

    /// - Parameter state: The state is `inout` so that it is not copied.
    private static func rowsAndTextBytes(of state: inout ListState) -> (rows: Int, textBytes: Int) {
        (state.itemCount, state.textBytes)
    }

    /// - Parameter state: The state is `inout` so that it is not copied.
    private static func heldItemsAndBytes(of state: inout ListState) -> (items: Int, bytes: Int) {
        (state.itemCount, state.presentBytes)
    }

    /// About how many bytes a list takes without its items, with its published answer, and with the memory between lists
    /// that is free but too small for others.
    static let baseBytes = 6_144

    /// - Parameter isReplayed: Whether the note comes from the log, with the time of an earlier commit.
    func advance(_ delta: Delta, _ note: TransactionNote, isReplayed: Bool = false) {
        state.retain(delta)
        let aged = shared.limits.historyAgeMax.map { ageMax in
            let now = shared.clocks.versions.now
            return ages.note(history.newest, at: isReplayed ? note.time : now, now: now, ageMax: ageMax)
        }
        let out = history.append(
            delta, note, overwritten: Self.bytesOverwritten(by: delta, in: &state), limits: shared.limits.history,
            keepingSince: durableRevision, aged: aged ?? 0)
        for dropped in out { state.release(dropped) }
        noteSize(isOwn: !isReplayed)
    }

    /// - Parameter state: The state of the actor, as `inout`: to read it through the property makes a copy, which
    ///   retains each of its parts.
    private static func bytesOverwritten(by delta: Delta, in state: inout ListState) -> Int {
        state.bytesOverwritten(by: delta)
    }

    /// The refusal of a change that would take the creator of the list over its limits; nil if it does not.
    func refusalOfGrowth() -> StoreError? {
        let (items, bytes) = Self.heldItemsAndBytes(of: &state)
        return held?.refusal(items: items, bytes: bytes)
    }
}
