import ListModel
import TestSupport
import Testing

/// Cases of docs/model.md section 15: 32 to 36 as operations of a list, 43, and 49 to 54.
@Suite struct OutlineCases {
    static let outline = "O:Smileys,Nature{fox,bee},+Food{w,a,p},Act"

    static let accepted = [
        Case(
            name: "case 32: delete forgets the children and the flag", list: "O:+0{1,2},3",
            operations: [.deleteItems(["0"]), .appendItems(new("0"), nil)], result: "O:3,0"),
        Case(
            name: "case 33: an expanded leaf shows its first child at once", list: "O:0{1,2},3",
            operations: [.setExpanded(["3"], true), .appendItems(new("a"), .parent("3"))], result: "O:0{1,2},+3{a}"),
        Case(
            name: "case 35: replace children, with what is expanded", list: "O:+0{1,2},3",
            operations: [.replaceChildren("0", tree("7,+8{9}"))], result: "O:+0{7,+8{9}},3"),
        Case(
            name: "case 35: replace by nothing", list: "O:+0{1,2},3", operations: [.replaceChildren("0", [])],
            result: "O:+0,3"),
        Case(
            name: "case 36: replace by its own children in another order", list: "O:0{1,2},3",
            operations: [.replaceChildren("0", bare("2", "1"))], result: "O:0{2,1},3"),
        Case(
            name: "case 37: replace where children overlap", list: outline,
            operations: [.replaceChildren("Food", bare("p") + new("z") + bare("w"))],
            result: "O:Smileys,Nature{fox,bee},+Food{p,z,w},Act"),
        Case(
            name: "a child that stays without its own children loses them", list: "O:0{1{9},2},3",
            operations: [.replaceChildren("0", bare("1"))], result: "O:0{1},3"),
        Case(
            name: "a grandchild becomes a child", list: "O:0{1{9{x}},2},3",
            operations: [.replaceChildren("0", bare("9"))], result: "O:0{9},3"),
        Case(
            name: "case 43: a section snapshot moves in what it names",
            list: "recents:a,b O:0{1} list:bee,+fox{cub},*owl",
            operations: [.applySectionSnapshot(WantedSection("recents", items: bare("a", "b", "fox")))],
            result: "recents:a,b,+fox{cub} O:0{1} list:bee,*owl"),
        Case(
            name: "case 43: and deletes what it does not", list: "recents:a,b list:fox",
            operations: [.applySectionSnapshot(WantedSection("recents", items: bare("b", "fox")))],
            result: "recents:b,fox list:"),
        Case(
            name: "case 43: an unknown section is made at the end", list: "A:a B:b",
            operations: [.applySectionSnapshot(WantedSection("new", items: tree("n{m}") + bare("a")))],
            result: "A: B:b new:n{m},a"),
        Case(
            name: "case 43: dropping a section drops its tree", list: "A:a O:+0{1,2}",
            operations: [.deleteSections(["O"]), .appendSections([section("O", "0")])], result: "A:a O:0"),
        Case(
            name: "case 49: an expanded subtree travels whole", list: outline,
            operations: [.moveItem("Food", .first(.section("O")))], result: "O:+Food{w,a,p},Smileys,Nature{fox,bee},Act"
        ),
        Case(
            name: "case 50: hidden children travel", list: outline,
            operations: [.moveItem("Nature", .last(.section("O")))],
            result: "O:Smileys,+Food{w,a,p},Act,Nature{fox,bee}"),
        Case(
            name: "case 50: across sections too", list: "A:x O:+Nature{fox,+bee{sting}},Act",
            operations: [.moveItem("Nature", .anchor(ItemAnchor(.after, "x")))],
            result: "A:x,+Nature{fox,+bee{sting}} O:Act"),
        Case(
            name: "case 50: dropped on a collapsed item, which stays collapsed", list: outline,
            operations: [.moveItem("a", .last(.parent("Nature")))], result: "O:Smileys,Nature{fox,bee,a},+Food{w,p},Act"
        ),
        Case(
            name: "case 50: a hidden item into an expanded one", list: outline,
            operations: [.moveItem("fox", .anchor(ItemAnchor(.before, "a")))],
            result: "O:Smileys,Nature{bee},+Food{w,fox,a,p},Act"),
        Case(
            name: "case 50: a child becomes a root", list: outline,
            operations: [.moveItem("a", .anchor(ItemAnchor(.after, "Act")))],
            result: "O:Smileys,Nature{fox,bee},+Food{w,p},Act,a"),
        Case(
            name: "case 52: first under a parent", list: outline,
            operations: [.moveItem("Act", .first(.parent("Food")))],
            result: "O:Smileys,Nature{fox,bee},+Food{Act,w,a,p}"),
        Case(
            name: "case 52: below the last child, as its sibling", list: outline,
            operations: [.moveItem("Smileys", .anchor(ItemAnchor(.after, "p")))],
            result: "O:Nature{fox,bee},+Food{w,a,p,Smileys},Act"),
        Case(
            name: "case 52: below the last child, behind the parent", list: outline,
            operations: [.moveItem("Smileys", .anchor(ItemAnchor(.after, "Food")))],
            result: "O:Nature{fox,bee},+Food{w,a,p},Smileys,Act"),
        Case(
            name: "case 52: the last child behind its parent is promoted, though no row moves", list: outline,
            operations: [.moveItem("p", .anchor(ItemAnchor(.after, "Food")))],
            result: "O:Smileys,Nature{fox,bee},+Food{w,a},p,Act"),
        Case(
            name: "case 53: delete an expanded item", list: outline, operations: [.deleteItems(["Food"])],
            result: "O:Smileys,Nature{fox,bee},Act"),
        Case(
            name: "case 53: delete a collapsed item", list: outline, operations: [.deleteItems(["Nature"])],
            result: "O:Smileys,+Food{w,a,p},Act"),
        Case(
            name: "case 53: a parent and its child, in both orders", list: outline,
            operations: [.deleteItems(["Nature", "fox"]), .deleteItems(["p", "Food"])], result: "O:Smileys,Act"),
        Case(
            name: "insert before a child is under its parent", list: outline,
            operations: [.insertItems(tree("n{m}"), ItemAnchor(.before, "a"))],
            result: "O:Smileys,Nature{fox,bee},+Food{w,n{m},a,p},Act"),
        Case(
            name: "append of what exists takes its subtree, unless the argument places it", list: outline,
            operations: [.appendItems(bare("fox", "Nature"), .section("O"))],
            result: "O:Smileys,+Food{w,a,p},Act,fox,Nature{bee}", warnings: [.movedExisting(["fox", "Nature"])]),
    ]

