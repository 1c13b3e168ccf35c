import TestSupport
import Testing

@testable import ListModel

/// The cost of a transaction in steps. It is at most linear in the transaction, and never multiplies with the length of
/// the list. Steps are counted because a clock also measures how busy the machine is.
@Suite struct LinearWorkTests {
    /// A transaction of a given number of parts, on a list of the same length.
    struct Work: Sendable, CustomTestStringConvertible {
        var name: String
        var list: @Sendable (Int) throws -> ListState
        var operations: @Sendable (Int) -> [Operation]
        var testDescription: String { name }
    }

    private static func section(_ number: Int) -> SectionID { SectionID(unchecked: "s\(number)") }
    private static func sections(_ count: Int) -> [SectionID] { (0..<count).map(section) }
    private static func new(_ ids: [SectionID]) -> [NewSection] { ids.map { NewSection(SectionProperties(id: $0)) } }

    private static func empty(_ count: Int) -> ListState { ListState(ListProperties(title: "")) }

    private static func list(ofSections count: Int) throws -> ListState {
        var list = empty(0)
        try list.commit([.appendSections(new(sections(count)))])
        return list
    }

    /// Transactions on lists of sections.
    static let works = [
        Work(name: "append sections", list: empty) { [.appendSections(new(sections($0)))] },
        Work(name: "append sections one by one", list: empty) { sections($0).map { .appendSections(new([$0])) } },
        Work(name: "insert sections before the first", list: empty) { count in
            [.appendSections(new([section(0)]))]
                + (1..<count).map { .insertSections(new([section($0)]), .before(section($0 - 1))) }
        },
        Work(name: "delete sections from the first on", list: list(ofSections:)) { [.deleteSections(sections($0))] },
        Work(name: "delete sections from the last on", list: list(ofSections:)) {
            [.deleteSections(sections($0).reversed())]
        },
        Work(name: "delete all", list: list(ofSections:)) { _ in [.deleteAllItems] },
        Work(name: "reload sections", list: list(ofSections:)) { [.reloadSections(sections($0))] },
        Work(name: "move each section to the front", list: list(ofSections:)) { count in
            sections(count).dropFirst().map { .moveSection($0, .before(section(0))) }
        },
        Work(name: "update each section", list: list(ofSections:)) { count in
            sections(count).map { id in
                var changes = SectionChanges()
                changes.title = .set("new")
                return .updateSection(id, changes)
            }
        },
        Work(name: "an item for each section", list: list(ofSections:)) { count in
            sections(count).map {
                .appendItems([NewItem(ItemID(unchecked: "i\($0.rawValue)"), value: ItemChanges())], .section($0))
            }
        },
        Work(name: "a snapshot of other sections", list: list(ofSections:)) { count in
            [
                .applySnapshot(
                    WantedSnapshot(sections: (0..<count).map { WantedSection(section(count + $0), items: []) }))
            ]
        },
    ]

    private static func item(_ number: Int) -> ItemID { ItemID(unchecked: "i\(number)") }

    /// Items of which each is the child of the one before, all collapsed.
    private static func chain(_ count: Int) throws -> ListState {
        var list = empty(0)
        let items = (0..<count).map { number in
            NewItem(item(number), parent: number == 0 ? nil : item(number - 1), value: ItemChanges())
        }
        try list.commit([
            .appendSections([NewSection(SectionProperties(id: section(0)), items: items)] + new([section(1)]))
        ])
        return list
    }

    /// Transactions on items of which each is the child of the one before.
    static let deepWorks = [
        Work(name: "expand from the root down", list: chain) { count in [.setExpanded((0..<count).map(item), true)] },
        Work(name: "expand from the leaf up", list: chain) { count in
            [.setExpanded((0..<count).reversed().map(item), true)]
        },
        Work(name: "expand, then collapse from the leaf up", list: chain) { count in
            [.setExpanded((0..<count).map(item), true), .setExpanded((0..<count).reversed().map(item), false)]
        },
        Work(name: "a section of all of them, named from the leaf up", list: chain) { count in
            let items = (0..<count).reversed().map { NewItem(item($0)) }
            return [.applySectionSnapshot(WantedSection(section(1), items: items))]
        },
        Work(name: "delete each, from the root down", list: chain) { count in [.deleteItems((0..<count).map(item))] },
        Work(name: "a move that would be a cycle", list: chain) { count in
            (0..<count / 2).map { _ in .moveItem(item(count - 1), .last(.parent(item(count - 2)))) }
        },
    ]

    @Test(arguments: deepWorks)
    func depthCostsNothingForEach(_ work: Work) throws {
        let (few, many) = (try steps(work, 1_000), try steps(work, 2_000))
        #expect(many * 10 <= few * 25, "\(few) steps for 1,000, \(many) for 2,000")
    }

    @Test(arguments: works)
    func twiceAsManyCostTwiceAsMuch(_ work: Work) throws {
        let count = Soak.isLong ? 4_000 : 2_000
        let (few, many) = (try steps(work, count), try steps(work, 2 * count))
        #expect(many * 10 <= few * 25, "\(few) steps for \(count), \(many) for twice as many")
    }

    /// Carries out the operations, takes them back, and carries out their edits again. Returns the steps of all this.
    private func steps(_ work: Work, _ count: Int) throws -> Int {
        let (before, operations) = (try work.list(count), work.operations(count))
        return try Steps.taken {
            var (after, log) = (before, TransactionLog())
            for operation in operations { try after.apply(operation, rules: .lenient, into: &log) }
            let again = try before.replaying(log.edits)
            #expect(again.sectionHandles.count == after.sectionHandles.count)
            after.forget(log.delta)
            #expect(after.sectionCount == before.sectionCount)
        }
    }
}
