public import ListModel
internal import Synchronization
import Threads

// The names of the lists that others have made, ended, deleted or restored. Pages of lists show them.

/// The times at which memory last had all names that the journal had, in milliseconds of the store's clock.
final class NameTimes: Sendable {
    enum Names {
        /// Of all lists.
        case all
        /// Of the deleted lists that can be restored.
        case deleted
    }

    private let all = Atomic<Int>(0)
    private let deleted = Atomic<Int>(0)

    func note(_ names: Names, at time: Int) {
        switch names {
        case .all: all.max(time, ordering: .relaxed)
        case .deleted: deleted.max(time, ordering: .relaxed)
        }
    }

    subscript(names: Names) -> Int {
        switch names {
        case .all: all.load(ordering: .relaxed)
        case .deleted: deleted.load(ordering: .relaxed)
        }
    }
}

extension Store {
    /// Notes the lists of a page that others have made or ended, although no hint has come.
    ///
    /// - Throws: `JournalError` if the journal cannot be asked. The page then shows what was known.
    func checkNames(after id: ListID?, limit: Int, among seen: SeenLists?) throws(JournalError) {
        guard isShared, let journal else { return }
        let time = shared.clocks.milliseconds()
        let stored = try storedIDs(after: id, limit: limit, among: seen, in: journal)
        // Nothing is known behind the last list of a full page.
        let end = stored.count == limit ? stored.last : nil
        let known = knownIDs(after: id, limit: limit, among: seen)
        let others = Set(stored).symmetricDifference(known).filter { list in
            end.map { list.rawValue <= $0.rawValue } ?? true
        }
        if !others.isEmpty { try bring(Array(others)) }
        if id == nil, end == nil, seen == nil { names.note(.all, at: time) }
    }

    /// The first ids behind one in the journal; nil stands for all.
    ///
    /// - Parameter seen: The lists that count; nil for all. Those that it names one by one are looked up at once, and
    ///   memory has them then as the journal does.
    private func storedIDs(
        after id: ListID?, limit: Int, among seen: SeenLists?, in journal: any Journal
    ) throws(JournalError) -> [ListID] {
        guard let seen else { return try journal.lists(after: id, limit: limit) }
        let single = seen.ids(after: id)
        if !single.isEmpty { try bring(single) }
        return try seen.ids(
            after: id, limit: limit,
            from: { last, limit throws(JournalError) in try journal.lists(after: last, limit: limit) },
            contains: { id in catalogue.withLock { $0.contains(id) } })
    }

    /// Lets readers see a page of lists as the journal has it after this call, or later. Does nothing if nobody else
    /// writes to the journal.
    ///
    /// - Parameter seen: The lists that the reader may see; nil for all.
    /// - Throws: `JournalError` if the journal cannot be asked.
    public func checkPage(after id: ListID?, limit: Int, among seen: SeenLists?) throws(JournalError) {
        guard isShared else { return }
        try checkNames(after: id, limit: limit, among: seen)
        let ids = knownIDs(after: id, limit: limit, among: seen)
        let held = catalogue.withLock { catalogue in ids.filter { catalogue.last($0) != nil } }
        if !held.isEmpty { try bring(held) }
    }

    private func bring(_ lists: [ListID]) throws(JournalError) {
        for finding in try findings(lists) { try bring(to: finding) }
    }

    /// Notes the lists that others have deleted or restored. Does nothing if nobody else writes to the journal.
    ///
    /// - Throws: `JournalError` if the journal cannot be asked.
    public func checkDeletedLists() throws(JournalError) {
        guard isShared, let journal else { return }
        let time = shared.clocks.milliseconds()
        let retired: [ListID: RetiredLists.Entry]
        do { retired = try Self.retired(in: journal) } catch let error as JournalError {
            throw error
        } catch {
            throw .away("\(error)")
        }
        let others = catalogue.withLock { catalogue in
            Set(retired.keys).union(catalogue.retired.ids).filter { id in
                catalogue.last(id) != nil || catalogue.retired[id]?.line?.place != retired[id]?.line?.place
            }
        }
        if !others.isEmpty { try bring(Array(others)) }
        catalogue.withLock { catalogue in
            for (id, entry) in retired where catalogue.isStored(id) {
                catalogue.take(nil, of: id)
                catalogue.retired.add(entry, of: id)
            }
        }
        names.note(.deleted, at: time)
    }

    /// For how many milliseconds it has not been known that a page of lists in memory is as in the journal; nil if it
    /// never was.
    ///
    /// - Parameter seen: The lists that the reader may see; nil for all.
    public func millisecondsSincePageWasCurrent(after id: ListID?, limit: Int, among seen: SeenLists?) -> Int? {
        let ids = knownIDs(after: id, limit: limit, among: seen)
        let lines = catalogue.withLock { catalogue in ids.compactMap { catalogue.last($0)?.list.line } }
        var time = names[.all]
        for line in lines {
            guard let one = line.currentTime else { return nil }
            time = min(time, one)
        }
        return max(0, shared.clocks.milliseconds() - time)
    }

    /// The same for the deleted lists.
    public var millisecondsSinceDeletedWereCurrent: Int { max(0, shared.clocks.milliseconds() - names[.deleted]) }
}
