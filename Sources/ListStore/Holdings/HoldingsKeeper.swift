internal import ListModel
internal import Synchronization
import Threads

/// Keeps the holdings true: at a start it counts the lists that the journal has, beside everything else. If others write
/// to the journal, it asks the journal again and again.
final class HoldingsKeeper: Sendable {
    private struct State: Sendable {
        var isRunning = false
        var isStopping = false
    }

    private let state = Locked(State())

    /// The pause between two looks at a shared journal. A look that takes long is made less often, so that it takes at most
    /// a fiftieth of the time.
    private static let pauseMilliseconds = 1_000

    /// Starts the thread. It has no reference to the store while it waits, so that the store can be freed.
    func start(_ store: Store) throws(JournalError) {
        state.withLock { $0.isRunning = true }
        do throws(ThreadError) {
            try Thread { [weak store, state] in
                var pause = 0
                while Self.waits(state, milliseconds: pause), let next = store?.keepHoldings() { pause = next }
                state.change { $0.isRunning = false }
            }.detach()
        } catch {
            state.withLock { $0.isRunning = false }
            throw .io("pthread_create: error \(error.code)")
        }
    }

    /// Returns false if the thread is to end.
    private static func waits(_ state: Locked<State>, milliseconds: Int) -> Bool {
        guard milliseconds > 0 else { return state.withLock { !$0.isStopping } }
        return state.wait(until: { $0.isStopping }, milliseconds: milliseconds) { !$0.isStopping }
    }

    static func pause(after milliseconds: Int) -> Int { max(pauseMilliseconds, 50 * milliseconds) }

    func cancel() { state.change { $0.isStopping = true } }

    func stop() {
        cancel()
        waitUntilDone()
    }

    /// Waits until the lists of a journal that is not shared are counted. A shared one is asked until `cancel()`.
    func waitUntilDone() { state.wait(until: { !$0.isRunning }) { _ in } }
}

extension Store {
    /// Begins to keep the holdings true, if there are limits.
    func startHoldings(_ journal: any Journal, isStepped: Bool) throws(JournalError) {
        guard shared.holdings.most != .unlimited, !isStepped else { return }
        if journal.isShared {
            try shared.holdings.look(at: journal)
        } else {
            catalogue.withLock { $0.counted = CountedLists(isDone: false) }
        }
        try holdingsKeeper.start(self)
    }

    /// Counts some lists, or asks a shared journal.
    ///
    /// - Returns: The milliseconds after which there is more to do; nil if all is done.
    fileprivate func keepHoldings() -> Int? {
        guard isShared else { return countSome() ? 0 : nil }
        let start = shared.clocks.milliseconds()
        if let journal { try? shared.holdings.look(at: journal) }
        return HoldingsKeeper.pause(after: shared.clocks.milliseconds() - start)
    }

    /// The lists that are counted at once, and the bytes of memory after which no further list is read for that.
    private static let countedAtOnce = 256
    private static let bytesAtOnce = 8 << 20

    /// Counts the next lists in the order of their ids. Those in memory are counted as they are, the others by their
    /// summaries. A list without one is read.
    ///
    /// - Returns: Whether there may be more.
    private func countSome() -> Bool {
        let (ids, stored) = catalogue.withLock { catalogue in
            let ids = catalogue.beginCount(limit: Self.countedAtOnce)
            return (ids, catalogue.storedLists(ids))
        }
        guard !ids.isEmpty, let journal else { return false }
        var summaries: [ListID: ListSummary] = [:]
        for (id, summary) in stored { summaries[id] = summary }
        let missing = stored.filter { $0.summary == nil }.map(\.id)
        if !missing.isEmpty { for one in journal.summaries(of: missing) { summaries[one.list] = ListSummary(one) } }
        // An earlier program has kept no holdings.
        summaries = summaries.filter { $0.value.bytes != nil }
        // A list that somebody refers to cannot leave memory before it is counted.
        var read: [ListActor] = []
        var bytes = 0
        var end = ids.count
        for (index, id) in ids.enumerated() where summaries[id] == nil && mustLoad(id) {
            guard bytes < Self.bytesAtOnce else {
                end = index
                break
            }
            guard let list = listing(id)?.list else { continue }
            bytes += list.counted.load(ordering: .relaxed)
            read.append(list)
            self.summaries?.note(list)
        }
        catalogue.withLock { $0.count(ids[..<end], by: summaries, in: shared.holdings) }
        if !read.isEmpty { self.summaries?.write() }
        withExtendedLifetime(read) {}
        return true
    }
}

/// How far the lists of a journal are counted.
///
/// A list up to the last counted id is counted from then on, in memory or not. One behind it is counted only while it is
/// in memory and was made there.
struct CountedLists {
    /// Nil before the first list is counted.
    fileprivate var last: ListID?
    fileprivate var isDone: Bool
    /// The lists that have left memory since the present count began. Their summaries may have changed meanwhile.
    fileprivate var departed: Set<ListID> = []

    /// - Parameter isDone: Whether no list has to be counted.
    init(isDone: Bool) { self.isDone = isDone }

    func contains(_ id: ListID) -> Bool { isDone || last.map { id.rawValue <= $0.rawValue } ?? false }

    mutating func noteDeparture(of list: ListActor) {
        guard !contains(list.id) else { return }
        list.held?.uncount()
        departed.insert(list.id)
    }
}

extension Catalogue {
    /// The next lists to be counted.
    fileprivate mutating func beginCount(limit: Int) -> [ListID] {
        counted.departed = []
        let ids = ids(after: counted.last, limit: limit)
        if ids.isEmpty { counted.isDone = true }
        return ids
    }

    /// Counts lists, up to the first one that has left memory meanwhile. The next count begins there.
    fileprivate mutating func count(
        _ ids: ArraySlice<ListID>, by summaries: [ListID: ListSummary], in holdings: Holdings
    ) {
        let end = counted.departed.lazy.map(\.rawValue).min()
        for id in ids {
            if let end, end <= id.rawValue { return }
            let lists = lists(of: id)
            for list in lists { list.held?.count() }
            // A list that cannot be read now counts for nobody.
            if lists.isEmpty, contains(id), let summary = summaries[id], let bytes = summary.bytes,
                let creator = summary.creator
            {
                holdings.add(
                    ListHolding(creator: creator, items: summary.counts.items, bytes: bytes).holding, to: creator)
            }
            counted.last = id
        }
    }
}
