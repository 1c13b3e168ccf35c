import JSONValue
import ListModel
import SampleLists
import TestSupport
import Testing

@Suite struct EmojiSampleTests {
    @Test(
        "ids are the section and the slug of the title",
        arguments: [
            ("recents.watch", "recents"), ("recents.lgtm", "recents"), ("recents.cool", "recents"),
            ("list.rolling-on-the-floor-laughing", "list"), ("list.watch", "list"), ("list.imac", "list"),
            ("outline.nature", "outline"), ("outline.fox", "outline"),
            ("outline.rolling-on-the-floor-laughing", "outline"),
        ] as [(ItemID, SectionID)])
    func slugs(item: ItemID, section: SectionID) throws {
        let list = try installed(.emojiExplorer)
        let handle = try #require(list.handle(of: item))
        #expect(list.section(of: handle) == list.handle(of: section))
    }

    @Test func outlineHasSevenCollapsedRootsOfThree() throws {
        let list = try installed(.emojiExplorer)
        let outline = try #require(list.handle(of: "outline" as SectionID))
        let roots = list.rows(of: outline).filter { list.level(of: $0) == 0 }
        #expect(
            roots.map { list[$0].id } == [
                "outline.smileys", "outline.nature", "outline.food", "outline.activities", "outline.travel",
                "outline.objects", "outline.symbols",
            ])
        #expect(
            roots.allSatisfy { list.childCount(of: $0) == 3 && !list[$0].isExpanded && list[$0].kind == "category" })
        #expect(list.visibleRows(of: outline) == roots)
        let fox = try #require(list.handle(of: "outline.fox" as ItemID))
        #expect(list.parent(of: fox).map { list[$0].id } == "outline.nature")
        #expect(list[roots[1]].content == JSONText(["title": "Nature"]))
    }

    @Test func contentNamesTextTitleAndCategory() throws {
        let list = try installed(.emojiExplorer)
        for id in ["outline.fox", "list.fox"] as [ItemID] {
            let item = list[try #require(list.handle(of: id))]
            #expect(item.kind == "emoji")
            #expect(item.content == JSONText(["text": "🦊", "title": "Fox", "category": "Nature"]))
        }
        let recent = list[try #require(list.handle(of: "recents.whiskey" as ItemID))]
        #expect(recent.content == JSONText(["text": "🥃", "title": "Whiskey", "category": "Recents"]))
    }

    @Test("case 59: five draws with replacement star one to five items of the list", arguments: UInt64(0)..<300)
    func stars(seed: UInt64) throws {
        let snapshot = Sample.emojiExplorer.snapshot(seed: seed)
        let starred = snapshot.sections.map { section in section.items.filter { $0.value?.isStarred == .set(true) } }
        #expect(starred[0].isEmpty && starred[1].isEmpty)
        #expect((1...5).contains(starred[2].count))
        #expect(Sample.emojiExplorer.snapshot(seed: seed) == snapshot)
    }

    @Test("case 59: draws repeat and reach every item")
    func starSpread() {
        let draws = (UInt64(0)..<300).map { seed in
            Sample.emojiExplorer.snapshot(seed: seed).sections[2].items.filter { $0.value?.isStarred == .set(true) }
        }
        #expect(Set(draws.map(\.count)).isSuperset(of: [3, 4, 5]))
        #expect(Set(draws.flatMap { $0.map(\.id) }).count == 21)
    }

    /// The expected stars are written down, because a changed generator would move every client's stars.
    @Test func defaultStars() throws {
        let list = try installed(.emojiExplorer)
        let starred = list.itemIDs.filter { id in list.handle(of: id).map { list[$0].isStarred } ?? false }
        #expect(
            starred == [
                "list.rolling-on-the-floor-laughing", "list.apple", "list.mountains", "list.beach", "list.imac",
            ])
    }

    @Test("case 57: twins are different items")
    func twins() throws {
        var list = try installed(.emojiExplorer)
        var log = TransactionLog()
        let twins: [ItemID] = ["recents.whiskey", "outline.whiskey", "list.whiskey"]
        try list.apply(.setStarred(twins, false), rules: .strict, into: &log)
        try list.apply(.setStarred(["outline.whiskey"], true), rules: .strict, into: &log)
        let handles = try twins.map { try #require(list.handle(of: $0)) }
        #expect(handles.map { list[$0].isStarred } == [false, true, false])
        try list.apply(.deleteItems(["list.whiskey"]), rules: .strict, into: &log)
        #expect(twins.map { list.contains($0) } == [true, true, false])
    }

    @Test("case 41: Food expands to three rows")
    func expandFood() throws {
        var list = try installed(.emojiExplorer)
        var log = TransactionLog()
        try list.apply(.setExpanded(["outline.food"], true), rules: .strict, into: &log)
        let outline = try #require(list.handle(of: "outline" as SectionID))
        let rows = list.visibleRows(of: outline).map { list[$0].id }
        #expect(rows[2...5] == ["outline.food", "outline.whiskey", "outline.apple", "outline.peach"])
        #expect(list.visibleItemCount == 39)
        #expect(list.itemCount == 57)
    }
}
