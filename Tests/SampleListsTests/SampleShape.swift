import JSONValue
import ListModel
import SampleLists
import TestSupport
import Testing

/// The sizes and names that clients may rely on.
@Suite struct SampleShape {
    struct Row: Sendable, CustomTestStringConvertible {
        var sample: Sample
        var sections: [SectionID]
        /// Items stored in each section, hidden ones too.
        var counts: [Int]
        var visible: Int
        var first: ItemID
        var last: ItemID
        var testDescription: String { sample.id }
    }

    static let rows = [
        Row(
            sample: .emojiExplorer, sections: ["recents", "outline", "list"], counts: [8, 28, 21], visible: 36,
            first: "recents.rolling-on-the-floor-laughing", last: "list.best"),
        Row(
            sample: .emojiExplorerList,
            sections: ["symbols", "objects", "travel", "activities", "food", "nature", "smileys", "recents"],
            counts: [3, 3, 3, 3, 3, 3, 3, 8], visible: 29, first: "symbols.love", last: "recents.lgtm"),
        Row(
            sample: .reorderable,
            sections: ["recents", "smileys", "nature", "food", "activities", "travel", "objects", "symbols"],
            counts: [8, 3, 3, 3, 3, 3, 3, 3], visible: 29, first: "recents.rolling-on-the-floor-laughing",
            last: "symbols.best"),
        Row(
            sample: .emojisAndNumbers, sections: ["emojis", "numbers"], counts: [17, 101], visible: 118,
            first: "emojis.1f600", last: "numbers.100"),
        Row(
            sample: .mainSub, sections: ["main", "sub"], counts: [4, 4], visible: 8, first: "main.main-item",
            last: "sub.third"),
        Row(
            sample: .mountains, sections: ["mountains"], counts: [236], visible: 236, first: "mountains.mount-everest",
            last: "mountains.suur-munam-gi"),
        Row(
            sample: .editing, sections: ["visited", "bucketList"], counts: [4, 4], visible: 8, first: "visited.makalu",
            last: "bucketList.lhotse"),
        Row(
            sample: .reactorSections, sections: ["errands", "garden", "someday"], counts: [3, 2, 0], visible: 5,
            first: "errands.bakery", last: "garden.prune-the-roses"),
    ]

    @Test func everySampleHasARow() {
        #expect(Self.rows.map(\.sample) == Sample.allCases)
    }

    @Test("case 41: counts, visible rows, order of sections, first and last item", arguments: rows)
    func shape(_ row: Row) throws {
        let list = try installed(row.sample)
        #expect(list.sectionHandles.map { list[$0].id } == row.sections)
        #expect(list.sectionHandles.map { list.rows(of: $0).count } == row.counts)
        #expect(list.itemCount == row.counts.reduce(0, +))
        #expect(list.visibleItemCount == row.visible)
        #expect(list.itemIDs.first == row.first)
        #expect(list.itemIDs.last == row.last)
    }

    @Test(arguments: Sample.allCases)
    func namesAreDistinctAndValid(_ sample: Sample) throws {
        let snapshot = sample.snapshot(seed: Sample.defaultSeed)
        let ids = snapshot.sections.flatMap { $0.items.map(\.id) }
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { ItemID($0.rawValue) != nil })
        #expect(
            snapshot.sections.allSatisfy { section in
                section.items.allSatisfy { $0.id.rawValue.hasPrefix("\(section.id).") }
            })
        #expect(ListID(sample.id) != nil)
        #expect(snapshot.changes.title == .set(sample.title))
        #expect(!sample.summary.isEmpty)
    }

    @Test("case 24: applying a sample again changes nothing", arguments: Sample.allCases)
    func secondApply(_ sample: Sample) throws {
        var list = try installed(sample)
        #expect(try list.install(sample).isEmpty)
    }

    @Test("resetting a sample that clients changed gives its start again", arguments: Sample.allCases)
    func reset(_ sample: Sample) throws {
        var list = try installed(sample)
        let start = list
        let ids = list.itemIDs
        var renamed = ItemChanges()
        renamed.content = .replace(JSONText(["title": "changed"]))
        var retitled = ListChanges()
        retitled.title = .set("changed")
        retitled.layout = .set(JSONText(["kind": "list"]))
        var bare = SectionChanges()
        bare.header = .set(JSONText(["title": "changed"]))
        bare.isReorderable = .set(false)
        let sections = list.sectionHandles.map { list[$0].id }
        var log = TransactionLog()
        for operation: ListModel.Operation in [
            .updateItem(ids[2], renamed), .setStarred([ids[1]], true), .setExpanded([ids[1]], true),
            .updateList(retitled), .deleteItems([ids[3]]), .updateSection(sections[0], bare),
            .appendSections([NewSection(SectionProperties(id: "added"))]), .moveSection(sections[0], .after("added")),
        ] {
            try list.apply(operation, rules: .strict, into: &log)
        }
        #expect(try !list.install(sample).isEmpty)
        #expect(ListImage(list) == ListImage(start))
    }

    @Test func onlyTheExplorerDependsOnTheSeed() {
        for sample in Sample.allCases {
            let distinct = (UInt64(0)..<20).map(sample.snapshot(seed:)).contains { $0 != sample.snapshot(seed: 0) }
            #expect(distinct == (sample == .emojiExplorer))
        }
    }
}
