import ListDiff
import ListModel
import Testing

/// The reorders of docs/model.md section 15 by their numbers, and the rules of docs/contract.md section 6.
@Suite struct ReorderTests {
    struct Drag: Sendable, CustomTestStringConvertible {
        var name: String
        var base: String
        var view: View = .items
        /// The final order of section A, or of all sections with their names.
        var final: [(SectionID, String)]
        var result: String
        /// The number of moves in the plan.
        var moves = 1
        var testDescription: String { name }
    }

    static let explorer = "A: Smileys Nature{fox bee} +Food{w a p} Act"

    static let drags = [
        Drag(name: "case 44: last to front", base: "A: h l r", final: [("A", "r h l")], result: "A: r h l"),
        Drag(
            name: "case 45: into another section", base: "S: h l r | N: t f", final: [("S", "h r"), ("N", "t l f")],
            result: "S: h r | N: t l f"),
        Drag(
            name: "case 46: flat order unchanged", base: "S: h l r | N: t f", final: [("S", "h l"), ("N", "r t f")],
            result: "S: h l | N: r t f"),
        Drag(
            name: "case 47: last item leaves", base: "S: h | N: t", final: [("S", ""), ("N", "t h")],
            result: "S: | N: t h"),
        Drag(
            name: "case 49: expanded parent to front", base: explorer, view: .visible,
            final: [("A", "Food w a p Smileys Nature Act")], result: "A: Food{w a p} Smileys Nature{fox bee} Act"),
        Drag(
            name: "case 50: collapsed parent", base: explorer, view: .visible,
            final: [("A", "Smileys Food w a p Act Nature")], result: "A: Smileys Food{w a p} Act Nature{fox bee}"),
        Drag(
            name: "case 50: child becomes root", base: explorer, view: .visible,
            final: [("A", "Smileys Nature Food w p Act a")], result: "A: Smileys Nature{fox bee} Food{w p} Act a"),
        Drag(
            name: "case 50: hidden child into an expanded parent", base: explorer, view: .visible,
            final: [("A", "Smileys Nature Food w fox a p Act")],
            result: "A: Smileys Nature{bee} Food{w fox a p} Act"),
        Drag(
            name: "case 52: between a parent and its first child", base: explorer, view: .visible,
            final: [("A", "Smileys Nature Food Act w a p")], result: "A: Smileys Nature{fox bee} Food{Act w a p}"),
        Drag(
            name: "case 52: below the last child", base: "A: r +F{w p} q", view: .visible, final: [("A", "F w p r q")],
            result: "A: F{w p} r q"),
        Drag(
            name: "child of another parent takes that of the row above", base: "A: +F{w p} +G{x y}",
            final: [("A", "F w G x p y")], result: "A: F{w} G{x p y}"),
        Drag(
            name: "only the parent row was moved", base: explorer, view: .visible,
            final: [("A", "Smileys Nature w a p Act Food")], result: "A: Smileys Nature{fox bee} Act Food{w a p}"),
        Drag(
            name: "only the parent row was moved, into another section", base: "A: +F{w p} q | B: x",
            final: [("A", "w p q"), ("B", "x F")], result: "A: q | B: x F{w p}"),
        Drag(
            name: "subtree into another section", base: "A: +F{w p} q | B: x", final: [("A", "q"), ("B", "F w p x")],
            result: "A: q | B: F{w p} x"),
        Drag(
            name: "a row dropped among rows that travel", base: "A: +F{w x y z} q r s",
            final: [("A", "q r w s x y z F")], result: "A: q r F{w s x y z}", moves: 2),
        Drag(
            name: "many rows past one", base: "A: a b c d e", final: [("A", "b c d e a")], result: "A: b c d e a"),
        Drag(name: "reversed", base: "A: a b c d", final: [("A", "d c b a")], result: "A: d c b a", moves: 3),
        Drag(name: "what is earlier stays", base: "A: a b c d", final: [("A", "a c b d")], result: "A: a c b d"),
        Drag(name: "nothing", base: "A: a b{c}", final: [("A", "a b c")], result: "A: a b{c}", moves: 0),
        Drag(
            name: "parent and child change places", base: "A: p{c{d}}", final: [("A", "c p d")],
            result: "A: c{d} p"),
    ]

