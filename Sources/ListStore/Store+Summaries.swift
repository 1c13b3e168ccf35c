public import ListModel
import Threads

/// A list on a page of lists.
public enum ListedList: Sendable, Equatable {
    case readable(ListSummary)
    case unreadable(ListID)

    public var id: ListID {
        switch self {
        case .readable(let summary): summary.id
        case .unreadable(let id): id
        }
    }
}

extension Store {
    /// The lists for which `isWanted` is true, in the order of their ids. `checkPage` shows those of others.
    ///
    /// A list that is not in memory is shown by its stored summary. If it has none, it is read from the journal, and a
    /// long list takes long. A search therefore also ends after some bytes. The next search goes on behind them.
    ///
    /// - Parameters:
    ///   - id: Only lists behind this id are returned; nil stands for all.
    ///   - limit: The most lists that are returned. At least 1.
    ///   - looksMax: The most lists that are looked at. At least 1.
    ///   - bytesMax: After so many bytes no further list is read from the journal. At least 1.
    ///   - seen: The lists that the reader may see. No other is looked at, or named. Nil for all.
    /// - Returns: The lists, and the id of the last one that was looked at if there are more behind it.
    public func lists(
        after id: ListID?, limit: Int, looksMax: Int, bytesMax: Int, among seen: SeenLists?,
        where isWanted: (ListedList) -> Bool
    ) -> (lists: [ListedList], last: ListID?) {
        var page = ListPage(store: self, bytesMax: bytesMax)
        defer { page.end() }
        let ids = knownIDs(after: id, limit: looksMax + 1, among: seen)
        var lists: [ListedList] = []
        for (index, id) in ids.enumerated() {
            if index % ListPage.summariesAtOnce == 0 {
                page.look(at: ids[index..<min(ids.count, index + ListPage.summariesAtOnce)])
            }
            guard lists.count < limit, index < looksMax, page.mayShow(id) else { return (lists, ids[index - 1]) }
            if let list = page.show(id), isWanted(list) { lists.append(list) }
        }
        return (lists, nil)
    }
}

/// The way of a page of lists through the store.
private struct ListPage {
    let store: Store
    let bytesMax: Int
    private var summaries: [ListID: ListSummary] = [:]
    /// The bytes of the lists that were read.
    private var bytes = 0
    private var hasNewSummaries = false

    /// How many stored summaries are read at once.
    static let summariesAtOnce = 64

    init(store: Store, bytesMax: Int) { (self.store, self.bytesMax) = (store, bytesMax) }

    /// Reads the summaries of those lists that are not in memory.
    mutating func look(at ids: ArraySlice<ListID>) {
        summaries = [:]
        var unknown: [ListID] = []
        for (id, summary) in store.catalogue.withLock({ $0.storedLists(ids) }) {
            summaries[id] = summary
            if summary == nil { unknown.append(id) }
        }
        guard let journal = store.journal, !unknown.isEmpty else { return }
        for stored in journal.summaries(of: unknown) { summaries[stored.list] = ListSummary(stored) }
    }

    /// Whether a list can be shown without reading too much.
    func mayShow(_ id: ListID) -> Bool { bytes < bytesMax || summaries[id] != nil || !store.mustLoad(id) }

    /// The list; nil if it has gone.
    mutating func show(_ id: ListID) -> ListedList? {
        if let summary = summaries[id] { return .readable(summary) }
        let isRead = store.mustLoad(id)
        switch store.listing(id) {
        case .unreadable(let list): return .unreadable(list.id)
        case nil: return nil
        case .list(let list):
            if isRead { note(list) }
            return .readable(list.read { $0.summary() })
        }
    }

    private mutating func note(_ list: ListActor) {
        bytes += list.enter { $0.storedBytes }
        store.summaries?.note(list)
        hasNewSummaries = true
    }

    /// Writes the summaries that were missing.
    func end() {
        if hasNewSummaries { store.summaries?.write() }
    }
}
