internal import ListModel
internal import Threads

/// Tells the other stores which lists have changed, on a thread and a session of its own.
///
/// A notification in the transaction of a commit would take a lock of the whole database until the disk has the commit.
/// So it comes afterwards, in a transaction that waits for no disk. One that is lost is made up for by the comparison of
/// all lists.
final class Announcer: Sendable {
    private struct State: Sendable {
        var lists: Set<ListID> = []
        var isStopping = false
    }

    private let state: Locked<State>
    private let thread: Thread

    /// - Parameter store: The number of this store.
    init(_ connector: Connector, store: Int) throws(ThreadError) {
        let state = Locked(State())
        self.state = state
        thread = try Thread { Self.run(state, connector, store) }
    }

    /// Tells of lists soon. Returns at once.
    func tell(_ lists: some Sequence<ListID>) {
        state.change { state in
            if !state.isStopping { state.lists.formUnion(lists) }
        }
    }

    func stop() {
        state.change { $0.isStopping = true }
        thread.join()
    }

    private static func run(_ state: Locked<State>, _ connector: Connector, _ store: Int) {
        var session: Session?
        while true {
            let lists = state.wait(until: { !$0.lists.isEmpty || $0.isStopping }) { state in
                defer { state.lists = [] }
                return state.lists
            }
            guard !lists.isEmpty else { return }
            do throws(Session.Failure) {
                if session.map(connector.isOfUse) != true {
                    session = connector.isAway ? nil : try connector.connectLazily()
                }
                try session?.run(
                    .notify, [.text(Array(connector.schema.utf8)), .texts(HintText.payloads(lists, from: store))])
            } catch {
                session = nil
            }
        }
    }
}
