import ListDiff
import ListModel
import Testing

/// The choice of the rows that move, and orders that do not fit the list.
@Suite struct ReorderPolicyTests {
    struct Preference: Sendable, CustomTestStringConvertible {
        var base: String
        var final: String
        /// The items that move.
        var moved: String
        var testDescription: String { "\(base) to \(final)" }
    }

    @Test(
        "case 54: others move past an item that is fixed",
        arguments: [
            Preference(base: "A: a b", final: "b a", moved: "b"),
            Preference(base: "A: a! b", final: "b a", moved: "b"),
            Preference(base: "A: a b!", final: "b a", moved: "a"),
            Preference(base: "A: a b c d!", final: "c d a b", moved: "a b"),
            Preference(base: "A: a b c! d e", final: "c a d e b", moved: "a b"),
            Preference(base: "^A: h a b", final: "h b a", moved: "b"),
            // A locked row that passes many others is the one that moves, and the policy then refuses the reorder.
            Preference(base: "A: a b c d!", final: "d a b c", moved: "d"),
        ])
    func movesOthersPastLockedRows(_ row: Preference) throws {
        let base = try Outline.list(row.base)
        let moved = try Reorder.final("A", row.final).plan(base).groups[0].operations.map(Self.item)
        #expect(Set(moved) == Set(Reorder.ids(row.moved)))
        #expect(moved.count == Reorder.ids(row.moved).count)
    }

    static func item(_ operation: Operation) -> ItemID? {
        guard case .moveItem(let item, _) = operation else { return nil }
        return item
    }

    @Test(
        "case 54: neither a fixed item nor the header of its section is moved",
        arguments: [("A: a b c d!", "d a b c", "d"), ("^A: h a b", "a b h", "h")] as [(String, String, ItemID)])
    func policyRefusesTheMoveOfALockedRow(_ base: String, _ final: String, _ item: ItemID) throws {
        let base = try Outline.list(base)
        let plan = try Reorder.final("A", final).plan(base)
        #expect(throws: ModelError.notReorderable(item)) { _ = try base.applying(plan) }
    }

    // MARK: Without a base

    struct Loose: Sendable, CustomTestStringConvertible {
        var name: String
        var list: String
        var view: View = .items
        var final: String
        var result: String
        var warnings: [Warning]
        var testDescription: String { name }
    }

    @Test(arguments: [
        Loose(
            name: "left out rows follow", list: "A: a b c d", final: "c a d", result: "A: c a b d",
            warnings: [.keptInPlace(["b"])]),
        Loose(
            name: "the first stays first", list: "A: y a b", final: "b a", result: "A: y b a",
            warnings: [.keptInPlace(["y"])]),
        Loose(
            name: "several follow one", list: "A: a x y b", final: "b a", result: "A: b a x y",
            warnings: [.keptInPlace(["x", "y"])]),
        Loose(
            name: "unknown ids", list: "A: a b", final: "u b a v", result: "A: b a",
            warnings: [.skippedUnknown(["u", "v"])]),
        Loose(
            name: "from another section", list: "A: a b | B: c", final: "b c a", result: "A: b c a | B:", warnings: []),
        Loose(
            name: "roots only", list: "A: p{x y} q{z}", final: "q p", result: "A: q{z} p{x y}",
            warnings: [.keptInPlace(["x", "y", "z"])]),
        Loose(
            name: "hidden rows need no name", list: "A: p{x y} q{z}", view: .visible, final: "q p",
            result: "A: q{z} p{x y}", warnings: []),
        Loose(
            name: "a hidden row under a parent that is not named", list: "A: p{x y} q", view: .visible,
            final: "y x q", result: "A: p{y x} q", warnings: [.keptInPlace(["p"])]),
        Loose(
            name: "nothing named", list: "A: a b", final: "", result: "A: a b", warnings: [.keptInPlace(["a", "b"])]),
    ])
    func withoutABase(_ row: Loose) throws {
        let list = try Outline.list(row.list)
        let plan = try Reorder.final("A", row.final, row.view).operations(base: list, head: list, isBased: false)
        #expect(try list.applying(plan).outline == row.result)
        #expect(plan.warnings == row.warnings)
    }

    // MARK: With a stale base

    struct Stale: Sendable, CustomTestStringConvertible {
        var name: String
        var base: String
        var since: [Operation]
        var view: View = .items
        var final: [(SectionID, String)]
        /// The result of the plan on the head.
        var result: String
        var testDescription: String { name }
    }

    @Test(arguments: [
        Stale(
            name: "deleted since, and left out", base: "A: a b c d", since: [.deleteItems(["b"])],
            final: [("A", "a d c")], result: "A: a d c"),
        Stale(
            name: "moved away since, and left out", base: "A: a b c d | B: x",
            since: [.moveItem("b", .last(.section("B")))], final: [("A", "a d c")], result: "A: a d c | B: x b"),
        Stale(
            name: "new since, and named", base: "A: a b c",
            since: [.insertItems([NewItem("n", value: ItemChanges())], ItemAnchor(.before, "a"))],
            final: [("A", "c n a b")],
            result: "A: c n a b"),
        Stale(
            name: "several new ones", base: "A: a b c",
            since: [
                .appendItems([NewItem("m", value: ItemChanges()), NewItem("n", value: ItemChanges())], .section("A"))
            ],
            final: [("A", "n b m a c")], result: "A: n b m a c"),
        Stale(
            name: "moved here since, and named", base: "A: a b | B: x",
            since: [.moveItem("x", .last(.section("A")))], final: [("A", "x b a")], result: "A: x b a | B:"),
        Stale(
            name: "hidden since, and left out", base: "A: +p{x y} q", since: [.setExpanded(["p"], false)],
            view: .visible, final: [("A", "q p")], result: "A: q p{x y}"),
        Stale(
            name: "new child, and named", base: "A: p{x} q",
            since: [.appendItems([NewItem("n", value: ItemChanges())], .parent("p"))],
            final: [("A", "q p n x")], result: "A: q p{n x}"),
    ])
    func explainedByChangesSince(_ row: Stale) throws {
        let base = try Outline.list(row.base)
        let head = try base.applying(row.since)
        let reorder = Reorder(view: row.view, sections: row.final.map { .init($0.0, .final(Reorder.ids($0.1))) })
        let plan = try reorder.operations(base: base, head: head, isBased: true)
        #expect(try head.applying(plan).outline == row.result)
        #expect(plan.warnings.isEmpty)
    }

    @Test func aRowThatLeftTheListIsNoAnchor() throws {
        let base = try Outline.list("A: a b c d")
        let head = try base.applying([.deleteItems(["b"])])
        let plan = try Reorder.final("A", "a d c").operations(base: base, head: head, isBased: true)
        let anchor = ItemAnchor(.after, "a", guardedBy: .section("A"))
        #expect(plan.groups[0].operations == [.moveItem("d", .anchor(anchor))])
    }
}