    @Test(arguments: drags)
    func final(_ drag: Drag) throws {
        let base = try Outline.list(drag.base)
        let reorder = Reorder(
            view: drag.view, sections: drag.final.map { .init($0.0, .final(Reorder.ids($0.1))) })
        let plan = try reorder.operations(base: base, head: base, isBased: true)
        let new = try base.applying(plan)
        #expect(new.outline == (try Outline.list(drag.result)).outline)
        #expect(plan.groups.map(\.section) == drag.final.map(\.0))
        #expect(plan.groups.map(\.operations.count).reduce(0, +) == drag.moves)
        #expect(plan.warnings.isEmpty)
        #expect(new.isValid)
    }

    @Test(arguments: drags)
    func differenceOfTheSameRows(_ drag: Drag) throws {
        let base = try Outline.list(drag.base)
        // These cases have no difference: a difference cannot name a hidden row, and one with the parent would put it
        // between its children.
        let isOnlyFinal = ["case 50: hidden child into an expanded parent", "parent and child change places"]
        guard !isOnlyFinal.contains(drag.name) else { return }
        let reorder = Reorder(
            view: drag.view,
            sections: drag.final.map {
                .init($0.0, Reorder.difference(base.ids($0.0, drag.view), Reorder.ids($0.1)))
            })
        let new = try base.applying(reorder.plan(base))
        #expect(new.isValid)
        guard !drag.base.contains("{") else { return }
        #expect(new.outline == (try Outline.list(drag.result)).outline)
    }

