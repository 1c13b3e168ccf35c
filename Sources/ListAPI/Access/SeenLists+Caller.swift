internal import Access
internal import ListModel
internal import ListStore

extension Call {
    /// The lists that the caller may read; nil for all.
    var seenLists: SeenLists? {
        guard !caller.readsAll, let book else { return nil }
        let (ids, beginnings) = book.readable(by: caller)
        return SeenLists(ids: ids.compactMap { ListID($0) }, beginnings: beginnings) { [caller] in caller.sees($0) }
    }

    /// Those of some lists that the caller may read. The storage is asked about no other.
    func seen(_ names: [FollowedName]) -> [ListID] { names.map(\.list).filter { caller.sees($0) } }
}
