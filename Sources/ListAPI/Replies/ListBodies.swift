internal import ListModel
internal import ListStore
internal import ListWire

/// The collection of deleted lists: id, title, version and counts of each, when it was deleted, and until when it can be
/// restored.
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

/// That the server is ready, and which lists it knows to be damaged.
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
