import ListModel
internal import Synchronization
import Threads

/// Has lists locked whose writes wait for that, on a thread of its own.
///
/// An example: 16 writes wait for one list. It is locked, and takes over what others have written. The 16 are told, and
/// are decided. When the last one is, all of them are written as one batch, and then the next store has the lock.
final class Contention: Sendable {
    typealias Body = @Sendable (Result<Decision, JournalError>) -> Void

    fileprivate struct Waiting: Sendable {
        let end: ContinuousClock.Instant
        let body: Body
    }

    fileprivate struct State: Sendable {
        var waiting: [ListID: [Waiting]] = [:]
        /// The lists with waiting writes. The one that waits longest comes first.
        var order: [ListID] = []
        /// The first list of the last call, if it was neither locked nor waited for.
        var passedOver: ListID?
        /// The number of the waiting writes.
        var count = 0
        /// The number of the writes that were decided the last time, and of those that waited on.
        var lastCount = 0
        /// Whether the thread waits until as many writes wait.
        var isGathering = false
        /// Whether a thread has lists locked.
        var isWorking = false
        var isStopping = false

        mutating func take(_ list: ListID) -> [Waiting] {
            order.removeAll { $0 == list }
            if passedOver == list { passedOver = nil }
            let writes = waiting.removeValue(forKey: list) ?? []
            count -= writes.count
            lastCount = max(0, lastCount - writes.count)
            return writes
        }
    }

    private let state = Locked(State())

    init() {}

    /// Lets a write wait until its list is locked. Returns at once.
    ///
    /// - Parameters:
    ///   - end: The time after which the write is refused with `.moved`.
    ///   - body: It is called once, on any thread, and returns at once, or after a brief write if `Decision.isHere`.
    ///   - lock: It is called with all lists for which writes wait, also with later ones. It has each of them decided or
    ///     refused, or leaves it to the next call.
    func wait(
        for list: ListID, until end: ContinuousClock.Instant, _ body: @escaping Body,
        lock: @escaping @Sendable (WantedLocks) -> Void
    ) {
        let (refusal, mustBegin, mustWake): (JournalError?, Bool, Bool) = state.withLock { state in
            guard !state.isStopping else { return (.closed, false, false) }
            if state.waiting[list] == nil { state.order.append(list) }
            state.waiting[list, default: []].append(Waiting(end: end, body: body))
            state.count += 1
            defer { state.isWorking = true }
            return (nil, !state.isWorking, !state.isGathering || state.count == state.lastCount)
        }
        if mustWake { state.wakeAll() }
        if let refusal { return body(.failure(refusal)) }
        guard mustBegin else { return }
        do throws(ThreadError) {
            try Thread { [self] in while let wanted = next() { lock(wanted) } }.detach()
        } catch {
            state.change { $0.isWorking = false }
            refuse(state.withLock { $0.order }, .away("pthread_create: error \(error.code)"))
        }
    }

    /// The lists to lock next; nil if the thread ends. It stays for a while, because the next writes of a contended list
    /// often come as soon as the last ones are answered.
    private func next() -> WantedLocks? {
        gather()
        state.wait(until: { !$0.order.isEmpty || $0.isStopping }, milliseconds: Self.idleMilliseconds) { _ in }
        let now = ContinuousClock.now
        let (late, wanted): ([Waiting], WantedLocks?) = state.change { state in
            let late = state.isStopping ? [] : state.removeLate(now)
            guard let first = state.order.first, !state.isStopping else {
                state.isWorking = false
                return (late, nil)
            }
            let end = state.waiting[first]?.map(\.end).min() ?? now
            let seconds = max(1, Int((end - now).components.seconds))
            // It may not come in time, and then the others have another chance.
            let waitsForFirst = state.passedOver == first
            state.passedOver = waitsForFirst ? nil : first
            return (late, WantedLocks(state.order, waitsForFirst: waitsForFirst, secondsMax: seconds))
        }
        for one in late { one.body(.failure(.moved)) }
        return wanted
    }

    /// Waits for a moment until as many writes wait as the last time: clients whose writes were decided often write again,
    /// and a batch of twice as many writes costs hardly more. A few writes do not wait.
    private func gather() {
        let isMany = state.withLock { state in
            state.isGathering = state.lastCount >= Self.manyWrites && state.count < state.lastCount
            return state.isGathering
        }
        guard isMany else { return }
        state.wait(until: { $0.count >= $0.lastCount || $0.isStopping }, milliseconds: Self.gatheringMilliseconds) {
            ($0.isGathering, $0.lastCount) = (false, 0)
        }
    }

