public import ListModel
public import Texts

/// How a list was when it was deleted; kept in the log, so that nobody has to read the list to tell of it.
struct Retirement: Sendable {
    /// Seconds since 1970.
    var time: Int
    /// Its newest version.
    var version: Version
    var title: ByteText
    var counts: ListCounts
    /// About how many bytes keep it: in the log, or in memory where there is none.
    var bytes: Int
}

/// A list that was deleted and can be restored.
public struct DeletedList: Sendable {
    public let id: ListID
    /// Its newest version.
    public let version: Version
    public let title: ByteText
    public let counts: ListCounts
    /// When it was deleted, in seconds since 1970.
    public let time: Int
    /// Until when it is kept at most.
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
        let retirement = Retirement(
            time: try number(), version: Version(epoch: try epoch(), revision: try number()), title: try text(),
            counts: ListCounts(sections: try number(), items: try number(), visibleItems: try number()),
            bytes: try number())
        // Far beyond what a list can be, sums of them would overflow.
        guard [retirement.time, retirement.bytes].allSatisfy({ (0...1 << 53).contains($0) }) else { throw Malformed() }
        return retirement
    }
}
