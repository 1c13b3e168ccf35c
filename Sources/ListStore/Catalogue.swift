import ListModel

/// The lists of a store by their ids: what readers see under an id, and what the next write of it goes to.
///
/// Under one id stand the lives of a list that somebody may still see or write to, oldest first:
///
///     free ──PUT──▶ [new] ──on disk──▶ [list] ──DELETE──▶ [list, ending] ──on disk──▶ free
///                                                            │ PUT
///                                                            ▼
///                                              [list, ending] [new] ──on disk──▶ [new]
///
/// A life that was deleted, and not for good, is retired instead of being forgotten, and can go on:
///
///     [list, ending] ──on disk──▶ retired ──restore──▶ [the same, reviving] ──on disk──▶ [list]
///                                    │ PUT, and the new life is on the disk; its time is over; too many; DELETE ?purge
///                                    ▼
///                                  free
///
/// While a new life or its own going on waits for the disk the retired one stands as it stood, and stays if that is lost.
///
/// Readers see the first life, as soon as it is on the disk and until its end is. The next write goes to the last one.
/// A life leaves when its end is on the disk, or when its first commit was refused or lost. So a failure takes back
/// what it did, and nothing else: the life whose end is lost stands where it stood. A list that cannot be read has a life
/// too; one that is made in its place begins while it is there, and lets it leave when it is on the disk itself.
struct Catalogue {
    /// One life of a list.
    struct Life {
        let list: ListActor
        /// Whether its end waits for the disk, or is on it.
        var isEnding = false
    }

    private struct Lives {
        var first: Life
        /// Made while the end of the one before waits for the disk.
        var later: [Life] = []

        var last: Life { later.last ?? first }
    }

    private var lives: [ListID: Lives] = [:]
    /// Lists that only the journal has yet; read when somebody asks for them.
    private(set) var stored: Set<ListID> = []
    /// Lists of which the present life cannot be read.
    private(set) var damaged: Set<ListID> = []
    /// Ids in order, made when a page of lists is asked for.
    private var order: [ListID]?
    var retired = RetiredLists()

    /// The life that readers see, or will see when its first commit is on the disk.
    func first(_ id: ListID) -> ListActor? { lives[id]?.first.list }

    /// The life that the next write goes to.
    func last(_ id: ListID) -> Life? { lives[id]?.last }

    /// Whether there is a list of that id, in memory or not.
    func contains(_ id: ListID) -> Bool { lives[id] != nil || stored.contains(id) }

    /// All lists that are in memory and that readers see, or will see.
    var firsts: [ListActor] { lives.values.map(\.first.list) }

    /// All ids in order.
    mutating func ids() -> [ListID] {
        let ids = order ?? (Array(lives.keys) + stored).sorted { $0.rawValue < $1.rawValue }
        order = ids
        return ids
    }

    /// Notes what the journal has.
    mutating func store(_ ids: [ListID]) {
        stored = Set(ids)
        order = nil
    }

    /// Puts a list that has been read in its place; nil if the journal does not have it after all.
    mutating func take(_ list: ListActor?, of id: ListID) {
        stored.remove(id)
        lives[id] = list.map { Lives(first: Life(list: $0)) }
        if list?.damage != nil { damaged.insert(id) }
        if list == nil { order = nil }
    }

    /// Begins a life.
    ///
    /// - Returns: False if a life of that id goes on.
    mutating func begin(_ list: ListActor) -> Bool {
        guard !stored.contains(list.id) else { return false }
        guard let last = lives[list.id]?.last else {
            lives[list.id] = Lives(first: Life(list: list))
            order = nil
            return true
        }
        guard last.isEnding || last.list.damage != nil else { return false }
        if last.list.damage != nil { setEnding(last.list, true) }
        lives[list.id]?.later.append(Life(list: list))
        return true
    }

    /// Begins a life in which a retired one goes on.
    ///
    /// - Returns: False if that is retired no more.
    mutating func begin(_ list: ListActor, from one: RetiredLists.Entry) -> Bool {
        guard lives[list.id] == nil, retired[list.id]?.number == one.number else { return false }
        lives[list.id] = Lives(first: Life(list: list))
        order = nil
        return true
    }

    /// A list that is retired and that nothing has taken the place of.
    func restorable(_ id: ListID, now: Int) -> RetiredLists.Entry? {
        lives[id] == nil ? retired.standing(id, now) : nil
    }

    /// Ends retired lists that are too many or too old; those that are about to go on, or to give way, stay.
    ///
    /// - Parameter end: Ends one for good; nil if that was all there is to do.
    /// - Returns: What has left, to be let go by the caller.
    mutating func purge(
        _ limits: Store.Limits.Deleted, now: Int, _ end: (ListID, RetiredLists.Entry) -> Durability?
    ) -> [RetiredLists.Entry] {
        retired.purge(limits, now: now, except: { lives[$0] != nil }, end)
    }

    /// Notes that the end of a life waits for the disk, or that it is lost; does nothing if that life has left.
    mutating func setEnding(_ list: ListActor, _ isEnding: Bool) {
        guard let lives = lives[list.id] else { return }
        if lives.first.list === list {
            self.lives[list.id]?.first.isEnding = isEnding
        } else if let place = lives.later.firstIndex(where: { $0.list === list }) {
            self.lives[list.id]?.later[place].isEnding = isEnding
        }
    }

    /// Lets a life leave; does nothing if it has left.
    ///
    /// - Parameter entry: What is kept of it, if it can go on.
    mutating func remove(_ list: ListActor, retiring entry: RetiredLists.Entry? = nil) {
        if let entry { retired.add(entry, of: list.id) }
        guard var lives = lives[list.id] else { return }
        if list.damage != nil { damaged.remove(list.id) }
        let rest = ([lives.first] + lives.later).filter { $0.list !== list }
        guard let first = rest.first else {
            (self.lives[list.id], order) = (nil, nil)
            return
        }
        lives.first = first
        lives.later = Array(rest.dropFirst())
        self.lives[list.id] = lives
    }
}
