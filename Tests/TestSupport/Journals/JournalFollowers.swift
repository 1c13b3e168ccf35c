import ListModel
import Synchronization
import Threads

/// The stores of one process that follow a journal. They are told on a thread of its own, because the thread that
/// commits must not wait for them.
final class JournalFollowers: Sendable {
    private struct State: Sendable {
        var hints: [@Sendable ([ListID]) -> Void] = []
        var pending: [ListID] = []
        var isStopping = false
        /// Nil until several follow.
        var thread: Thread?
    }

    private let state = Locked(State())
    private let count = Atomic(0)

    init() {}

    deinit { stop() }

    /// Whether several follow. A lone one writes everything itself, and need not be told.
    var areSeveral: Bool { count.load(ordering: .relaxed) > 1 }

    func add(_ hint: @escaping @Sendable ([ListID]) -> Void) {
        count.add(1, ordering: .relaxed)
        state.change { state in
            state.hints.append(hint)
            guard state.hints.count == 2, !state.isStopping else { return }
            // Without a thread there are no hints. They may be missing.
            state.thread = try? Thread { [state = self.state] in Self.run(state) }
        }
    }

    /// Tells all followers that somebody has written to lists. Returns at once.
    func tell(_ lists: [ListID]) {
        state.change { state in
            if state.thread != nil { state.pending += lists }
        }
    }

    /// Tells all followers that somebody may have written to any list.
    func tellOfAny() {
        for hint in state.withLock({ $0.hints }) { hint([]) }
    }

    /// Ends the thread. A hint that is being given may go on.
    func stop() {
        let thread = state.change { state in
            state.isStopping = true
            defer { state.thread = nil }
            return state.thread
        }
        guard let thread else { return }
        thread.isCurrent ? thread.detach() : thread.join()
    }

    private static func run(_ state: Locked<State>) {
        while true {
            let (lists, hints) = state.wait(until: { !$0.pending.isEmpty || $0.isStopping }) { state in
                defer { state.pending = [] }
                return (state.isStopping ? [] : state.pending, state.hints)
            }
            guard !lists.isEmpty else { return }
            let unique = Set(lists).sorted { $0.rawValue < $1.rawValue }
            for hint in hints { hint(unique) }
        }
    }
}
