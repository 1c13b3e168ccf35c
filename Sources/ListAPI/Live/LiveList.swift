internal import ListDiff
internal import ListModel
internal import ListStore
internal import Threads
internal import Microhttpd

/// The state that the followers of a list share: the group in which they are woken, and the updates that many of them
/// need. Readers of pages and windows share the rows that they are cut from.
///
/// A list has a `LiveList` from its first follower on, or from the first long search of it, and holds it.
final class LiveList: ListObserver {
    /// The group that is woken whenever the list changes.
    let group = WakeGroup.timed
    private let shared = Locked(Shared())
    /// The queries by which the list is followed.
    let queries = FollowedQueries()
    /// The rows of the queries by which the list was read last.
    let recentRows = RecentRows()
    /// The fields of published answers, but for those of their versions.
    private let publishedFields: Response.Fields
    private let workers: Workers?

    private struct Shared {
        var streams = 0
        /// The revision to which all of `updates` lead.
        var end = 0
        var updates: [Key: Kept] = [:]
        /// The orders that followers wait for.
        var orders: [Wanted: Weak<Order>] = [:]
        /// Those of them that no worker has begun, oldest first.
        var waiting: [Wanted] = []
        /// Whether a worker is at the orders.
        var isAtWork = false
    }

    /// An update that a worker makes. Those who wait for it hold it. Without them it is not made.
    final class Order: Sendable {
        private let made = Locked<LiveUpdate?>(nil)
        /// The time of the order: shortly after the news that it is about.
        fileprivate let since = WakeGroup.now

        /// Nil until it is there.
        var update: LiveUpdate? { made.withLock { $0 } }

        fileprivate func fill(_ update: LiveUpdate) { made.withLock { $0 = update } }
    }

    private struct Wanted: Hashable {
        let key: Key
        let form: UpdateForm?
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
        case large(Weak<LiveUpdate>)

        var update: LiveUpdate? {
            switch self {
            case .small(let update): update
            case .large(let weak): weak.object
            }
        }
    }

    private struct Weak<Object: AnyObject & Sendable>: Sendable {
        weak let object: Object?
    }

    /// Most followers of a query are at the same version. The others have read slowly, and each of them is at a version
    /// of its own.
    private var updatesMax: Int { 32 + 2 * queries.count }

    private init(_ publishedFields: Response.Fields, _ workers: Workers?) {
        self.publishedFields = publishedFields
        self.workers = workers
    }

    /// - Parameters:
    ///   - publishedFields: The fields of published answers, but for those of their versions.
    ///   - workers: Make updates that take long; nil if there are none.
    static func of(_ list: ListActor, _ publishedFields: Response.Fields, _ workers: Workers? = nil) -> LiveList? {
        list.observer { LiveList(publishedFields, workers) } as? LiveList
    }

    func listDidChange() { group.wake() }

