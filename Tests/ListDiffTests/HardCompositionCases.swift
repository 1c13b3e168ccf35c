import ListDiff
import ListModel
import TestSupport
import Testing

/// Hard cases of list differences: several operations, in one transaction or in one each.
@Suite struct HardCompositionCases {
    typealias Case = ChangeSetCases.Case

    static let cases = [
        Case("inserted and deleted: nothing", "A:a", [.appendItems([new("x")], nil), .deleteItems(["x"])], items: ""),
        Case(
            "deleted and inserted elsewhere: a move", "A:a,b,c", [.deleteItems(["a"]), .appendItems([new("a")], nil)],
            items: "mov 0.0>0.2"),
        Case(
            "deleted and inserted in its place: nothing", "A:a,b",
            [.deleteItems(["a"]), .insertItems([new("a")], before("b"))],
            items: ""),
        Case(
            "moved five times: one move", "A:a,b,c,d",
            [
                .moveItem("a", .anchor(after("b"))), .moveItem("a", .anchor(after("d"))),
                .moveItem("a", .anchor(before("b"))), .moveItem("a", .anchor(after("d"))),
                .moveItem("a", .anchor(after("c"))),
            ],
            items: "mov 0.0>0.2"),
        Case(
            "moved and moved back: nothing", "A:a,b,c",
            [.moveItem("c", .first(.section("A"))), .moveItem("c", .last(.section("A")))],
            items: ""),
        Case(
            "updated and deleted is deleted only", "A:a,b", [.updateItem("a", content(1)), .deleteItems(["a"])],
            items: "del 0.0"),
        Case(
            "a section of many goes, one of its items comes back", "A:a B:b1,b2,b3,b4",
            [.deleteSections(["B"]), .appendItems([new("b3")], nil)], items: "delS 1, ins 0.1"),
        Case(
            "inserted, moved and updated is inserted only", "A:a,b",
            [.appendItems([new("x")], nil), .moveItem("x", .anchor(before("a"))), .updateItem("x", content(1))],
            items: "ins 0.0"),
        Case(
            "inserted, deleted and inserted again", "A:a",
            [.appendItems([new("x")], nil), .deleteItems(["x"]), .insertItems([new("x")], before("a"))],
            items: "ins 0.0"),
        Case(
            "deleted, inserted elsewhere and deleted again", "A:a,b",
            [.deleteItems(["a"]), .appendItems([new("a")], nil), .deleteItems(["a"])], items: "del 0.0"),
        Case(
            "deleted and inserted with another content", "A:a,b",
            [.deleteItems(["a"]), .appendItems([NewItem("a", value: content(1))], nil)],
            items: "mov 0.0>0.1, cfg 0.1"),
        Case(
            "reload beats reconfigure", "A:a",
            [.reconfigureItems(["a"]), .reloadItems(["a"]), .setStarred(["a"], true)],
            items: "rld 0.0"),
        Case(
            "reload beats reconfigure that comes later", "A:a", [.reloadItems(["a"]), .reconfigureItems(["a"])],
            items: "rld 0.0"),
    ]

    @Test(arguments: cases)
    func change(_ row: Case) throws {
        try row.check()
    }

    /// By docs/contract.md section 5, rule 5, such a row may stay in `reconfigured`.
    @Test(
        "changed and changed back: nothing, or the row reconfigured",
        arguments: [
            [.updateItem("a", content(1)), .updateItem("a", content(2)), .updateItem("a", content(1))],
            [.setStarred(["a"], true), .setStarred(["a"], false)],
            [.setExpanded(["a"], true), .setExpanded(["a"], false)],
        ] as [[Operation]])
    func changedBack(operations: [Operation]) throws {
        var old = try ListState(notation: "A:x,a{c}")
        try old.commit(.updateItem("a", content(1)))
        for isOneByOne in [false, true] {
            var state = old
            let delta = try isOneByOne ? state.commit(oneByOne: operations) : state.commit(operations)
            for view in [View.items, .visible] {
                let change = ChangeSet(undoing: delta, to: state, view: view)
                #expect(["", "cfg 0.1"].contains(change.text), "\(view)")
                #expect(Rows(of: old, view: view).applying(change, view: view) == Rows(of: state, view: view))
            }
        }
    }

    @Test("a section of 1,000 rows goes and one of them comes back", arguments: [0, 500, 999])
    func oneOfThousandComesBack(index: Int) throws {
        let ids = (0..<1_000).map { ItemID(unchecked: "i\($0)") }
        let old = try ListState(notation: "A:a B:" + ids.map(\.rawValue.string).joined(separator: ","))
        let rows: [Operation] = [.deleteSections(["B"]), .insertItems([new(ids[index])], before("a"))]
        let section: [Operation] = [.deleteSections(["B"]), .appendSections([section("B", new(ids[index]))])]
        for isOneByOne in [false, true] {
            func change(_ operations: [Operation]) throws -> ChangeSet {
                var state = old
                let delta = try isOneByOne ? state.commit(oneByOne: operations) : state.commit(operations)
                let change = ChangeSet(undoing: delta, to: state, view: .items)
                #expect(Rows(of: old, view: .items).applying(change, view: .items) == Rows(of: state, view: .items))
                return change
            }
            #expect(try change(rows).text == "delS 1, ins 0.0")
            let back = try change(section)
            #expect(back.items.deleted.map(\.path.index) == (0..<1_000).reversed().filter { $0 != index })
            #expect(back.items.count == 999 && back.sections.isEmpty)
        }
    }
}