    private static let manyWrites = 4
    private static let gatheringMilliseconds = 1

    /// Has the waiting writes of locked lists decided. Returns when all are, or most of the time of a lock is over.
    func decide(_ lists: some Sequence<ListID>) {
        let writes = state.withLock { state in
            let writes = lists.flatMap { state.take($0) }
            state.lastCount = writes.count + state.count
            return writes
        }
        guard !writes.isEmpty else { return }
        // Other stores wait meanwhile, and PostgreSQL gives a lock up after two seconds.
        let begin = ContinuousClock.now
        let open = OpenDecisions(writes.count, until: begin + Self.timeOfDecisionsHere)
        for one in writes { one.body(.success(Decision(open))) }
        var left = open.count
        while left > 0, ContinuousClock.now < begin + Self.timeOfDecisions {
            open.wait(milliseconds: Self.timeOfOneDecision)
            let now = open.count
            // If none is decided, the workers do something else.
            guard now < left else { return }
            left = now
        }
    }

    private static let idleMilliseconds = 50
    private static let timeOfDecisions = Duration.milliseconds(500)
    private static let timeOfDecisionsHere = Duration.milliseconds(100)
    private static let timeOfOneDecision = 100

    /// Has the waiting writes of a list decided that is not locked.
    func letGo(_ list: ListID) {
        for one in state.change({ $0.take(list) }) { one.body(.success(Decision())) }
    }

    func refuse(_ lists: some Sequence<ListID>, _ error: JournalError) {
        for one in state.change({ state in lists.flatMap { state.take($0) } }) { one.body(.failure(error)) }
    }

    /// Lets no more lists be locked, and refuses the writes that wait. Does not wait.
    func cancel() {
        let all = state.change { state in
            state.isStopping = true
            defer { (state.waiting, state.order, state.count) = ([:], [], 0) }
            return state.waiting.values.flatMap { $0 }
        }
        for one in all { one.body(.failure(.closed)) }
    }

    /// Lets no more lists be locked, and waits until none is.
    func stop() {
        cancel()
        state.wait(until: { !$0.isWorking }) { _ in }
    }
}

extension Contention.State {
    /// Removes the writes whose time is over.
    fileprivate mutating func removeLate(_ now: ContinuousClock.Instant) -> [Contention.Waiting] {
        var late: [Contention.Waiting] = []
        for list in order {
            guard let writes = waiting[list], writes.contains(where: { $0.end <= now }) else { continue }
            late += writes.filter { $0.end <= now }
            waiting[list] = writes.filter { $0.end > now }
            count -= writes.count - (waiting[list]?.count ?? 0)
            if waiting[list]?.isEmpty == true { _ = take(list) }
        }
        return late
    }
}

/// The writes of a locked list that are not decided yet.
final class OpenDecisions: Sendable {
    private let left: Atomic<Int>
    private let isDone = Locked(false)
    /// The time until which writes are decided by the thread that has the list locked.
    fileprivate let endHere: ContinuousClock.Instant

    init(_ count: Int, until endHere: ContinuousClock.Instant) {
        left = Atomic(count)
        self.endHere = endHere
    }

    var count: Int { left.load(ordering: .acquiring) }

    /// Waits until none is left, but no longer than a time. Each of them would wake the waiting thread for nothing.
    func wait(milliseconds: Int) { isDone.wait(until: { $0 }, milliseconds: milliseconds) { _ in } }

    fileprivate func end() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { isDone.change { $0 = true } }
    }
}

/// A write that is being decided while its list is locked.
public final class Decision: Sendable {
    /// The writes that are not decided yet; nil if nobody waits for them.
    private let open: OpenDecisions?
    private let isOver = Atomic(false)

    init(_ open: OpenDecisions? = nil) { self.open = open }

    /// Whether the thread that was told of the decision may decide a brief write by itself, which spares it two changes of
    /// threads.
    public var isHere: Bool { open.map { ContinuousClock.now < $0.endHere } ?? false }

    /// Says that the write is decided. Does nothing the second time.
    public func end() {
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { open?.end() }
    }

    deinit { end() }
}
