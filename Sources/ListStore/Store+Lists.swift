public import ListModel
import Threads

extension Store {
    /// A list that readers may see; nil if there is none. It is read from the journal if it is only there.
    ///
    /// - Throws: `.unreadable` if it cannot be read, `.busy` if the pace is brief and it is not in memory.
    public func list(_ id: ListID, _ pace: Write.Pace = .ordinary) throws(StoreError) -> ListActor? {
        guard var list = try held(id, pace) else { return nil }
        // Its successor is in the journal.
        if list.isReplaced, let successor = try held(id, pace) { list = successor }
        if let damage = list.damage, !list.standing.isGone { throw .unreadable(id, damage) }
        return list.isReadable ? list : nil
    }

    /// Whether there is a list of that id, in memory or not.
    public func contains(_ id: ListID) -> Bool { catalogue.withLock { $0.contains(id) } }

    /// Whether the list has to be read from the journal before anybody can have it.
    public func mustLoad(_ id: ListID) -> Bool { catalogue.withLock { $0.isStored(id) } }

    /// The list if it is in memory, even if readers may not see it yet. Readers use it to find the published answer.
    public func loaded(_ id: ListID) -> ListActor? {
        let list = catalogue.withLock { $0.first(id) }
        list?.noteUse()
        return list
    }

    /// As `loaded(_:)`, but reads the list from the journal if it is only there.
    private func held(_ id: ListID, _ pace: Write.Pace) throws(StoreError) -> ListActor? {
        let list = try found(id, pace) { $0.first(id) }
        list?.noteUse()
        return list
    }

    /// The life that the next write goes to. It is read from the journal if it is only there.
    ///
    /// - Throws: `.unreadable` if it cannot be read; `.busy` if the write is brief and it is not in memory.
    func newest(_ id: ListID, _ pace: Write.Pace = .ordinary) throws(StoreError) -> Catalogue.Life? {
        let life = try found(id, pace) { $0.last(id) }
        life?.list.noteUse()
        return life
    }

    /// Looks a list up in the catalogue. It is read from the journal first if it is only there.
    private func found<Found: Sendable>(
        _ id: ListID, _ pace: Write.Pace, _ look: (inout Catalogue) -> Found?
    ) throws(StoreError) -> Found? {
        // It holds the list that has been read, which could leave memory again before it is found.
        var read: ListActor?
        var hasLooked = false
        while true {
            let (found, isStored) = withExtendedLifetime(read) {
                catalogue.withLock { catalogue in
                    let found = look(&catalogue)
                    return (found, found == nil && catalogue.isStored(id))
                }
            }
            if found == nil, !isStored, !hasLooked, isShared {
                guard pace != .brief else { throw .busy }
                hasLooked = true
                do throws(JournalError) { try lookForList(id) } catch { throw .unreadable(id, error) }
                continue
            }
            guard isStored else { return found }
            guard pace != .brief else { throw .busy }
            do throws(JournalError) { read = try load(id) } catch { throw .unreadable(id, error) }
            // A hint that came meanwhile found nothing in memory.
            if isShared { noteOthers(wroteTo: [id]) }
        }
    }

    /// Looks whether others have made a list of which no hint has come.
    private func lookForList(_ id: ListID) throws(JournalError) {
        guard let place = try journal?.places(of: [id])[0] else { return }
        catalogue.withLock { catalogue in
            if catalogue.place(of: id) != place { catalogue.lookAgain(at: id) }
        }
    }

    /// Reads all lists that are not in memory yet.
    ///
    /// - Returns: The lists that cannot be read, in the order of their ids.
    @discardableResult
    public func load() -> [UnreadableList] {
        // The lists are read in order, so that a simulation with the same seed does the same.
        catalogue.withLock { $0.ids() }.compactMap { id in
            if case .unreadable(let list) = listing(id) { list } else { nil }
        }
    }

    /// Reads a list into the catalogue. If its records are damaged, the list is added as a damaged one.
    ///
    /// - Returns: The list that was read; nil if another thread has read it meanwhile, or it is gone.
    /// - Throws: The error, if the list cannot be read now. The next caller tries again.
    private func load(_ id: ListID) throws(JournalError) -> ListActor? {
        // A second thread waits until the first one has read the list.
        loading.wait(until: { !$0.contains(id) }) { _ = $0.insert(id) }
        defer { loading.change { _ = $0.remove(id) } }
        guard catalogue.withLock({ $0.isStored(id) }), let journal else { return nil }
        do throws(JournalError) {
            let (list, entry) = try readOrRetired(id, of: journal)
            if let entry {
                catalogue.withLock { catalogue in
                    catalogue.take(nil, of: id)
                    catalogue.retired.add(entry, of: id)
                }
                return nil
            }
            catalogue.withLock { $0.take(list, of: id) }
            if let list, let compactor = shared.compactor, compactor.hasWork(for: list) { compactor.look(at: list) }
            withExtendedLifetime(list) { makeRoom() }
            return list
        } catch {
            guard case .corrupt = error else { throw error }
            // The list can be replaced as long as nobody else has done so.
            let line = LogEnd(try journal.places(of: [id])[0])
            let list = ListActor(
                id: id, epoch: token(), creator: nil, shared: shared, damage: error, line: line)
            catalogue.withLock { $0.take(list, of: id) }
            noteDamage?(UnreadableList(id: id, error: error))
            return list
        }
    }

