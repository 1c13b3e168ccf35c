internal import ListDiff
internal import ListModel
internal import ListStore
internal import Locks
internal import Microhttpd

/// What those who follow a list share: the group in which they are woken, and the answers that many of them want.
///
/// There is one for each list that somebody has followed; the list holds it.
final class LiveList: ListObserver {
    /// Woken whenever the list changes.
    let group = WakeGroup()
    private let shared = Locked(Shared())

    private struct Shared {
        var streams = 0
        /// The revision to which `updates` lead.
        var end = 0
        var updates: [Key: LiveUpdate] = [:]
    }

    private struct Key: Hashable {
        let base: Int?
        let view: View
    }

    /// Most followers are at the same version; those who are not have read slowly, each in its own way.
    private static let updatesMax = 32

    static func of(_ list: ListActor) -> LiveList? { list.observer { LiveList() } as? LiveList }

    func listDidChange() { group.wake() }

    /// What leads from `base` to the head; nil wants a reset. Found once for all who ask from the same version.
    func update(of list: ListActor, since base: Int?, view: View) -> LiveUpdate {
        let end = list.standing.revision
        let key = Key(base: base, view: view)
        if let update = shared.withLock({ $0.end == end ? $0.updates[key] : nil }) { return update }
        let update = list.enter { list in
            let version = base.map { Version(epoch: list.epoch, revision: $0) }
            let catchup = list.catchup(since: version, view: view).catchup
            let isOne = catchup.version.revision == base.map { $0 + 1 }
            return LiveUpdate(catchup, list.id, view, isOne ? list.note(of: catchup.version.revision) : nil)
        }
        shared.withLock { shared in
            guard update.end >= shared.end else { return }
            if update.end > shared.end || shared.updates.count == Self.updatesMax { shared.updates = [:] }
            shared.end = update.end
            shared.updates[key] = update
        }
        return update
    }

    // MARK: How many streams there are

    /// - Returns: False if there are as many as there may be.
    func admit(streamsMax: Int) -> Bool {
        shared.withLock { shared in
            guard shared.streams < streamsMax else { return false }
            shared.streams += 1
            return true
        }
    }

    func leave() { shared.withLock { $0.streams -= 1 } }
}
