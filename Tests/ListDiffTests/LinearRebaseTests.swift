import TestSupport
import Testing

@testable import ListDiff
@testable import ListModel

/// The number of steps that it takes to carry operations over to a head which has lost much of their base.
@Suite struct LinearRebaseTests {
    private static func item(_ number: Int) -> ItemID { ItemID(unchecked: "i\(number)") }
    private static func section(_ number: Int) -> SectionID { SectionID(unchecked: "s\(number)") }

    private static func items(_ count: Int) throws -> ListState {
        var list = ListState(ListProperties(title: ""))
        let items = (0..<count).map { NewItem(item($0), value: ItemChanges()) }
        try list.commit([.appendSections([NewSection(SectionProperties(id: section(0)), items: items)])])
        return list
    }

    private static func sections(_ count: Int) throws -> ListState {
        var list = ListState(ListProperties(title: ""))
        try list.commit([.appendSections((0..<count).map { NewSection(SectionProperties(id: section($0))) })])
        return list
    }

    struct Work: Sendable, CustomTestStringConvertible {
        var name: String
        var list: @Sendable (Int) throws -> ListState
        var loss: @Sendable (Int) -> ListModel.Operation
        var operations: @Sendable (Int) -> [ListModel.Operation]
        var testDescription: String { name }
    }

    /// The anchor of each operation is gone, and so is everything to the left of it.
    static let works = [
        Work(name: "items beside items", list: items) {
            .deleteItems((1..<$0).map(item))
        } operations: { count in
            (1..<count).map { number in
                let new = NewItem(ItemID(unchecked: "n\(number)"), value: ItemChanges())
                return .insertItems([new], ItemAnchor(.after, item(number)))
            }
        },
        Work(name: "a move beside items", list: items) {
            .deleteItems((1..<$0).map(item))
        } operations: { count in
            (1..<count).map { .moveItem(item(0), .anchor(ItemAnchor(.before, item($0)))) }
        },
        Work(name: "sections beside sections", list: sections) {
            .deleteSections((1..<$0).map(section))
        } operations: {
            count in
            (1..<count).map { number in
                .insertSections(
                    [NewSection(SectionProperties(id: SectionID(unchecked: "n\(number)")))], .after(section(number)))
            }
        },
        Work(name: "sections that come back", list: sections) {
            .deleteSections((1..<$0).map(section))
        } operations: {
            count in
            (1..<count / 2).flatMap { number -> [ListModel.Operation] in
                [
                    .appendSections([NewSection(SectionProperties(id: section(number)))]),
                    .deleteSections([section(number)]), .moveSection(section(0), .after(section(count - number))),
                ]
            }
        },
    ]

    @Test(arguments: works)
    func eachOperationCostsAboutTheSame(_ work: Work) throws {
        let (few, many) = (try steps(work, 1_000), try steps(work, 2_000))
        #expect(many * 10 <= few * 25, "\(few) steps for 1,000, \(many) for 2,000")
    }

    private func steps(_ work: Work, _ count: Int) throws -> Int {
        let base = try work.list(count)
        var head = base
        try head.commit(work.loss(count))
        var rebase = Rebase(base: base, start: head)
        return try Steps.taken {
            var log = TransactionLog()
            for operation in work.operations(count) {
                for resolved in rebase.resolve(operation, on: head).operations {
                    try head.apply(resolved, rules: .lenient, into: &log)
                }
            }
        }
    }

    /// A reversed final order. The head has lost most of its rows.
    @Test func anchorsOfAReorderAreLookedForOnce() throws {
        func steps(_ count: Int) throws -> Int {
            let base = try Self.items(count)
            var head = base
            try head.commit(.deleteItems((1..<count).map(Self.item)))
            let order = Reorder(
                view: .items,
                sections: [Reorder.SectionOrder(Self.section(0), .final((0..<count).reversed().map(Self.item)))])
            return try Steps.taken { _ = try order.operations(base: base, head: head, isBased: true) }
        }
        let (few, many) = (try steps(1_000), try steps(2_000))
        #expect(many * 10 <= few * 25, "\(few) steps for 1,000, \(many) for 2,000")
    }
}
