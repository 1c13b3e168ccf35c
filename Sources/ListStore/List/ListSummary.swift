import ListDiff
public import ListModel
public import Texts

/// The part of a list that a page of lists shows.
public struct ListSummary: Sendable, Equatable {
    public let id: ListID
    public let title: ByteText
    public let version: Version
    public let counts: ListCounts

    public init(id: ListID, title: ByteText, version: Version, counts: ListCounts) {
        (self.id, self.title, self.version, self.counts) = (id, title, version, counts)
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
        for number in [counts.sections, counts.items, counts.visibleItems] { writer.write(number) }
        return StoredSummary(list: summary.id, place: place, bytes: writer.bytes)
    }

    /// Another program may write another format, which this one takes for no summary.
    fileprivate static let format: UInt8 = 1
}

extension ListSummary {
    /// Decodes a stored summary; nil if this program did not write it.
    init?(_ stored: StoredSummary) {
        var reader = ByteReader(stored.bytes)
        do throws(ByteReader.Malformed) {
            guard try reader.byte() == PlacedSummary.format else { return nil }
            let version = Version(epoch: try reader.epoch(), revision: try reader.number())
            let title = try reader.text()
            let counts = ListCounts(
                sections: try reader.number(), items: try reader.number(), visibleItems: try reader.number())
            guard reader.isAtEnd else { return nil }
            self.init(id: stored.list, title: title, version: version, counts: counts)
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
            id: id, title: snapshot.state.properties.title, version: snapshot.version, counts: snapshot.state.counts)
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
