public import ListModel
import Locks

extension Store {
    /// A list that readers may see; read from the journal if nobody has asked for it before.
    ///
    /// - Throws: `.unreadable` if it cannot be read.
    public func list(_ id: ListID) throws(StoreError) -> ListActor? {
        guard let list = try held(id) else { return nil }
        return list.enter { $0.isReadable } ? list : nil
    }

    /// Whether there is a list of that id, in memory or not.
    public func contains(_ id: ListID) -> Bool {
        catalogue.withLock { $0.lists[id] != nil || $0.stored.contains(id) }
    }

    /// The list if it is in memory, readable or not yet; for readers that find its published answer.
    public func loaded(_ id: ListID) -> ListActor? { catalogue.withLock { $0.lists[id] } }

    /// As `loaded(_:)`, but read from the journal where need be.
    func held(_ id: ListID) throws(StoreError) -> ListActor? {
        let (list, isStored) = catalogue.withLock { ($0.lists[id], $0.stored.contains(id)) }
        guard isStored else { return list }
        do throws(JournalError) { return try load(id) } catch { throw .unreadable(id, error) }
    }

    /// Reads all lists that are not in memory yet.
    ///
    /// - Throws: Why the first one that cannot be read cannot.
    public func load() throws(JournalError) {
        for id in catalogue.withLock({ $0.stored }) { _ = try load(id) }
    }

    private func load(_ id: ListID) throws(JournalError) -> ListActor? {
        // Who comes second waits for the first.
        loading.wait(until: { !$0.contains(id) }) { _ = $0.insert(id) }
        defer { loading.change { _ = $0.remove(id) } }
        let (known, isStored) = catalogue.withLock { ($0.lists[id], $0.stored.contains(id)) }
        guard isStored, let journal else { return known }
        let list: ListActor?
        do { list = try ListReplay.run(journal, id, shared) } catch let error as JournalError {
            throw error
        } catch let error as MalformedRecord {
            let place = error.after.map { "after version \($0)" } ?? "at its beginning"
            throw .corrupt("list \(id.rawValue) has a record \(place) that this program did not write")
        } catch {
            throw .io("\(error)")
        }
        catalogue.withLock { catalogue in
            catalogue.lists[id] = list
            catalogue.stored.remove(id)
            if list == nil { catalogue.order = nil }
        }
        if let list { shared.compactor?.look(at: list) }
        return list
    }

    /// Lists in the order of their ids.
    ///
    /// - Parameter id: Only lists behind this one.
    /// - Throws: `.unreadable` if one cannot be read.
    public func lists(after id: ListID?, limit: Int) throws(StoreError) -> [ListActor] {
        let all = catalogue.withLock { catalogue in
            let order =
                catalogue.order
                ?? (Array(catalogue.lists.keys) + catalogue.stored).sorted { $0.rawValue < $1.rawValue }
            catalogue.order = order
            return order
        }
        let start = id.map { id in all.firstIndex { $0.rawValue > id.rawValue } ?? all.endIndex } ?? 0
        var lists: [ListActor] = []
        for id in all[start...] where lists.count < limit {
            if let list = try list(id) { lists.append(list) }
        }
        return lists
    }
}
