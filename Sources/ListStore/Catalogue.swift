import ListModel

/// The lists of a store by their ids: the list that readers see under an id, and the one that the next write goes to.
///
/// An id can have several lives of a list that somebody may still see or write to, oldest first:
///
///     free ──PUT──▶ [new] ──on disk──▶ [list] ──DELETE──▶ [list, ending] ──on disk──▶ free
///                                                            │ PUT
///                                                            ▼
///                                              [list, ending] [new] ──on disk──▶ [new]
///
/// A life that was deleted, but not for good, is retired and can go on:
///
///     [list, ending] ──on disk──▶ retired ──restore──▶ [the same, reviving] ──on disk──▶ [list]
///                                    │ PUT, and the new life is on the disk; its time is over; too many; DELETE ?purge
///                                    ▼
///                                  free
///
/// While a new life waits for the disk, or a retired one waits to go on, the retired one stays. It also stays if that
/// commit is lost.
///
/// Readers see the first life from its first commit on the disk until its end is on the disk. The next write goes to
/// the last life. A life leaves when its end is on the disk, or when its first commit was refused or lost. A failure
/// therefore takes back its own effect and nothing else: a life whose end is lost stays where it stood. An unreadable
/// list has a life too. A list that is made in its place begins beside it, and removes it once it is on the disk
/// itself.
struct Catalogue {
    /// One life of a list.
    struct Life {
        fileprivate(set) var list: ListActor
        /// Whether the end of the life waits for the disk, or is on it.
        var isEnding = false
    }

    private struct Lives {
        var first: Life
        /// The lives that were made while the end of the life before waited for the disk.
        var later: [Life] = []

        var last: Life { later.last ?? first }
    }

    /// The lists in memory.
    private var lives: [ListID: Lives] = [:]
    /// The ids of all lists. Those without lives are only in the journal: nobody has asked for them yet, or they have
    /// left memory. A list is read when somebody asks for it.
    private var ids = OrderedIDs()
    /// The ids of the lists in memory in the order in which they are looked at next. Some may have no list any more.
    private var turns: [ListID] = []
    /// How many ids at the beginning of `turns` have been looked at.
    private var turnsOver = 0
    /// The summaries that wait to be kept in the journal. Each is of the newest life of its list.
    private var summaries: [ListID: PlacedSummary] = [:]
    /// Whether summaries of lists that are not in memory stay true. They do not if others may write to the lists.
    var keepsSummaries = true
    /// The lists whose present life cannot be read.
    private(set) var damaged: Set<ListID> = []
    var retired = RetiredLists()
    /// The lists that are counted in the holdings of their creators.
    var counted = CountedLists(isDone: true)

    /// The life that readers see, or will see once its first commit is on the disk.
    func first(_ id: ListID) -> ListActor? { lives[id]?.first.list }

    /// The life that the next write goes to.
    func last(_ id: ListID) -> Life? { lives[id]?.last }

    /// All lives of a list in memory.
    func lists(of id: ListID) -> [ListActor] {
        lives[id].map { lives in ([lives.first] + lives.later).map(\.list) } ?? []
    }

    /// Whether there is a list of that id, in memory or not.
    func contains(_ id: ListID) -> Bool { lives[id] != nil || ids.contains(id) }

    /// Whether only the journal has the list.
    func isStored(_ id: ListID) -> Bool { lives[id] == nil && ids.contains(id) }

    /// The number of lists, in memory or not.
    var count: Int { ids.count }

    var countInMemory: Int { lives.count }

    /// Ids in their order.
    ///
    /// - Parameter id: Only ids behind this one are returned; nil stands for all.
    func ids(after id: ListID? = nil, limit: Int = .max) -> [ListID] { ids.ids(after: id, limit: limit) }

    /// Notes the lists that the journal has.
    mutating func store(_ lists: [ListID]) { ids = OrderedIDs(lists) }

    /// Adds a list that has been read; nil says that the journal does not have it after all.
    mutating func take(_ list: ListActor?, of id: ListID) {
        guard let list else { return ids.remove(id) }
        lives[id] = Lives(first: Life(list: list))
        list.held?.setCounted(counted.contains(id))
        addTurn(id)
        if list.damage != nil { damaged.insert(id) }
    }

    /// The end of the log of a list, as far as it is known.
    func place(of id: ListID) -> LogPlace? { (lives[id]?.last.list.line ?? retired[id]?.line)?.place }