    @Test(arguments: accepted)
    func accept(_ row: Case) throws { try row.check() }

    static let refused = [
        Refusal(
            name: "case 33: expand what is not there", list: "O:0{1,2},3",
            operations: [.setExpanded(["0", "zz"], true)],
            error: .unknownItem("zz")),
        Refusal(
            name: "collapse what is not there", list: "O:0{1,2},3", operations: [.setExpanded(["zz"], false)],
            error: .unknownItem("zz")),
        Refusal(
            name: "case 36: replace by an item from elsewhere", list: "O:0{1,2},3",
            operations: [.replaceChildren("0", new("n") + bare("1", "3"))], error: .itemExists("3")),
        Refusal(
            name: "replace by an item from another section", list: "A:x O:0{1,2}",
            operations: [.replaceChildren("0", bare("x"))], error: .itemExists("x")),
        Refusal(
            name: "replace by the parent", list: "O:0{1,2},3", operations: [.replaceChildren("0", bare("0"))],
            error: .cycle("0")),
        Refusal(
            name: "replace by an ancestor", list: "O:0{1{9},2},3", operations: [.replaceChildren("1", bare("0"))],
            error: .itemExists("0")),
        Refusal(
            name: "replace children of what is not there", list: "O:0{1}",
            operations: [.replaceChildren("zz", new("n"))],
            error: .unknownItem("zz")),
        Refusal(
            name: "case 51: into its own child", list: outline, operations: [.moveItem("Food", .last(.parent("w")))],
            error: .cycle("Food")),
        Refusal(
            name: "case 51: beside its own child", list: outline,
            operations: [.moveItem("Food", .anchor(ItemAnchor(.before, "a")))], error: .cycle("Food")),
        Refusal(
            name: "case 51: into itself", list: outline, operations: [.moveItem("Food", .first(.parent("Food")))],
            error: .cycle("Food")),
        Refusal(
            name: "case 51: by append, half way through", list: outline,
            operations: [.appendItems(bare("Act", "Food"), .parent("p"))], error: .cycle("Food")),
        Refusal(
            name: "a parent that does not stand earlier", list: outline,
            operations: [.appendItems([NewItem("n", parent: "m", value: ItemChanges())] + new("m"), nil)],
            error: .notATree("n")),
        Refusal(
            name: "a parent from outside the argument", list: outline,
            operations: [.appendItems([NewItem("n", parent: "Food", value: ItemChanges())], nil)], error: .notATree("n")
        ),
        Refusal(
            name: "case 53: a snapshot may not keep the child of a parent that it drops", list: outline,
            operations: [
                .applySectionSnapshot(WantedSection("O", items: bare("Smileys") + [NewItem("w", parent: "Food")]))
            ], error: .notATree("w")),
        Refusal(
            name: "the anchor is not under the guard", list: outline,
            operations: [.moveItem("w", .anchor(ItemAnchor(.after, "fox", guardedBy: .parent("Food"))))],
            error: .anchorElsewhere("fox")),
    ]

    @Test(arguments: refused)
    func refuse(_ row: Refusal) throws { try row.check() }

    @Test("case 34: a collapsed parent keeps what is expanded below it")
    func nestedExpansion() throws {
        var list = try ListState(notation: "O:p{q{r}}")
        try list.run(.setExpanded(["q"], true))
        #expect(try list.visible("O") == ["p"])
        try list.run(.setExpanded(["p"], true))
        #expect(try list.visible("O") == ["p", "q", "r"])
        try list.run(.setExpanded(["p"], false))
        #expect(try list.visible("O") == ["p"])
        try list.run(.setExpanded(["p"], true))
        #expect(try list.visible("O") == ["p", "q", "r"])
    }

    @Test("cases 33 and 35: what is shown afterwards")
    func visibleRows() throws {
        var list = try ListState(notation: "O:+0{1,2},3")
        try list.run(.setExpanded(["3"], true))
        #expect(try list.visible("O") == ["0", "1", "2", "3"])
        try list.run(.replaceChildren("0", tree("7,+8{9}")))
        #expect(try list.visible("O") == ["0", "7", "8", "9", "3"])
        #expect(list.visibleItemCount == 5)
    }

    @Test("case 53: how many stored items go")
    func storedCounts() throws {
        var list = try ListState(notation: Self.outline)
        #expect(list.itemCount == 9)
        try list.run(.deleteItems(["Nature"]))
        #expect(list.itemCount == 6)
        try list.run(.deleteItems(["Food"]))
        #expect(list.itemCount == 2)
    }
}
