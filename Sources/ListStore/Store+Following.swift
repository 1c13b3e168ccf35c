internal import Glibc
import ListModel
import Threads

// Others may write to the same journal. A list in memory then takes over their entries.

extension Store {
    /// Whether others may write to the lists of this store.
    public var isShared: Bool { journal?.isShared ?? false }

    /// Has the journal tell which lists others have written to.
    func followJournal() {
        journal?.onHint { [weak self] lists in
            guard let self else { return }
            hints.note(listsToFollow(hint: lists)) { [weak self] lists in self?.noteOthers(wroteTo: lists) }
        }
    }

    /// The lists that follow because of a hint: all of them, if it names none.
    ///
    /// A contended list that nobody watches is left out. It follows when it is locked for its next write, or checked for
    /// its next reader, so each entry need not be read at once.
    func listsToFollow(hint lists: [ListID]) -> [ListID] {
        catalogue.withLock { catalogue in
            guard !lists.isEmpty else { return catalogue.placed }
            return lists.filter { id in
                guard let list = catalogue.last(id)?.list, list.isContended else { return true }
                return list.durable.isWatched
            }
        }
    }

    /// Lets lists take over what others have written to them, if they are in memory. A list that cannot follow now
    /// follows before its next write.
    func noteOthers(wroteTo lists: [ListID]) {
        let lists = lists.filter { !isAwaitingLock($0) }
        guard lists.count > Self.tailsMax else { return takeOver(lists) }
        // Few of so many have moved.
        let moved = ((try? findings(lists)) ?? []).filter { !shows($0) }.map(\.list)
        for start in stride(from: 0, to: moved.count, by: Self.tailsMax) {
            takeOver(Array(moved[start..<min(start + Self.tailsMax, moved.count)]))
        }
    }

    /// The lists of which entries are read at once.
    private static let tailsMax = 64

    /// Lets lists take over what others have written to them. What did not come with a hint is read for all of them at
    /// once, before any of these waits. A list that has got to another place meanwhile reads it again.
    private func takeOver(_ lists: [ListID]) {
        let time = shared.clocks.milliseconds()
        var (places, shown, rest) = catalogue.withLock { $0.noteOthers(wroteTo: lists) }
        var unheard: [Int] = []
        for (index, one) in places.enumerated() {
            if let tail = journal?.heard(after: one) {
                // There may be more behind it, so the list need not be as it was at any time.
                bring(one, to: tail, shown: shown[index], time: nil)
            } else {
                unheard.append(index)
            }
        }
        let tails = unheard.isEmpty ? [] : (try? journal?.tails(after: unheard.map { places[$0] })) ?? []
        for (index, tail) in zip(unheard, tails) {
            guard let tail else {
                rest.append(places[index].list)
                continue
            }
            bring(places[index], to: tail, shown: shown[index], time: time)
        }
        for finding in rest.isEmpty ? [] : (try? findings(rest)) ?? [] { try? bring(to: finding) }
    }

    private func bring(_ one: ListPlace, to tail: Tail, shown: LogPlace?, time: Int?) {
        let finding = Finding(list: one.list, place: tail.end, shown: shown, time: time)
        try? bring(to: finding, by: Step(from: one.place, to: tail))
    }

    /// Whether this store waits for the lock of a list. The list takes everything over when it is locked, and hints of
    /// other lists do not wait for that.
    private func isAwaitingLock(_ id: ListID) -> Bool {
        let list = catalogue.withLock { $0.last(id)?.list }
        return list?.isContended == true && loading.withLock { $0.contains(id) }
    }

    /// The ends of the logs of lists, as the journal has them now.
    ///
    /// - Throws: `JournalError` if the journal cannot be asked.
    func findings(_ lists: [ListID]) throws(JournalError) -> [Finding] {
        let time = shared.clocks.milliseconds()
        let shown = catalogue.withLock { catalogue in lists.map { catalogue.last($0)?.list.line.shownPlace } }
        guard let places = try journal?.places(of: lists) else { return [] }
        return lists.indices.map { Finding(list: lists[$0], place: places[$0], shown: shown[$0], time: time) }
    }

    /// Whether readers see a list as it was found, or later. The next caller reads it from the journal if it is not in
    /// memory.
    func shows(_ finding: Finding) -> Bool { shows(finding, isLoading: loading.withLock { $0.contains(finding.list) }) }

    /// - Parameter isLoading: Whether a thread may be reading the list. It may have begun before the list was found, and
    ///   then the next caller gets what it read.
    private func shows(_ finding: Finding, isLoading: Bool) -> Bool {
        catalogue.withLock { catalogue in
            guard let newest = catalogue.last(finding.list)?.list else {
                guard !isLoading else { return false }
                if LogPlace.hasMoved(from: catalogue.place(of: finding.list), to: finding.place) {
                    catalogue.lookAgain(at: finding.list, isThere: finding.place != nil)
                }
                return true
            }
            // Readers still see an earlier life until its end is told.
            let isSeen = catalogue.first(finding.list) === newest
            guard isSeen, newest.line.covers(finding.place), !finding.isShorter else { return false }
            if let time = finding.time { newest.line.noteCurrent(at: time) }
            return true
        }
    }

