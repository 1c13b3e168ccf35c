import JSONValue
import Layouts
import ListModel
import SampleLists
import TestSupport
import Testing

/// The sizes and names that clients may rely on.
@Suite struct SampleShape {
    struct Row: Sendable, CustomTestStringConvertible {
        var sample: Sample
        var sections: [SectionID]
        /// The number of items in each section, hidden ones too.
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
            sample: .mountains, sections: ["mountains"], counts: [236], visible: 236, first: "mountains.aconcagua",
            last: "mountains.krlatica"),
        Row(
            sample: .wifi, sections: ["config", "networks"], counts: [2, 17], visible: 19, first: "config.wi-fi",
            last: "networks.hidden-in-plain-sight"),
        Row(
            sample: .insertionSort, sections: (0..<24).map { SectionID(unchecked: "row-\($0)") },
            counts: Array(repeating: 24, count: 24), visible: 576, first: "row-0.7", last: "row-23.19"),
        Row(
            sample: .editing, sections: ["visited", "bucketList"], counts: [4, 4], visible: 8, first: "visited.makalu",
            last: "bucketList.lhotse"),
        Row(
            sample: .reactorSections, sections: ["errands", "garden", "someday"], counts: [3, 2, 0], visible: 5,
            first: "errands.bakery", last: "garden.prune-the-roses"),
        Row(
            sample: .grid, sections: ["main"], counts: [94], visible: 94,
            first: "main.0", last: "main.93"),
        Row(
            sample: .insetGrid, sections: ["main"], counts: [94], visible: 94,
            first: "main.0", last: "main.93"),
        Row(
            sample: .twoColumnGrid, sections: ["main"], counts: [94], visible: 94,
            first: "main.0", last: "main.93"),
        Row(
            sample: .distinctSections, sections: ["list", "grid5", "grid3"], counts: [10, 10, 10], visible: 30,
            first: "list.0", last: "grid3.29"),
        Row(
            sample: .adaptiveSections, sections: ["list", "grid5", "grid3"], counts: [10, 10, 10], visible: 30,
            first: "list.0", last: "grid3.29"),
        Row(
            sample: .itemBadges, sections: ["main"], counts: [100], visible: 100,
            first: "main.0", last: "main.99"),
        Row(
            sample: .headersAndFooters, sections: five, counts: [5, 5, 5, 5, 5], visible: 25,
            first: "section-0.0", last: "section-4.24"),
        Row(
            sample: .pinnedSectionHeaders, sections: five, counts: [5, 5, 5, 5, 5], visible: 25,
            first: "section-0.0", last: "section-4.24"),
        Row(
            sample: .sectionBackground, sections: five, counts: [5, 5, 5, 5, 5], visible: 25,
            first: "section-0.0", last: "section-4.24"),
        Row(
            sample: .nestedGroups, sections: ["main"], counts: [100], visible: 100,
            first: "main.0", last: "main.99"),
        Row(
            sample: .orthogonalSections, sections: five, counts: [30, 30, 30, 30, 30], visible: 150,
            first: "section-0.0", last: "section-4.149"),
        Row(
            sample: .orthogonalBehaviors,
            sections: [
                "continuous", "continuousGroupLeadingBoundary", "paging", "groupPaging", "groupPagingCentered", "none",
            ], counts: [18, 18, 18, 18, 18, 18], visible: 108,
            first: "continuous.0", last: "none.107"),
        Row(
            sample: .simpleList, sections: ["main"], counts: [94], visible: 94,
            first: "main.0", last: "main.93"),
        Row(
            sample: .listAppearances, sections: five, counts: [4, 4, 4, 4, 4], visible: 20,
            first: "section-0.section-0", last: "section-4.item-2"),
        Row(
            sample: .customCells, sections: ["main"], counts: [9], visible: 9,
            first: "main.evening-concert", last: "main.snow"),
        Row(
            sample: .cellContent, sections: ["configurations", "backgrounds"], counts: [3, 3], visible: 6,
            first: "configurations.cell", last: "backgrounds.stroke"),
        Row(
            sample: .customConfigurations, sections: ["main"], counts: [300], visible: 300,
            first: "main.lightbulb-20", last: "main.paperplane-16"),
        Row(
            sample: .conferenceVideos,
            sections: [
                "where-to-begin", "lists-and-layouts", "data-that-moves", "on-the-server", "for-everyone",
            ], counts: [2, 4, 5, 7, 5], visible: 23,
            first: "where-to-begin.a-list-in-an-hour", last: "for-everyone.contrast-in-the-dark"),
        Row(
            sample: .conferenceNews, sections: ["main"], counts: [5], visible: 5,
            first: "main.the-doors-open-on-monday", last: "main.thank-you-and-see-you-soon"),
        Row(
            sample: .menu, sections: ["main"], counts: [36], visible: 5,
            first: "main.compositional-layout", last: "main.custom-configurations"),
    ]

    private static let five: [SectionID] = ["section-0", "section-1", "section-2", "section-3", "section-4"]

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

    @Test("a seed changes what is random, and never an id", arguments: Sample.allCases)
    func seeds(_ sample: Sample) {
        let random: [Sample] = [.emojiExplorer, .wifi, .insertionSort, .itemBadges, .customConfigurations]
        let first = sample.snapshot(seed: 0)
        let others = (UInt64(1)..<20).map(sample.snapshot(seed:))
        #expect(others.contains { $0 != first } == random.contains(sample))
        let ids = first.sections.map { Set($0.items.map(\.id)) }
        #expect(others.allSatisfy { $0.sections.map { Set($0.items.map(\.id)) } == ids })
    }

    @Test("every layout is a word of the vocabulary, and every kind has its cell", arguments: Sample.allCases)
    func layouts(_ sample: Sample) throws {
        let list = try installed(sample)
        let ofList = try list.properties.layout.map { try Layout($0.value) }
        for handle in list.sectionHandles {
            let layout = try #require(try list[handle].layout.map { try Layout($0.value) } ?? ofList)
            #expect(list[handle].layout.map { JSONText(layout.json) == $0 } ?? true)
            let kinds = Set(list.rows(of: handle).map { list[$0].kind })
            #expect(kinds.subtracting(layout.cells.keys) == [], "\(list[handle].id)")
        }
    }
}
