import ClientState
import ListDiff
import ListModel

/// A list of a client: what it shows, and who wants to know.
@MainActor final class ListCore {
    /// Someone who shows the list.
    struct Listener {
        let shown: (LocalList.Shown) -> Void
        let status: (ListStatus) -> Void
    }

    let id: ListID
    private(set) var local: any LocalRows
    /// The state of the stream that tells of the rows.
    var feedState = Feed.State.connecting
    private(set) var status = ListStatus()
    private(set) weak var client: ListStateClient?
    private var listeners: [ObjectIdentifier: Listener] = [:]
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter local: No rows yet.
    init(_ id: ListID, _ local: any LocalRows, of client: ListStateClient?) {
        (self.id, self.local, self.client) = (id, local, client)
    }

    func add(_ listener: Listener, of owner: ObjectIdentifier) { listeners[owner] = listener }

    /// - Returns: Whether nobody shows the list any more.
    func removeListener(of owner: ObjectIdentifier) -> Bool {
        listeners[owner] = nil
        return listeners.isEmpty
    }

    /// Waits until the rows are here, or cannot be asked for.
    func isKnown() async {
        guard status.state == .connecting, local.version == nil else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Changes what is shown, and tells of it.
    func update<Failure: Error>(_ change: (inout any LocalRows) throws(Failure) -> LocalList.Shown) throws(Failure) {
        let shown = try change(&local)
        for listener in listeners.values { listener.shown(shown) }
        note { $0.pending = local.pending.count { $0.answered == nil } }
    }

    func note(_ change: (inout ListStatus) -> Void) {
        var new = status
        change(&new)
        guard new != status else { return }
        status = new
        for listener in listeners.values { listener.status(new) }
        guard new.state != .connecting else { return }
        for one in waiting { one.resume() }
        waiting = []
    }

    func noteSending(_ edits: [Int]) { local.noteSending(edits) }
}
