import ListModel
internal import Texts

/// The version that a snapshot holds, and its place in the log.
struct SnapshotHead {
    var epoch: ByteText
    var revision: Int
    /// The number of entries of the list's log without a revision: new epochs, and parts of long records.
    var renewals: Int
    /// The note of the transaction that made the revision, if it is known.
    var note: TransactionNote?
    /// The actor that made the list; nil if it had no token, or nobody knows.
    var creator: ByteText?

    /// The greatest revision, and the greatest count of renewals. Revisions of clients may be twice as great, so a list
    /// with this revision can still be changed.
    static let numberMax = 1 << 52
}

/// Writes a list in chunks. Each of them ends behind an item or a section.
///
///     chunk := part*    part := head | section | item | end
///
/// A chunk names each kind once. Further items give the number of their kind in that chunk. An item thus takes some ten
/// bytes in addition to its id and content.
struct SnapshotWriter {
    /// The format of a list that was made with a token. It names the creator.
    static let format: UInt8 = 3
    static let formatWithoutCreator: UInt8 = 2
    /// The format of old snapshots without a note.
    static let formatWithoutNote: UInt8 = 1
    /// The bytes after which a chunk ends.
    private static let chunkBytes = 48 << 10
    private static let rowsAtOnce = 1024

    private let state: ListState
    private let sections: [SectionHandle]
    private var section = 0
    /// The next row of the section; nil if the section itself has not been written.
    private var row: Int?
    private var isBegun = false
    private let head: SnapshotHead
    private(set) var isDone = false

    init(_ state: ListState, _ head: SnapshotHead) {
        self.state = state
        self.head = head
        sections = state.sectionHandles
    }

    /// The next chunk. It is the last one if `isDone` is true afterwards.
    mutating func next() -> [UInt8] {
        var writer = ByteWriter()
        var kinds: [ByteText: Int] = [:]
        if !isBegun {
            isBegun = true
            writer.write(SnapshotPartTag.head.rawValue)
            writer.write(head.creator == nil ? Self.formatWithoutCreator : Self.format)
            writer.write(head.epoch)
            writer.write(head.revision)
            writer.write(head.renewals)
            writer.write(head.note) { $0.write(Record.Transaction($1, edits: [])) }
            if let creator = head.creator { writer.write(creator) }
            writer.write(state.properties.title)
            writer.write(state.properties.layout)
        }
        while writer.bytes.count < Self.chunkBytes {
            guard section < sections.count else {
                writer.write(SnapshotPartTag.end.rawValue)
                writer.write(sections.count)
                writer.write(state.itemCount)
                isDone = true
                break
            }
            writeSome(into: &writer, &kinds)
        }
        return writer.bytes
    }

    private mutating func writeSome(into writer: inout ByteWriter, _ kinds: inout [ByteText: Int]) {
        let handle = sections[section]
        let count = state.rowCount(of: handle)
        if row == nil {
            writer.write(SnapshotPartTag.section.rawValue)
            writer.write(state[handle])
        }
        var next = row ?? 0
        let rows = state.rows(next..<min(count, next + Self.rowsAtOnce), of: handle)
        for item in rows {
            guard writer.bytes.count < Self.chunkBytes else { break }
            writer.write(SnapshotPartTag.item.rawValue)
            writer.write(snapshotOf: state[item], level: state.level(of: item), &kinds)
            next += 1
        }
        row = next
        guard next == count else { return }
        section += 1
        row = nil
    }
}

enum SnapshotPartTag: UInt8 {
    case head = 1
    case section = 2
    case item = 3
    case end = 4
}

extension ByteWriter {
    /// Writes an item. The byte of its flags has its level too, unless that is 31 or more.
    fileprivate mutating func write(snapshotOf item: Item, level: Int, _ kinds: inout [ByteText: Int]) {
        let marks = (item.isStarred ? 1 : 0) as UInt8 | (item.isExpanded ? 2 : 0) | (item.isReorderable ? 4 : 0)
        write(marks | UInt8(min(level, 31)) << 3)
        if level >= 31 { write(level) }
        if let number = kinds[item.kind] {
            write(number)
        } else {
            write(0)
            write(item.kind)
            kinds[item.kind] = kinds.count + 1
        }
        write(item.id.rawValue)
        write(item.content.bytes)
    }
}

