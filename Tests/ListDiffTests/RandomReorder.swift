import ListDiff
import ListModel
import TestSupport

/// Random lists, reorders by clients, and writes of others in between.
enum RandomReorder {
    /// A list without hierarchy, and new rows for each of its sections.
    static func flat(_ random: inout SeededGenerator) throws -> (ListState, [SectionID], [[ItemID]]) {
        let names = (0..<Int.random(in: 1...4, using: &random)).map { SectionID(unchecked: "S\($0)") }
        let items = (0..<Int.random(in: 2...12, using: &random)).map { ItemID(unchecked: "i\($0)") }
        let base = try list(names, deal(items, names, &random))
        let rows = names.flatMap { base.ids($0) }
        let dealt = deal(shuffledALittle(rows, &random), names, &random)
        guard Bool.random(using: &random) else { return (base, names, dealt) }
        return (base, names, names.map { shuffledALittle(base.ids($0), &random) })
    }

    /// The reorder as differences and as final orders.
    static func bothMethods(
        _ base: ListState, _ names: [SectionID], _ new: [[ItemID]], _ view: View = .items
    ) -> [Reorder] {
        [
            Reorder(
                view: view, sections: zip(names, new).map { .init($0, Reorder.difference(base.ids($0, view), $1)) }),
            Reorder(view: view, sections: zip(names, new).map { .init($0, .final($1)) }),
        ]
    }

    /// The list after a few operations of other clients.
    static func drift(_ base: ListState, _ random: inout SeededGenerator) throws -> ListState {
        var head = base
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            let items = head.sectionHandles.flatMap { head.rows(of: $0) }.map { head[$0].id }
            guard let item = items.randomElement(using: &random), let other = items.randomElement(using: &random),
                let section = head.sectionHandles.randomElement(using: &random).map({ head[$0].id })
            else { continue }
            let operation: Operation =
                switch Int.random(in: 0..<7, using: &random) {
                case 0: .deleteItems([item])
                case 1: .moveItem(item, .last(.parent(other)))
                case 2: .moveItem(item, .first(.section(section)))
                case 3: .moveItem(item, .anchor(ItemAnchor(.after, other)))
                case 4:
                    .appendItems(
                        [NewItem(ItemID(unchecked: "n\(random.next())"), value: ItemChanges())], .section(section))
                case 5: .setExpanded([item], Bool.random(using: &random))
                default: .deleteSections([section])
                }
            // An operation that the list refuses, such as a cycle, is left out.
            head = (try? head.applying([operation])) ?? head
        }
        return head
    }

    static func list(_ names: [SectionID], _ rows: [[ItemID]]) throws -> ListState {
        try ListState(ListProperties(title: "")).applying([
            .appendSections(
                zip(names, rows).map {
                    NewSection(SectionProperties(id: $0), items: $1.map { NewItem($0, value: ItemChanges()) })
                })
        ])
    }

    static func deal(_ items: [ItemID], _ names: [SectionID], _ random: inout SeededGenerator) -> [[ItemID]] {
        var hands = names.map { _ in [ItemID]() }
        for item in items { hands[Int.random(in: names.indices, using: &random)].append(item) }
        return hands
    }

    static func shuffledALittle(_ items: [ItemID], _ random: inout SeededGenerator) -> [ItemID] {
        guard !items.isEmpty, Bool.random(using: &random) else { return items.shuffled(using: &random) }
        var items = items
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let item = items.remove(at: Int.random(in: items.indices, using: &random))
            items.insert(item, at: Int.random(in: 0...items.count, using: &random))
        }
        return items
    }

    static func outline(_ random: inout SeededGenerator) throws -> (ListState, [SectionID]) {
        let names = (0..<Int.random(in: 1...3, using: &random)).map { SectionID(unchecked: "S\($0)") }
        var serial = 0
        var expanded: [ItemID] = []
        let sections = names.map { name in
            var branch: [ItemID] = []
            let items = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                serial += 1
                let id = ItemID(unchecked: "i\(serial)")
                branch.removeLast(branch.count - Int.random(in: 0...branch.count, using: &random))
                let parent = branch.last
                branch.append(id)
                if Int.random(in: 0..<3, using: &random) > 0 { expanded.append(id) }
                return NewItem(id, parent: parent, value: ItemChanges())
            }
            return NewSection(SectionProperties(id: name), items: items)
        }
        let list = try ListState(ListProperties(title: "")).applying([
            .appendSections(sections), .setExpanded(expanded, true),
        ])
        return (list, names)
    }
}
