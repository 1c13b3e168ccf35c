import ListModel
import Threads

/// The deleted lists that can be restored. The oldest go first.
struct RetiredLists {
    /// A deleted list.
    struct Entry: Sendable {
        var retirement: Retirement
        /// The time of the list's deletion, by the clock of ages.
        var age: Int
        /// The list; nil if it is in the journal.
        var list: ListActor?
        /// The log of the list; nil if there is no journal.
        var line: LogEnd?
        /// The commit that ends the list for good. This commit may have been lost.
        var end: Durability?
        /// A number that no other entry has.
        fileprivate(set) var number = 0

        init(_ retirement: Retirement, age: Int, list: ListActor?, line: LogEnd? = nil) {
            (self.retirement, self.age, self.list, self.line) = (retirement, age, list, line)
        }

        /// Whether the end of the list waits for the disk, or is on it.
        var isEnding: Bool { end.map { $0.failure == nil } ?? false }
    }

    private var entries: [ListID: Entry] = [:]
    /// The order in which the entries go. A row has left if its entry is gone, or has another number.
    private var order: [(id: ListID, number: Int)] = []
    private var next = 1
    /// The bytes of all entries. It has 128 bits: in a damaged log a thousand entries may each have the greatest number
    /// of a record, and then the sum has more than 63 bits.
    private var bytes: Int128 = 0
    /// The seconds for which deleted lists are kept; nil if age is no reason to drop them.
    var ageMax: Int?

    var count: Int { entries.count }
    var ids: [ListID] { Array(entries.keys) }

    subscript(id: ListID) -> Entry? { entries[id] }

    /// The entry of a list that can be restored; nil if there is none.
    func standing(_ id: ListID, _ now: Int) -> Entry? { entries[id].flatMap { isStanding($0, now) ? $0 : nil } }

    private func isStanding(_ entry: Entry, _ now: Int) -> Bool {
        !entry.isEnding && !(ageMax.map { now - entry.age >= $0 } ?? false)
    }

    /// The entries that can be restored, in the order of their ids.
    ///
    /// - Parameter id: Only entries behind this id are returned; nil stands for all.
    func standing(after id: ListID?, limit: Int, now: Int) -> [(id: ListID, entry: Entry)] {
        let all = entries.filter { entry in
            (id.map { $0.rawValue < entry.key.rawValue } ?? true) && isStanding(entry.value, now)
        }
        return all.sorted { $0.key.rawValue < $1.key.rawValue }.prefix(limit).map { ($0.key, $0.value) }
    }

    /// Adds an entry as the newest.
    mutating func add(_ entry: Entry, of id: ListID) {
        remove(id)
        var entry = entry
        entry.number = next
        next += 1
        entries[id] = entry
        bytes += Int128(entry.retirement.bytes)
        order.append((id, entry.number))
        guard order.count > 64, order.count > 2 * entries.count else { return }
        order.removeAll { entries[$0.id]?.number != $0.number }
    }

    /// Removes an entry and returns it. The caller must release it after the lock.
    @discardableResult
    mutating func remove(_ id: ListID, number: Int? = nil) -> Entry? {
        guard let entry = entries[id], number == nil || entry.number == number else { return nil }
        entries[id] = nil
        bytes -= Int128(entry.retirement.bytes)
        return entry
    }

    /// Notes that an entry is about to end for good.
    mutating func setEnd(_ end: Durability, of id: ListID) { entries[id]?.end = end }

    /// As `Catalogue.purge(_:now:_:)`.
    mutating func purge(
        _ limits: Store.Limits.Deleted, now: Int, except isHeld: (ListID) -> Bool,
        _ end: (ListID, Entry) -> Durability?
    ) -> [Entry] {
        var (count, bytes) = (entries.count, bytes)
        // The newest entry stays whatever its size, even if `isHeld` is true for entries before it. These may leave by
        // themselves.
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
                    bytes -= Int128(entry.retirement.bytes)
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

/// The deleted lists of a store, and the limits that end them.
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

    /// Whether lists that are deleted are kept.
    var areKept: Bool { limits.map { $0.ageMax > 0 && $0.listsMax > 0 } ?? false }

    /// Ends deleted lists that are too many or too old.
    ///
    /// - Parameter noteEnd: It is called when the disk has the end of a list.
    func purge(_ noteEnd: @escaping @Sendable () -> Void) {
        guard let limits else { return }
        let now = now
        // The lock is held meanwhile, so that no new life of the id reaches the journal before the end of the old one.
        let gone = catalogue.withLock { catalogue in
            catalogue.purge(limits, now: now) { id, entry in
                let end = JournalEntry(list: id, kind: .delete, bytes: Record.delete.bytes, receipt: nil)
                return enqueue(end, of: entry, noteEnd) { _ in }
            }
        }
        withExtendedLifetime(gone) {}
    }

    /// Hands the end of a deleted list to the journal. The caller holds the lock of the catalogue.
    ///
    /// - Returns: Nil if there is no journal.
    func enqueue(
        _ end: JournalEntry, of entry: RetiredLists.Entry, _ noteEnd: @escaping @Sendable () -> Void,
        _ completion: @escaping CommitQueue.Completion
    ) -> Durability? {
        guard let queue else { return nil }
        let durability = Durability()
        queue.enqueue(end, on: entry.line, restingOn: nil) { [catalogue] outcome in
            // A stopped queue calls this at once with an error, while the caller holds the lock, so it is taken only if
            // the queue goes on.
            switch outcome {
            case .success:
                catalogue.withLock { _ = $0.retired.remove(end.list, number: entry.number) }
                noteEnd()
            case .failure(let error) where error.mayBeElsewhere:
                catalogue.withLock { $0.lookAgain(at: end.list) }
            case .failure: break
            }
            completion(outcome)
            durability.settle(outcome)
        }
        return durability
    }
}
