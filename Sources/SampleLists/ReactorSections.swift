import JSONValue
import Layouts
import ListModel
import Texts

/// A row of cards below a header that offers to add one. A section without cards shrinks to its header.
private let cardRow = Layout(
    .orthogonal(
        .continuous,
        Groups(
            cardGroup(width: .estimated(1200), height: .absolute(72)),
            variants: [
                GroupVariant(when: .sectionEmpty, cardGroup(width: .fractionalWidth(1), height: .absolute(0)))
            ],
            interGroupSpacing: 8)),
    insets: Insets(top: 0, leading: 12, bottom: 12, trailing: 12),
    supplementaries: [
        // The header does not follow the insets of the section, because it is as wide as the view.
        Supplementary(
            .header, alignment: .top, height: .absolute(48), isPinned: true, zIndex: 2, followsInsets: false,
            accessories: [.add])
    ],
    trailingSwipe: [.delete],
    cells: [
        "card": Cell(.cell, text: "title", alignment: .center, background: Background(color: .systemGray5, corner: 8))
    ])

private func cardGroup(width: Dimension, height: Dimension) -> Group {
    Group(
        .horizontal, width: width, height: height,
        .repeated(GroupItem(width: .absolute(100), height: .absolute(72))))
}

extension Sample {
    var reactorSectionsSnapshot: WantedSnapshot {
        WantedSnapshot(
            title: title, layout: cardRow,
            whole: [
                cards("errands", title: "Errands", ["Bakery", "Post Office", "Library"]),
                cards("garden", title: "Garden", ["Water the Herbs", "Prune the Roses"]),
                cards("someday", title: "Someday", []),
            ])
    }

    private func cards(_ id: ByteText, title: ByteText, _ titles: [ByteText]) -> WantedSection {
        var namer = ItemNamer(section: id)
        let items = titles.map { NewItem(namer.name(for: $0), kind: "card", content: ["title": .string($0)]) }
        return WantedSection(id, title: title, whole: items)
    }
}
