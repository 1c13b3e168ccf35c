import JSONValue
import TestSupport
import Testing

@testable import ListModel

/// Lists that are made at once from a snapshot equal those that are made by operations.
@Suite struct ListLoaderTests {
    /// The values of one item that a loader gets.
    struct Entry: Sendable {
        var id: String
        var kind = "item"
        var content = "{}"
        var level = 0

        init(_ id: String, level: Int = 0) {
            self.id = id
            self.level = level
        }
    }

    private static func load(_ sections: [[Entry]]) -> ListState? {
        var loader = ListLoader(ListProperties(title: "T"))
        for (index, entries) in sections.enumerated() {
            guard loader.append(SectionProperties(id: SectionID(unchecked: "s\(index)"))) else { return nil }
            for (entry, content) in zip(entries, JSONText.sharing(entries.map { Array($0.content.utf8) })) {
                let item = Item(id: ItemID(unchecked: entry.id), kind: ByteText(entry.kind), content: content)
                guard loader.append(item, level: entry.level) else { return nil }
            }
        }
        return loader.finish()
    }

    // MARK: Any list

    @Test("Any list comes back, and goes on as the one that it was", arguments: Soak.seeds(60))
    func comesBack(seed: UInt64) throws {
        let bias = Bias.allCases[Int(seed) % Bias.allCases.count]
        let count = [3, 20, 150, 1_500][Int(seed % 4)]
        var lists = RandomLists(seed: seed, itemIDs: count, bias: bias)
        var state = lists.list()
        for _ in 0..<20 { _ = try? state.commit(lists.operation(on: state)) }
        var loaded = try #require(state.reloaded())
        try requireInvariants(loaded)
        try #require(ListImage(loaded) == ListImage(state))
        for section in loaded.sectionHandles {
            for row in loaded.rows(of: section) {
                let item = loaded[row]
                try #require(!item.isSealed)
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
        entries[2].content = ""
        entries[3].content = "\"\(String(repeating: "x", count: 100_000))\""
        entries[4].kind = "odd \"kind\""
        entries[5].content = "\"\(String(repeating: "y", count: 126))\""
        return entries
    }()

    /// The odd items stand among plain ones. Each of them is the first one once.
    @Test(arguments: 0..<6)
    func oddItems(first: Int) throws {
        let entries = (Self.odd[first...] + Self.odd[..<first]) + (0..<100).map { Entry("plain \($0)") }
        let state = try #require(Self.load([Array(entries)]))
        try requireInvariants(state)
        let section = try #require(state.sectionHandles.first)
        for (entry, row) in zip(entries, state.rows(of: section)) {
            let item = state[row]
            let plain = Item(
                id: ItemID(unchecked: entry.id), kind: ByteText(entry.kind),
                content: JSONText(unchecked: Array(entry.content.utf8)))
            try #require(item.id == plain.id && item.kind == plain.kind)
            try #require(item.content.bytes.elementsEqual(entry.content.utf8))
            try #require(item.content.byteCount == entry.content.utf8.count)
            try #require(item.sealed().text == plain.sealed().text)
        }
    }

    /// Items that share a buffer can still be changed one by one.
    @Test func itemsOfOneBufferAreApart() throws {
        let state = try #require(Self.load([[Entry("a"), Entry("b"), Entry("c")]]))
        let rows = state.rows(of: try #require(state.sectionHandles.first))
        let items = rows.map { state[$0] }
        #expect(items[0].content.hasSameBuffer(as: items[0].content))
        #expect(!items[0].content.hasSameBuffer(as: items[1].content))
        #expect(items[0].content == items[1].content)
        var changed = items[1]
        changed.content = JSONText(["n": 1])
        #expect(changed.sealed().text == #""id":"b","kind":"item","content":{"n":1}"#)
        changed = items[1]
        changed.kind = "row"
        #expect(changed.sealed().text == #""id":"b","kind":"row","content":{}"#)
        #expect(items.map { $0.sealed().text } == ["a", "b", "c"].map { #""id":"\#($0)","kind":"item","content":{}"# })
    }

    /// Neither a star nor writing the same content again makes the JSON of a loaded item anew.
    @Test func whatSaysTheSameStaysInItsBuffer() throws {
        var state = try #require(Self.load([[Entry("a"), Entry("b")]]))
        let a = try #require(state.handle(of: ItemID("a")))
        let before = state[a]
        try state.commit(.toggleStar("a"))
        #expect(state[a].isStarred && !state[a].isSealed)
        #expect(state[a].content.hasSameBuffer(as: before.content))
        var changes = ItemChanges()
        changes.content = .replace(JSONText(unchecked: Array("{}".utf8)))
        changes.isExpanded = .set(true)
        try state.commit(.updateItem("a", changes))
        #expect(state[a].isExpanded && !state[a].isSealed)
        #expect(state[a].content.hasSameBuffer(as: before.content))
        changes.content = .replace(JSONText(["n": 1]))
        try state.commit(.updateItem("a", changes))
        #expect(state[a].isSealed)
        #expect(state[a].text == #""id":"a","kind":"item","content":{"n":1}"#)
    }

    // MARK: Invalid lists

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
    ]

    @Test(arguments: refusals)
    func refuses(_ row: Refusal) { #expect(Self.load(row.sections) == nil) }

    @Test func refusesItemsWithoutASection() {
        var loader = ListLoader(ListProperties(title: "T"))
        let isTaken = loader.append(Item(id: "a"), level: 0)
        #expect(!isTaken)
    }

    @Test func anEmptyListIsAList() throws {
        let state = try #require(Self.load([[], []]))
        try requireInvariants(state)
        #expect(state.sectionCount == 2 && state.itemCount == 0)
    }
}

extension Item {
    /// The JSON of a sealed item.
    fileprivate var text: String {
        var text = ""
        if case .sealed(let json) = json { json.withAll { text = String(decoding: $0, as: UTF8.self) } }
        return text
    }
}
