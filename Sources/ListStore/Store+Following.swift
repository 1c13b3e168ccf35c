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
            let lists = lists.isEmpty ? catalogue.withLock { $0.placed } : lists
            hints.note(lists) { [weak self] lists in self?.noteOthers(wroteTo: lists) }
        }
    }

    /// Lets lists take over what others have written to them, if they are in memory.
    func noteOthers(wroteTo lists: [ListID]) {
        // A list that cannot follow now follows before its next write.
        try? compare(lists) { id, place, time in
            guard !isAwaitingLock(id) else { return }
            try? self.bring(id, to: place, asOf: time)
        }
    }

    /// Whether this store waits for the lock of a list. The list takes everything over when it is locked, and hints of
    /// other lists do not wait for that.
    private func isAwaitingLock(_ id: ListID) -> Bool {
        let list = catalogue.withLock { $0.last(id)?.list }
        return list?.isContended == true && loading.withLock { $0.contains(id) }
    }

    /// Asks the journal for the places of lists.
    ///
    /// - Parameter body: It is called with each list, its place, and a time before the journal was asked.
    /// - Throws: The error of the journal, or of `body`.
    func compare(
        _ lists: [ListID], _ body: (ListID, LogPlace?, Int) throws(JournalError) -> Void
    ) throws(JournalError) {
        let time = shared.clocks.milliseconds()
        guard let places = try journal?.places(of: lists) else { return }
        for (id, place) in zip(lists, places) { try body(id, place, time) }
    }

    /// Whether readers see a list as it is at a place, or later. The next caller reads it from the journal if it is not
    /// in memory.
    ///
    /// - Parameter time: A time before the journal had the list at that place, in milliseconds.
    func shows(_ id: ListID, _ place: LogPlace?, asOf time: Int) -> Bool {
        catalogue.withLock { catalogue in
            guard let list = catalogue.last(id)?.list else {
                if LogPlace.hasMoved(from: catalogue.place(of: id), to: place) { catalogue.lookAgain(at: id, isThere: place != nil) }
                return true
            }
            guard list.line.covers(place) else { return false }
            list.line.noteCurrent(at: time)
            return true
        }
    }

    /// Lets a list follow until readers see it as it is at a place, or later.
    ///
    /// - Parameter time: As for `shows(_:_:asOf:)`.
    /// - Throws: As `follow(_:)`.
    func bring(_ id: ListID, to place: LogPlace?, asOf time: Int) throws(JournalError) {
        guard !shows(id, place, asOf: time), let list = catalogue.withLock({ $0.last(id)?.list }) else { return }
        // It may be a commit of its own, also one that waits for no others any more.
        while list.line.isAboutToCover(place) { usleep(LockExecutor.pauseMicroseconds) }
        if !list.line.covers(place) { settle(list) }
        guard !shows(id, place, asOf: time) else { return }
        try follow(id)
        catalogue.withLock { $0.last(id)?.list }?.line.noteCurrent(at: time)
    }

    /// Whether others have written to a list of which the store has something in memory.
    ///
    /// - Parameter place: A place at which the list was in memory; nil for the one at which it is now.
    /// - Throws: `JournalError` if the journal cannot be asked.
    func isOutdated(_ id: ListID, knownAt place: LogPlace?) throws(JournalError) -> Bool {
        guard let places = try journal?.places(of: [id]) else { return false }
        return catalogue.withLock { catalogue in
            let known = place ?? catalogue.place(of: id)
            guard known != nil, LogPlace.hasMoved(from: known, to: places[0]) else { return false }
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
    /// - Throws: `JournalError` if the journal cannot be read, or this is the thread that commits. The list is
    ///   unchanged, and still behind.
    func follow(_ id: ListID) throws(JournalError) {
        if let queue = shared.queue, queue.isCommitting { throw .away("a commit is being settled") }
        loading.wait(until: { !$0.contains(id) }) { _ = $0.insert(id) }
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
            var entries: [JournalEntry] = []
            let end = try journal.load(id, after: place, snapshot: { _ in }, entry: { entries.append($0) })
            guard let end, try list.follow(entries) else { return leaveToOthers(list) }
            list.line.move(to: end)
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
