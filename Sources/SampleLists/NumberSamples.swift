import JSONValue
import Layouts
import ListModel
import Texts

// Samples that show a layout. Their items are numbers.

extension Background {
    /// The background of the cells in Apple's sample.
    static let framed = Background(color: .systemBlue, stroke: .systemGray)
}

extension Layout {
    /// A grid of numbers, each in the middle of a framed cell.
    init(
        _ groups: Groups, insets: Insets = .zero, supplementaries: [Supplementary] = [],
        background: Background = .framed
    ) {
        self.init(
            .grid(groups), insets: insets, supplementaries: supplementaries,
            cells: ["number": .number(background)])
    }
}

extension Cell {
    static func number(_ background: Background = .framed) -> Cell {
        Cell(.cell, text: "number", alignment: .center, background: background)
    }
}

extension Group {
    /// A group of items side by side, as wide as the container.
    static func row(height: Dimension, interItem: Spacing? = nil, _ content: Content) -> Group {
        Group(.horizontal, width: .fractionalWidth(1), height: height, interItem: interItem, content)
    }
}

extension Sample {
    /// One item of the kind `number` for each number.
    func numbers(_ numbers: Range<Int>, in section: ByteText) -> [NewItem] {
        var namer = ItemNamer(section: section)
        return numbers.map { NewItem(namer.name(for: "\($0)"), kind: "number", content: ["number": .integer($0)]) }
    }

    /// The numbers 0 to 93 in one section.
    private func numbers(_ layout: Layout) -> WantedSnapshot {
        WantedSnapshot(
            title: title, layout: layout, whole: [WantedSection("main", whole: numbers(0..<94, in: "main"))])
    }

    var gridSnapshot: WantedSnapshot { numbers(Layout(fifths(insets: .zero))) }

    var insetGridSnapshot: WantedSnapshot { numbers(Layout(fifths(insets: .all(5)))) }

    private func fifths(insets: Insets) -> Groups {
        let item = GroupItem(width: .fractionalWidth(0.2), height: .fractionalHeight(1), insets: insets)
        return Groups(.row(height: .fractionalWidth(0.2), .repeated(item)))
    }

    var twoColumnGridSnapshot: WantedSnapshot {
        let group = Group.row(height: .absolute(44), interItem: .fixed(10), .repeated(.whole(), count: 2))
        return numbers(Layout(Groups(group, interGroupSpacing: 10), insets: .sides(10)))
    }

    var simpleListSnapshot: WantedSnapshot {
        numbers(Layout(.list(ListStyle(.insetGrouped)), cells: ["number": Cell(.cell, text: "number")]))
    }
}

// MARK: - Sections of their own kinds

extension Sample {
    var distinctSectionsSnapshot: WantedSnapshot {
        columnSections { columns in Groups(columnRow(columns, isList: columns == 1)) }
    }

    /// Sections with twice as many columns when the container is wider than 800 points.
    var adaptiveSectionsSnapshot: WantedSnapshot {
        columnSections { columns in
            let isList = columns == 1
            let wide = GroupVariant(when: .widthAbove(800), columnRow(columns * 2, isList: isList))
            return Groups(columnRow(columns, isList: isList), variants: [wide])
        }
    }

    private func columnSections(_ groups: (Int) -> Groups) -> WantedSnapshot {
        let named: [(ByteText, Int)] = [("list", 1), ("grid5", 5), ("grid3", 3)]
        let sections = named.enumerated().map { index, section in
            let (id, columns) = section
            let background = Background(color: .systemBlue, corner: columns == 5 ? 8 : 0, stroke: .systemGray)
            let layout = Layout(groups(columns), insets: .all(20), background: background)
            let first = index * 10
            return WantedSection(id, layout: layout, whole: numbers(first..<first + 10, in: id))
        }
        return WantedSnapshot(title: title, whole: sections)
    }

    private func columnRow(_ count: Int, isList: Bool) -> Group {
        .row(
            height: isList ? .absolute(44) : .fractionalWidth(0.2), .repeated(.whole(insets: .all(2)), count: count))
    }
}

// MARK: - Badges

extension Sample {
    func itemBadgesSnapshot(seed: UInt64) -> WantedSnapshot {
        let badge = Badge(
            "badge", elementKind: "badge-element-kind", edges: [.top, .trailing],
            offset: .fractional(x: 0.3, y: -0.3), width: .absolute(20), height: .absolute(20),
            background: Background(color: .systemGreen, corner: 10, stroke: .label, strokeWidth: 1))
        let item = GroupItem(
            width: .fractionalWidth(0.25), height: .fractionalHeight(1), insets: .all(5), badges: [badge])
        let layout = Layout(
            .grid(Groups(.row(height: .fractionalWidth(0.2), .repeated(item)))), insets: .all(20),
            cells: ["badged": Cell(.cell, text: "text", alignment: .center, background: .framed)])
        var namer = ItemNamer(section: "main")
        var generator = SplitMix64(seed: seed)
        let items = (0..<100).map { number in
            NewItem(
                namer.name(for: "\(number)"), kind: "badged",
                content: ["text": .string("\(number)"), "badge": .integer(generator.draw(below: 3))])
        }
        return WantedSnapshot(title: title, layout: layout, whole: [WantedSection("main", whole: items)])
    }
}
