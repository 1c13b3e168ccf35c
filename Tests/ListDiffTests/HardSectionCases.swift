import ListModel
import TestSupport
import Testing

/// Hard cases of list differences: sections come, go and move, and their items change at the same time.
@Suite struct HardSectionCases {
    typealias Case = ChangeSetCases.Case

    static let cases = [
        Case(
            "from a section that stays into a new one", "A:a,b",
            [.insertSections([section("N")], .before("A")), .moveItem("a", .last(.section("N")))],
            items: "insS 0, del 0.0"),
        Case(
            "from a deleted section into one that stays", "A:a B:b1,b2",
            [.moveItem("b2", .anchor(before("a"))), .deleteSections(["B"])], items: "delS 1, ins 0.0"),
        Case(
            "from a deleted section into a new one", "A:a B:b",
            [.appendSections([section("N")]), .moveItem("b", .last(.section("N"))), .deleteSections(["B"])],
            items: "delS 1, insS 1"),
        Case(
            "both directions at once", "A:a B:b C:c",
            [
                .appendSections([section("N")]), .moveItem("a", .last(.section("N"))),
                .moveItem("b", .last(.section("A"))), .deleteSections(["B"]),
            ],
            items: "delS 1, insS 2, del 0.0, ins 0.0"),
        Case(
            "a section moves and its items are edited", "A:a B:b,c",
            [.moveSection("B", .before("A")), .deleteItems(["b"]), .appendItems([new("x")], .section("B"))],
            items: "movS 1>0, del 1.0, ins 0.1"),
        Case(
            "an item moves into a section that moves", "A:a B:b C:c",
            [.moveSection("C", .before("A")), .moveItem("a", .first(.section("C")))],
            items: "movS 2>0, mov 0.0>0.0"),
        Case(
            "an item moves past a section that moves", "A:a B:b C:c",
            [.moveSection("B", .after("C")), .moveItem("a", .last(.section("C")))],
            items: "movS 1>2, mov 0.0>1.1"),
        Case(
            "an item leaves a section that moves", "A:a B:b,c C:d",
            [.moveItem("c", .anchor(before("a"))), .moveSection("B", .after("C"))],
            items: "movS 1>2, mov 1.1>0.0"),
        Case(
            "a section moves to where it is and an item leaves it", "A:a B:b,c",
            [.moveSection("B", .after("A")), .moveItem("b", .anchor(before("a")))],
            items: "mov 1.0>0.0"),
        Case(
            "a section moves there and back and an item leaves it", "A:a B:b,c",
            [
                .moveSection("B", .before("A")), .moveItem("b", .anchor(before("a"))),
                .moveSection("B", .after("A")),
            ],
            items: "mov 1.0>0.0"),
        Case(
            "a section moves and goes", "A:a B:b", [.moveSection("B", .before("A")), .deleteSections(["B"])],
            items: "delS 1"),
        Case(
            "a section goes and comes back with its items", "A:a B:b,c D:d",
            [.deleteSections(["B"]), .insertSections([section("B", new("b"), new("c"))], .after("A"))], items: ""),
        Case(
            "a section goes and comes back with other items", "A:a B:b,c D:d",
            [.deleteSections(["B"]), .insertSections([section("B", new("c"), new("x"))], .after("A"))],
            items: "del 1.0, ins 1.1"),
        Case(
            "a section goes and comes back elsewhere", "A:a B:b C:c",
            [.deleteSections(["A"]), .appendSections([section("A", new("a"))])], items: "movS 0>2"),
        Case(
            "the last item leaves the first section", "A:a B:b", [.moveItem("a", .last(.section("B")))],
            items: "mov 0.0>1.1"),
        Case(
            "an empty section is kept", "A: B:b C:", [.applySnapshot(snapshot("A: B:b2 C:"))],
            items: "del 1.0, ins 1.0"),
        Case("an empty section moves", "A: B:b", [.moveSection("A", .after("B"))], items: "movS 0>1"),
        Case("an empty section goes", "A: B:b", [.deleteSections(["A"])], items: "delS 0"),
        Case("an empty section is filled", "A: B:b", [.appendItems([new("a")], .section("A"))], items: "ins 0.0"),
        Case("a section is emptied", "A:a B:b", [.deleteItems(["a"])], items: "del 0.0"),
        Case(
            "an item visits three sections and comes home", "A:a,x B:b C:c",
            [
                .moveItem("a", .last(.section("B"))), .moveItem("a", .last(.section("C"))),
                .moveItem("a", .first(.section("A"))),
            ],
            items: ""),
        Case("a reload of a section is told", "A:a B:b", [.reloadSections(["B"])], items: "rldS 1"),
        Case(
            "a reloaded section absorbs contents and still names moves", "A:a,b,c B:d",
            [
                .reloadSections(["A"]), .updateItem("a", content(1)), .moveItem("c", .anchor(before("a"))),
                .appendItems([new("x")], .section("A")), .moveItem("b", .last(.section("B"))),
                .updateSection("A", title("T")),
            ],
            items: "rldS 0, ins 0.2, mov 0.2>0.0, mov 0.1>1.1"),
        Case(
            "a reload of a section that moved", "A:a B:b", [.moveSection("B", .before("A")), .reloadSections(["B"])],
            items: "movS 1>0, rldS 0"),
        Case(
            "a reload of a new section", "A:a", [.appendSections([section("B")]), .reloadSections(["B"])],
            items: "insS 1"),
        Case(
            "a section that moves is renamed", "A:a B:b",
            [.moveSection("B", .before("A")), .updateSection("B", title("T"))],
            items: "movS 1>0, cfgS 0"),
        Case("all sections go", "A:a B:b", [.deleteAllItems], items: "delS 1, delS 0"),
    ]

    @Test(arguments: cases)
    func change(_ row: Case) throws {
        try row.check()
    }
}
