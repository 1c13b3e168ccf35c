import JSONValue
import ListModel
import TestSupport
import Testing

/// The JSON of an item is made when the item comes into a list. It is made again only when its values change.
@Suite struct SealTests {
    struct Sealed: Sendable, CustomTestStringConvertible {
        var id: ItemID
        var kind: String
        var content: JSONValue
        var json: String
        var testDescription: String { json }
    }

    static let items = [
        Sealed(id: "a", kind: "item", content: [:], json: #""id":"a","kind":"item","content":{}"#),
        Sealed(
            id: "list.fox", kind: "emoji", content: ["text": "🦊", "n": 1],
            json: #""id":"list.fox","kind":"emoji","content":{"text":"🦊","n":1}"#),
        Sealed(
            id: "q\"b\\", kind: "A-z0._", content: ["\"": "\\"],
            json: #""id":"q\"b\\","kind":"A-z0._","content":{"\"":"\\"}"#),
        Sealed(
            id: "e\u{301}/\u{2028}", kind: "k", content: ["a": [1, [:]]],
            json: "\"id\":\"e\u{301}/\u{2028}\",\"kind\":\"k\",\"content\":{\"a\":[1,{}]}"),
        Sealed(
            id: ItemID(unchecked: String(repeating: "\"", count: 255)), kind: String(repeating: "k", count: 64),
            content: ["x": .string(String(repeating: "\u{1}", count: 300))],
            json: "\"id\":\"" + String(repeating: "\\\"", count: 255) + "\",\"kind\":\""
                + String(repeating: "k", count: 64) + "\",\"content\":{\"x\":\""
                + String(repeating: "\\u0001", count: 300) + "\"}"),
    ]

    @Test(arguments: items)
    func holdsTheMembers(_ row: Sealed) throws {
        let plain = Item(id: row.id, kind: ByteText(row.kind), content: JSONText(row.content))
        let sealed = plain.sealed()
        #expect(!plain.isSealed && sealed.isSealed)
        #expect(text(sealed) == row.json)
        #expect(text(plain) == row.json)
        #expect(sealed.pieces.joined() == row.json)
        #expect(sealed.pieces.last == ",\"content\":" + text(row.content.bytes))
    }

    /// Making the JSON changes nothing else in an item.
    @Test(arguments: items)
    func changesNothingElse(_ row: Sealed) {
        for flags in 0..<8 {
            let plain = Item(
                id: row.id, kind: ByteText(row.kind), content: JSONText(row.content), isStarred: flags & 1 != 0,
                isExpanded: flags & 2 != 0, isReorderable: flags & 4 != 0)
            let sealed = plain.sealed()
            #expect(sealed == plain)
            #expect(sealed.content == plain.content)
            #expect(sealed.content.value == row.content)
            #expect(sealed.content.bytes.elementsEqual(row.content.bytes))
            #expect(sealed.content.byteCount == row.content.bytes.count)
            #expect(sealed.sealed().buffer == sealed.buffer)
        }
    }

    /// A content that points into the JSON of one item can become the content of another.
    @Test func contentTakesNothingWithIt() {
        let fox = Item(id: "fox", kind: "emoji", content: JSONText(["text": "🦊"])).sealed()
        var bee = Item(id: "bee", kind: "row", content: fox.content)
        #expect(text(bee.sealed()) == #""id":"bee","kind":"row","content":{"text":"🦊"}"#)
        bee = fox
        bee.id = "bee"
        #expect(text(bee) == #""id":"bee","kind":"emoji","content":{"text":"🦊"}"#)
        bee.kind = "row"
        #expect(text(bee.sealed()) == #""id":"bee","kind":"row","content":{"text":"🦊"}"#)
        bee = fox
        bee.kind = "row"
        #expect(text(bee) == #""id":"fox","kind":"row","content":{"text":"🦊"}"#)
        #expect(fox.content != JSONText(["text": "🐝"]))
        #expect(fox.content == JSONText(unchecked: Array(#"{"text":"🦊"}"#.utf8)))
    }

    struct Change: Sendable, CustomTestStringConvertible {
        var operation: Operation
        var keepsTheBuffer: Bool
        var testDescription: String { "\(operation)" }
    }

    private static func update(_ set: (inout ItemChanges) -> Void) -> Operation {
        var changes = ItemChanges()
        set(&changes)
        return .updateItem("a", changes)
    }

    static let changes = [
        Change(operation: .toggleStar("a"), keepsTheBuffer: true),
        Change(operation: .setStarred(["a"], true), keepsTheBuffer: true),
        Change(operation: .setExpanded(["a"], true), keepsTheBuffer: true),
        Change(operation: .reloadItems(["a"]), keepsTheBuffer: true),
        Change(operation: .moveItem("a", .anchor(ItemAnchor(.after, "b"))), keepsTheBuffer: true),
        Change(operation: .moveItem("a", .last(.parent("b"))), keepsTheBuffer: true),
        Change(operation: update { $0.isReorderable = .set(false) }, keepsTheBuffer: true),
        Change(
            operation: update {
                $0.kind = .set("item")
                $0.content = .replace(JSONText(["n": 1, "m": 2]))
                $0.isStarred = .set(true)
            }, keepsTheBuffer: true),
        Change(operation: update { $0.content = .replace(JSONText(["n": 2])) }, keepsTheBuffer: false),
        Change(operation: update { $0.content = .merge(JSONText(["n": 2])) }, keepsTheBuffer: false),
        Change(operation: update { $0.kind = .set("row") }, keepsTheBuffer: false),
        Change(
            operation: update {
                $0.content = .replace(JSONText(["m": 2, "n": 1]))
                $0.isStarred = .set(true)
            }, keepsTheBuffer: true),
    ]

    /// A star makes no new JSON. A change of the JSON's values does.
    @Test(arguments: changes)
    func keepsTheBuffer(_ row: Change) throws {
        var list = ListState(ListProperties(title: "L"))
        var value = ItemChanges()
        value.content = .replace(JSONText(["n": 1, "m": 2]))
        let items = [NewItem("a", value: value), NewItem("b", value: value)]
        try list.commit(.appendSections([NewSection(SectionProperties(id: "s"), items: items)]))
        let a = try #require(list.handle(of: ItemID("a")))
        let before = list[a]
        #expect(before.isSealed)

        let delta = try list.commit(row.operation)
        let after = list[a]
        #expect(after.isSealed)
        #expect((after.buffer == before.buffer) == row.keepsTheBuffer)
        try requireSealed(list)

        list.revert(delta)
        #expect(list[a].buffer == before.buffer)
        try requireSealed(list)
    }

    /// After any operations each item of a list has its JSON, and it is right.
    @Test(arguments: UInt64(1)...20, Bias.allCases)
    func everyItemOfAListIsSealed(seed: UInt64, bias: Bias) throws {
        var lists = RandomLists(seed: seed, itemIDs: 14, bias: bias)
        var list = lists.list()
        try requireSealed(list)
        for _ in 0..<15 {
            guard let delta = try? list.commit(lists.operation(on: list)) else { continue }
            try requireSealed(list)
            try requireSealed(list.reverted(delta))
        }
    }

    /// If most items of a long list are new or get a new content, the contents stay in the buffers in which they came.
    /// If few do, each gets its JSON, because it would keep a whole buffer in memory.
    @Test(arguments: [(3_000, 2_000, false), (3_000, 1_000, true), (1_000, 1_000, true)])
    func manyNewContentsStayWhereTheyAre(count: Int, changed: Int, isSealed: Bool) throws {
        func snapshot(_ content: (Int) -> JSONValue, more: Int = 0) -> Operation {
            let items = (0..<count + more).map { index in
                var value = ItemChanges()
                value.content = .replace(JSONText(["n": content(index)]))
                return NewItem(ItemID(unchecked: "i\(index)"), value: value)
            }
            return .applySnapshot(WantedSnapshot(sections: [WantedSection("s", items: items)]))
        }
        var list = ListState(ListProperties(title: "L"))
        try list.commit(snapshot { .integer($0) })
        try list.commit(snapshot { .integer($0 < changed ? -$0 - 1 : $0) })
        let last = try #require(list.handle(of: ItemID(unchecked: "i\(changed - 1)")))
        #expect(list[last].isSealed == isSealed)
        #expect(list[last].content == JSONText(["n": .integer(-changed)]))
        try list.commit(snapshot({ .integer($0 < changed ? -$0 - 1 : $0) }, more: 1))
        // A transaction that changes little makes the JSON of what it changes.
        #expect(list[try #require(list.handle(of: ItemID(unchecked: "i\(count)")))].isSealed)
    }

    /// So do many items that are added at once.
    @Test(arguments: [(2_000, true), (2_001, false)])
    func manyNewItemsStayWhereTheyAre(count: Int, isSealed: Bool) throws {
        var list = ListState(ListProperties(title: "L"))
        try list.commit(.appendSections([NewSection(SectionProperties(id: "s"))]))
        var value = ItemChanges()
        value.content = .replace(JSONText(["n": 1]))
        try list.commit(.appendItems((0..<count).map { NewItem(ItemID(unchecked: "i\($0)"), value: value) }, nil))
        let last = try #require(list.handle(of: ItemID(unchecked: "i\(count - 1)")))
        #expect(list[last].isSealed == isSealed)
        #expect(text(list[last]) == #""id":"i\#(count - 1)","kind":"item","content":{"n":1}"#)
    }

    private func requireSealed(_ list: ListState) throws {
        for section in list.sectionHandles {
            for row in list.rows(of: section) {
                let item = list[row]
                try #require(item.isSealed)
                let fresh = Item(id: item.id, kind: item.kind, content: JSONText(item.content.value))
                try #require(text(item) == text(fresh))
            }
        }
    }
}

private func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

private func text(_ item: Item) -> String {
    guard case .sealed(let json) = item.sealed().json else { return "" }
    var bytes: [UInt8] = []
    json.withAll { bytes.append(contentsOf: $0) }
    return text(bytes)
}

extension Item {
    /// The two pieces of a row's JSON. The other members of the row stand between them.
    fileprivate var pieces: [String] {
        guard case .sealed(let json) = json else { return [] }
        var (head, tail): ([UInt8], [UInt8]) = ([], [])
        json.withMembersUpToContent { head.append(contentsOf: $0) }
        json.withContentMember { tail.append(contentsOf: $0) }
        return [text(head), text(tail)]
    }
}

extension Item {
    /// The address of the content's bytes. A caller that compares two addresses must keep both items alive.
    fileprivate var buffer: UnsafePointer<UInt8>? { content.bytes.withUnsafeBufferPointer { $0.baseAddress } }
}
