import TestSupport
import Testing

@testable import ListModel

/// Cases 1 to 17, 26, 47, 61 and 68 of docs/model.md section 15, on lists without outlines.
@Suite struct WholeListCases {
    static let accepted = [
        Case(
            name: "case 1: append what is there moves it", list: "A:a,b B:c",
            operations: [.appendItems(new("a"), .section("B"))], result: "A:b B:c,a", warnings: [.movedExisting(["a"])]),
        Case(
            name: "case 1: a bare id too", list: "A:a,b B:c",
            operations: [.appendItems(bare("a"), .section("B"))], result: "A:b B:c,a", warnings: [.movedExisting(["a"])]
        ),
        Case(
            name: "what is there takes the flags that are given, and keeps the others", list: "A:a,*b B:c",
            operations: [.appendItems(tree("*a,+b"), .section("B"))], result: "A: B:c,*a,+*b",
            warnings: [.movedExisting(["a", "b"])]),
        Case(
            name: "what is there takes its flags where it is", list: "A:a,b",
            operations: [.insertItems(tree("*a"), ItemAnchor(.before, "b"))], result: "A:*a,b",
            warnings: [.movedExisting(["a"])]),
        Case(
            name: "case 2: append without a section", list: "A:a,b,c",
            operations: [.appendItems(new("a", "x"), nil)], result: "A:b,c,a,x", warnings: [.movedExisting(["a"])]),
        Case(
            name: "case 2: without a section means the last one", list: "A:a B:b",
            operations: [.appendItems(new("x"), nil)], result: "A:a B:b,x"),
        Case(
            name: "case 6: delete passes over what is not there", list: "A:a,b B:c",
            operations: [.deleteItems(["zz", "a"])], result: "A:b B:c", warnings: [.missingItems(["zz"])]),
        Case(
            name: "case 6: sections too", list: "A:a B:b",
            operations: [.deleteSections(["zz", "A"])], result: "B:b", warnings: [.missingSections(["zz"])]),
        Case(
            name: "case 7: delete all items takes the sections", list: "A:a B:b", operations: [.deleteAllItems],
            result: ""),
        Case(
            name: "case 8: a section that lost its items stays", list: "A:a,b B:c",
            operations: [.deleteItems(["a", "b"])], result: "A: B:c"),
        Case(
            name: "case 10: move before, across sections", list: "A:a,b,c B:x,y",
            operations: [.moveItem("a", .anchor(ItemAnchor(.before, "y")))], result: "A:b,c B:x,a,y"),
        Case(
            name: "case 10: then after", list: "A:b,c B:x,a,y",
            operations: [.moveItem("a", .anchor(ItemAnchor(.after, "y")))], result: "A:b,c B:x,y,a"),
        Case(
            name: "case 10: both in one transaction", list: "A:a,b,c B:x,y",
            operations: [
                .moveItem("a", .anchor(ItemAnchor(.before, "y"))), .moveItem("a", .anchor(ItemAnchor(.after, "y"))),
            ], result: "A:b,c B:x,y,a"),
        Case(
            name: "case 11: move to where it is", list: "A:a,b,c",
            operations: [.moveItem("a", .anchor(ItemAnchor(.before, "b")))], result: "A:a,b,c"),
        Case(
            name: "case 11: from behind too", list: "A:a,b,c",
            operations: [.moveItem("b", .anchor(ItemAnchor(.after, "a")))], result: "A:a,b,c"),
        Case(
            name: "case 14: an item may have the name of a section", list: "A:B,x B:y",
            operations: [.appendItems(new("A"), .section("B"))], result: "A:B,x B:y,A"),
        Case(
            name: "case 15: move a section", list: "A:a,b B:c C:d", operations: [.moveSection("C", .before("A"))],
            result: "C:d A:a,b B:c"),
        Case(
            name: "move a section after another", list: "A:a B:b C:c", operations: [.moveSection("A", .after("C"))],
            result: "B:b C:c A:a"),
        Case(
            name: "move a section to where it is", list: "A:a B:b C:c", operations: [.moveSection("B", .after("A"))],
            result: "A:a B:b C:c"),
        Case(
            name: "case 16: after the last item of A is in A", list: "A:a,b B:c",
            operations: [.insertItems(new("n"), ItemAnchor(.after, "b"))], result: "A:a,b,n B:c"),
        Case(
            name: "case 16: before the first item of B is in B", list: "A:a,b B:c",
            operations: [.insertItems(new("n"), ItemAnchor(.before, "c"))], result: "A:a,b B:n,c"),
        Case(
            name: "case 17: delete a section and add it again", list: "A:a B:b,c C:d",
            operations: [
                .deleteSections(["B"]), .insertSections([section("B", "b,c")], .before("C")),
            ], result: "A:a B:b,c C:d"),
        Case(
            name: "insert several, some of them there already, in the order given", list: "A:a,b,c,d",
            operations: [.insertItems(new("d", "n", "a"), ItemAnchor(.before, "c"))], result: "A:b,d,n,a,c",
            warnings: [.movedExisting(["d", "a"])]),
        Case(
            name: "append nothing, insert nothing", list: "A:a",
            operations: [.appendItems([], .section("A")), .insertItems([], ItemAnchor(.before, "a"))], result: "A:a"),
        Case(
            name: "insert sections before and after", list: "A:a",
            operations: [
                .insertSections([section("X"), section("Y", "y")], .before("A")),
                .insertSections([section("Z")], .after("A")),
            ], result: "X: Y:y A:a Z:"),
        Case(
            name: "a new section takes items that exist", list: "A:a,b",
            operations: [.appendSections([section("B", "n,a")])],
            result: "A:b B:n,a", warnings: [.movedExisting(["a"])]),
        Case(
            name: "case 26: kept identities", list: "A:a,b,c B:d",
            operations: [
                .applySnapshot(
                    WantedSnapshot(sections: [
                        WantedSection("B", items: bare("c", "d")), WantedSection("A", items: bare("b", "a")),
                    ]))
            ], result: "B:c,d A:b,a"),
        Case(
            name: "case 26: fresh identities", list: "A:a,b B:c",
            operations: [
                .applySnapshot(
                    WantedSnapshot(sections: [
                        WantedSection("A", items: new("a2", "b2")), WantedSection("B", items: new("c2")),
                    ]))
            ], result: "A:a2,b2 B:c2"),
        Case(
            name: "a snapshot deletes what it does not name, and makes what is missing", list: "A:a,b B:c C:d",
            operations: [
                .applySnapshot(
                    WantedSnapshot(sections: [
                        WantedSection("N", items: new("n") + bare("c")), WantedSection("A", items: bare("b")),
                    ]))
            ], result: "N:n,c A:b"),
        Case(
            name: "case 47: the last item leaves, the section stays", list: "smileys:happy nature:fox",
            operations: [.moveItem("happy", .anchor(ItemAnchor(.after, "fox")))], result: "smileys: nature:fox,happy"),
        Case(
            name: "case 61: ids that differ by normalisation only", list: "A:caf\u{E9},cafe\u{301},x",
            operations: [.moveItem("cafe\u{301}", .last(.section("A"))), .deleteItems(["caf\u{E9}"])],
            result: "A:x,cafe\u{301}"),
    ]

