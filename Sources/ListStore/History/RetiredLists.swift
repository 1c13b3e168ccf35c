import ListModel
import Threads
internal import Texts

/// Lists that were deleted and can be restored; the oldest go first.
struct RetiredLists {
    /// A list that was deleted.
    struct Entry: Sendable {
        var retirement: Retirement
        /// When it was deleted, by the clock of ages.
        var age: Int
        /// Nil if it is in the journal.
        var list: ListActor?
        /// Its end for good, which may have been lost.
        var end: Durability?
        /// Never that of another one.
        fileprivate(set) var number = 0

        init(_ retirement: Retirement, age: Int, list: ListActor?) {
            (self.retirement, self.age, self.list) = (retirement, age, list)
        }

        /// Whether its end waits for the disk, or is on it.
        var isEnding: Bool { end.map { $0.failure == nil } ?? false }
    }

    private var entries: [ListID: Entry] = [:]
    /// In the order in which they go; those that have another number, or are not there, have left.
    private var order: [(id: ListID, number: Int)] = []
    private var next = 1
    private var bytes = 0
    /// Seconds for which they are kept; nil if age is no reason.
    var ageMax: Int?

    var count: Int { entries.count }

    subscript(id: ListID) -> Entry? { entries[id] }

    /// One that can be restored.
    func standing(_ id: ListID, _ now: Int) -> Entry? { entries[id].flatMap { isStanding($0, now) ? $0 : nil } }

    private func isStanding(_ entry: Entry, _ now: Int) -> Bool {
        !entry.isEnding && !(ageMax.map { now - entry.age >= $0 } ?? false)
    }

    /// Those that can be restored, in the order of their ids.
    ///
    /// - Parameter id: Only those behind this one.
    func standing(after id: ListID?, limit: Int, now: Int) -> [(id: ListID, entry: Entry)] {
        let all = entries.filter { entry in
            (id.map { $0.rawValue < entry.key.rawValue } ?? true) && isStanding(entry.value, now)
        }
        return all.sorted { $0.key.rawValue < $1.key.rawValue }.prefix(limit).map { ($0.key, $0.value) }
    }

    /// Adds the newest.
    mutating func add(_ entry: Entry, of id: ListID) {
        remove(id)
        var entry = entry
        entry.number = next
        next += 1
        entries[id] = entry
        bytes += entry.retirement.bytes
        order.append((id, entry.number))
        guard order.count > 64, order.count > 2 * entries.count else { return }
        order.removeAll { entries[$0.id]?.number != $0.number }
    }

    /// Returns what has left, to be let go by the caller.
    @discardableResult
    mutating func remove(_ id: ListID, number: Int? = nil) -> Entry? {
        guard let entry = entries[id], number == nil || entry.number == number else { return nil }
        entries[id] = nil
        bytes -= entry.retirement.bytes
        return entry
    }

    /// Notes that one is about to end for good.
    mutating func setEnd(_ end: Durability, of id: ListID) { entries[id]?.end = end }

    /// As `Catalogue.purge(_:now:_:)`.
    mutating func purge(
        _ limits: Store.Limits.Deleted, now: Int, except isHeld: (ListID) -> Bool,
        _ end: (ListID, Entry) -> Durability?
    ) -> [Entry] {
        var (count, bytes) = (entries.count, bytes)
        // It stays whatever its size, also where those before it are held and will perhaps leave by themselves.
        let newest = order.last { entries[$0.id]?.number == $0.number }?.number
        var index = 0
        var kept: [(id: ListID, number: Int)] = []
        var gone: [Entry] = []
        while index < order.count {
            let (id, number) = order[index]
            if let entry = entries[id], entry.number == number {
                let isTooMuch = number != newest && (count > limits.listsMax || bytes > limits.bytesMax)
                guard entry.isEnding || isTooMuch || now - entry.age >= limits.ageMax else { break }
                if entry.isEnding || !isHeld(id) {
                    count -= 1
                    bytes -= entry.retirement.bytes
                }
                if entry.isEnding || isHeld(id) {
                    kept.append((id, number))
                } else if let durability = end(id, entry) {
                    entries[id]?.end = durability
                    kept.append((id, number))
                } else if let entry = remove(id) {
                    gone.append(entry)
                }
            }
            index += 1
        }
        order.replaceSubrange(..<index, with: kept)
        return gone
    }
}

/// The deleted lists of a store, and what ends them.
struct DeletedLists: Sendable {
    private let catalogue: Locked<Catalogue>
    private let limits: Store.Limits.Deleted?
    private let queue: CommitQueue?
    private let clock: AgeClock

    init(_ catalogue: Locked<Catalogue>, _ limits: Store.Limits.Deleted?, queue: CommitQueue?, clock: AgeClock) {
        (self.catalogue, self.limits, self.queue, self.clock) = (catalogue, limits, queue, clock)
        catalogue.withLock { $0.retired.ageMax = limits?.ageMax }
    }

    var now: Int { clock.now }

    /// Whether a list that is deleted is kept.
    var areKept: Bool { limits.map { $0.ageMax > 0 && $0.listsMax > 0 } ?? false }

    /// Ends those that are too many or too old.
    ///
    /// - Parameter noteEnd: Is called when the disk has the end of one.
    func purge(_ noteEnd: @escaping @Sendable () -> Void) {
        guard let limits else { return }
        let now = now
        // Under the lock, so that no new life of the id comes to the journal before the end of the old one.
        let gone = catalogue.withLock { catalogue in
            catalogue.purge(limits, now: now) { id, entry in
                let end = JournalEntry(list: id, kind: .delete, bytes: Record.delete.bytes, receipt: nil)
                return enqueue(end, of: entry, noteEnd) { _ in }
            }
        }
        withExtendedLifetime(gone) {}
    }

    /// Hands the end of a retired list to the journal, under the lock of the catalogue.
    ///
    /// - Returns: Nil if there is no journal.
    func enqueue(
        _ end: JournalEntry, of entry: RetiredLists.Entry, _ noteEnd: @escaping @Sendable () -> Void,
        _ completion: @escaping CommitQueue.Completion
    ) -> Durability? {
        guard let queue else { return nil }
        let durability = Durability()
        queue.enqueue(end) { [catalogue] outcome in
            // A queue that has stopped says so at once, under the lock.
            if case .success = outcome {
                catalogue.withLock { _ = $0.retired.remove(end.list, number: entry.number) }
                noteEnd()
            }
            completion(outcome)
            durability.settle(outcome)
        }
        return durability
    }
}
