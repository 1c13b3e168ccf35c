import JSONValue
import TestSupport
import Testing

@testable import ListModel

/// Lists made at once of what a snapshot says: no other than those made by operations.
@Suite struct ListLoaderTests {
    /// What a loader is given of an item.
    struct Entry: Sendable {
        var id: [UInt8]
        var kind = "item"
        var content = Array("{}".utf8)
        var level = 0

        init(_ id: String, level: Int = 0) {
            self.id = Array(id.utf8)
            self.level = level
        }
    }

    private static func batch(_ entries: [Entry]) -> ItemBatch? {
        var bytes: [UInt8] = []
        func place(_ part: [UInt8]) -> Range<Int32> {
            bytes += part
            return Int32(bytes.count - part.count)..<Int32(bytes.count)
        }
        let places = entries.map { (id: place($0.id), content: place($0.content)) }
        var batch = ItemBatch()
        batch.start(bytes)
        for (entry, place) in zip(entries, places) {
            batch.addKind(entry.kind)
            let marks = RowMarks(
                isStarred: false, isExpanded: true, isReorderable: true, level: Int32(entry.level), childCount: 0)
            let isAdded = batch.append(
                id: place.id, kind: batch.kindCount - 1, content: place.content, marks)
            guard isAdded else { return nil }
        }
        return batch
    }

    private static func load(_ entries: [Entry]...) -> ListState? {
        var loader = ListLoader(ListProperties(title: "T"))
        for (index, entries) in entries.enumerated() {
            guard loader.append(SectionProperties(id: SectionID(unchecked: "s\(index)"))),
                let batch = batch(entries), loader.append(batch)
            else { return nil }
        }
        return loader.finish()
    }

    // MARK: Any list

    private static func reload(_ state: ListState, _ random: inout SeededGenerator) -> ListState? {
        var loader = ListLoader(state.properties)
        for section in state.sectionHandles {
            guard loader.append(state[section]) else { return nil }
            var rest = state.rows(of: section)[...]
            while !rest.isEmpty {
                let part = rest.prefix(random.below(700) + 1)
                rest = rest.dropFirst(part.count)
                var bytes: [UInt8] = []
                for row in part { bytes += Array(state[row].id.rawValue.utf8) + state[row].content.bytes }
                var batch = ItemBatch()
                batch.start(bytes)
                var end: Int32 = 0
                for row in part {
                    let item = state[row]
                    let id = end..<end + Int32(item.id.rawValue.utf8.count)
                    end = id.upperBound + Int32(item.content.byteCount)
                    batch.addKind(item.kind)
                    let isAdded = batch.append(
                        id: id, kind: batch.kindCount - 1, content: id.upperBound..<end, state.marks(of: row))
                    guard isAdded else { return nil }
                }
                guard loader.append(batch) else { return nil }
            }
        }
        return loader.finish()
    }

    @Test("Any list comes back, and goes on as the one that it was", arguments: UInt64(1)...60)
    func comesBack(seed: UInt64) throws {
        let bias = Bias.allCases[Int(seed) % Bias.allCases.count]
        let count = [3, 20, 150, 1_500][Int(seed % 4)]
        var lists = RandomLists(seed: seed, itemIDs: count, bias: bias)
        var state = lists.list()
        for _ in 0..<20 { _ = try? state.commit(lists.operation(on: state)) }
        let reloaded = Self.reload(state, &lists.random)
        var loaded = try #require(reloaded)
        try requireInvariants(loaded)
        try #require(ListImage(loaded) == ListImage(state))
        for section in loaded.sectionHandles {
            for row in loaded.rows(of: section) {
                let item = loaded[row]
                try #require(item.isSealed)
                let plain = Item(id: item.id, kind: item.kind, content: JSONText(unchecked: Array(item.content.bytes)))
                try #require(item.json.text == plain.json.text)
            }
        }
        for step in 0..<20 {
            let operation = lists.operation(on: state)
            let done = (try? state.commit(operation)) != nil
            try #require(((try? loaded.commit(operation)) != nil) == done, "step \(step)")
            try #require(ListImage(loaded) == ListImage(state), "step \(step)")
        }
        try requireInvariants(loaded)
    }

    // MARK: Odd items

    static let odd: [Entry] = {
        var entries = ["a", "q\"b\\", "e\u{301}", "é", "🦊/\u{2028}", String(repeating: "\"", count: 255)].map {
            Entry($0)
        }
        entries[1].kind = String(repeating: "k", count: 64)
        entries[2].content = []
        entries[3].content = Array("\"\(String(repeating: "x", count: 100_000))\"".utf8)
        entries[4].kind = "odd \"kind\""
        return entries
    }()

