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
    /// Steps that the server has told and that are not taken yet, in their order.
    private var told: [ToldRows] = []
    private var resting: Task<Void, Never>?
    /// Whether the server is asked for what leads on from the version that is held. Nothing is taken before the answer.
    var isCatchingUp = false
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

    /// Takes what the server has told of a whole list, by `take`: at once, or after a rest together with what comes
    /// meanwhile.
    ///
    /// With thousands of pending edits each change takes as long as doing them all again. Whoever comes back to a busy
    /// list after a month would do nothing else.
    ///
    /// - Parameter isFirst: Whether it belongs before all that waits.
    func take(_ new: ToldRows, isFirst: Bool, by take: @escaping (_ together: [ToldRows]) -> Void) {
        told.insert(new, at: isFirst ? 0 : told.count)
        if resting == nil { takeTold(take) }
    }

    /// Forgets what was told and is not taken, because it is told anew or is true no more.
    func forgetTold() { told = [] }

    private func takeTold(_ take: @escaping ([ToldRows]) -> Void) {
        let start = ContinuousClock.now
        while !isCatchingUp, let together = nextTold() { take(together) }
        let rest = min((ContinuousClock.now - start) * Self.restFactor, Self.restMax)
        guard rest > Self.restMin, !local.pending.isEmpty else { return }
        resting = Task { [weak self] in
            try? await Task.sleep(for: rest)
            self?.resting = nil
            self?.takeTold(take)
        }
    }

    /// A list works for a small part of the time, as long as that makes no rest longer than the longest.
    private static let restFactor = 24
    private static let restMin = Duration.milliseconds(8)
    private static let restMax = Duration.seconds(1)

    /// The next that was told, with those that follow it without a gap. What is held already was told in another way.
    private func nextTold() -> [ToldRows]? {
        guard let first = told.firstIndex(where: { !isHeld($0.version) }) else {
            told = []
            return nil
        }
        var end = first + 1
        if told[first].start != nil {
            while end < told.count, told[end].start == told[end - 1].version { end += 1 }
        }
        defer { told.removeFirst(end) }
        return Array(told[first..<end])
    }

    private func isHeld(_ version: Version) -> Bool {
        local.version.map { $0.epoch == version.epoch && $0.revision >= version.revision } ?? false
    }

    func noteSending(_ edits: [Int]) { local.noteSending(edits) }
}
