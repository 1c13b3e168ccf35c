internal import Glibc
internal import ListModel
internal import ListStore
internal import Threads

/// Tells the other stores which lists have changed.
///
/// A notification in the transaction of a commit would take a lock of the whole database until the disk has the commit.
/// So a hint is a transaction of its own that waits for no disk. It is sent together with a commit, and runs behind it in
/// the same session. Each hint wakes each server. So commits are told of at once only while they are few; a store with
/// many sends one hint in 10 ms at most, and what it commits meanwhile is told at the end of that time, by a thread with a
/// session of its own. A hint that is lost is made up for by the comparison of all lists.
final class Announcer: Sendable {
    struct State: Sendable {
        /// Lists with commits that nobody was told of.
        var lists: Set<ListID> = []
        /// The end of a time in which commits are counted.
        var end = ContinuousClock.now
        /// The commits to lists in that time, and whether those in the time just before it were many.
        var count = 0
        var isBusy = false
        var isStopping = false

        /// The lists to tell of now, also others that have commits; nil if it is too early.
        mutating func take(with others: some Sequence<ListID>, now: ContinuousClock.Instant) -> Set<ListID>? {
            let isNew = now >= end
            if isNew {
                isBusy = count > Announcer.fewCommits && now < end + Announcer.pause
                (count, end) = (0, now + Announcer.pause)
            }
            for _ in others { count += 1 }
            guard isNew || !isBusy && count <= Announcer.fewCommits else { return nil }
            defer { lists = [] }
            return lists.union(others)
        }
    }

    /// The time between two hints of a store with more than a few commits in such a time.
    static let pause = Duration.milliseconds(10)
    static let fewCommits = 4

    private let state = Locked(State())
    private let thread = Locked<Thread?>(nil)
    private let connector: Connector
    /// The number by which other stores know that a hint is not their own.
    let store: Int

    private let random: @Sendable () -> UInt64

    init(_ connector: Connector, store: Int, random: @escaping @Sendable () -> UInt64) {
        (self.connector, self.store, self.random) = (connector, store, random)
    }

    /// A hint that a session sends behind commits.
    struct Hint {
        /// Those that have the commits, and others of which nobody was told yet.
        let lists: Set<ListID>
        let call: Session.Call
    }

    /// The hint to send behind commits that are being written; nil if their lists are to be told of when they are.
    ///
    /// The hint of a single commit has its row with it, so that followers of the list need not read it. Such a hint is sent
    /// only if the row is in the log. So it names no other commits: they would not be told of if the row is not there.
    func hint(with works: [UnsettledCommits]) -> Hint? {
        let commits = works.flatMap(\.open)
        let (told, isAlone) = state.withLock { state in
            let isAlone = state.lists.isEmpty && commits.count == 1
            return (state.take(with: commits.lazy.map(\.list), now: .now), isAlone)
        }
        guard let lists = told else { return nil }
        guard isAlone, let row = commits[0].sealedRow(works[0].token, random: random) else {
            return Hint(lists: lists, call: call(lists))
        }
        return Hint(lists: lists, call: call(commits[0], row, token: works[0].token))
    }

    /// Tells of the lists of a hint that may be lost with its session.
    func tellAgain(_ hint: Hint) { tell(hint.lists) }

    /// Tells of lists that have commits soon. Returns at once.
    func tell(_ lists: some Collection<ListID>) {
        guard !lists.isEmpty else { return }
        let isFirst = state.withLock { state in
            defer { state.lists.formUnion(lists) }
            return state.lists.isEmpty
        }
        if isFirst { state.wakeAll() }
    }

    func start() throws(ThreadError) {
        let new = try Thread { [self] in run() }
        thread.withLock { $0 = new }
    }

    func stop() {
        state.change { $0.isStopping = true }
        thread.withLock { $0.take() }?.join()
    }

    private func run() {
        var session: Session?
        while true {
            let (wait, isStopping) = state.wait(until: { !$0.lists.isEmpty || $0.isStopping }) { state in
                (state.end - .now, state.isStopping)
            }
            guard !isStopping else { return }
            if wait > .zero { usleep(UInt32(wait / .microseconds(1)) + 1) }
            // A commit may have taken them along.
            guard let lists = state.withLock({ $0.lists.isEmpty ? nil : $0.take(with: [], now: .now) }) else {
                continue
            }
            let hint = call(lists)
            do throws(Session.Failure) {
                if session.map(connector.isOfUse) != true {
                    session = connector.isAway ? nil : try connector.connectForHints()
                }
                try session?.run(hint.statement, hint.parameters)
            } catch {
                session = nil
            }
        }
    }

    private func call(_ lists: Set<ListID>) -> Session.Call {
        (.notify, [.text(Array(connector.schema.utf8)), .texts(HintText.payloads(lists, from: store))])
    }

    private func call(_ commit: PlannedCommit, _ row: SealedRow, token: Int) -> Session.Call {
        let payload = HintText.payload(commit.list, row, from: store)
        return (
            .notifyOfRow,
            [
                .text(Array(connector.schema.utf8)), .text(payload), .integer(commit.end.life),
                .integer(commit.row.first), .integer(token),
            ]
        )
    }
}
