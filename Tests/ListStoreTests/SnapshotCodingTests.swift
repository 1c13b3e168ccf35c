import JSONValue
import ListModel
import TestSupport
import Testing
import Texts

@testable import ListStore

/// A list is written as the chunks of a snapshot and read back.
@Suite struct SnapshotCodingTests {
    private static let head = SnapshotHead(epoch: "e", revision: 7, renewals: 1)

    private static func chunks(_ state: ListState) -> [[UInt8]] {
        var writer = SnapshotWriter(state, head)
        var chunks: [[UInt8]] = []
        while !writer.isDone { chunks.append(writer.next()) }
        return chunks
    }

    /// The list; nil if the chunks are refused.
    private static func read(_ chunks: [[UInt8]]) -> ListState? {
        var reader = SnapshotReader()
        do {
            for chunk in chunks { try reader.add(chunk) }
            return try reader.whole().state
        } catch {
            return nil
        }
    }

    private static func randomList(_ seed: UInt64, items: Int) -> ListState {
        let bias = Bias.allCases[Int(seed) % Bias.allCases.count]
        var lists = RandomLists(seed: seed, itemIDs: items, bias: bias)
        var state = lists.list()
        for _ in 0..<20 { _ = try? state.commit(lists.operation(on: state)) }
        return state
    }

    @Test("Any list comes back", arguments: Soak.seeds(40))
    func comesBack(seed: UInt64) throws {
        let state = Self.randomList(seed, items: [3, 12, 80, 900][Int(seed % 4)])
        var reader = SnapshotReader()
        for chunk in Self.chunks(state) { try reader.add(chunk) }
        let (head, read) = try reader.whole()
        try #require(head.epoch == "e" && head.revision == 7 && head.renewals == 1)
        try #require(ListImage(read) == ListImage(state))
        try #require(ListImage(read).flaw == nil)
    }

    @Test func theCreatorComesBack() throws {
        let state = Self.randomList(3, items: 12)
        for creator: ByteText? in ["ci", "ada@https://id.example", nil] {
            var head = Self.head
            head.creator = creator
            var writer = SnapshotWriter(state, head)
            var reader = SnapshotReader()
            while !writer.isDone { try reader.add(writer.next()) }
            let (read, list) = try reader.whole()
            #expect(read.creator == creator && read.revision == 7)
            #expect(ListImage(list) == ListImage(state))
        }
    }

    /// An older format of snapshots, which does not say who made the version.
    @Test func anOlderSnapshotIsRead() throws {
        let state = Self.randomList(3, items: 12)
        var chunks = Self.chunks(state)
        try #require(Array(chunks[0].prefix(7)) == [1, 2, 1, UInt8(ascii: "e"), 7, 1, 0])
        chunks[0].remove(at: 6)
        chunks[0][1] = 1
        var reader = SnapshotReader()
        for chunk in chunks { try reader.add(chunk) }
        let (head, read) = try reader.whole()
        #expect(head.note == nil && head.renewals == 1)
        #expect(ListImage(read) == ListImage(state))
    }

    /// Each chunk must name its kinds and levels anew.
    @Test func aListOfManyChunksComesBack() throws {
        let items = (0..<5_000).map { index in
            var changes = ItemChanges()
            changes.kind = .set("kind-\(index % 70)")
            changes.content = .replace(JSONText(["text": .string(String(repeating: "x", count: index % 97))]))
            var item = NewItem(ItemID(unchecked: "item \(index)"), value: changes)
            // The items form chains that are forty levels deep.
            if index % 40 != 0 { item.parent = ItemID(unchecked: "item \(index - 1)") }
            return item
        }
        var state = ListState(ListProperties(title: "Long"))
        let sections = [(0..<1_600), (1_600..<1_600), (1_600..<5_000)].enumerated().map { number, range in
            NewSection(SectionProperties(id: SectionID(unchecked: "s\(number)")), items: Array(items[range]))
        }
        _ = try state.commit(.appendSections(sections))
        let chunks = Self.chunks(state)
        try #require(chunks.count > 5)
        let read = try #require(Self.read(chunks))
        #expect(ListImage(read) == ListImage(state))
        for index in chunks.indices {
            var damaged = chunks
            damaged.remove(at: index)
            #expect(Self.read(damaged) == nil, "without chunk \(index)")
            damaged = chunks
            damaged.insert(chunks[index], at: index)
            #expect(Self.read(damaged) == nil, "chunk \(index) twice")
        }
    }

    @Test("A chunk cut anywhere is refused", arguments: UInt64(1)...6)
    func cut(seed: UInt64) throws {
        let chunk = try #require(Self.chunks(Self.randomList(seed, items: 12)).first)
        for count in chunk.indices {
            try #require(Self.read([Array(chunk[..<count])]) == nil, "\(count) bytes")
            // The two halves are a valid list only if a part ends there and no kind is named before. In any case
            // nothing crashes.
            _ = Self.read([Array(chunk[..<count]), Array(chunk[count...])])
        }
    }

    @Test func anIDThatIsNoTextIsRefused() throws {
        var state = ListState(ListProperties(title: "L"))
        let item = NewItem(ItemID(unchecked: "needle"), value: ItemChanges())
        _ = try state.commit(.appendSections([NewSection(SectionProperties(id: "s"), items: [item])]))
        var chunk = try #require(Self.chunks(state).first)
        #expect(Self.read([chunk]) != nil)
        let place = try #require(chunk.indices.first { chunk[$0...].starts(with: Array("needle".utf8)) })
        chunk[place + 2] = 0xFF
        #expect(Self.read([chunk]) == nil)
    }

    /// A garbled chunk is refused, or is read as some list.
    @Test("A garbled chunk breaks nothing", arguments: Soak.seeds(200))
    func garbled(seed: UInt64) throws {
        let chunk = try #require(Self.chunks(Self.randomList(seed, items: 15)).first)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            var garbled = chunk
            for _ in 0...random.below(3) {
                let place = random.below(garbled.count)
                switch random.below(3) {
                case 0: garbled[place] = UInt8(random.below(256))
                case 1: garbled.remove(at: place)
                default: garbled.insert([0, 0x7F, 0x80, 0xFF][random.below(4)], at: place)
                }
            }
            guard let state = Self.read([garbled]) else { continue }
            try #require(ListImage(state).flaw == nil)
        }
    }
}