    @Test(arguments: accepted)
    func accept(_ row: Case) throws { try row.check() }

    static let refused = [
        Refusal(
            name: "case 1: strict refuses to move by append", list: "A:a,b B:c",
            operations: [.appendItems(new("n", "a"), .section("B"))], error: .itemExists("a"), isStrict: true),
        Refusal(
            name: "case 3: a repeat in one argument", list: "A:a", operations: [.appendItems(new("x", "x"), nil)],
            error: .repeatedItem("x")),
        Refusal(
            name: "case 4: no section to append to", list: "", operations: [.appendItems(new("x"), nil)],
            error: .noSections),
        Refusal(
            name: "case 5: a section that exists", list: "A:a",
            operations: [.appendSections([section("B", "b"), section("A")])], error: .sectionExists("A")),
        Refusal(
            name: "a repeated section", list: "A:a", operations: [.appendSections([section("B"), section("B")])],
            error: .repeatedSection("B")),
        Refusal(
            name: "sections before one of themselves", list: "A:a",
            operations: [.insertSections([section("B")], .before("B"))], error: .sectionIsDestination("B")),
        Refusal(
            name: "case 6: strict refuses to delete what is not there", list: "A:a,b",
            operations: [.deleteItems(["a", "zz"])], error: .unknownItem("zz"), isStrict: true),
        Refusal(
            name: "a repeat in a delete", list: "A:a,b", operations: [.deleteItems(["a", "a"])],
            error: .repeatedItem("a")),
        Refusal(
            name: "case 9: after itself", list: "A:a,b",
            operations: [.moveItem("a", .anchor(ItemAnchor(.after, "a")))], error: .itemMovesToItself("a")),
        Refusal(
            name: "case 9: a section before itself", list: "A:a B:b", operations: [.moveSection("A", .before("A"))],
            error: .sectionMovesToItself("A")),
        Refusal(
            name: "move what is not there", list: "A:a,b",
            operations: [.moveItem("zz", .anchor(ItemAnchor(.after, "a")))], error: .unknownItem("zz")),
        Refusal(
            name: "move to what is not there", list: "A:a,b",
            operations: [.moveItem("a", .anchor(ItemAnchor(.after, "zz")))], error: .unknownItem("zz")),
        Refusal(
            name: "case 12: the anchor is in the argument", list: "A:a,b",
            operations: [.insertItems(bare("b") + new("z"), ItemAnchor(.before, "b"))], error: .itemIsDestination("b")),
        Refusal(
            name: "case 13: reload what is not there", list: "A:a", operations: [.reloadItems(["a", "zz"])],
            error: .unknownItem("zz")),
        Refusal(
            name: "case 13: reconfigure what is not there", list: "A:a", operations: [.reconfigureItems(["zz"])],
            error: .unknownItem("zz")),
        Refusal(
            name: "case 13: a repeat in a reload", list: "A:a", operations: [.reloadItems(["a", "a"])],
            error: .repeatedItem("a")),
        Refusal(
            name: "append to a section that is not there", list: "A:a",
            operations: [.appendItems(new("x"), .section("zz"))], error: .unknownSection("zz")),
        Refusal(
            name: "a bare id that is not there", list: "A:a", operations: [.appendItems(new("n") + bare("zz"), nil)],
            error: .unknownItem("zz")),
        Refusal(
            name: "a bare id that is not there, in a snapshot", list: "A:a B:b",
            operations: [.applySnapshot(WantedSnapshot(sections: [WantedSection("N", items: new("n") + bare("zz"))]))],
            error: .unknownItem("zz")),
        Refusal(
            name: "an item twice in a snapshot", list: "A:a B:b",
            operations: [
                .applySnapshot(
                    WantedSnapshot(sections: [
                        WantedSection("A", items: bare("a")), WantedSection("B", items: bare("a")),
                    ]))
            ], error: .repeatedItem("a")),
        Refusal(
            name: "the anchor is not where the guard says", list: "A:a B:b",
            operations: [.insertItems(new("n"), ItemAnchor(.after, "b", guardedBy: .section("A")))],
            error: .anchorElsewhere("b")),
        Refusal(
            name: "case 68: the third of five fails", list: "A:a,b B:c",
            operations: [
                .appendItems(new("n"), .section("A")), .deleteItems(["a"]), .moveItem("zz", .last(.section("A"))),
                .deleteSections(["B"]), .deleteAllItems,
            ], error: .unknownItem("zz")),
        Refusal(
            name: "more items than a list may hold", list: "A:a",
            operations: [
                .appendItems((0..<1000).map { NewItem(ItemID(unchecked: "n\($0)"), value: ItemChanges()) }, nil)
            ],
            error: .tooManyItems(limit: 1000)),
    ]

