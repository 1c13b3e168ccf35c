import ListDiff
import ListModel
import TestSupport
import Testing

/// What other implementations got wrong, by kind.
@Suite struct HardCases {
    typealias Case = ChangeSetCases.Case

    /// Two states of one section, compared without knowing the operations, and the number of moves.
    static let orders: [(old: String, new: String, moves: Int)] = [
        ("", "", 0), ("", "a,b", 0), ("a,b", "", 0), ("a", "a", 0), ("a,b,c", "d,e,f", 0), ("a,b,c,d,e", "c", 0),
        ("a,b", "b,a", 1), ("1,2,3", "3,2,1", 2), ("a,b,c,d", "a,d,b,c", 1),
        ("0,1,2,3,4,5", "5,0,1,2,3,4", 1), ("0,1,2,3,4,5", "1,2,3,4,5,0", 1),
        ("a,b,c,d,e", "b,c,d,e,a", 1), ("a,b,c,d,e,f", "a,d,b,e,c,f", 2),
        ("A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q,R,S,T,U,V", "J,E,C,O,Q,H,L,G,W,K", 6),
    ]

    @Test(arguments: orders)
    func fewestMoves(old: String, new: String, moves: Int) throws {
        let before = try ListState(notation: "A:\(old)")
        var after = before
        let delta = try after.commit(.applySnapshot(snapshot("A:\(new)")))
        let change = ChangeSet(undoing: delta, to: after, view: .items)
        #expect(change.items.moved.count == moves)
        #expect(Rows(of: before, view: .items).applying(change, view: .items) == Rows(of: after, view: .items))
    }

    static let identity = [
        Case(
            "composed and decomposed are two items", "A:\u{E9}", [.applySnapshot(snapshot("A:e\u{301}"))],
            items: "del 0.0, ins 0.0"),
        Case("case matters", "A:a", [.applySnapshot(snapshot("A:A"))], items: "del 0.0, ins 0.0"),
        Case(
            "a section and an item of one name", "A:A,b", [.moveItem("b", .anchor(before("A")))], items: "mov 0.1>0.0"),
    ]

    static let indexSpaces = [
        Case(
            "an update behind an insertion is at its new index", "A:a,b",
            [.insertItems([new("x")], before("a")), .updateItem("b", content(1))], items: "ins 0.0, cfg 0.2"),
        Case(
            "an update behind a deletion is at its new index", "A:a,b,c",
            [.deleteItems(["a"]), .updateItem("c", content(1))], items: "del 0.0, cfg 0.1"),
        Case(
            "a deletion and a source beside each other", "A:a,b,c,d",
            [.deleteItems(["b"]), .moveItem("a", .anchor(after("d")))], items: "del 0.1, mov 0.0>0.2"),
        Case(
            "an insertion and a target beside each other", "A:a,b,c",
            [.moveItem("c", .anchor(before("a"))), .insertItems([new("x")], before("c"))],
            items: "ins 0.0, mov 0.2>0.1"),
        Case(
            "a moved item of another kind is reloaded at its target", "A:a,b",
            [.moveItem("b", .anchor(before("a"))), .updateItem("b", kind("emoji"))], items: "mov 0.1>0.0, rld 0.0"),
        Case(
            "reload beats reconfigure", "A:a",
            [.reconfigureItems(["a"]), .reloadItems(["a"]), .setStarred(["a"], true)],
            items: "rld 0.0"),
    ]