    /// The lists of which something is in memory that others could change, in no order.
    var placed: [ListID] { lives.keys + retired.ids }

    /// Notes that others have written to a list that is not in memory, or made it. It is read when somebody asks for it.
    ///
    /// - Parameter isThere: Whether the journal has the list. One that it does not have is forgotten.
    mutating func lookAgain(at id: ListID, isThere: Bool = true) {
        retired.remove(id)
        guard lives[id] == nil else { return }
        summaries[id] = nil
        isThere ? ids.insert(id) : ids.remove(id)
    }

    /// Notes that others have written to lists. Those that are not in memory are read when somebody asks for them.
    ///
    /// - Returns: The places of those that are in memory, with the places up to which readers see them, and the lists that
    ///   must be looked at in another way.
    mutating func noteOthers(
        wroteTo lists: [ListID]
    ) -> (places: [ListPlace], shown: [LogPlace?], rest: [ListID]) {
        var (places, shown, rest): ([ListPlace], [LogPlace?], [ListID]) = ([], [], [])
        for id in lists {
            guard let list = lives[id]?.last.list else {
                // A known list that is read later needs nothing but that its summary is not believed.
                retired[id] == nil && ids.contains(id) ? (summaries[id] = nil) : rest.append(id)
                continue
            }
            guard list.damage == nil, let place = list.line.place else {
                rest.append(id)
                continue
            }
            places.append(ListPlace(id, place))
            shown.append(list.line.shownPlace)
        }
        return (places, shown, rest)
    }

    /// Begins a life.
    ///
    /// - Returns: False if the id has a life that nobody has read yet, or one that is neither ending nor unreadable.
    mutating func begin(_ list: ListActor) -> Bool {
        guard let last = lives[list.id]?.last else {
            guard !ids.contains(list.id) else { return false }
            add(list)
            return true
        }
        guard last.isEnding || last.list.damage != nil else { return false }
        if last.list.damage != nil { setEnding(last.list, true) }
        lives[list.id]?.later.append(Life(list: list))
        list.held?.count()
        summaries[list.id] = nil
        return true
    }

    /// Begins a life in which a retired one goes on.
    ///
    /// - Returns: False if that one is retired no more, or the id has a life.
    mutating func begin(_ list: ListActor, from one: RetiredLists.Entry) -> Bool {
        guard !contains(list.id), let standing = retired[list.id], standing.number == one.number, !standing.isEnding
        else { return false }
        add(list)
        return true
    }

    private mutating func add(_ list: ListActor) {
        lives[list.id] = Lives(first: Life(list: list))
        list.held?.count()
        addTurn(list.id)
        ids.insert(list.id)
        summaries[list.id] = nil
    }

    /// The retired life of an id that has no other life.
    func restorable(_ id: ListID, now: Int) -> RetiredLists.Entry? {
        contains(id) ? nil : retired.standing(id, now)
    }

    /// Ends retired lists that are too many or too old. Those that are about to go on, or to be replaced, stay.
    ///
    /// - Parameter end: Hands the end of one to the journal; nil if there is no journal.
    /// - Returns: The lists that have left. The caller must release them after the lock.
    mutating func purge(
        _ limits: Store.Limits.Deleted, now: Int, _ end: (ListID, RetiredLists.Entry) -> Durability?
    ) -> [RetiredLists.Entry] {
        retired.purge(limits, now: now, except: { lives[$0] != nil }, end)
    }

    /// Notes that the end of a life waits for the disk, or that it was lost. Does nothing if that life has left.
    mutating func setEnding(_ list: ListActor, _ isEnding: Bool) {
        guard let lives = lives[list.id] else { return }
        if lives.first.list === list {
            self.lives[list.id]?.first.isEnding = isEnding
        } else if let place = lives.later.firstIndex(where: { $0.list === list }) {
            self.lives[list.id]?.later[place].isEnding = isEnding
        }
    }

    /// Removes a life. Does nothing if it has left.
    ///
    /// - Parameter entry: The retired life, if it can go on.
    mutating func remove(_ list: ListActor, retiring entry: RetiredLists.Entry? = nil) {
        if let entry { retired.add(entry, of: list.id) }
        guard var lives = lives[list.id] else { return }
        if list.damage != nil { damaged.remove(list.id) }
        let rest = ([lives.first] + lives.later).filter { $0.list !== list }
        if rest.count <= lives.later.count { list.held?.uncount() }
        guard let first = rest.first else {
            self.lives[list.id] = nil
            return ids.remove(list.id)
        }
        lives.first = first
        lives.later = Array(rest.dropFirst())
        self.lives[list.id] = lives
    }
}