    @Test(arguments: refused)
    func refuse(_ row: Refusal) throws { try row.check() }

    @Test(
        "nothing happens where the result is the list that was",
        arguments: accepted.filter { $0.result == $0.list && $0.name != "case 17: delete a section and add it again" })
    func noEdits(_ row: Case) throws {
        var list = try ListState(notation: row.list)
        var log = TransactionLog()
        for operation in row.operations { try list.apply(operation, rules: .lenient, into: &log) }
        #expect(log.edits.isEmpty)
    }

    @Test("case 13: a mark changes no row")
    func reloadMark() throws {
        var list = try ListState(notation: "A:a,b,c")
        let before = ListImage(list)
        let b = try #require(list.handle(of: "b" as ItemID))
        let log = try list.run(.reloadItems(["b"]))
        #expect(ListImage(list) == before)
        #expect(log.delta.past.reloadedItems == [b])
        #expect(log.delta.past.items.count == 0 && log.delta.past.sections.isEmpty)
        let marked = try list.run(.reconfigureItems(["b"]), .reloadSections(["A"]))
        #expect(marked.delta.past.reconfiguredItems == [b])
        #expect(marked.delta.past.reloadedSections == [try #require(list.handle(of: "A" as SectionID))])
    }

    @Test("case 13: applying the stored state again consumes nothing and marks nothing")
    func storedState() throws {
        var list = try ListState(notation: "A:a,b,c B:d")
        try list.run(.reloadItems(["b"]))
        let log = try list.run(
            .applySnapshot(
                WantedSnapshot(sections: [
                    WantedSection("A", items: bare("a", "b", "c")), WantedSection("B", items: bare("d")),
                ])))
        #expect(log.edits.isEmpty)
        #expect(log.delta.past.reloadedItems.isEmpty)
    }

