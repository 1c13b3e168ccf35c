internal import ListModel
internal import ListStore
internal import ListWire

/// A page of lists, each with its id, title, version and counts, and the ids of unreadable lists.
func listsBody(_ lists: [ListedList]) -> [UInt8] {
    let summaries = lists.compactMap { list in
        if case .readable(let summary) = list { summary } else { nil }
    }
    let unreadable = lists.compactMap { list in
        if case .unreadable(let id) = list { id } else { nil }
    }
    return JSONSplicer.object(capacity: 16 + 192 * lists.count) { splicer in
        splicer.objects("\"lists\":[", summaries) { $0.listMembers($1.id, $1.title, $1.version, $1.counts) }
        splicer.unreadableMember(unreadable)
    }
}

/// A page of deleted lists, each with its id, title, version and counts, the time of its deletion, and the time until
/// which it can be restored.
func deletedListsBody(_ lists: some Collection<DeletedList>) -> [UInt8] {
    JSONSplicer.object(capacity: 16 + 256 * lists.count) { splicer in
        splicer.objects("\"lists\":[", lists) { splicer, list in
            splicer.listMembers(list.id, list.title, list.version, list.counts)
            splicer.key("\"deletedAt\":")
            splicer.time(list.time)
            splicer.key("\"restorableUntil\":")
            splicer.time(list.end)
        }
    }
}

/// The answer of a server that is ready.
///
/// - Parameters:
///   - unreadable: The lists that are known to be damaged, for a reader who may know their names.
///   - count: How many these are, for others.
func readinessBody(unreadable: [ListID], count: Int?) -> [UInt8] {
    JSONSplicer.object(capacity: 64 + 64 * unreadable.count) { splicer in
        splicer.raw("\"status\":\"ok\"")
        if let count { splicer.member(",\"unreadableCount\":", count) }
        splicer.unreadableMember(unreadable)
    }
}