    static let sections = [
        Case(
            "from a section that stays into a new one", "A:a,b",
            [.insertSections([section("N")], .before("A")), .moveItem("a", .last(.section("N")))],
            items: "insS 0, del 0.0"),
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
            "a section moves and goes", "A:a B:b", [.moveSection("B", .before("A")), .deleteSections(["B"])],
            items: "delS 1"),
        Case(
            "a section goes and comes back elsewhere", "A:a B:b C:c",
            [.deleteSections(["A"]), .appendSections([section("A", new("a"))])], items: "movS 0>2"),
        Case(
            "the last item leaves the first section", "A:a B:b", [.moveItem("a", .last(.section("B")))],
            items: "mov 0.0>1.1"),
        Case("an empty section is filled", "A: B:b", [.appendItems([new("a")], .section("A"))], items: "ins 0.0"),
        Case("a section is emptied", "A:a B:b", [.deleteItems(["a"])], items: "del 0.0"),
        Case(
            "an item visits three sections and comes home", "A:a,x B:b C:c",
            [
                .moveItem("a", .last(.section("B"))), .moveItem("a", .last(.section("C"))),
                .moveItem("a", .first(.section("A"))),
            ],
            items: ""),
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
            "a title", "A:a B:b", [.moveSection("B", .before("A")), .updateSection("B", title("T"))],
            items: "movS 1>0, cfgS 0"),
        Case("everything goes", "A:a B:b", [.deleteAllItems], items: "delS 1, delS 0"),
    ]

    static let compositions = [
        Case("inserted and deleted", "A:a", [.appendItems([new("x")], nil), .deleteItems(["x"])], items: ""),
        Case(
            "deleted and inserted elsewhere", "A:a,b,c", [.deleteItems(["a"]), .appendItems([new("a")], nil)],
            items: "mov 0.0>0.2"),
        Case(
            "deleted and inserted in its place", "A:a,b", [.deleteItems(["a"]), .insertItems([new("a")], before("b"))],
            items: ""),
        Case(
            "moved five times", "A:a,b,c,d",
            [
                .moveItem("a", .anchor(after("b"))), .moveItem("a", .anchor(after("d"))),
                .moveItem("a", .anchor(before("b"))), .moveItem("a", .anchor(after("d"))),
                .moveItem("a", .anchor(after("c"))),
            ],
            items: "mov 0.0>0.2"),
        Case(
            "moved and moved back", "A:a,b,c",
            [.moveItem("c", .first(.section("A"))), .moveItem("c", .last(.section("A")))],
            items: ""),
        Case("updated and deleted", "A:a,b", [.updateItem("a", content(1)), .deleteItems(["a"])], items: "del 0.0"),
        Case(
            "a section of many goes, one of its items comes back", "A:a B:b1,b2,b3,b4",
            [.deleteSections(["B"]), .appendItems([new("b3")], nil)], items: "delS 1, ins 0.1"),
        Case("changed and changed back", "A:a", [.setStarred(["a"], true), .setStarred(["a"], false)], items: ""),
    ]

    @Test(arguments: identity + indexSpaces + sections + compositions)
    func change(_ row: Case) throws {
        try row.check()
    }

    static let blocks: [(name: String, moved: [Int], to: Int, moves: Int)] = [
        ("first to last", [0], 2_000, 1), ("a block of 1,000 moved together", Array(500..<1_500), 0, 500),
        ("a block of 400 past one item", Array(1..<401), 0, 1),
    ]

    @Test(arguments: blocks)
    func longLists(name: String, moved: [Int], to: Int, moves: Int) throws {
        let ids = (0..<2_000).map { ItemID(unchecked: "i\($0)") }
        let list = try ListState(notation: "A:" + ids.map(\.rawValue).joined(separator: ","))
        var rest = ids.enumerated().filter { !moved.contains($0.offset) }.map(\.element)
        rest.insert(contentsOf: moved.map { ids[$0] }, at: min(to, rest.count))
        var new = list
        let delta = try new.commit(
            .applySnapshot(WantedSnapshot(sections: [WantedSection("A", items: rest.map { NewItem($0) })])))
        #expect(ChangeSet(undoing: delta, to: new, view: .items).items.moved.count == moves)
    }

    @Test func namedRowsCountThoseInsideSections() throws {
        var list = try ListState(notation: "A:a,b,c")
        let delta = try list.commit([
            .appendSections([section("N", new("x"), new("y"))]), .reloadSections(["A"]), .deleteItems(["a"]),
        ])
        #expect(ChangeSet(undoing: delta, to: list, view: .items).namedRowCount == 5)
    }

    @Test func theListsOwnMembers() throws {
        var list = try ListState(notation: "A:a")
        var changes = ListChanges()
        changes.title = .set("T")
        changes.layout = .set(.emptyObject)
        let first = try list.commit(.updateList(changes))
        #expect(ChangeSet(undoing: first, to: list, view: .items).properties == changes)
        var removal = ListChanges()
        removal.layout = .set(nil)
        let second = try list.commit(.updateList(removal))
        #expect(ChangeSet(undoing: second, to: list, view: .items).properties == removal)
    }
}
