import JSONValue
import ListModel

// MARK: - Mountains

private let columns = Layout(
    kind: .grid(
        mountainRow(count: 2), variants: [GroupVariant(when: .widthAbove(800), group: mountainRow(count: 3))],
        interGroupSpacing: 10),
    insets: .all(10), cells: ["mountain": Cell(style: .text)])

private func mountainRow(count: Int) -> Group {
    Group(
        direction: .horizontal, width: .fractionalWidth(1), height: .absolute(32),
        item: GroupItem(width: .fractionalWidth(1), height: .fractionalHeight(1)), count: count, interItem: .fixed(10))
}

extension Sample {
    /// From the highest to the lowest, so that an order by name is for the views to make.
    var mountainsSnapshot: WantedSnapshot {
        let items = mountains(mountainTable[...], in: "mountains")
        return WantedSnapshot(
            title: title, layout: columns, whole: [WantedSection("mountains", title: "Mountains", whole: items)])
    }

    private func mountains(_ mountains: Slice<KeyValuePairs<String, Int>>, in section: String) -> [NewItem] {
        var namer = ItemNamer(section: section)
        return mountains.map { name, height in
            NewItem(
                namer.name(for: name), kind: "mountain", content: ["name": .string(name), "height": .integer(height)])
        }
    }
}

// MARK: - Editing

extension Sample {
    /// The four highest mountains are to be visited, the next four have been.
    var editingSnapshot: WantedSnapshot {
        let layout = Layout(
            kind: .list(
                .insetGrouped, headerMode: .supplementary, footerMode: .supplementary, trailingSwipe: [.delete]),
            cells: ["mountain": Cell(style: .value, accessories: [.reorder])])
        return WantedSnapshot(
            title: title, layout: layout,
            whole: [
                WantedSection(
                    "visited", title: "Visited", header: "Visited", footer: "Summits already reached.",
                    whole: mountains(mountainTable.dropFirst(4).prefix(4), in: "visited")),
                WantedSection(
                    "bucketList", title: "Bucket List", header: "Bucket List", footer: "Summits still to be reached.",
                    whole: mountains(mountainTable.prefix(4), in: "bucketList")),
            ])
    }
}
