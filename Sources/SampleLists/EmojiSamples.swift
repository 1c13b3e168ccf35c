import JSONValue
import Layouts
import ListModel

extension Sample {
    func emojiExplorerSnapshot(seed: UInt64) -> WantedSnapshot {
        WantedSnapshot(
            title: title,
            whole: [
                WantedSection("recents", title: "Recents", layout: recentGrid, whole: recents),
                WantedSection("outline", layout: outline, whole: outlineItems),
                WantedSection("list", layout: starredList, whole: listItems(starring: draws(seed: seed))),
            ])
    }

    /// The sections come in reverse order of the categories, as in a list that was filled from the last one to the
    /// first.
    var emojiExplorerListSnapshot: WantedSnapshot {
        let layout = Layout(.list(ListStyle(.insetGrouped)), cells: ["emoji": emojiCell([.disclosure])])
        return WantedSnapshot(
            title: title, layout: layout, whole: EmojiCatalogue.categories.reversed().map(section(of:)))
    }

    var reorderableSnapshot: WantedSnapshot {
        let layout = Layout(.list(ListStyle(.insetGrouped)), cells: ["emoji": emojiCell([.disclosure, .reorder])])
        return WantedSnapshot(title: title, layout: layout, whole: EmojiCatalogue.categories.map(section(of:)))
    }

    private func section(of category: EmojiCategory) -> WantedSection {
        var namer = ItemNamer(section: category.id)
        let items = category.emoji.map { NewItem($0, of: category, named: &namer) }
        return WantedSection(category.id, title: category.title, whole: items)
    }
}

// MARK: - Emoji Explorer

private func emojiCell(_ accessories: [Accessory]) -> Cell {
    Cell(.valueCell, text: "text", secondaryText: "category", accessories: accessories)
}

private let recentGrid = Layout(
    .orthogonal(
        .continuousGroupLeadingBoundary,
        Groups(
            Group(
                .horizontal, width: .fractionalWidth(0.28), height: .fractionalWidth(0.2),
                .repeated(.whole(insets: .all(5)))),
            interGroupSpacing: 10)),
    insets: .all(10),
    cells: ["emoji": Cell(.emoji, text: "text", background: Background(corner: 8, stroke: .systemGray3))])

private let outline = Layout(
    .list(ListStyle(.sidebar)), insets: Insets(top: 10, leading: 10, bottom: 0, trailing: 10),
    cells: [
        "category": Cell(.header, text: "title", accessories: [.outlineDisclosure]), "emoji": emojiCell([.disclosure]),
    ])

private let starredList = Layout(
    .list(ListStyle(.insetGrouped)),
    leadingSwipe: [
        SwipeAction(
            .star, face: SwipeAction.Face(symbol: "star.fill", color: .systemBlue),
            whenStarred: SwipeAction.Face(symbol: "star.slash"))
    ],
    cells: ["emoji": emojiCell([.disclosure, .star])])

extension Sample {
    private var recents: [NewItem] {
        var namer = ItemNamer(section: "recents")
        return EmojiCatalogue.categories.filter { $0.id == "recents" }
            .flatMap { category in category.emoji.map { NewItem($0, of: category, named: &namer) } }
    }

    private var outlineItems: [NewItem] {
        var namer = ItemNamer(section: "outline")
        return EmojiCatalogue.lasting.flatMap { category in
            let root = namer.name(for: category.title)
            let header = NewItem(root, kind: "category", content: ["title": .string(category.title)])
            return [header] + category.emoji.map { NewItem($0, of: category, parent: root, named: &namer) }
        }
    }

    private func listItems(starring starred: Set<Int>) -> [NewItem] {
        var namer = ItemNamer(section: "list")
        return EmojiCatalogue.lasting.flatMap { category in category.emoji.map { (category, $0) } }
            .enumerated().map { index, entry in
                NewItem(entry.1, of: entry.0, isStarred: starred.contains(index), named: &namer)
            }
    }

    /// Five random indexes. Some may be equal, so the set has one to five.
    private func draws(seed: UInt64) -> Set<Int> {
        let count = EmojiCatalogue.lasting.reduce(0) { $0 + $1.emoji.count }
        var generator = SplitMix64(seed: seed)
        return Set((0..<5).map { _ in generator.draw(below: count) })
    }
}

extension NewItem {
    fileprivate init(
        _ emoji: Emoji, of category: EmojiCategory, parent: ItemID? = nil, isStarred: Bool = false,
        named namer: inout ItemNamer
    ) {
        self.init(
            namer.name(for: emoji.title), kind: "emoji",
            content: ["text": .string(emoji.text), "title": .string(emoji.title), "category": .string(category.title)],
            parent: parent, isStarred: isStarred)
    }
}