    var isWatched: Bool { !group.isEmpty }

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
        let key = Key(since: since, base: base ?? since, rows: rows, previous: previous)
        return known(key, of: list) ?? keep(makeUpdate(of: list, key), key)
    }

    /// As `update(of:since:from:_:previous:)`, but an update that takes long is left to a worker.
    ///
    /// - Parameters:
    ///   - form: The bytes of the update that the follower sends; nil if it sends none.
    ///   - order: What the follower waits for; nil if it waits for nothing. The other arguments stay the same while it
    ///     waits.
    /// - Returns: Nil if a worker makes the update. The group is woken when it is there.
    func promptUpdate(
        of list: ListActor, since: Int?, from base: Int? = nil, _ rows: RowQuery, previous: RowQuery? = nil,
        as form: UpdateForm?, _ order: inout Order?
    ) -> LiveUpdate? {
        if let waiting = order {
            guard let update = waiting.update else { return nil }
            order = nil
            return update
        }
        let key = Key(since: since, base: base ?? since, rows: rows, previous: previous)
        let known = known(key, of: list)
        if let known, !known.isLarge || known.isMade(form) { return known }
        guard let workers, mayLast(list, key) else { return known ?? keep(makeUpdate(of: list, key), key) }
        order = self.order(Wanted(key: key, form: form), of: list, workers)
        return nil
    }

    /// The update that somebody else has made, if it leads to the head.
    private func known(_ key: Key, of list: ListActor) -> LiveUpdate? {
        let end = list.standing.revision
        return shared.withLock { $0.end == end ? $0.updates[key]?.update : nil }
    }

    private func mayLast(_ list: ListActor, _ key: Key) -> Bool {
        guard key.rows.isIndexed ? list.isLong : list.isLongToSearch else { return false }
        guard let since = key.since, key.rows.isWhole, key.previous == nil else { return true }
        return list.isLongCatchup(since: since)
    }

    private func order(_ wanted: Wanted, of list: ListActor, _ workers: Workers) -> Order {
        let (order, mustBegin) = shared.withLock { shared -> (Order, Bool) in
            // An order that is filled may lead to an old head.
            if let order = shared.orders[wanted]?.object, order.update == nil { return (order, false) }
            let order = Order()
            shared.orders[wanted] = Weak(object: order)
            shared.waiting.append(wanted)
            defer { shared.isAtWork = true }
            return (order, !shared.isAtWork)
        }
        if mustBegin { workers.run(Errand(updating: list.id)) { [self] in fillOrders(of: list) } }
        return order
    }

    /// Fills all orders, by one worker. The followers are woken once for all orders that were there at the same time.
    private func fillOrders(of list: ListActor) {
        while true {
            let orders = shared.withLock { shared -> [(Wanted, Weak<Order>?)] in
                let orders = shared.waiting.map { ($0, shared.orders[$0]) }
                shared.waiting = []
                shared.isAtWork = !orders.isEmpty
                return orders
            }
            guard !orders.isEmpty else { return }
            var since: UInt64?
            for (wanted, order) in orders {
                if let order = order?.object {
                    since = min(since ?? order.since, order.since)
                    let update =
                        known(wanted.key, of: list) ?? keep(makeUpdate(of: list, wanted.key, .long), wanted.key)
                    update.make(wanted.form)
                    order.fill(update)
                }
                shared.withLock { $0.orders[wanted] = nil }
            }
            group.wake(since: since)
        }
    }

    /// Keeps an update for other followers. If several threads have made the same one at once, the first is used by all.
    private func keep(_ update: LiveUpdate, _ key: Key) -> LiveUpdate {
        let updatesMax = updatesMax
        return shared.withLock { shared in
            if update.end == shared.end, let known = shared.updates[key]?.update { return known }
            guard update.end >= shared.end else { return update }
            if update.end > shared.end || shared.updates.count >= updatesMax { shared.updates = [:] }
            shared.end = update.end
            shared.updates[key] = update.isLarge ? .large(Weak(object: update)) : .small(update)
            return update
        }
    }

    private func makeUpdate(of list: ListActor, _ key: Key, _ pace: Write.Pace = .brief) -> LiveUpdate {
        let since = key.since.map { list.version(at: $0) }
        let found = list.catchup(
            since: since, key.previous ?? key.rows, key.rows, isReload: false, among: queries, pace: pace)
        switch found.catchup {
        case .changes(let changes, let since, let to, let counts):
            let from = key.base.map { list.version(at: $0) } ?? since
            let note = to.revision == from.revision + 1 ? list.read { $0.note(of: to.revision) } : nil
            let told = found.told(.changes(changes, from: from, to: to, counts: counts))
            return LiveUpdate(told, list.id, note: note)
        case .reset(let snapshot):
            guard key.rows == RowQuery() else { return LiveUpdate(found, list.id) }
            // A reset to all items uses the bytes that all readers get, unless the head has just moved.
            let published = list.read { [publishedFields] in PublishedSnapshot.ofHead(of: $0, publishedFields) }
            let isSame = published.version == snapshot.version
            return LiveUpdate(found, list.id, snapshot: isSame ? published : nil)
        }
    }

    // MARK: Counting streams

    enum StandingRight {
        case admitted
        case tooManyStreams
        case tooManyQueries
    }

    /// Counts a stream towards `streamsMax`, and its query towards `queriesMax`. `leave(_:)` undoes this.
    func admit(_ rows: RowQuery, streamsMax: Int, queriesMax: Int) -> StandingRight {
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
        leavePoll(rows)
    }

    /// Notes that a follower that is no stream has left.
    func leavePoll(_ rows: RowQuery) {
        queries.leave(rows)
    }
}