    /// Lets a list follow until readers see it as it was found, or later.
    ///
    /// - Parameter step: What leads there, if that has been read already.
    /// - Throws: As `follow(_:)`.
    func bring(to finding: Finding, by step: Step? = nil) throws(JournalError) {
        let id = finding.list
        guard !shows(finding) else { return }
        if let list = catalogue.withLock({ $0.last(id)?.list }) {
            // It may be a commit of its own, also one that waits for no others any more.
            while list.line.isAboutToCover(finding.place) { usleep(LockExecutor.pauseMicroseconds) }
            if !finding.isShorter, !list.line.covers(finding.place) { settle(list) }
            if let first = catalogue.withLock({ $0.first(id) }), first !== list { settle(first) }
            guard !shows(finding) else { return }
        }
        try follow(id, by: step, unless: { [self] in shows(finding, isLoading: true) })
        if let time = finding.time { catalogue.withLock { $0.last(id)?.list }?.line.noteCurrent(at: time) }
    }

    /// Whether others may have written to a list since an answer was made of what the store has in memory.
    ///
    /// - Parameter known: The place at which the list was in memory before the answer was made; nil if it was not. If it
    ///   has come into memory since, the answer may be of any place.
    /// - Throws: `JournalError` if the journal cannot be asked.
    func isOutdated(_ id: ListID, knownAt known: LogPlace?) throws(JournalError) -> Bool {
        guard let known else { return catalogue.withLock { $0.place(of: id) != nil } }
        guard let places = try journal?.places(of: [id]) else { return false }
        return catalogue.withLock { catalogue in
            guard LogPlace.hasMoved(from: known, to: places[0]) else { return false }
            // A deleted list has nothing in memory that could follow.
            if catalogue.last(id) == nil { catalogue.lookAgain(at: id, isThere: places[0] != nil) }
            return true
        }
    }

    /// Lets a list take over what others have written to it. Does nothing if it is not in memory.
    ///
    /// The list decides nothing meanwhile. Its followers are told as of its own writes. If others have ended it, begun
    /// it anew or given it a new epoch, this life of it ends, and the next caller reads the list from the journal.
    ///
    /// - Parameters:
    ///   - step: What others have written. It is read anew if the list is at another place than it begins at.
    ///   - isDone: Whether another thread has done it meanwhile. It is asked while that thread works on.
    /// - Throws: `JournalError` if the journal cannot be read, or this is the thread that commits. The list is
    ///   unchanged, and still behind.
    func follow(_ id: ListID, by step: Step? = nil, unless isDone: () -> Bool = { false }) throws(JournalError) {
        if let queue = shared.queue, queue.isCommitting { throw .away("a commit is being settled") }
        let mustFollow = loading.wait(until: { !$0.contains(id) || isDone() }) { loading in
            loading.insert(id).inserted
        }
        guard mustFollow else { return }
        defer { loading.change { _ = $0.remove(id) } }
        guard let journal, let list = catalogue.withLock({ $0.last(id)?.list }) else { return }
        list.enter { $0.isBehind = true }
        settle(list)
        // It may have left meanwhile, by a commit of its own.
        let isThere = catalogue.withLock { $0.last(id)?.list === list }
        guard isThere, list.isOpen, let place = list.line.place else { return list.enter { $0.noteFollowed() } }
        do {
            guard list.damage == nil else {
                let hasMoved = LogPlace.hasMoved(from: place, to: try journal.places(of: [id])[0])
                return !hasMoved ? list.enter { $0.noteFollowed() } : leaveToOthers(list)
            }
            var tail = step.flatMap { LogPlace.hasMoved(from: $0.start, to: place) ? nil : $0.tail }
            if tail == nil {
                var entries: [JournalEntry] = []
                let end = try journal.load(id, after: place, snapshot: { _ in }, entry: { entries.append($0) })
                tail = end.map { Tail(entries, end: $0) }
            }
            guard let tail, try list.follow(tail.entries) else { return leaveToOthers(list) }
            list.line.move(to: tail.end)
            list.line.show()
            list.enter { $0.noteFollowed() }
        } catch JournalError.moved {
            leaveToOthers(list)
        } catch let error as JournalError {
            throw error
        } catch {
            // The next caller reads the list and finds the damage.
            leaveToOthers(list)
        }
    }

    /// Waits until the list's own commits are durable or lost.
    func settle(_ list: ListActor) { list.durable.pending?.wait { shared.queue?.step() } }

    /// Ends a life of a list that others have ended or changed as a whole.
    func leaveToOthers(_ list: ListActor) {
        list.enter { $0.stage = .ending }
        list.durable.end(isReplaced: true)
        list.held?.setCounted(false)
        catalogue.withLock { catalogue in
            catalogue.remove(list)
            catalogue.lookAgain(at: list.id)
        }
    }
}

extension ListActor {
    /// Carries out entries that others have written after the list's own.
    ///
    /// - Returns: Whether all of them are changes of this life of the list. Otherwise some are carried out, and the list
    ///   must be read again.
    /// - Throws: `MalformedRecord` if an entry does not fit the list.
    nonisolated func follow(_ entries: [JournalEntry]) throws(Store.MalformedRecord) -> Bool {
        var replay = ListReplay(of: self)
        for entry in entries {
            guard entry.kind == .append, try replay.follow(entry) else { return false }
        }
        replay.noteEnd()
        return true
    }
}

/// The entries that others have written to a list behind a place.
struct Step: Sendable {
    let start: LogPlace
    let tail: Tail

    init(from start: LogPlace, to tail: Tail) { (self.start, self.tail) = (start, tail) }
}

/// The end of a list's log when the journal was asked.
struct Finding: Sendable {
    let list: ListID
    /// The end of the list's log; nil if there is no such list.
    let place: LogPlace?
    /// The place up to which readers saw the list before.
    let shown: LogPlace?
    /// A time before, in milliseconds of the store's clock; nil if there may be more than was found.
    let time: Int?

    /// Whether readers have seen entries that are lost.
    var isShorter: Bool {
        guard let place, let shown, place.life == shown.life, place.generation == shown.generation else { return false }
        return place.position < shown.position
    }
}
