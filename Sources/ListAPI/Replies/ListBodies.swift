internal import ListModel
internal import ListStore
internal import ListWire

/// A page of deleted lists, each with its id, title, version and counts, the time of its deletion, and the time until
/// which it can be restored.
func deletedListsBody(_ lists: some Collection<DeletedList>) -> [UInt8] {
    var splicer = JSONSplicer(capacity: 16 + 256 * lists.count)
    splicer.raw("{\"lists\":[")
    for list in lists {
        splicer.separate()
        splicer.beginObject()
        splicer.deletedListMembers(list)
        splicer.endObject()
    }
    splicer.raw("]}")
    return splicer.bytes
}

/// The answer of a server that is ready, with the lists that are known to be damaged.
func readinessBody(unreadable: [ListID]) -> [UInt8] {
    var splicer = JSONSplicer(capacity: 32 + 64 * unreadable.count)
    splicer.raw("{\"status\":\"ok\"")
    splicer.unreadableMember(unreadable)
    splicer.raw("}")
    return splicer.bytes
}

extension JSONSplicer {
    fileprivate mutating func deletedListMembers(_ list: DeletedList) {
        listMembers(list.id, list.title, list.version, list.counts)
        key("\"deletedAt\":")
        time(list.time)
        key("\"restorableUntil\":")
        time(list.end)
    }
}
