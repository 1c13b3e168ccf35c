import JSONValue
import Layouts
import ListModel
import Texts

// MARK: - Mountains

private let columns = Layout(
    .grid(
        Groups(
            mountainRow(count: 2), variants: [GroupVariant(when: .widthAbove(800), mountainRow(count: 3))],
            interGroupSpacing: 10)),
    insets: .all(10),
    cells: ["mountain": Cell(.cell, text: "name", background: Background(stroke: .systemGray))])

private func mountainRow(count: Int) -> Group {
    Group(
        .horizontal, width: .fractionalWidth(1), height: .absolute(32), interItem: .fixed(10),
        .repeated(.whole(), count: count))
}

extension Sample {
    /// Mountains sorted by the bytes of their names, as a search shows them. Accented letters come after all others.
    var mountainsSnapshot: WantedSnapshot {
        let items = mountains(mountainTable.sorted { $0.key < $1.key }, in: "mountains")
        return WantedSnapshot(
            title: title, layout: columns, whole: [WantedSection("mountains", title: "Mountains", whole: items)])
    }

    private func mountains(_ mountains: some Sequence<(key: ByteText, value: Int)>, in section: ByteText) -> [NewItem] {
        var namer = ItemNamer(section: section)
        return mountains.map { name, height in
            NewItem(
                namer.name(for: name), kind: "mountain", content: ["name": .string(name), "height": .integer(height)])
        }
    }
}

// MARK: - Editing

extension Sample {
    /// The four highest mountains are in the bucket list, and the next four are visited.
    var editingSnapshot: WantedSnapshot {
        let layout = Layout(
            .list(ListStyle(.insetGrouped, headerMode: .supplementary, footerMode: .supplementary)),
            trailingSwipe: [.delete],
            cells: [
                "mountain": Cell(
                    .valueCell, text: "name", secondaryText: "height",
                    accessories: [
                        Accessory(.delete, displayed: .whenEditing), Accessory(.reorder, displayed: .whenEditing),
                    ])
            ])
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
