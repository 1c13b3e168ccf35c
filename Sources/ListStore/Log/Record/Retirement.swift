public import ListModel
public import Texts

/// The state of a list when it was deleted. The log has it, so that the list itself need not be read to describe it.
struct Retirement: Sendable {
    /// The time of the deletion, in seconds since 1970.
    var time: Int
    /// The newest version of the list.
    var version: Version
    var title: ByteText
    var counts: ListCounts
    /// About how many bytes the list takes in the log, or in memory if there is no journal.
    var bytes: Int
}

/// A list that was deleted and can be restored.
public struct DeletedList: Sendable {
    public let id: ListID
    /// The newest version of the list.
    public let version: Version
    public let title: ByteText
    public let counts: ListCounts
    /// The time of the deletion, in seconds since 1970.
    public let time: Int
    /// The time until which the list is kept at most, in seconds since 1970.
    public let end: Int

    init(_ id: ListID, _ retirement: Retirement, end: Int) {
        self.id = id
        version = retirement.version
        title = retirement.title
        counts = retirement.counts
        time = retirement.time
        self.end = end
    }
}

extension ByteWriter {
    mutating func write(_ retirement: Retirement) {
        write(retirement.time)
        write(retirement.version.epoch)
        write(retirement.version.revision)
        write(retirement.title)
        let counts = retirement.counts
        for number in [counts.sections, counts.items, counts.visibleItems, retirement.bytes] { write(number) }
    }
}

extension ByteReader {
    mutating func retirement() throws(Malformed) -> Retirement {
        Retirement(
            time: try number(), version: Version(epoch: try epoch(), revision: try number()), title: try text(),
            counts: ListCounts(sections: try number(), items: try number(), visibleItems: try number()),
            bytes: try number())
    }
}