    /// Reads a list, or finds out that it is deleted and restorable.
    ///
    /// Others may restore it in between. Then it is read again, for a deleted list in the place of a present one would
    /// never be brought up to date.
    private func readOrRetired(
        _ id: ListID, of journal: any Journal
    ) throws(JournalError) -> (list: ListActor?, entry: RetiredLists.Entry?) {
        for _ in 0..<Self.readsMax {
            let list = try ListReplay.list(id, of: journal, shared)
            guard let list, list.enter({ $0.stage == .retiring }) else { return (list, nil) }
            do {
                if let entry = try Self.retired(in: journal)[id] { return (nil, entry) }
            } catch let error as JournalError {
                throw error
            } catch {
                throw .io("\(error)")
            }
        }
        throw .away("list \(id) is deleted and restored all the time")
    }

    private static let readsMax = 100

    /// Lets lists leave memory for a request that was refused because there was no room for it.
    public func makeRoomForRefused() { makeRoom(wanted: shared.memory.takeWanted()) }

    /// Lets lists leave memory until there is room. Once the disk has failed they stay, because it may not give them
    /// back.
    ///
    /// - Parameters:
    ///   - turnsMax: The most lists that are looked at.
    ///   - wanted: The bytes that other uses of memory want.
    func makeRoom(turnsMax: Int = .max, wanted: Int = 0) {
        guard case var excess = shared.memory.excess(wanted: wanted), excess > 0, isAcceptingWrites else { return }
        var turns = turnsMax == .max ? 2 * catalogue.withLock { $0.countInMemory } : turnsMax
        while excess > 0, turns > 0 {
            let part = min(turns, Self.turnsAtOnce)
            turns -= part
            let gone = catalogue.withLock { $0.letGo(&excess, turnsMax: part) }
            ListActor.free(gone)
        }
        if excess > 0, turnsMax == .max { shared.memory.noteAllInUse() }
        summaries?.writeIfMany()
    }

    /// How many lists are looked at in one turn at the catalogue, for which others wait.
    private static let turnsAtOnce = 64

    /// Lists in the order of their ids. Unreadable lists are among them.
    ///
    /// - Parameter id: Only lists behind this id are returned; nil stands for all.
    public func lists(after id: ListID?, limit: Int) -> [Listing] {
        try? checkNames(after: id, limit: .max, among: nil)
        var lists: [Listing] = []
        for id in catalogue.withLock({ $0.ids(after: id) }) {
            guard lists.count < limit else { break }
            if let listing = listing(id) { lists.append(listing) }
        }
        return lists
    }

    /// A list that readers may see, or the error if it cannot be read; nil if there is no such list.
    public func listing(_ id: ListID) -> Listing? {
        do throws(StoreError) { return try list(id).map { .list($0) } } catch {
            guard case .unreadable(_, let error) = error else { return nil }
            return .unreadable(UnreadableList(id: id, error: error))
        }
    }

    /// The lists that were found to be damaged, in the order of their ids. Nothing is read for this.
    ///
    /// - Parameter limit: The most ids that are returned.
    public func damagedLists(limit: Int) -> [ListID] {
        let damaged = catalogue.withLock { $0.damaged }
        return Array(damaged.sorted { $0.rawValue < $1.rawValue }.prefix(limit))
    }

    /// The number of all of them.
    public var damagedListCount: Int { catalogue.withLock { $0.damaged.count } }
}

/// A list that cannot be read, and the reason.
public struct UnreadableList: Sendable {
    public let id: ListID
    public let error: JournalError
}

/// A list in a listing, readable or not.
public enum Listing: Sendable {
    case list(ListActor)
    case unreadable(UnreadableList)

    public var id: ListID {
        switch self {
        case .list(let list): list.id
        case .unreadable(let list): list.id
        }
    }

    /// Nil if the list cannot be read.
    public var list: ListActor? {
        switch self {
        case .list(let list): list
        case .unreadable: nil
        }
    }
}
