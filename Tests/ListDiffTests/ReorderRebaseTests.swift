import ListDiff
import ListModel
import TestSupport
import Testing

/// Plans that are carried out on a head that has moved on.
@Suite struct ReorderRebaseTests {
    /// The head after the plan, and the outcome of each operation.
    static func rebase(
        _ reorder: Reorder, from base: ListState, to head: ListState
    ) throws -> (state: ListState, outcomes: [Outcome]) {
        var state = head
        var rebase = Rebase(base: base, start: head)
        var outcomes: [Outcome] = []
        for operation in try reorder.operations(base: base, head: head, isBased: true).groups.flatMap(\.operations) {
            let resolution = rebase.resolve(operation, on: state)
            state = try state.applying(resolution.operations)
            outcomes.append(resolution.outcome)
        }
        return (state, outcomes)
    }

    struct Race: Sendable, CustomTestStringConvertible {
        var name: String
        var base: String
        var since: [ListModel.Operation]
        var final: [(SectionID, String)]
        var result: String
        var outcomes: [Outcome] = [.applied]
        var testDescription: String { name }
    }

    @Test(arguments: [
        Race(
            name: "another row was moved", base: "A: a b c d", since: [.moveItem("d", .first(.section("A")))],
            final: [("A", "b c a d")], result: "A: d b c a"),
        Race(
            name: "the left sibling was deleted", base: "A: a b c d", since: [.deleteItems(["c"])],
            final: [("A", "b c a d")], result: "A: b a d", outcomes: [.adjusted(.anchorDeleted)]),
        Race(
            name: "the left sibling left the section", base: "A: a b c d | B: x",
            since: [.moveItem("c", .last(.section("B")))], final: [("A", "b c a d"), ("B", "x")],
            result: "A: b a d | B: x c", outcomes: [.adjusted(.anchorDeleted)]),
        Race(
            name: "the row was deleted", base: "A: a b c", since: [.deleteItems(["a"])], final: [("A", "b c a")],
            result: "A: b c", outcomes: [.dropped(.itemDeleted)]),
        Race(
            name: "a left sibling that moves as well was deleted", base: "A: a b c d e", since: [.deleteItems(["a"])],
            final: [("A", "c d e a b")], result: "A: c d e b", outcomes: [.dropped(.itemDeleted), .applied]),
        Race(
            name: "the section was deleted", base: "A: a b | B: x", since: [.deleteSections(["B"])],
            final: [("A", "b"), ("B", "x a")], result: "A: a b", outcomes: [.dropped(.sectionDeleted)]),
        Race(
            name: "the new parent was deleted", base: "A: p{x y} q r", since: [.deleteItems(["p"])],
            final: [("A", "p q x y r")], result: "A: q r", outcomes: [.dropped(.parentDeleted)]),
        Race(
            name: "the new parent was put into the row", base: "A: p{x} q",
            since: [.moveItem("p", .last(.parent("q")))],
            final: [("A", "p q x")], result: "A: q{p{x}}", outcomes: [.dropped(.cycle)]),
    ])
    func race(_ race: Race) throws {
        let base = try Outline.list(race.base)
        let head = try base.applying(race.since)
        let reorder = Reorder(view: .items, sections: race.final.map { .init($0.0, .final(Reorder.ids($0.1))) })
        let (state, outcomes) = try Self.rebase(reorder, from: base, to: head)
        #expect(state.outline == race.result)
        #expect(outcomes == race.outcomes)
    }

    /// The client has put the row behind a root. Others have put that root below a child of the row since.
    @Test func theLeftSiblingWasPutBelowAChildOfTheRow() throws {
        let base = try Outline.list("A: a p{x} q")
        let head = try base.applying([.moveItem("q", .last(.parent("x")))])
        let moved = Reorder.Wanted.difference(
            insertions: [.init(offset: 3, element: "p")], removals: [.init(offset: 1, element: "p")])
        let reorder = Reorder(view: .items, sections: [.init("A", moved)])
        let (state, outcomes) = try Self.rebase(reorder, from: base, to: head)
        #expect(state.outline == "A: a p{x{q}}")
        #expect(outcomes == [.dropped(.cycle)])
        var rebase = Rebase(base: base, start: head)
        let inserted = rebase.resolve(.insertItems([NewItem("p")], ItemAnchor(.after, "q")), on: head)
        #expect(inserted.operations.isEmpty)
        #expect(inserted.outcome == .dropped(.cycle))
    }

    /// A stale difference is rebased (docs/contract.md section 6). Deletions and additions by others do not change the
    /// order of the other items. No item is lost, and none comes twice.
    @Test("case 48: on a stale base by either method", arguments: Soak.seeds(100))
    func deletionsAndAdditionsKeepTheWantedOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let (base, names, new) = try RandomReorder.flat(&random)
            let gone = new.flatMap { $0 }.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            var since: [ListModel.Operation] = [.deleteItems(gone)]
            for (number, name) in names.enumerated() where Bool.random(using: &random) {
                since.append(
                    .appendItems([NewItem(ItemID(unchecked: "n\(number)"), value: ItemChanges())], .section(name)))
            }
            let head = try base.applying(since)
            for reorder in RandomReorder.bothMethods(base, names, new) {
                let (state, _) = try Self.rebase(reorder, from: base, to: head)
                let left = names.map { state.ids($0).filter { base.contains($0) } }
                try #require(
                    left == new.map { $0.filter { !gone.contains($0) } }, "\(base.outline) to \(new) without \(gone)")
            }
        }
    }

    /// A reorder is carried out as far as possible, whatever others have done. It is refused only if its order is not a
    /// tree at its base.
    @Test(arguments: Soak.seeds(100))
    func anyHeadWillDo(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let (base, names) = try RandomReorder.outline(&random)
            let new = RandomReorder.deal(
                RandomReorder.shuffledALittle(names.flatMap { base.ids($0) }, &random), names, &random)
            let head = try RandomReorder.drift(base, &random)
            for reorder in RandomReorder.bothMethods(base, names, new) {
                do {
                    let (state, _) = try Self.rebase(reorder, from: base, to: head)
                    try #require(state.isValid)
                    try #require(state.itemCount == head.itemCount)
                } catch ReorderError.model(.cycle), ReorderError.model(.notATree) {
                    continue
                }
            }
        }
    }
}
