public import ListModel
import Locks

extension Store {
    /// A list that readers may see; read from the journal if nobody has asked for it before.
    ///
    /// - Throws: `.unreadable` if it cannot be read.
    public func list(_ id: ListID) throws(StoreError) -> ListActor? {
        guard let list = try held(id) else { return nil }
        return list.isReadable ? list : nil
    }

    /// Whether there is a list of that id, in memory or not.
    public func contains(_ id: ListID) -> Bool { catalogue.withLock { $0.contains(id) } }

    /// The list if it is in memory, readable or not yet; for readers that find its published answer.
    public func loaded(_ id: ListID) -> ListActor? { catalogue.withLock { $0.first(id) } }

    /// As `loaded(_:)`, but read from the journal where need be.
    private func held(_ id: ListID) throws(StoreError) -> ListActor? {
        try loadIfStored(id)
        return loaded(id)
    }

    /// The life of a list that the next write goes to; read from the journal if nobody has asked for it before.
    ///
    /// - Throws: `.unreadable` if it cannot be read.
    func newest(_ id: ListID) throws(StoreError) -> Catalogue.Life? {
        try loadIfStored(id)
        return catalogue.withLock { $0.last(id) }
    }

    private func loadIfStored(_ id: ListID) throws(StoreError) {
        guard catalogue.withLock({ $0.stored.contains(id) }) else { return }
        do throws(JournalError) { try load(id) } catch { throw .unreadable(id, error) }
    }

    /// Reads all lists that are not in memory yet.
    ///
    /// - Throws: Why the first one that cannot be read cannot.
    public func load() throws(JournalError) {
        for id in catalogue.withLock({ $0.stored }) { try load(id) }
    }

    private func load(_ id: ListID) throws(JournalError) {
        // Who comes second waits for the first.
        loading.wait(until: { !$0.contains(id) }) { _ = $0.insert(id) }
        defer { loading.change { _ = $0.remove(id) } }
        guard catalogue.withLock({ $0.stored.contains(id) }), let journal else { return }
        let list: ListActor?
        do { list = try ListReplay.run(journal, id, shared) } catch let error as JournalError {
            throw error
        } catch let error as MalformedRecord {
            let place = error.after.map { "after version \($0)" } ?? "at its beginning"
            throw .corrupt("list \(id.rawValue) has a record \(place) that this program did not write")
        } catch {
            throw .io("\(error)")
        }
        catalogue.withLock { $0.take(list, of: id) }
        if let list { shared.compactor?.look(at: list) }
    }

    /// Lists in the order of their ids.
    ///
    /// - Parameter id: Only lists behind this one.
    /// - Throws: `.unreadable` if one cannot be read.
    public func lists(after id: ListID?, limit: Int) throws(StoreError) -> [ListActor] {
        let all = catalogue.withLock { $0.ids() }
        let start = id.map { id in all.firstIndex { $0.rawValue > id.rawValue } ?? all.endIndex } ?? 0
        var lists: [ListActor] = []
        for id in all[start...] where lists.count < limit {
            if let list = try list(id) { lists.append(list) }
        }
        return lists
    }
}
