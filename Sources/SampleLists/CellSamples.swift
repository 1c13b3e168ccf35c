import JSONValue
import Layouts
import ListModel
import Texts

// Samples that show lists and their cells.

extension Sample {
    /// The same rows for each of the five appearances. The first item of a section is its header.
    var listAppearancesSnapshot: WantedSnapshot {
        let disclosure = Accessory(.disclosure, in: [.plain, .grouped, .insetGrouped])
        let style = ListStyle(
            .plain, appearances: [.plain, .sidebarPlain, .sidebar, .grouped, .insetGrouped],
            headerMode: .firstItemInSection)
        let layout = Layout(
            .list(style),
            cells: [
                "header": Cell(.header, text: "title", accessories: [.outlineDisclosure]),
                "item": Cell(.cell, text: "title", accessories: [disclosure]),
            ])
        let sections = (0..<5).map { index in
            let id: ByteText = "section-\(index)"
            var namer = ItemNamer(section: id)
            let name: ByteText = "Section \(index)"
            let header = NewItem(
                namer.name(for: name), kind: "header", content: ["title": .string(name)], isExpanded: true)
            let items = (0..<3).map { row in
                NewItem(
                    namer.name(for: "Item \(row)"), kind: "item", content: ["title": .string("Item \(row)")],
                    parent: header.id)
            }
            return WantedSection(id, whole: [header] + items)
        }
        return WantedSnapshot(title: title, layout: layout, whole: sections)
    }
}

// MARK: - Custom cells

private let entries: [(title: ByteText, description: ByteText, symbol: ByteText, category: ByteText)] = [
    ("Evening Concert", "Strings and a piano under the trees", "music.note", "music"),
    ("Radio", "Whatever the night watch likes to hear", "radio", "music"),
    ("Tram", "Every six minutes from the harbour to the hills", "tram", "transportation"),
    ("Ferry", "Crosses the bay while it is light", "ferry", "transportation"),
    ("Bicycle", "From any rack in town to any other", "bicycle", "transportation"),
    ("Sunshine", "Clear from noon until late", "sun.max", "weather"),
    ("Rain", "Showers in the morning", "cloud.rain", "weather"),
    ("Wind", "Fresh from the west, with gusts", "wind", "weather"),
    ("Snow", "Above a thousand metres", "snow", "weather"),
]

extension Sample {
    var customCellsSnapshot: WantedSnapshot {
        let cell = Cell(
            .custom("category"), text: "title", secondaryText: "description", image: "symbol",
            accessories: [.disclosure])
        var namer = ItemNamer(section: "main")
        let items = entries.map { entry in
            NewItem(
                namer.name(for: entry.title), kind: "entry",
                content: [
                    "title": .string(entry.title), "description": .string(entry.description),
                    "symbol": .string(entry.symbol), "category": .string(entry.category),
                ])
        }
        return WantedSnapshot(
            title: title, layout: Layout(.list(ListStyle(.plain)), cells: ["entry": cell]),
            whole: [WantedSection("main", whole: items)])
    }
}

// MARK: - Cell content

extension Sample {
    /// The same content in three configurations, and on three backgrounds.
    var cellContentSnapshot: WantedSnapshot {
        func cell(_ configuration: Cell.Configuration, _ background: Background? = nil) -> Cell {
            Cell(configuration, text: "text", secondaryText: "title", image: "symbol", background: background)
        }
        let cells: [ByteText: Cell] = [
            "cell": cell(.cell), "valueCell": cell(.valueCell), "subtitleCell": cell(.subtitleCell),
            "color": cell(.valueCell, Background(color: .systemYellow)),
            "corner": cell(.valueCell, Background(color: .systemGray5, corner: 16)),
            "stroke": cell(.valueCell, Background(corner: 8, stroke: .systemPink, strokeWidth: 2)),
        ]
        return WantedSnapshot(
            title: title, layout: Layout(.list(ListStyle(.insetGrouped, headerMode: .supplementary)), cells: cells),
            whole: [
                contents(
                    "configurations", title: "Content configurations",
                    [("Cell", "cell"), ("Value Cell", "valueCell"), ("Subtitle Cell", "subtitleCell")]),
                contents(
                    "backgrounds", title: "Background configurations",
                    [("Color", "color"), ("Corner", "corner"), ("Stroke", "stroke")]),
            ])
    }

    private func contents(_ id: ByteText, title: ByteText, _ rows: [(title: ByteText, kind: ByteText)]) -> WantedSection
    {
        var namer = ItemNamer(section: id)
        let items = rows.map { row in
            NewItem(
                namer.name(for: row.title), kind: row.kind,
                content: ["text": "Ready. Set. Code.", "title": .string(row.title), "symbol": "hammer"])
        }
        return WantedSection(id, title: title, whole: items)
    }
}

// MARK: - Custom configurations

private let symbols: [ByteText] = [
    "trash", "folder", "paperplane", "book", "tag", "camera", "pin", "lock.shield", "cube.box", "gift", "eyeglasses",
    "lightbulb",
]

extension Sample {
    /// Twelve symbols, each 25 times, in random order.
    func customConfigurationsSnapshot(seed: UInt64) -> WantedSnapshot {
        let item = GroupItem(width: .estimated(44), height: .estimated(44))
        let group = Group.row(height: .estimated(44), interItem: .flexible(10), .repeated(item))
        let layout = Layout(
            .grid(Groups(group, interGroupSpacing: 10)), insets: .all(10),
            cells: ["symbol": Cell(.custom("symbol"), text: "symbol", image: "symbol")])
        var namer = ItemNamer(section: "main")
        var items = symbols.flatMap { symbol in
            (0..<25).map { _ in
                NewItem(namer.name(for: symbol), kind: "symbol", content: ["symbol": .string(symbol)])
            }
        }
        var generator = SplitMix64(seed: seed)
        items.shuffle(with: &generator)
        return WantedSnapshot(title: title, layout: layout, whole: [WantedSection("main", whole: items)])
    }
}
