/// Writes to the store what it lacks. Changes that come while others are written are written together.
@MainActor final class Saver {
    /// The one who knows what is to be stored.
    @MainActor protocol Source: AnyObject {
        /// Edits, and the sequences of lists, as they are now. Edits that are answered by now are left out.
        func stored(_ edits: Set<StoredEdit.ID>, _ lists: Set<String>) -> StoreChange
        func didSave(_ edits: Set<StoredEdit.ID>)
        func didFail(_ edits: Set<StoredEdit.ID>, _ error: any Error)
    }

    private let store: any EditStore
    weak var source: (any Source)?
    private var edits: Set<StoredEdit.ID> = []
    private var lists: Set<String> = []
    private var answered: Set<StoredEdit.ID> = []
    private var last: Task<Bool, Never>?
    private var next: Task<Bool, Never>?
    private var retry: Task<Void, Never>?
    private var patience = Patience()
    private var isClosed = false
    /// The reason why the last attempt has failed; nil if it has not.
    private(set) var failure: (any Error)?

    init(_ store: any EditStore) { self.store = store }

    /// Keeps edits of a list as they are when it comes to them, and the sequence of the list.
    ///
    /// - Returns: Whether they are kept, in the end.
    func save(_ edits: [StoredEdit.ID], of list: String) -> Task<Bool, Never> {
        self.edits.formUnion(edits)
        lists.insert(list)
        return save()
    }

    /// Forgets an edit that was answered.
    func forget(_ id: StoredEdit.ID) {
        edits.remove(id)
        answered.insert(id)
        _ = save()
    }

    /// Closes the store when everything is written.
    ///
    /// - Parameter task: Something else that must end before another client may open the store.
    func close<Success: Sendable>(after task: Task<Success, Never>?) {
        isClosed = true
        retry?.cancel()
        let (store, last) = (store, next ?? last)
        Task {
            _ = await last?.value
            _ = await task?.value
            await store.close()
        }
    }

    private func save() -> Task<Bool, Never> {
        if let next { return next }
        let last = last
        let task = Task {
            _ = await last?.value
            (self.last, next) = (next, nil)
            return await write()
        }
        next = task
        return task
    }

    private func write() async -> Bool {
        let (edits, lists, answered) = (edits, lists, answered)
        guard let source, !(edits.isEmpty && lists.isEmpty && answered.isEmpty) else { return true }
        (self.edits, self.lists, self.answered) = ([], [], [])
        var change = source.stored(edits, lists)
        change.answered = answered.sorted()
        do {
            try await store.save(change)
        } catch {
            failure = error
            self.edits.formUnion(edits)
            self.lists.formUnion(lists)
            self.answered.formUnion(answered)
            source.didFail(edits, error)
            tryAgain()
            return false
        }
        failure = nil
        patience.reset()
        source.didSave(edits)
        return true
    }

    private func tryAgain() {
        guard retry == nil, !isClosed else { return }
        let seconds = patience.next(wanted: 0)
        retry = Task {
            try? await Task.sleep(for: .seconds(seconds))
            retry = nil
            if !Task.isCancelled { _ = save() }
        }
    }
}
