import Texts
import Threads

/// The holdings of all creators.
///
/// A change is added when it is decided, and taken back if it is lost. What is being decided by several threads at a time
/// is not seen by one another, so a holding may come to lie a little over its limit.
final class Holdings: Sendable {
    /// A holding, of which others may have changed a part.
    private struct Entry: Sendable {
        /// The holding when the journal was last asked. Without a shared journal it is nothing.
        var stored = Holding.none
        /// The changes by this store between the last two looks, while a look is under way.
        var before = Holding.none
        /// The changes by this store since the last look began.
        var since = Holding.none

        var sum: Holding { stored + before + since }
        var isEmpty: Bool { stored == .none && before == .none && since == .none }
    }

    /// The most that one creator may have.
    let most: Holding
    private let entries = Locked<[ByteText: Entry]>([:])
    /// One thread at a time looks.
    private let turns = Lock()

    init(most: Holding) { self.most = most }

    func add(_ change: Holding, to creator: ByteText) {
        guard change != .none else { return }
        entries.withLock { entries in
            var entry = entries[creator] ?? Entry()
            entry.since = entry.since + change
            entries[creator] = entry.isEmpty ? nil : entry
        }
    }

    func holding(of creator: ByteText) -> Holding { entries.withLock { $0[creator]?.sum ?? .none } }

    /// The refusal of a change; nil if it is within the limits. What does not grow is within them, also beyond.
    func refusal(of change: Holding, to creator: ByteText) -> StoreError? {
        guard most != .unlimited, Holding.Part.allCases.contains(where: { change[$0] > 0 }) else { return nil }
        let holding = holding(of: creator)
        let part = Holding.Part.allCases.first { part in
            change[part] > 0 && holding[part] > most[part] - change[part]
        }
        return part.map { .holdingFull($0, limit: most[$0]) }
    }

    // MARK: A shared journal

    /// Takes over what the journal has of all stores.
    ///
    /// Changes that this store decides meanwhile count, too. A commit that was not on the disk yet when the look began is
    /// missing until the next look.
    ///
    /// - Throws: As the journal does. The holdings are then as they were.
    func look(at journal: any Journal) throws(JournalError) {
        turns.lock()
        defer { turns.unlock() }
        entries.withLock { entries in
            entries = entries.mapValues { Entry(stored: $0.stored, before: $0.since) }
        }
        let stored: [ByteText: Holding]
        do throws(JournalError) { stored = try journal.holdings() } catch {
            entries.withLock { entries in
                entries = entries.mapValues { Entry(stored: $0.stored, since: $0.before + $0.since) }
            }
            throw error
        }
        entries.withLock { entries in
            for creator in Set(entries.keys).union(stored.keys) {
                let entry = Entry(stored: stored[creator] ?? .none, since: entries[creator]?.since ?? .none)
                entries[creator] = entry.isEmpty ? nil : entry
            }
        }
    }
}

/// The part of a list in the holding of its creator, from its creation to its end.
final class HeldShare: Sendable {
    private struct State: Sendable {
        var holding: Holding
        var isCounted = false
    }

    let creator: ByteText
    private let holdings: Holdings
    private let state: Locked<State>

    /// - Parameter holding: The part of the list, which is not counted yet.
    init(_ holding: ListHolding, in holdings: Holdings) {
        creator = holding.creator
        self.holdings = holdings
        state = Locked(State(holding: holding.holding))
    }

    /// The part as a shared journal keeps it.
    var stored: ListHolding {
        let holding = state.withLock { $0.holding }
        return ListHolding(creator: creator, items: holding.items, bytes: holding.bytes)
    }

    /// Notes what the list has now.
    ///
    /// - Parameter isOwn: Whether this store has changed it. What others have changed is counted where they do.
    func note(items: Int, bytes: Int, isOwn: Bool) {
        state.withLock { state in
            let now = Holding(lists: 1, items: items, bytes: bytes)
            if state.isCounted, isOwn { holdings.add(now - state.holding, to: creator) }
            state.holding = now
        }
    }

    /// The refusal of a change after which the list would have so much; nil if it is within the limits.
    func refusal(items: Int, bytes: Int) -> StoreError? {
        guard holdings.most != .unlimited else { return nil }
        let before = state.withLock { $0.holding }
        return holdings.refusal(of: Holding(lists: 1, items: items, bytes: bytes) - before, to: creator)
    }

    /// Counts the list, unless it is counted.
    func count() {
        state.withLock { state in
            guard !state.isCounted else { return }
            state.isCounted = true
            holdings.add(state.holding, to: creator)
        }
    }

    /// Counts the list no more.
    func uncount() {
        state.withLock { state in
            guard state.isCounted else { return }
            state.isCounted = false
            holdings.add(.none - state.holding, to: creator)
        }
    }

    /// Notes that the list is counted already, or that others count it from now on.
    func setCounted(_ isCounted: Bool) { state.withLock { $0.isCounted = isCounted } }
}
