internal import Glibc
internal import ListModel
internal import Threads

/// Hears which lists other stores have written to, and whether the database is there.
///
/// A thread of its own listens on a session of its own.
final class Listener: Sendable {
    typealias Hint = @Sendable ([ListID]) -> Void

    private struct State: Sendable {
        var hints: [Hint] = []
        var isStopping = false
    }

    private let state: Locked<State>
    private let thread: Thread
    /// The end of a pipe. When it is closed, the other end can be read, and that ends a wait.
    private let wake: Int32

    /// - Parameters:
    ///   - store: The number of this store, whose own hints are left out.
    ///   - rows: Is given the rows that come with hints, before anybody is told.
    init(_ connector: Connector, store: Int, rows: HeardRows) throws(ThreadError) {
        let state = Locked(State())
        var ends: [Int32] = [-1, -1]
        // Without a pipe, the end waits for the next look at the lists: `poll` passes over a descriptor of -1.
        if pipe(&ends) == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
        let sleep = ends[0]
        wake = ends[1]
        self.state = state
        do throws(ThreadError) {
            thread = try Thread {
                Self.listen(state, connector, store, rows, sleep)
                close(sleep)
            }
        } catch {
            for end in ends { close(end) }
            throw error
        }
    }

    func add(_ hint: @escaping Hint) { state.change { $0.hints.append(hint) } }

    /// Ends the thread, and waits for its end, unless a hint calls this: a thread cannot wait for itself.
    func stop() {
        state.change { $0.isStopping = true }
        close(wake)
        thread.isCurrent ? thread.detach() : thread.join()
    }

    private static func listen(
        _ state: Locked<State>, _ connector: Connector, _ store: Int, _ rows: HeardRows, _ sleep: Int32
    ) {
        var failures = 0
        while !state.withLock({ $0.isStopping }) {
            do throws(Session.Failure) {
                let session = try connector.connect()
                failures = 0
                try session.runScript(#"LISTEN "\#(connector.schema)""#)
                connector.note(isAway: false)
                hear(session, state, connector, store, rows, sleep)
            } catch {
                // A single session may be ended by somebody who means only that one.
                failures += 1
                connector.note(isAway: failures > 1)
                Connector.pause()
            }
        }
    }

    /// Passes on what a session hears, until it is lost.
    private static func hear(
        _ session: Session, _ state: Locked<State>, _ connector: Connector, _ store: Int, _ rows: HeardRows,
        _ sleep: Int32
    ) {
        // Hints have been missed before.
        var look = ContinuousClock.now
        while !state.withLock({ $0.isStopping }) {
            if look <= .now {
                guard (try? connector.check(session)) != nil else { return }
                rows.note(HintText.Hint())
                tell(state, [])
                look = .now + .milliseconds(connector.patience.look)
            }
            guard let payloads = try? session.notifications(orUntil: sleep, milliseconds: connector.patience.look)
            else {
                return
            }
            let hints = payloads.compactMap { HintText.hint($0, unlessFrom: store) }
            // A row is believed like one that is read: only while its server leads.
            let isBelieved = connector.isNewest(session) && connector.isLeader(session)
            for hint in hints { rows.note(isBelieved ? hint : HintText.Hint(lists: hint.lists)) }
            let named = hints.map(\.lists)
            if named.contains(where: \.isEmpty) {
                tell(state, [])
            } else if !named.isEmpty {
                tell(state, Set(named.joined()).sorted { $0.rawValue < $1.rawValue })
            }
        }
    }

    private static func tell(_ state: Locked<State>, _ lists: [ListID]) {
        for hint in state.withLock({ $0.hints }) { hint(lists) }
    }
}
