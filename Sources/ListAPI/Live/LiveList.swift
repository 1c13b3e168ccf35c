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
    let queries: FollowedQueries
    /// The rows of the queries by which the list was read last.
    let recentRows = RecentRows()
    /// The fields of published answers, but for those of their versions.
    private let publishedFields: Response.Fields
    private let workers: Workers?
    private let memory: MemoryBudget
    private let makeRoom: @Sendable () -> Void
    private let changed: (@Sendable () -> Void)?

    private struct Shared {
        var streams = 0
        /// Streams and long polls.
        var followers = 0
        /// The revision to which all of `updates` lead.
        var end = 0
        var updates: [Key: Kept] = [:]
        /// The bytes of those that are small.
        var smallBytes = 0
        /// The orders that followers wait for.
        var orders: [Key: Weak<Order>] = [:]
        /// Those of them that no worker has begun, oldest first.
        var waiting: [Key] = []
        /// Whether a worker is at the orders.
        var isAtWork = false
    }

    /// An update that a worker makes. Those who wait for it hold it. Without them it is not made.
    final class Order: Sendable {
        private let made = Locked<Result<LiveUpdate, NoRoom>?>(nil)
        /// The time of the order: shortly after the news that it is about.
        fileprivate let since = WakeGroup.now

        /// Nil until the worker is done.
        var outcome: Result<LiveUpdate, NoRoom>? { made.withLock { $0 } }

        fileprivate func fill(_ outcome: Result<LiveUpdate, NoRoom>) { made.withLock { $0 = outcome } }
    }

    private struct Key: Hashable {
        let since: Int?
        let base: Int?
        let rows: RowQuery
        let previous: RowQuery?
        /// The form of the bytes that the follower sends; nil if it sends none.
        let form: UpdateForm?
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
    /// The bytes of small updates that are kept.
    private static let smallBytesMax = 1 << 20
    /// The bytes after which a worker wakes those for whom it has made them, and then goes on. So updates of many
    /// queries are sent and gone before the last of them is made.
    private static let wakeBytes = 4 << 20

    private init(
        _ publishedFields: Response.Fields, _ workers: Workers?, within memory: MemoryBudget,
        makeRoom: @escaping @Sendable () -> Void, changed: (@Sendable () -> Void)?
    ) {
        self.publishedFields = publishedFields
        self.workers = workers
        self.memory = memory
        self.makeRoom = makeRoom
        self.changed = changed
        queries = FollowedQueries(within: memory)
    }

    /// - Parameters:
    ///   - publishedFields: The fields of published answers, but for those of their versions.
    ///   - workers: Make updates that take long; nil if there are none.
    ///   - memory: The memory in which updates must have room.
    ///   - makeRoom: Is called when one had none.
    ///   - changed: Is called when the list has changed, and must return at once; nil if nobody wants to know.
    static func of(
        _ list: ListActor, _ publishedFields: Response.Fields, _ workers: Workers?, within memory: MemoryBudget,
        makeRoom: @escaping @Sendable () -> Void, changed: (@Sendable () -> Void)?
    ) -> LiveList? {
        list.observer {
            LiveList(publishedFields, workers, within: memory, makeRoom: makeRoom, changed: changed)
        } as? LiveList
    }

    func listDidChange() {
        group.wake()
        changed?()
    }

    var isWatched: Bool { !group.isEmpty }

    /// The update from one revision to the head. It is made once for all followers that ask for the same one.
    ///
    /// - Parameters:
    ///   - since: The newest revision at which the client's rows are known to be current; nil asks for a reset.
    ///   - base: The revision that the client knows, if that is older than `since`. The view has not changed between
    ///     the two.
    ///   - rows: The query whose rows the client sees.
    ///   - previous: The query whose rows the client saw at `since`, if that is another one.
    ///   - form: The form of the bytes that the follower sends; nil if it sends none.
    func update(
        of list: ListActor, since: Int?, from base: Int? = nil, _ rows: RowQuery, previous: RowQuery? = nil,
        as form: UpdateForm?
    ) throws(NoRoom) -> LiveUpdate {
        let key = Key(since: since, base: base ?? since, rows: rows, previous: previous, form: form)
        return try made(known(key, of: list) ?? keep(makeUpdate(of: list, key), key))
    }

    /// As `update(of:since:from:_:previous:as:)`, but an update that takes long is left to a worker.
    ///
    /// - Parameter order: What the follower waits for; nil if it waits for nothing. The other arguments stay the same
    ///   while it waits.
    /// - Returns: Nil if a worker makes the update. The group is woken when it is there.
    func promptUpdate(
        of list: ListActor, since: Int?, from base: Int? = nil, _ rows: RowQuery, previous: RowQuery? = nil,
        as form: UpdateForm?, _ order: inout Order?
    ) throws(NoRoom) -> LiveUpdate? {
        if let waiting = order {
            guard let outcome = waiting.outcome else { return nil }
            order = nil
            return try outcome.get()
        }
        let key = Key(since: since, base: base ?? since, rows: rows, previous: previous, form: form)
        let known = known(key, of: list)
        if let known, !known.isLarge || known.isMade { return try made(known) }
        guard let workers, mayLast(list, key) else { return try made(known ?? keep(makeUpdate(of: list, key), key)) }
        order = self.order(key, of: list, workers)
        return nil
    }

    private func made(_ update: LiveUpdate) throws(NoRoom) -> LiveUpdate {
        do throws(NoRoom) {
            try update.make()
            return update
        } catch {
            makeRoom()
            throw error
        }
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

    private func order(_ key: Key, of list: ListActor, _ workers: Workers) -> Order {
        let (order, mustBegin) = shared.withLock { shared -> (Order, Bool) in
            // An order that is filled may lead to an old head.
            if let order = shared.orders[key]?.object, order.outcome == nil { return (order, false) }
            let order = Order()
            shared.orders[key] = Weak(object: order)
            shared.waiting.append(key)
            defer { shared.isAtWork = true }
            return (order, !shared.isAtWork)
        }
        if mustBegin { workers.run(Errand(updating: list.id)) { [self] in fillOrders(of: list) } }
        return order
    }

    /// Fills all orders, by one worker. The followers are woken once for all short updates that are wanted at the same
    /// time.
    private func fillOrders(of list: ListActor) {
        while true {
            let orders = shared.withLock { shared -> [(Key, Weak<Order>?)] in
                let orders = shared.waiting.map { ($0, shared.orders[$0]) }
                shared.waiting = []
                shared.isAtWork = !orders.isEmpty
                return orders
            }
            guard !orders.isEmpty else { return }
            var since: UInt64?
            var bytes = 0
            for (key, order) in orders {
                guard let order = order?.object else {
                    forget(nil, key)
                    continue
                }
                since = min(since ?? order.since, order.since)
                bytes += fill(order, key, of: list)
                forget(order, key)
                guard bytes >= Self.wakeBytes else { continue }
                group.wake(since: since)
                (since, bytes) = (nil, 0)
            }
            if since != nil { group.wake(since: since) }
        }
    }

    /// Returns about how many bytes the update has.
    private func fill(_ order: Order, _ key: Key, of list: ListActor) -> Int {
        guard order.outcome == nil else { return 0 }
        let update = known(key, of: list) ?? keep(makeUpdate(of: list, key, .long), key)
        order.fill(Result { () throws(NoRoom) in try made(update) })
        return update.estimatedBytes
    }

    /// Forgets an order, or one that nobody waits for any more. Followers may have ordered the same again meanwhile.
    private func forget(_ order: Order?, _ key: Key) {
        shared.withLock { shared in
            if shared.orders[key]?.object === order { shared.orders[key] = nil }
        }
    }

    /// Keeps an update for other followers. If several threads have made the same one at once, the first is used by all.
    private func keep(_ update: LiveUpdate, _ key: Key) -> LiveUpdate {
        let updatesMax = updatesMax
        return shared.withLock { shared in
            if update.end == shared.end, let known = shared.updates[key]?.update { return known }
            guard update.end >= shared.end else { return update }
            let smallBytes = update.isLarge ? 0 : update.estimatedBytes
            let isFull = shared.updates.count >= updatesMax || shared.smallBytes + smallBytes > Self.smallBytesMax
            if update.end > shared.end || isFull { (shared.updates, shared.smallBytes) = ([:], 0) }
            shared.end = update.end
            shared.updates[key] = update.isLarge ? .large(Weak(object: update)) : .small(update)
            shared.smallBytes += smallBytes
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
            return LiveUpdate(told, list.id, as: key.form, within: memory, note: note)
        case .reset(let snapshot):
            guard key.form != nil, key.rows == RowQuery() else {
                return LiveUpdate(found, list.id, as: key.form, within: memory)
            }
            // A reset to all items uses the bytes that all readers get, unless the head has just moved.
            let published = list.read { [publishedFields] in PublishedSnapshot.ofHead(of: $0, publishedFields) }
            let isSame = published.version == snapshot.version
            return LiveUpdate(
                found, list.id, as: key.form, within: memory, snapshot: isSame ? published : nil)
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
        shared.withLock { $0.followers += 1 }
        return .admitted
    }

    /// Counts a follower that is no stream. `leavePoll(_:)` undoes this.
    ///
    /// - Returns: False if its query is one too many.
    func admitPoll(_ rows: RowQuery, queriesMax: Int) -> Bool {
        guard queries.admit(rows, queriesMax: queriesMax) else { return false }
        shared.withLock { $0.followers += 1 }
        return true
    }

    /// Whether a stream or long poll follows the list, or is about to.
    var isFollowed: Bool { shared.withLock { $0.followers > 0 } }

    func leave(_ rows: RowQuery) {
        shared.withLock { $0.streams -= 1 }
        leavePoll(rows)
    }

    /// Notes that a follower that is no stream has left.
    func leavePoll(_ rows: RowQuery) {
        queries.leave(rows)
        shared.withLock { $0.followers -= 1 }
    }
}
