import ListModel
internal import Texts

/// Builds a list from the readable chunks of a damaged snapshot.
///
/// Items whose section is lost go to the end of the section before, or to a new section at the beginning. Items whose
/// parent is lost become roots. The list is another one than that which was written, so it needs a new epoch.
struct SnapshotSalvage {
    private let list: ListID
    /// The number of entries that the snapshot stands for.
    private let position: Int
    private var head: SnapshotHead?
    private var loader: ListLoader
    /// The levels that the last item and its ancestors had in the snapshot.
    private var levels: [Int] = []
    private var hasSection = false

    init(_ list: ListID, position: Int) {
        (self.list, self.position) = (list, position)
        loader = ListLoader(ListProperties(title: list.rawValue))
    }

    private enum Part {
        case head(SnapshotHead, ListProperties)
        case section(SectionProperties)
        case item(Item, level: Int)
        case end
    }

    /// Adds the next readable chunk. If a part of it cannot be decoded, only the parts before that are added.
    ///
    /// - Parameter isNext: Whether it follows the chunk before; false if chunks between them are lost.
    /// - Returns: Whether all of the chunk was added.
    mutating func add(_ chunk: [UInt8], isNext: Bool) -> Bool {
        if !isNext { levels = [] }
        var reader = ByteReader(chunk)
        var kinds: [ByteText] = []
        while !reader.isAtEnd {
            guard chunk.count <= Int32.max, let part = try? Self.part(&reader, of: chunk, &kinds), add(part) else {
                levels = []
                return false
            }
        }
        return true
    }

    private static func part(
        _ reader: inout ByteReader, of chunk: [UInt8], _ kinds: inout [ByteText]
    ) throws(ByteReader.Malformed) -> Part {
        switch SnapshotPartTag(rawValue: try reader.byte()) {
        case .head:
            let (head, properties) = try reader.snapshotHead()
            return .head(head, properties)
        case .section: return .section(try reader.section())
        case .item:
            let (item, level) = try reader.snapshotItem(of: chunk, &kinds)
            return .item(item, level: level)
        case .end:
            _ = (try reader.number(), try reader.number())
            return .end
        case nil: throw ByteReader.Malformed()
        }
    }

    /// Returns false if the part cannot stand in this place.
    private mutating func add(_ part: Part) -> Bool {
        switch part {
        case .head(let head, let properties):
            guard self.head == nil, !hasSection, head.revision + head.renewals == position else { return false }
            self.head = head
            loader = ListLoader(properties)
            return true
        case .section(let section):
            levels = []
            hasSection = true
            return loader.append(section)
        case .item(let item, let level):
            if !hasSection { hasSection = loader.append(SectionProperties(id: "recovered")) }
            while let last = levels.last, last >= level { levels.removeLast() }
            levels.append(level)
            return loader.append(item, level: levels.count - 1)
        case .end: return true
        }
    }

    /// The chunks of the list, and the number of its items; nil if no list can be made.
    mutating func finish() -> (chunks: [[UInt8]], itemCount: Int)? {
        guard hasSection || head != nil, let state = loader.finish() else { return nil }
        let head = head ?? SnapshotHead(epoch: "recovered", revision: position, renewals: 0)
        var writer = SnapshotWriter(state, head)
        var chunks: [[UInt8]] = []
        while !writer.isDone { chunks.append(writer.next()) }
        return (chunks, state.itemCount)
    }
}