    @Test("case 17: what comes back in one transaction is the same to every comparison")
    func sameHandles() throws {
        var list = try ListState(notation: "A:a B:b,c C:d")
        let before = list
        try list.run(.deleteSections(["B"]), .insertSections([section("B", "b,c")], .before("C")))
        #expect(ListImage(list) == ListImage(before))
        #expect(list.sectionHandles == before.sectionHandles)
        #expect(list.sectionHandles.map { list.rows(of: $0) } == before.sectionHandles.map { before.rows(of: $0) })
    }

    @Test("case 26: kept identities are only arranged")
    func keptIdentities() throws {
        var list = try ListState(notation: "A:a,b,c B:d")
        let handles = (["a", "b", "c", "d"] as [ItemID]).map { list.handle(of: $0) }
        let log = try list.run(
            .applySnapshot(
                WantedSnapshot(sections: [
                    WantedSection("A", items: bare("d", "c")), WantedSection("B", items: bare("b", "a")),
                ])))
        #expect((["a", "b", "c", "d"] as [ItemID]).map { list.handle(of: $0) } == handles)
        for edit in log.edits {
            guard case .arrange = edit else {
                Issue.record("\(edit) is no arrangement")
                continue
            }
        }
    }

    @Test("case 61: they are two to every lookup")
    func normalisation() throws {
        var list = try ListState(notation: "A:caf\u{E9},cafe\u{301}")
        #expect(list.itemCount == 2)
        try list.run(.setStarred(["cafe\u{301}"], true))
        #expect(try !list.item("caf\u{E9}").isStarred)
        #expect(try list.item("cafe\u{301}").isStarred)
    }

    @Test("what a refused transaction named takes no room, and no other item's place")
    func forgottenNames() throws {
        var list = try ListState(notation: "A:a")
        let room = (list.items.count, list.sections.count)
        for round in 0..<3 {
            var log = TransactionLog()
            let names = (0..<5).map { ItemID(unchecked: "n\(round)-\($0)") }
            try list.apply(
                .appendSections([section(SectionID(unchecked: "N\(round)"))]), rules: .lenient, into: &log)
            try list.apply(
                .appendItems(names.map { NewItem($0, value: ItemChanges()) }, nil), rules: .lenient, into: &log)
            #expect(throws: ModelError.unknownItem("zz")) {
                try list.apply(.setStarred(["zz"], true), rules: .lenient, into: &log)
            }
            list.forget(log.delta)
        }
        #expect(list.items.count <= room.0 + 5)
        #expect(list.sections.count <= room.1 + 1)
        try list.run(.appendItems(new("m"), nil))
        try list.run(.appendItems(new("n0-0"), nil))
        #expect(list.notation == "A:a,m,n0-0")
        #expect(ListImage(list).flaw == nil)
    }
}
