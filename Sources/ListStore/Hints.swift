import ListModel
import Threads

/// Takes the hints of a journal, and follows them on a thread of its own. The journal may give a hint on any thread,
/// also on the one that commits, which must not wait for a list.
final class Hints: Sendable {
    private struct State: Sendable {
        var lists: Set<ListID> = []
        /// Whether a thread follows.
        var isFollowing = false
        var isStopping = false
    }

    private let state = Locked(State())

    init() {}

    /// Whether a thread follows hints.
    var isFollowing: Bool { state.withLock { $0.isFollowing } }

    /// Notes the lists to which others may have written. Returns at once.
    ///
    /// - Parameter follow: It is called with them, and with others that were noted meanwhile.
    func note(_ lists: [ListID], _ follow: @escaping @Sendable ([ListID]) -> Void) {
        let mustBegin = state.change { state in
            guard !state.isStopping, !lists.isEmpty else { return false }
            state.lists.formUnion(lists)
            defer { state.isFollowing = true }
            return !state.isFollowing
        }
        guard mustBegin else { return }
        do throws(ThreadError) {
            try Thread { [state] in
                while case let lists = Self.take(from: state), !lists.isEmpty { follow(lists) }
            }.detach()
        } catch {
            // The hint is lost, as any hint can be.
            state.change { ($0.lists, $0.isFollowing) = ([], false) }
        }
    }

    /// The lists to follow next; none if the thread ends. It stays for a while, because one hint often follows another.
    private static func take(from state: Locked<State>) -> [ListID] {
        state.wait(until: { !$0.lists.isEmpty || $0.isStopping }, milliseconds: idleMilliseconds) { _ in }
        return state.change { state in
            defer { state.lists = [] }
            state.isFollowing = !state.lists.isEmpty && !state.isStopping
            return state.isFollowing ? state.lists.sorted { $0.rawValue < $1.rawValue } : []
        }
    }

    private static let idleMilliseconds = 50

    /// Lets no more hints be followed. Does not wait.
    func cancel() { state.change { $0.isStopping = true } }

    /// Lets no more hints be followed, and waits until none is.
    func stop() {
        cancel()
        state.wait(until: { !$0.isFollowing }) { _ in }
    }
}