// MARK: - Leaving memory

extension Catalogue {
    /// Lets lists go that nobody uses, those first that were not asked for lately.
    ///
    /// A list stays that somebody refers to: a reader, a writer, a follower, or a commit that waits for the disk.
    ///
    /// - Parameters:
    ///   - excess: The bytes of lists that are to go, by their estimates. It is what is left of them afterwards.
    ///   - turnsMax: The most lists that are looked at.
    /// - Returns: The lists that have left, which the journal has. The caller must release them after the lock.
    mutating func letGo(_ excess: inout Int, turnsMax: Int) -> [ListActor] {
        var gone: [ListActor] = []
        for _ in 0..<turnsMax where excess > 0 && turnsOver < turns.count {
            let id = turns[turnsOver]
            turnsOver += 1
            guard lives[id] != nil else { continue }
            guard isIdle(id), isNobodys(id), let list = lives.removeValue(forKey: id)?.first.list else {
                turns.append(id)
                continue
            }
            summaries[id] = keepsSummaries ? list.enter { $0.placedSummary() } : nil
            excess -= list.leave()
            counted.noteDeparture(of: list)
            gone.append(list)
        }
        if turnsOver > turns.count / 2 {
            turns.removeFirst(turnsOver)
            turnsOver = 0
        }
        return gone
    }

    /// Whether a list may leave, if nobody refers to it. One that was asked for since its last turn may not.
    private func isIdle(_ id: ListID) -> Bool {
        guard let lives = lives[id], lives.later.isEmpty, !lives.first.isEnding else { return false }
        let list = lives.first.list
        return !list.takeUse() && list.damage == nil && list.isOpen && list.isReadable && list.durable.pending == nil
    }

    /// Whether only the catalogue refers to a list. Nobody can begin to meanwhile, because lists are looked up under the
    /// lock of the catalogue.
    private mutating func isNobodys(_ id: ListID) -> Bool {
        guard let index = lives.index(forKey: id) else { return false }
        return isKnownUniquelyReferenced(&lives.values[index].first.list)
    }

    /// Notes that a list is in memory.
    private mutating func addTurn(_ id: ListID) {
        turns.append(id)
        guard turns.count > 3 * lives.count + 64 else { return }
        // Lists that have ended are still among them, and some that were made anew are twice.
        var seen: Set<ListID> = []
        turns = turns.dropFirst(turnsOver).filter { lives[$0] != nil && seen.insert($0).inserted }
        turnsOver = 0
    }
}

// MARK: - Summaries

extension Catalogue {
    var summaryCount: Int { summaries.count }

    /// Notes a summary that the journal is to keep. Does nothing if the list is not the newest life any more.
    mutating func note(_ summary: PlacedSummary, of list: ListActor) {
        guard keepsSummaries, let lives = lives[list.id], lives.later.isEmpty, lives.first.list === list else { return }
        summaries[list.id] = summary
    }

    /// Some of the summaries that wait, in the order of their ids, so that a simulation with the same seed does the same.
    func someSummaries(_ limit: Int) -> [PlacedSummary] {
        summaries.values.sorted { $0.summary.id.rawValue < $1.summary.id.rawValue }.prefix(limit).map { $0 }
    }

    /// Removes summaries that wait no more, unless newer ones have come.
    mutating func remove(_ done: [PlacedSummary]) {
        for one in done where summaries[one.summary.id] == one { summaries[one.summary.id] = nil }
    }

    /// The lists that are only in the journal, each with the summary that waits, if there is one.
    func storedLists(_ ids: some Sequence<ListID>) -> [(id: ListID, summary: ListSummary?)] {
        ids.filter(isStored).map { ($0, summaries[$0]?.summary) }
    }

    /// Those of some lists that are in memory and could be written to.
    func listsInMemory(_ ids: some Sequence<ListID>) -> [ListActor] {
        ids.compactMap { id in
            guard let lives = lives[id], lives.later.isEmpty, !lives.first.isEnding, lives.first.list.damage == nil
            else { return nil }
            return lives.first.list
        }
    }
}