    /// Among plain ones, and with each as the first.
    @Test(arguments: 0..<6)
    func oddItems(first: Int) throws {
        let entries = (Self.odd[first...] + Self.odd[..<first]) + (0..<100).map { Entry("plain \($0)") }
        let state = try #require(Self.load(Array(entries)))
        try requireInvariants(state)
        let section = try #require(state.sectionHandles.first)
        for (entry, row) in zip(entries, state.rows(of: section)) {
            let item = state[row]
            let plain = Item(
                id: ItemID(unchecked: String(decoding: entry.id, as: UTF8.self)), kind: entry.kind,
                content: JSONText(unchecked: entry.content))
            try #require(item.id == plain.id && item.kind == plain.kind)
            try #require(item.content.bytes.elementsEqual(entry.content))
            try #require(item.content.byteCount == entry.content.count)
            try #require(item.json.text == plain.json.text)
        }
    }

    /// What shares a buffer is changed one by one all the same.
    @Test func itemsOfOneBufferAreApart() throws {
        let state = try #require(Self.load([Entry("a"), Entry("b"), Entry("c")]))
        let rows = state.rows(of: try #require(state.sectionHandles.first))
        let items = rows.map { state[$0] }
        #expect(items[0].content.hasSameBuffer(as: items[0].content))
        #expect(!items[0].content.hasSameBuffer(as: items[1].content))
        #expect(items[0].content == items[1].content)
        var changed = items[1]
        changed.content = JSONText(["n": 1])
        #expect(changed.sealed().json.text == #""id":"b","kind":"item","content":{"n":1}"#)
        changed = items[1]
        changed.kind = "row"
        #expect(changed.json.text == #""id":"b","kind":"row","content":{}"#)
        #expect(items.map(\.json.text) == ["a", "b", "c"].map { "\"id\":\"\($0)\",\"kind\":\"item\",\"content\":{}" })
    }

    // MARK: What is no list

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var sections: [[Entry]]
    }

    static let refusals = [
        Refusal(testDescription: "an item twice", sections: [[Entry("a"), Entry("b"), Entry("a")]]),
        Refusal(testDescription: "an item in two sections", sections: [[Entry("a")], [Entry("b"), Entry("a")]]),
        Refusal(
            testDescription: "an item twice among thousands",
            sections: [(0..<5_000).map { Entry("\($0)") } + [Entry("17")]]),
        Refusal(testDescription: "a child first", sections: [[Entry("a", level: 1)]]),
        Refusal(testDescription: "a child first in its section", sections: [[Entry("a")], [Entry("b", level: 1)]]),
        Refusal(testDescription: "a grandchild of nobody", sections: [[Entry("a"), Entry("b", level: 2)]]),
        Refusal(testDescription: "a level below the roots", sections: [[Entry("a"), Entry("b", level: -1)]]),
        Refusal(
            testDescription: "a level beyond those above",
            sections: [[Entry("a"), Entry("b", level: 1), Entry("c"), Entry("d", level: 2)]]),
        Refusal(
            testDescription: "an id too long", sections: [[Entry(String(repeating: "x", count: 70_000))]]),
        Refusal(
            testDescription: "an id that is no text",
            sections: [
                [
                    {
                        var entry = Entry("")
                        entry.id = [0x61, 0xFF]
                        return entry
                    }()
                ]
            ]),
    ]

    @Test(arguments: refusals)
    func refuses(_ row: Refusal) {
        var loader = ListLoader(ListProperties(title: "T"))
        var isTaken = true
        for (index, entries) in row.sections.enumerated() where isTaken {
            isTaken = loader.append(SectionProperties(id: SectionID(unchecked: "s\(index)")))
            guard let batch = Self.batch(entries) else { return }
            isTaken = isTaken && loader.append(batch)
        }
        let list = isTaken ? loader.finish() : nil
        #expect(list == nil)
    }

    @Test func refusesItemsWithoutASection() throws {
        var loader = ListLoader(ListProperties(title: "T"))
        let batch = try #require(Self.batch([Entry("a")]))
        let isTaken = loader.append(batch)
        #expect(!isTaken)
    }

    @Test func anEmptyListIsAList() throws {
        let state = try #require(Self.load([], []))
        try requireInvariants(state)
        #expect(state.sectionCount == 2 && state.itemCount == 0)
    }
}

extension ItemJSON {
    fileprivate var text: String {
        var text = ""
        withAll { text = String(decoding: $0, as: UTF8.self) }
        return text
    }
}
