public import ListModel
import Threads

extension Store {
    /// A list that readers may see; read from the journal if nobody has asked for it before.
    ///
    /// - Throws: `.unreadable` if it cannot be read.
    public func list(_ id: ListID) throws(StoreError) -> ListActor? {
        guard let list = try held(id) else { return nil }
        if let damage = list.damage, !list.standing.isGone { throw .unreadable(id, damage) }
        return list.isReadable ? list : nil
    }

    /// Whether there is a list of that id, in memory or not.
    public func contains(_ id: ListID) -> Bool { catalogue.withLock { $0.contains(id) } }

    /// The list if it is in memory, readable or not yet; for readers that find its published answer.
    public func loaded(_ id: ListID) -> ListActor? { catalogue.withLock { $0.first(id) } }

    /// As `loaded(_:)`, but read from the journal where need be.
    private func held(_ id: ListID) throws(StoreError) -> ListActor? {
        try loadIfStored(id)
        return loaded(id)
    }

    /// The life of a list that the next write goes to; read from the journal if nobody has asked for it before.
    ///
    /// - Throws: `.unreadable` if it cannot be read.
    func newest(_ id: ListID) throws(StoreError) -> Catalogue.Life? {
        try loadIfStored(id)
        return catalogue.withLock { $0.last(id) }
    }

    private func loadIfStored(_ id: ListID) throws(StoreError) {
        guard catalogue.withLock({ $0.stored.contains(id) }) else { return }
        do throws(JournalError) { try load(id) } catch { throw .unreadable(id, error) }
    }

    /// Reads all lists that are not in memory yet.
    ///
    /// - Returns: Those that cannot be read, in the order of their ids.
    @discardableResult
    public func load() -> [UnreadableList] {
        // In order, so that a simulation of the same seed does the same.
        catalogue.withLock { $0.ids() }.compactMap { id in
            if case .unreadable(let list) = listing(id) { list } else { nil }
        }
    }

    /// Reads a list into the catalogue: as one that is damaged if what the journal has of it cannot be right.
    ///
    /// - Throws: Why it cannot be read now; then the next who asks tries again.
    private func load(_ id: ListID) throws(JournalError) {
        // Who comes second waits for the first.
        loading.wait(until: { !$0.contains(id) }) { _ = $0.insert(id) }
        defer { loading.change { _ = $0.remove(id) } }
        guard catalogue.withLock({ $0.stored.contains(id) }), let journal else { return }
        do throws(JournalError) {
            let list = try ListReplay.list(id, of: journal, shared)
            catalogue.withLock { $0.take(list, of: id) }
            if let list { shared.compactor?.look(at: list) }
        } catch {
            guard case .corrupt = error else { throw error }
            catalogue.withLock { $0.take(ListActor(id: id, epoch: token(), shared: shared, damage: error), of: id) }
            noteDamage?(UnreadableList(id: id, error: error))
        }
    }

    /// Lists in the order of their ids, those that cannot be read among them.
    ///
    /// - Parameter id: Only lists behind this one.
    public func lists(after id: ListID?, limit: Int) -> [Listing] {
        var lists: [Listing] = []
        for id in ids(after: id) {
            guard lists.count < limit else { break }
            if let listing = listing(id) { lists.append(listing) }
        }
        return lists
    }

    /// Those of some lists that are wanted, in the order of their ids.
    ///
    /// A list that nobody has asked for since the start is read from the journal, which takes as long as it is. So the
    /// bytes that are read bound a search as well: the next one finds these lists in memory, and goes on behind them.
    ///
    /// - Parameters:
    ///   - id: Only lists behind this one.
    ///   - limit: How many are wanted.
    ///   - looksMax: How many are looked at.
    ///   - bytesMax: After so many bytes no further list is read from the journal.
    /// - Returns: The lists, and the id of the last one that was looked at if there are more behind it.
    public func lists(
        after id: ListID?, limit: Int, looksMax: Int, bytesMax: Int, where isWanted: (Listing) -> Bool
    ) -> (lists: [Listing], last: ListID?) {
        let ids = ids(after: id)
        var lists: [Listing] = []
        var bytes = 0
        for (index, id) in zip(ids.indices, ids) {
            let isStored = catalogue.withLock { $0.stored.contains(id) }
            guard lists.count < limit, index - ids.startIndex < looksMax, !isStored || bytes < bytesMax else {
                return (lists, ids[index - 1])
            }
            guard let listing = listing(id) else { continue }
            if isStored { bytes += listing.list?.enter { $0.storedBytes } ?? 0 }
            if isWanted(listing) { lists.append(listing) }
        }
        return (lists, nil)
    }

    private func ids(after id: ListID?) -> ArraySlice<ListID> {
        let all = catalogue.withLock { $0.ids() }
        guard let id else { return all[...] }
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle].rawValue <= id.rawValue { low = middle + 1 } else { high = middle }
        }
        return all[low...]
    }

    /// A list that readers may see, or why it cannot be read; nil if there is none.
    public func listing(_ id: ListID) -> Listing? {
        do throws(StoreError) { return try list(id).map { .list($0) } } catch {
            guard case .unreadable(_, let error) = error else { return nil }
            return .unreadable(UnreadableList(id: id, error: error))
        }
    }

    /// Lists that were found to be damaged, in the order of their ids; nothing is read to know that.
    ///
    /// - Parameter limit: The most that are named.
    public func damagedLists(limit: Int) -> [ListID] {
        let damaged = catalogue.withLock { $0.damaged }
        return Array(damaged.sorted { $0.rawValue < $1.rawValue }.prefix(limit))
    }
}

/// A list that is there but cannot be read, and why.
public struct UnreadableList: Sendable {
    public let id: ListID
    public let error: JournalError
}

/// A list as a listing has it.
public enum Listing: Sendable {
    case list(ListActor)
    case unreadable(UnreadableList)

    public var id: ListID {
        switch self {
        case .list(let list): list.id
        case .unreadable(let list): list.id
        }
    }

    /// Nil if it cannot be read.
    public var list: ListActor? {
        switch self {
        case .list(let list): list
        case .unreadable: nil
        }
    }
}
