public import ListModel
import Threads

/// Finds out whether readers see lists as the journal has them, if others write to it too.
///
/// One query is in flight, about all lists that were asked for before it was sent. Who asks later waits for the next
/// one, because the answer of the first may be older than that request. An example:
///
///     a asks for l ──▶ query (l) ──▶ l is as in memory ──▶ a is told
///                      b asks for l, c for m ──▶ query (l, m) ──▶ l is as in memory ──▶ b is told
///                                                                 m has grown ──▶ it follows ──▶ c is told
///
/// A list that has grown follows on another thread. So its readers hold up no readers of other lists.
final class ReadCheck: Sendable {
    typealias Outcome = Result<Void, JournalError>

    /// The parts of the store that are asked.
    struct Lists: Sendable {
        /// The ends of the logs of lists, as the journal has them now.
        let findings: @Sendable ([ListID]) throws(JournalError) -> [Finding]
        /// Whether readers see a list as it was found, or later. It is said at once.
        let shows: @Sendable (Finding) -> Bool
        /// Lets a list follow until readers see it so. It may take long.
        let bring: @Sendable (Finding) throws(JournalError) -> Void
    }

    private struct State: Sendable {
        /// Those who have asked since the last query was sent, by list.
        var waiting: [ListID: [@Sendable (Outcome) -> Void]] = [:]
        var isStopping = false
        var thread: Thread?
    }

    private let state = Locked(State())
    private let followers = WorkerPool<Int, ListID>(threads: followersMin)

    /// How many lists follow at once. There are up to three times as many, for lists that would have none.
    private static let followersMin = 2

    init() {}

    deinit { followers.stop() }

    /// - Throws: `.io` if the system cannot start a thread.
    func start(_ lists: Lists) throws(JournalError) {
        let thread = try startThread { [state, followers] in Self.run(state, followers, lists) }
        state.withLock { $0.thread = thread }
    }

    /// Tells once readers see a list as the journal has it after this call, or a later state of it.
    ///
    /// - Parameter tell: It is called once, on any thread, and returns at once: with `.away` if the journal cannot be
    ///   asked, and with `.closed` after `stop()`.
    func check(_ list: ListID, _ tell: @escaping @Sendable (Outcome) -> Void) {
        let isTaken = state.change { state in
            guard !state.isStopping else { return false }
            state.waiting[list, default: []].append(tell)
            return true
        }
        if !isTaken { tell(.failure(.closed)) }
    }

    /// Answers those who have asked, and then nobody. Does nothing the second time.
    func stop() {
        let thread = state.change { state in
            state.isStopping = true
            defer { state.thread = nil }
            return state.thread
        }
        // A thread cannot wait for itself.
        if let thread { thread.isCurrent ? thread.detach() : thread.join() }
    }

    private static func run(_ state: Locked<State>, _ followers: WorkerPool<Int, ListID>, _ lists: Lists) {
        while true {
            let asked = state.wait(until: { !$0.waiting.isEmpty || $0.isStopping }) { state in
                defer { state.waiting = [:] }
                return state.waiting
            }
            guard !asked.isEmpty else { return }
            let findings: [Finding]
            do throws(JournalError) { findings = try lists.findings(Array(asked.keys)) } catch {
                for tell in asked.values.joined() { tell(.failure(error)) }
                continue
            }
            for finding in findings {
                let tellAll: @Sendable (Outcome) -> Void = { [waiting = asked[finding.list] ?? []] outcome in
                    for tell in waiting { tell(outcome) }
                }
                guard !lists.shows(finding) else {
                    tellAll(.success(()))
                    continue
                }
                followers.run(for: nil, on: finding.list, isAlone: true) {
                    do throws(JournalError) {
                        try lists.bring(finding)
                        tellAll(.success(()))
                    } catch {
                        tellAll(.failure(error))
                    }
                }
            }
        }
    }
}

extension Store {
    /// Whether others may have written newer versions than memory has, so that reads are checked.
    public var checksReads: Bool { reads != nil }

    /// Tells once readers see some lists as they were in the journal after this call, or later states of them.
    ///
    /// - Parameter tell: It is called once, on any thread, and returns at once: with `.away` if the journal cannot be
    ///   asked. It is called before this returns if there is nothing to check.
    public func whenCurrent(_ lists: [ListID], tell: @escaping @Sendable (Result<Void, JournalError>) -> Void) {
        guard let reads, !lists.isEmpty else { return tell(.success(())) }
        guard lists.count > 1 else { return reads.check(lists[0], tell) }
        let open = Locked<(left: Int, failure: JournalError?)>((lists.count, nil))
        for list in lists {
            reads.check(list) { outcome in
                let last: Result<Void, JournalError>? = open.withLock { open in
                    open.left -= 1
                    if case .failure(let error) = outcome { open.failure = open.failure ?? error }
                    guard open.left == 0 else { return nil }
                    return open.failure.map { .failure($0) } ?? .success(())
                }
                if let last { tell(last) }
            }
        }
    }

    /// For how many milliseconds it has not been known that readers of a list see what the journal has; nil if it never
    /// was.
    public func millisecondsSinceCurrent(_ list: ListActor) -> Int? {
        list.line.currentTime.map { max(0, shared.clocks.milliseconds() - $0) }
    }

    /// Lets readers be checked, if others may write to the journal.
    func startReadCheck() throws(JournalError) {
        catalogue.withLock { $0.keepsSummaries = !isShared }
        try reads?.start(
            ReadCheck.Lists(
                findings: { [weak self] ids throws(JournalError) in
                    guard let self else { throw .closed }
                    return try findings(ids)
                },
                shows: { [weak self] finding in self?.shows(finding) ?? true },
                bring: { [weak self] finding throws(JournalError) in try self?.bring(to: finding) }))
    }
}
