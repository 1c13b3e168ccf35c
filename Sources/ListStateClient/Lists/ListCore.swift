import ClientState
import ListDiff
import ListModel

/// A list of a client: what it shows, and who wants to know.
@MainActor final class ListCore {
    let id: ListID
    private(set) var local = LocalList(view: .visible)
    private(set) var status = ListStatus()
    var listeners: [(LocalList.Shown) -> Void] = []
    var statusListeners: [(ListStatus) -> Void] = []
    private let add: (ListCore, [ListModel.Operation], String?) -> SentEdit

    /// - Parameter add: Puts an edit into the queue, and shows it.
    init(_ id: ListID, add: @escaping (ListCore, [ListModel.Operation], String?) -> SentEdit) {
        (self.id, self.add) = (id, add)
    }

    func send(_ operations: [ListModel.Operation], label: String?) -> SentEdit {
        guard !operations.isEmpty else { return SentEdit(Task { .applied }) }
        return add(self, operations, label)
    }

    /// Changes what is shown, and tells of it.
    func update<Failure: Error>(_ change: (inout LocalList) throws(Failure) -> LocalList.Shown) throws(Failure) {
        let shown = try change(&local)
        for listener in listeners { listener(shown) }
        note { $0.pending = local.pending.count { $0.answered == nil } }
    }

    func note(_ change: (inout ListStatus) -> Void) {
        var new = status
        change(&new)
        guard new != status else { return }
        status = new
        for listener in statusListeners { listener(new) }
    }

    func noteSending(_ edit: Int) { local.noteSending(edit) }
}
