internal import ListDiff
internal import ListModel
internal import ListStore
internal import Threads
internal import Microhttpd

/// The state that the followers of a list share: the group in which they are woken, and the updates that many of them
/// need.
///
/// A list has a `LiveList` from its first follower on, and holds it.
final class LiveList: ListObserver {
    /// The group that is woken whenever the list changes.
    let group = WakeGroup()
    private let shared = Locked(Shared())
    /// The queries by which the list is followed.
    let queries = FollowedQueries()
    private let variesByOrigin: Bool

    private struct Shared {
        var streams = 0
        /// The revision to which all of `updates` lead.
        var end = 0
        var updates: [Key: Kept] = [:]
    }

    private struct Key: Hashable {
        let since: Int?
        let base: Int?
        let rows: RowQuery
        let previous: RowQuery?
    }

    /// A small update stays until the list has moved on. A large one stays only while a stream is sending it, because
    /// perhaps nobody else needs it.
    private enum Kept: Sendable {
        case small(LiveUpdate)
        case large(Weak)

        var update: LiveUpdate? {
            switch self {
            case .small(let update): update
            case .large(let weak): weak.update
            }
        }
    }

    private struct Weak: Sendable {
        weak let update: LiveUpdate?
    }

    /// Most followers of a query are at the same version. The others have read slowly, and each of them is at a version
    /// of its own.
    private var updatesMax: Int { 32 + 2 * queries.count }

    private init(variesByOrigin: Bool) {
        self.variesByOrigin = variesByOrigin
    }

    static func of(_ list: ListActor, variesByOrigin: Bool) -> LiveList? {
        list.observer { LiveList(variesByOrigin: variesByOrigin) } as? LiveList
    }

    func listDidChange() { group.wake() }

    /// The update from one revision to the head. It is made once for all followers that ask for the same one.
    ///
    /// - Parameters:
    ///   - since: The newest revision at which the client's rows are known to be current; nil asks for a reset.
    ///   - base: The revision that the client knows, if that is older than `since`. The view has not changed between
    ///     the two.
    ///   - rows: The query whose rows the client sees.
    ///   - previous: The query whose rows the client saw at `since`, if that is another one.
    func update(
        of list: ListActor, since: Int?, from base: Int? = nil, _ rows: RowQuery, previous: RowQuery? = nil
    ) -> LiveUpdate {
        let end = list.standing.revision
        let key = Key(since: since, base: base ?? since, rows: rows, previous: previous)
        if let update = shared.withLock({ $0.end == end ? $0.updates[key]?.update : nil }) { return update }
        let update = makeUpdate(of: list, key)
        let updatesMax = updatesMax
        return shared.withLock { shared in
            // If several threads have made the same update at once, the first one is used by all.
            if update.end == shared.end, let known = shared.updates[key]?.update { return known }
            guard update.end >= shared.end else { return update }
            if update.end > shared.end || shared.updates.count >= updatesMax { shared.updates = [:] }
            shared.end = update.end
            shared.updates[key] = update.isLarge ? .large(Weak(update: update)) : .small(update)
            return update
        }
    }

    private func makeUpdate(of list: ListActor, _ key: Key) -> LiveUpdate {
        let since = key.since.map { list.version(at: $0) }
        let found = list.catchup(
            since: since, key.previous ?? key.rows, key.rows, isReload: false, among: queries)
        switch found.catchup {
        case .changes(let changes, let since, let to, let counts):
            let from = key.base.map { list.version(at: $0) } ?? since
            let note = to.revision == from.revision + 1 ? list.enter { $0.note(of: to.revision) } : nil
            let told = found.told(.changes(changes, from: from, to: to, counts: counts))
            return LiveUpdate(told, list.id, note: note)
        case .reset(let snapshot):
            guard key.rows == RowQuery() else { return LiveUpdate(found, list.id) }
            // A reset to all items uses the bytes that all readers get, unless the head has just moved.
            let published = list.enter { PublishedSnapshot.ofHead(of: $0, variesByOrigin: variesByOrigin) }
            let isSame = published.version == snapshot.version
            return LiveUpdate(found, list.id, snapshot: isSame ? published : nil)
        }
    }

    // MARK: Counting streams

    enum Admission {
        case admitted
        case tooManyStreams
        case tooManyQueries
    }

    /// Counts a stream towards `streamsMax`, and its query towards `queriesMax`. `leave(_:)` undoes this.
    func admit(_ rows: RowQuery, streamsMax: Int, queriesMax: Int) -> Admission {
        let isRoom = shared.withLock { shared in
            guard shared.streams < streamsMax else { return false }
            shared.streams += 1
            return true
        }
        guard isRoom else { return .tooManyStreams }
        guard queries.admit(rows, queriesMax: queriesMax) else {
            shared.withLock { $0.streams -= 1 }
            return .tooManyQueries
        }
        return .admitted
    }

    func leave(_ rows: RowQuery) {
        shared.withLock { $0.streams -= 1 }
        queries.leave(rows)
    }
}