    @Test("cases 49 and 56: content, flags and children go along to another section")
    func keepsContentFlagsAndChildrenAcrossSections() throws {
        let base = try Outline.list("S: h +F{w{v} p} r | N: t").applying([.setStarred(["F", "v"], true)])
        let reorder = Reorder(
            view: .visible, sections: [.init("N", .final(["t", "F"])), .init("S", .final(["h", "w", "p", "r"]))])
        let new = try base.applying(reorder.plan(base))
        #expect(new.outline == "S: h r | N: t F{w{v} p}")
        for id in ["F", "v", "h"] as [ItemID] {
            let (old, now) = (try #require(base.handle(of: id)), try #require(new.handle(of: id)))
            #expect(base[old] == new[now])
        }
    }

    @Test("case 18: the row that moves is the one that the difference names")
    func namesTheRowThatTheDifferenceNames() throws {
        let base = try Outline.list("A: a b c d")
        func moved(_ offset: Int, _ element: ItemID, to target: Int) throws -> [Operation] {
            try Reorder(
                view: .items,
                sections: [
                    .init(
                        "A",
                        .difference(
                            insertions: [.init(offset: target, element: element)],
                            removals: [.init(offset: offset, element: element)]))
                ]
            ).plan(base).groups[0].operations
        }
        let section = Container.section("A")
        #expect(try moved(1, "b", to: 2) == [.moveItem("b", .anchor(ItemAnchor(.after, "c", guardedBy: section)))])
        #expect(try moved(2, "c", to: 1) == [.moveItem("c", .anchor(ItemAnchor(.after, "a", guardedBy: section)))])
        #expect(try moved(1, "b", to: 0) == [.moveItem("b", .first(section))])
    }

    // MARK: 51, 63: refusals

    struct Refusal: Sendable, CustomTestStringConvertible {
        var name: String
        var base: String
        var view: View = .items
        var sections: [Reorder.SectionOrder]
        var error: ReorderError
        var testDescription: String { name }
    }

    static func difference(
        _ removals: [Reorder.Change] = [], _ insertions: [Reorder.Change] = [], section: SectionID = "A"
    ) -> Reorder.SectionOrder {
        .init(section, .difference(insertions: insertions, removals: removals))
    }

    static func fault(
        _ change: ReorderError.ChangeIndex, _ reason: ReorderError.DifferenceFault, section: SectionID = "A"
    ) -> ReorderError {
        .invalidDifference(section: section, change: change, reason: reason)
    }

    static let refusals = [
        Refusal(
            name: "case 51: between its own children", base: explorer, view: .visible,
            sections: [.init("A", .final(Reorder.ids("Smileys Nature w a Food p Act")))], error: .model(.cycle("Food"))),
        Refusal(
            name: "case 51: below its first child, as the difference says", base: explorer, view: .visible,
            sections: [difference([.init(offset: 2, element: "Food")], [.init(offset: 3, element: "Food")])],
            error: .model(.cycle("Food"))),
        Refusal(
            name: "two parents in each other's subtree", base: "A: p{a b} q{c d}",
            sections: [.init("A", .final(Reorder.ids("a q b c p d")))], error: .model(.notATree("q"))),
        Refusal(
            name: "unknown section", base: "A: a", sections: [.init("Z", .final([]))],
            error: .model(.unknownSection("Z"))),
        Refusal(
            name: "a section twice", base: "A: a", sections: [.init("A", .final(["a"])), .init("A", .final(["a"]))],
            error: .model(.repeatedSection("A"))),
        Refusal(
            name: "an id twice", base: "A: a b", sections: [.init("A", .final(["a", "b", "a"]))],
            error: .repeatedItem("a")),
        Refusal(
            name: "an id in two sections", base: "A: a b | B: c",
            sections: [.init("A", .final(["a", "b"])), .init("B", .final(["c", "a"]))], error: .repeatedItem("a")),
        Refusal(
            name: "case 63: insertion at Int.max", base: "A: a b",
            sections: [difference([.init(offset: 0, element: "a")], [.init(offset: .max, element: "a")])],
            error: fault(.insertion(0), .offsetOutOfRange)),
        Refusal(
            name: "case 63: removal beyond the end", base: "A: a b",
            sections: [difference([.init(offset: 2, element: "a")])],
            error: fault(.removal(0), .offsetOutOfRange)),
        Refusal(
            name: "case 63: negative", base: "A: a b", sections: [difference([.init(offset: -1, element: "a")])],
            error: fault(.removal(0), .offsetOutOfRange)),
        Refusal(
            name: "case 63: gap", base: "A: a b",
            sections: [difference([.init(offset: 0, element: "a")], [.init(offset: 2, element: "a")])],
            error: fault(.insertion(0), .offsetOutOfRange)),
        Refusal(
            name: "case 63: two removals at one offset", base: "A: a b",
            sections: [difference([.init(offset: 0, element: "a"), .init(offset: 0, element: "a")])],
            error: fault(.removal(1), .repeatedOffset)),
        Refusal(
            name: "case 63: two insertions at one offset", base: "A: a b c",
            sections: [
                difference(
                    [.init(offset: 0, element: "a"), .init(offset: 1, element: "b")],
                    [.init(offset: 1, element: "a"), .init(offset: 1, element: "b")])
            ], error: fault(.insertion(1), .repeatedOffset)),
        Refusal(
            name: "case 48: another element", base: "A: a b",
            sections: [difference([.init(offset: 0, element: "b")], [.init(offset: 1, element: "b")])],
            error: fault(.removal(0), .otherElement)),
        Refusal(
            name: "case 63: association to another id", base: "A: a b c",
            sections: [
                difference(
                    [.init(offset: 0, element: "a", associatedOffset: 2), .init(offset: 1, element: "b")],
                    [.init(offset: 1, element: "a"), .init(offset: 2, element: "b")])
            ], error: fault(.removal(0), .brokenAssociation)),
        Refusal(
            name: "case 63: association to nothing", base: "A: a b",
            sections: [
                difference(
                    [.init(offset: 0, element: "a")], [.init(offset: 1, element: "a", associatedOffset: 1)])
            ], error: fault(.insertion(0), .brokenAssociation)),
        Refusal(
            name: "case 63: associations disagree", base: "A: a b c",
            sections: [
                difference(
                    [.init(offset: 0, element: "a", associatedOffset: 1)],
                    [.init(offset: 1, element: "a", associatedOffset: 2)])
            ], error: fault(.removal(0), .brokenAssociation)),
        Refusal(
            name: "case 63: the result holds an id twice", base: "A: a b",
            sections: [difference([], [.init(offset: 2, element: "a")])], error: fault(.insertion(0), .repeatedItem)),
        Refusal(
            name: "an id inserted twice", base: "A: a b",
            sections: [difference([], [.init(offset: 1, element: "x"), .init(offset: 2, element: "x")])],
            error: fault(.insertion(1), .repeatedItem)),
        Refusal(
            name: "removed and nowhere inserted", base: "A: a b",
            sections: [difference([.init(offset: 0, element: "a")])],
            error: fault(.removal(0), .doesNotArrive)),
        Refusal(
            name: "inserted and unknown", base: "A: a b", sections: [difference([], [.init(offset: 0, element: "x")])],
            error: fault(.insertion(0), .unknownItem)),
        Refusal(
            name: "inserted from a section that is not asked", base: "A: a | B: b",
            sections: [difference([], [.init(offset: 0, element: "b")])], error: fault(.insertion(0), .doesNotLeave)),
        Refusal(
            name: "inserted from a section that keeps it", base: "A: a | B: b",
            sections: [difference([], [.init(offset: 0, element: "b")]), difference(section: "B")],
            error: fault(.insertion(0), .doesNotLeave)),
        Refusal(
            name: "final lacks a row", base: "A: a b", sections: [.init("A", .final(["a"]))],
            error: .invalidFinal(section: "A", item: "b", reason: .missing)),
        Refusal(
            name: "final has an unknown id", base: "A: a b", sections: [.init("A", .final(["a", "x", "b"]))],
            error: .invalidFinal(section: "A", item: "x", reason: .unknownItem)),
        Refusal(
            name: "final takes from a section that is not asked", base: "A: a | B: b",
            sections: [.init("A", .final(["a", "b"]))],
            error: .invalidFinal(section: "A", item: "b", reason: .inAnotherSection)),
    ]

    @Test(arguments: refusals)
    func refusal(_ row: Refusal) throws {
        let base = try Outline.list(row.base)
        let reorder = Reorder(view: row.view, sections: row.sections)
        #expect(reorderError { try reorder.plan(base) } == row.error)
    }

    @Test("case 64: an association may be left out, on either side or on both")
    func takesAssociationsOnEitherSideOrNone() throws {
        let base = try Outline.list("A: a b c")
        for (removal, insertion) in [(nil, nil), (2, nil), (nil, 0), (2, 0)] as [(Int?, Int?)] {
            let difference = Self.difference(
                [.init(offset: 0, element: "a", associatedOffset: removal)],
                [.init(offset: 2, element: "a", associatedOffset: insertion)])
            let plan = try Reorder(view: .items, sections: [difference]).plan(base)
            #expect(try base.applying(plan).outline == "A: b c a")
        }
    }

    @Test("case 65: the inverse restores the base, and does not fit what came after")
    func theInverseRestoresTheBase() throws {
        let base = try Outline.list("A: a b c d | B: x y")
        let (a, b): ([ItemID], [ItemID]) = (["d", "y", "b", "a"], ["x", "c"])
        func both(_ old: ([ItemID], [ItemID]), _ new: ([ItemID], [ItemID])) -> Reorder {
            Reorder(
                view: .items,
                sections: [
                    .init("A", Reorder.difference(old.0, new.0)), .init("B", Reorder.difference(old.1, new.1)),
                ])
        }
        let old = (base.ids("A"), base.ids("B"))
        let new = try base.applying(both(old, (a, b)).plan(base))
        #expect(new.outline == "A: d y b a | B: x c")
        let undo = both((a, b), old)
        #expect(try new.applying(undo.plan(new)).outline == base.outline)
        let later = try new.applying([.moveItem("b", .first(.section("A")))])
        #expect(reorderError { try undo.plan(later) } == Self.fault(.removal(0), .otherElement))
    }
}
