import JSONValue
import Layouts
import ListModel
import Texts

// Samples that show headers, footers and backgrounds of sections, and ways to scroll them.

private let rows = Groups(.row(height: .absolute(44), .repeated(.whole())), interGroupSpacing: 5)

/// A grey bar with a thin black line around it.
private let titleBackground = Background(color: .systemGray2, stroke: .label, strokeWidth: 1)

extension Sample {
    private static let headerKind: ByteText = "section-header-element-kind"
    private static let footerKind: ByteText = "section-footer-element-kind"

    /// - Parameter isPinned: Whether headers stay on the screen, in front of the cells.
    func headersAndFootersSnapshot(isPinned: Bool) -> WantedSnapshot {
        let layout = Layout(
            .grid(rows), insets: .sides(10),
            supplementaries: [
                Supplementary(
                    .header, elementKind: Self.headerKind, alignment: .top, isPinned: isPinned,
                    zIndex: isPinned ? 2 : 0, background: titleBackground, insets: .all(10)),
                Supplementary(
                    .footer, elementKind: Self.footerKind, alignment: .bottom, background: titleBackground,
                    insets: .all(10)),
            ],
            cells: ["number": Cell(.cell, text: "text", background: .framed)])
        let sections = fiveByFive { index, id, items in
            WantedSection(
                id, header: "\(Self.headerKind) for section \(index)",
                footer: "\(Self.footerKind) for section \(index)",
                whole: items)
        }
        return WantedSnapshot(title: title, layout: layout, whole: sections)
    }

    var sectionBackgroundSnapshot: WantedSnapshot {
        let background = Background(color: .systemGray5, corner: 12, stroke: .systemGray)
        let layout = Layout(
            .grid(rows), insets: .all(10),
            decorations: [
                Decoration(
                    .background, elementKind: "section-background-element-kind", insets: .all(5),
                    background: background)
            ],
            cells: ["number": Cell(.cell, text: "text", separators: .between)])
        let sections = fiveByFive { _, id, items in WantedSection(id, whole: items) }
        return WantedSnapshot(title: title, layout: layout, whole: sections)
    }

    /// Five sections of five numbers, 0 to 24. The text of each names its first place, as `section,item`.
    private func fiveByFive(_ section: (Int, ByteText, [NewItem]) -> WantedSection) -> [WantedSection] {
        (0..<5).map { index in
            let id: ByteText = "section-\(index)"
            var namer = ItemNamer(section: id)
            let items = (0..<5).map { row -> NewItem in
                let number = index * 5 + row
                let content: JSONValue = ["number": .integer(number), "text": .string("\(index),\(row)")]
                return NewItem(namer.name(for: "\(number)"), kind: "number", content: content)
            }
            return section(index, id, items)
        }
    }
}

// MARK: - Nested groups

/// A group with one large item beside two small ones.
private func nested(width: Double) -> Group {
    let leading = GroupItem(width: .fractionalWidth(0.7), height: .fractionalHeight(1), insets: .all(10))
    let small = GroupItem(width: .fractionalWidth(1), height: .fractionalHeight(0.3), insets: .all(10))
    let trailing = Group(
        .vertical, width: .fractionalWidth(0.3), height: .fractionalHeight(1), .repeated(small, count: 2))
    return Group(
        .horizontal, width: .fractionalWidth(width), height: .fractionalHeight(0.4),
        .sequence([.item(leading), .group(trailing)]))
}

private let rounded = Background(color: .systemBlue, corner: 8, stroke: .systemGray)

extension Sample {
    var nestedGroupsSnapshot: WantedSnapshot {
        WantedSnapshot(
            title: title, layout: Layout(Groups(nested(width: 1)), background: rounded),
            whole: [WantedSection("main", whole: numbers(0..<100, in: "main"))])
    }

    var orthogonalSectionsSnapshot: WantedSnapshot {
        let layout = Layout(
            .orthogonal(.continuous, Groups(nested(width: 0.85))), cells: ["number": .number(rounded)])
        let sections = (0..<5).map { index in
            let id: ByteText = "section-\(index)"
            return WantedSection(id, whole: numbers(index * 30..<index * 30 + 30, in: id))
        }
        return WantedSnapshot(title: title, layout: layout, whole: sections)
    }

    /// One section for each behaviour, with the name of the behaviour as its header.
    var orthogonalBehaviorsSnapshot: WantedSnapshot {
        let behaviors: [OrthogonalBehavior] = [
            .continuous, .continuousGroupLeadingBoundary, .paging, .groupPaging, .groupPagingCentered, .none,
        ]
        let sections = behaviors.enumerated().map { index, behavior in
            let layout = Layout(
                .orthogonal(behavior, Groups(nested(width: behavior == .none ? 1 : 0.85))),
                supplementaries: [
                    Supplementary(.header, elementKind: Self.headerKind, alignment: .top, insets: .all(10))
                ],
                cells: ["number": .number(rounded)])
            return WantedSection(
                ByteText(behavior.rawValue), layout: layout, header: ".\(behavior.rawValue)",
                whole: numbers(index * 18..<index * 18 + 18, in: ByteText(behavior.rawValue)))
        }
        let spacing = Layout(.grid(Groups()), interSectionSpacing: 20)
        return WantedSnapshot(title: title, layout: spacing, whole: sections)
    }
}
