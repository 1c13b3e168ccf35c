import JSONValue
import Layouts
import ListModel
import Texts

/// An entry of the menu: a group of others, or a page that shows a sample.
private enum Entry {
    case group(ByteText, [Entry])
    case page(ByteText, Sample)

    var title: ByteText {
        switch self {
        case .group(let title, _), .page(let title, _): title
        }
    }
}

/// The menu of Apple's sample. A group and a page in it have the same title.
private let entries: [Entry] = [
    .group(
        "Compositional Layout",
        [
            .group(
                "Getting Started",
                [
                    .page("Grid", .grid), .page("Inset Items Grid", .insetGrid),
                    .page("Two-Column Grid", .twoColumnGrid),
                    .group(
                        "Per-Section Layout",
                        [.page("Distinct Sections", .distinctSections), .page("Adaptive Sections", .adaptiveSections)]),
                ]),
            .group(
                "Advanced Layouts",
                [
                    .group(
                        "Supplementary Views",
                        [
                            .page("Item Badges", .itemBadges), .page("Section Headers/Footers", .headersAndFooters),
                            .page("Pinned Section Headers", .pinnedSectionHeaders),
                        ]),
                    .page("Section Background Decoration", .sectionBackground),
                    .page("Nested Groups", .nestedGroups),
                    .group(
                        "Orthogonal Sections",
                        [
                            .page("Orthogonal Sections", .orthogonalSections),
                            .page("Orthogonal Section Behaviors", .orthogonalBehaviors),
                        ]),
                ]),
            .group("Conference App", [.page("Videos", .conferenceVideos), .page("News", .conferenceNews)]),
        ]),
    .group(
        "Diffable Data Source",
        [
            .page("Mountains Search", .mountains), .page("Settings: Wi-Fi", .wifi),
            .page("Insertion Sort Visualization", .insertionSort), .page("UITableView: Editing", .editing),
        ]),
    .group(
        "Lists",
        [
            .page("Simple List", .simpleList), .page("Reorderable List", .reorderable),
            .page("List Appearances", .listAppearances), .page("List with Custom Cells", .customCells),
        ]),
    .group(
        "Outlines", [.page("Emoji Explorer", .emojiExplorer), .page("Emoji Explorer - List", .emojiExplorerList)]),
    .group("Cell Configurations", [.page("Custom Configurations", .customConfigurations)]),
]

extension Sample {
    /// 36 items in four levels, all collapsed.
    var menuSnapshot: WantedSnapshot {
        let layout = Layout(
            .list(ListStyle(.sidebar)),
            cells: [
                "group": Cell(.header, text: "title", accessories: [.outlineDisclosure]),
                "page": Cell(.cell, text: "title", opens: "list"),
            ])
        var namer = ItemNamer(section: "main")
        let items = entries.flatMap { self.items(of: $0, below: nil, named: &namer) }
        return WantedSnapshot(title: title, layout: layout, whole: [WantedSection("main", whole: items)])
    }

    private func items(of entry: Entry, below parent: ItemID?, named namer: inout ItemNamer) -> [NewItem] {
        let id = namer.name(for: entry.title)
        switch entry {
        case .group(let title, let entries):
            var items = [NewItem(id, kind: "group", content: ["title": .string(title)], parent: parent)]
            for entry in entries { items += self.items(of: entry, below: id, named: &namer) }
            return items
        case .page(let title, let sample):
            let content: JSONValue = ["title": .string(title), "list": .string(ByteText(sample.id))]
            return [NewItem(id, kind: "page", content: content, parent: parent)]
        }
    }
}
