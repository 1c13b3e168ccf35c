import ListDiff
public import ListModel
public import Texts

/// The part of a list that a page of lists shows.
public struct ListSummary: Sendable, Equatable {
    public let id: ListID
    public let title: ByteText
    public let version: Version
    public let counts: ListCounts
    /// The actor that made the list; nil if it had no token, or nobody knows.
    let creator: ByteText?
    /// The bytes of its texts; nil if an earlier program made the summary, which knew no creator either.
    let bytes: Int?

    public init(
        id: ListID, title: ByteText, version: Version, counts: ListCounts, creator: ByteText?, bytes: Int?
    ) {
        (self.id, self.title, self.version, self.counts) = (id, title, version, counts)
        (self.creator, self.bytes) = (creator, bytes)
    }
}

/// A summary, and its place in the journal.
struct PlacedSummary: Sendable, Equatable {
    var summary: ListSummary
    /// The place in the log of the list up to which the summary stands for the entries.
    var place: LogPlace

    /// The summary as the journal keeps it.
    var stored: StoredSummary {
        var writer = ByteWriter()
        writer.write(Self.format)
        writer.write(summary.version.epoch)
        writer.write(summary.version.revision)
        writer.write(summary.title)
        let counts = summary.counts
        for number in [counts.sections, counts.items, counts.visibleItems, summary.bytes ?? 0] { writer.write(number) }
        writer.write(summary.creator) { $0.write($1) }
        return StoredSummary(list: summary.id, place: place, bytes: writer.bytes)
    }

    /// Another program may write another format, which this one takes for no summary.
    fileprivate static let format: UInt8 = 2
    /// The format of summaries without a creator.
    fileprivate static let formatWithoutCreator: UInt8 = 1
}

extension ListSummary {
    /// Decodes a stored summary; nil if this program did not write it.
    init?(_ stored: StoredSummary) {
        var reader = ByteReader(stored.bytes)
        do throws(ByteReader.Malformed) {
            let format = try reader.byte()
            guard [PlacedSummary.format, PlacedSummary.formatWithoutCreator].contains(format) else { return nil }
            let version = Version(epoch: try reader.epoch(), revision: try reader.number())
            let title = try reader.text()
            let counts = ListCounts(
                sections: try reader.number(), items: try reader.number(), visibleItems: try reader.number())
            let isWhole = format == PlacedSummary.format
            let bytes = isWhole ? try reader.number() : nil
            let creator =
                isWhole ? try reader.optional { reader throws(ByteReader.Malformed) in try reader.text() } : nil
            guard reader.isAtEnd else { return nil }
            self.init(id: stored.list, title: title, version: version, counts: counts, creator: creator, bytes: bytes)
        } catch {
            return nil
        }
    }
}

extension ListActor {
    /// The summary of the durable head.
    public func summary() -> ListSummary {
        let snapshot = snapshot()
        return ListSummary(
            id: id, title: snapshot.state.properties.title, version: snapshot.version, counts: snapshot.state.counts,
            creator: creator, bytes: snapshot.state.presentBytes)
    }

    /// The summary of the durable head, with the place of that head; nil if the list has not begun in a journal.
    func placedSummary() -> PlacedSummary? {
        guard let life = line.place?.life else { return nil }
        let summary = summary()
        let revision = summary.version.revision
        let place = LogPlace(life: life, position: revision + renewals + extraEntries.count(upTo: revision))
        return PlacedSummary(summary: summary, place: place)
    }
}