/// Builds a list from the chunks of a snapshot. Chunks that `SnapshotWriter` did not write are an error, never a trap.
///
/// The contents of the items stay in the chunks. A chunk stays in memory for as long as one of them is in use.
struct SnapshotReader {
    private var head: SnapshotHead?
    private var loader = ListLoader(ListProperties(title: ""))
    private var state: ListState?
    /// The kinds that the present chunk has named so far.
    private var kinds: [ByteText] = []

    init() {}

    /// The list, once the last chunk has been added. Throws before that.
    func whole() throws(ByteReader.Malformed) -> (head: SnapshotHead, state: ListState) {
        guard let state, let head else { throw ByteReader.Malformed() }
        return (head, state)
    }

    mutating func add(_ chunk: [UInt8]) throws(ByteReader.Malformed) {
        var reader = ByteReader(chunk)
        guard state == nil, chunk.count <= Int32.max else { throw ByteReader.Malformed() }
        kinds.removeAll(keepingCapacity: true)
        while !reader.isAtEnd {
            guard let tag = SnapshotPartTag(rawValue: try reader.byte()), (tag == .head) == (head == nil)
            else { throw ByteReader.Malformed() }
            switch tag {
            case .head: try readHead(&reader)
            case .section: guard loader.append(try reader.section()) else { throw ByteReader.Malformed() }
            case .item:
                let (item, level) = try reader.snapshotItem(of: chunk, &kinds)
                guard loader.append(item, level: level) else { throw ByteReader.Malformed() }
            case .end: try readEnd(&reader)
            }
        }
    }

    private mutating func readHead(_ reader: inout ByteReader) throws(ByteReader.Malformed) {
        let (head, properties) = try reader.snapshotHead()
        self.head = head
        loader = ListLoader(properties)
    }

    private mutating func readEnd(_ reader: inout ByteReader) throws(ByteReader.Malformed) {
        guard try reader.number() == loader.sectionCount, try reader.number() == loader.itemCount, reader.isAtEnd,
            let state = loader.finish()
        else { throw ByteReader.Malformed() }
        self.state = state
    }
}

extension ByteReader {
    mutating func snapshotHead() throws(Malformed) -> (head: SnapshotHead, properties: ListProperties) {
        let format = try byte()
        guard (SnapshotWriter.formatWithoutNote...SnapshotWriter.format).contains(format) else { throw Malformed() }
        var head = SnapshotHead(epoch: try epoch(), revision: try number(), renewals: try number())
        guard max(head.revision, head.renewals) <= SnapshotHead.numberMax else { throw Malformed() }
        if format != SnapshotWriter.formatWithoutNote,
            let transaction = try optional({ reader throws(Malformed) in try reader.transaction(hasIntent: true) })
        {
            guard let note = TransactionNote(transaction, of: head.revision) else { throw Malformed() }
            head.note = note
        }
        if format == SnapshotWriter.format { head.creator = try text() }
        return (head, ListProperties(title: try text(), layout: try json()))
    }

    /// - Parameters:
    ///   - chunk: The bytes that are read. The content of the item stays in them.
    ///   - kinds: The kinds that the chunk has named so far. A new one is added.
    @inline(__always)
    mutating func snapshotItem(
        of chunk: [UInt8], _ kinds: inout [ByteText]
    ) throws(Malformed) -> (item: Item, level: Int) {
        let flags = try byte()
        let level = flags >> 3 == 31 ? try number() : Int(flags >> 3)
        var kind = try number()
        if kind == 0 {
            kinds.append(try text())
            kind = kinds.count
        }
        guard kind <= kinds.count else { throw Malformed() }
        let item = Item(
            id: ItemID(unchecked: try text()), kind: kinds[kind - 1],
            content: JSONText(in: chunk, countedAt: try jsonPlace()), isStarred: flags & 1 != 0,
            isExpanded: flags & 2 != 0, isReorderable: flags & 4 != 0)
        return (item, level)
    }
}
