import JSONValue
import ListDiff
import ListModel
import TestSupport
import Testing

/// The numbered cases of docs/model.md section 15 that are about change sets.
@Suite struct ChangeSetCases {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var list: String
        var operations: [Operation]
        /// The change set in the view `items`.
        var items: String
        /// The change set in the view `visible`; nil if it is the same.
        var visible: String?

        init(_ name: String, _ list: String, _ operations: [Operation], items: String, visible: String? = nil) {
            self.name = name
            self.list = list
            self.operations = operations
            self.items = items
            self.visible = visible
        }

        var testDescription: String { name }
    }

    static let sections = [
        Case("case 15: a section moves", "A:a,b B:c C:d", [.moveSection("C", .before("A"))], items: "movS 2>0"),
        Case(
            "case 16: behind the last of A stays in A", "A:a B:c", [.insertItems([new("x")], after("a"))],
            items: "ins 0.1"),
        Case(
            "case 16: before the first of B stays in B", "A:a B:c", [.insertItems([new("x")], before("c"))],
            items: "ins 1.0"),
        Case(
            "case 17: a section deleted and added again with the same rows", "A:a B:b,c D:d",
            [.deleteSections(["B"]), .insertSections([section("B", new("b"), new("c"))], .before("D"))], items: ""),
        Case(
            "case 17: the same with other rows", "A:a B:b,c D:d",
            [.deleteSections(["B"]), .insertSections([section("B", new("c"), new("x"))], .before("D"))],
            items: "del 1.0, ins 1.1"),
        Case(
            "case 22: Wi-Fi off", "config:switch,net networks:n1,n2,n3",
            [.deleteSections(["networks"]), .deleteItems(["net"])], items: "delS 1, del 0.1"),
        Case(
            "case 22: Wi-Fi on", "config:switch",
            [
                .appendItems([new("net")], .section("config")),
                .appendSections([section("networks", new("n1"), new("n2"))]),
            ],
            items: "insS 1, ins 0.1"),
        Case(
            "case 23: out of a deleted section", "A:a,b B:c",
            [.moveItem("a", .anchor(after("c"))), .deleteSections(["A"])],
            items: "delS 0, ins 0.1"),
        Case(
            "case 23: into an inserted section", "A:a,b",
            [.appendSections([section("B")]), .moveItem("b", .last(.section("B")))], items: "insS 1, del 0.1"),
    ]

    static let items = [
        Case(
            "case 8: the section that lost its items stays", "A:a,b B:c", [.deleteItems(["a", "b"])],
            items: "del 0.1, del 0.0"),
        Case("case 11: to where it is", "A:a,b,c", [.moveItem("a", .anchor(before("b")))], items: ""),
        Case("case 13: reload is content only", "A:a,b,c", [.reloadItems(["b"])], items: "rld 0.1"),
        Case("case 13: reconfigure is content only", "A:a,b,c", [.reconfigureItems(["b"])], items: "cfg 0.1"),
        // A snapshot does not say which of the two has moved. The earlier one, b, stays: docs/contract.md section 5,
        // rule 4.
        Case(
            "case 18: a comparison keeps what is earlier", "A:a,b,c,d", [.applySnapshot(snapshot("A:a,c,b,d"))],
            items: "mov 0.2>0.1"),
        Case("case 18: c was moved", "A:a,b,c,d", [.moveItem("c", .anchor(before("b")))], items: "mov 0.2>0.1"),
        Case("case 18: b was moved", "A:a,b,c,d", [.moveItem("b", .anchor(after("c")))], items: "mov 0.1>0.2"),
        Case(
            "case 19: deletions descend", "A:a,b,c,d,e", [.deleteItems(["b", "c", "d"])],
            items: "del 0.3, del 0.2, del 0.1"),
        Case(
            "cases 20 and 46: across sections, the flat order unchanged", "A:s1,s2,s3 B:n1",
            [.moveItem("s3", .anchor(before("n1")))], items: "mov 0.2>1.0"),
        Case(
            "case 21: a step of insertion sort", "A:3,1,2",
            [.deleteItems(["3", "1", "2"]), .appendItems([new("1"), new("3"), new("2")], .section("A"))],
            items: "mov 0.1>0.0"),
        Case("case 44: the last to the front", "S:h,l,r", [.moveItem("r", .anchor(before("h")))], items: "mov 0.2>0.0"),
        Case(
            "case 45: into the middle of another section", "S:h,l,r N:t,f", [.moveItem("l", .anchor(before("f")))],
            items: "mov 0.1>1.1"),
        Case("case 47: the last item leaves", "S:h N:t", [.moveItem("h", .anchor(after("t")))], items: "mov 0.0>1.1"),
        Case("case 58: a star is content of its row only", "A:a,b B:c", [.setStarred(["b"], true)], items: "cfg 0.1"),
        Case("case 24: the same state", "A:a,b{c} B:", [.applySnapshot(snapshot("A:a,b{c} B:"))], items: ""),
        Case(
            "case 24: a section applied twice", "recents:a,b",
            [.applySectionSnapshot(WantedSection("recents", items: [new("a"), new("b")]))], items: ""),
        Case(
            "case 28: moved and changed", "A:a,b,c",
            [.moveItem("c", .anchor(before("a"))), .updateItem("c", content(1))],
            items: "mov 0.2>0.0, cfg 0.0"),
        Case(
            "case 28: inserted and changed", "A:a", [.appendItems([new("b")], nil), .updateItem("b", content(1))],
            items: "ins 0.1"),
        Case(
            "case 28: inserted and reloaded", "A:a", [.appendItems([new("b")], nil), .reloadItems(["b", "a"])],
            items: "ins 0.1, rld 0.0"),
    ]

    private static let explorer = "R:r1,r2 O:smileys{a,b,c},nature{d,e,f},food{g,h,i},travel{j} L:l1"
    private static let opened = "R:r1,r2 O:smileys{a,b,c},nature{d,e,f},+food{g,h,i},travel{j} L:l1"
    private static let outlineRows = "O:smileys,nature{fox,bee},+food{w,a,p},act"

    static let outlines = [
        Case(
            "case 32: deleted and appended again, without children and flag", "O:+0{1,2},3",
            [.deleteItems(["0"]), .appendItems([new("0")], nil)],
            items: "del 0.2, del 0.1, mov 0.0>0.1, cfg 0.1"),
        Case(
            "case 33: a leaf is expanded", "O:0{1,2},3", [.setExpanded(["3"], true)], items: "cfg 0.3",
            visible: "cfg 0.1"),
        Case(
            "case 33: and shows its first child at once", "O:0{1,2},+3", [.appendItems([new("x")], .parent("3"))],
            items: "ins 0.4", visible: "ins 0.2, cfg 0.1"),
        Case(
            "case 34: an expanded parent shows what is expanded below it", "O:p{+q{r}}", [.setExpanded(["p"], true)],
            items: "cfg 0.0", visible: "ins 0.1, ins 0.2, cfg 0.0"),
        Case(
            "case 34: a collapsed one hides it", "O:+p{+q{r}}", [.setExpanded(["p"], false)],
            items: "cfg 0.0", visible: "del 0.2, del 0.1, cfg 0.0"),
        Case(
            "case 35: other children, one of them expanded", "O:+0{1,2},3",
            [.replaceChildren("0", tree("7,+8{9}"))],
            items: "del 0.2, del 0.1, ins 0.1, ins 0.2, ins 0.3"),
        // The operation placed both. The earlier one, w, stays: docs/contract.md section 5, rule 4.
        Case(
            "case 37: of the children that overlap, the earlier stays", "O:smileys,nature,+food{w,a,p}",
            [.replaceChildren("food", [NewItem("p"), new("z"), NewItem("w")])],
            items: "del 0.4, ins 0.4, mov 0.5>0.3"),
        Case(
            "case 43: a section snapshot moves in what it names", "recents:a,b outline:o list:x,y,z,fox,w",
            [.applySectionSnapshot(WantedSection("recents", items: [NewItem("a"), NewItem("b"), NewItem("fox")]))],
            items: "mov 2.3>0.2"),
        Case(
            "case 43: and makes an unknown section at the end", "A:a",
            [.applySectionSnapshot(WantedSection("new", items: [new("n")]))], items: "insS 1"),
        Case(
            "case 41: Food is expanded", explorer, [.setExpanded(["food"], true)], items: "cfg 1.8",
            visible: "ins 1.3, ins 1.4, ins 1.5, cfg 1.2"),
        Case(
            "case 41: Food is collapsed", opened, [.setExpanded(["food"], false)], items: "cfg 1.8",
            visible: "del 1.5, del 1.4, del 1.3, cfg 1.2"),
        Case(
            "case 42: a child of collapsed Food", explorer, [.appendItems([new("x")], .parent("food"))],
            items: "ins 1.12", visible: "cfg 1.2"),
        Case(
            "case 49: expanded Food to the front", outlineRows, [.moveItem("food", .first(.section("O")))],
            items: "mov 0.4>0.0, mov 0.5>0.1, mov 0.6>0.2, mov 0.7>0.3", visible: "mov 0.0>0.4, mov 0.1>0.5"),
        Case(
            "case 50: collapsed Nature to the end", outlineRows, [.moveItem("nature", .last(.section("O")))],
            items: "mov 0.1>0.6, mov 0.2>0.7, mov 0.3>0.8", visible: "mov 0.1>0.6"),
        Case(
            "case 50: a child dropped on collapsed Nature", outlineRows, [.moveItem("a", .last(.parent("nature")))],
            items: "mov 0.6>0.4, cfg 0.4", visible: "del 0.4, cfg 0.1, cfg 0.2"),
        Case(
            "case 50: a hidden child into expanded Food", outlineRows, [.moveItem("fox", .first(.parent("food")))],
            items: "mov 0.2>0.4, cfg 0.4", visible: "ins 0.3, cfg 0.1, cfg 0.2"),
        Case(
            "case 50: a child becomes a root", outlineRows, [.moveItem("a", .anchor(after("act")))],
            items: "mov 0.6>0.8, cfg 0.8", visible: "mov 0.4>0.6, cfg 0.2, cfg 0.6"),
        Case(
            "case 53: expanded Food is deleted", outlineRows, [.deleteItems(["food"])],
            items: "del 0.7, del 0.6, del 0.5, del 0.4", visible: "del 0.5, del 0.4, del 0.3, del 0.2"),
        Case(
            "case 53: collapsed Nature is deleted", outlineRows, [.deleteItems(["nature"])],
            items: "del 0.3, del 0.2, del 0.1", visible: "del 0.1"),
        Case(
            "a subtree one level down: descendants change level only", "O:+p,+q{+r{s}}",
            [.moveItem("q", .last(.parent("p")))], items: "cfg 0.1", visible: "cfg 0.0, cfg 0.1, cfg 0.2, cfg 0.3"),
        Case(
            "a row hidden under its new collapsed parent without moving", "O:p,c",
            [.moveItem("c", .last(.parent("p")))],
            items: "cfg 0.1", visible: "del 0.1, cfg 0.0"),
    ]

    @Test(arguments: sections + items + outlines)
    func change(_ row: Case) throws {
        try row.check()
    }

    @Test("case 26: new ids are deletions and insertions, kept ones are moves")
    func newIdentitiesAreNoMoves() throws {
        var list = try ListState(notation: "A:a1,a2 B:b1")
        let renewed = try list.commit(.applySnapshot(snapshot("A:x1,x2 B:y1")))
        #expect(
            ChangeSet(undoing: renewed, to: list, view: .items).text
                == "del 1.0, del 0.1, del 0.0, ins 0.0, ins 0.1, ins 1.0")
        let kept = try list.commit(.applySnapshot(snapshot("A:x2,x1 B:y1")))
        #expect(ChangeSet(undoing: kept, to: list, view: .items).text == "mov 0.1>0.0")
    }

    @Test("Named rows are those inside sections too")
    func namedRowsCountThoseInsideSections() throws {
        var list = try ListState(notation: "A:a,b,c")
        let delta = try list.commit([
            .appendSections([section("N", new("x"), new("y"))]), .reloadSections(["A"]), .deleteItems(["a"]),
        ])
        #expect(ChangeSet(undoing: delta, to: list, view: .items).namedRowCount == 5)
    }

    @Test("Title and layout of the list are members of its change set")
    func theListsOwnMembers() throws {
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

extension ChangeSetCases.Case {
    /// Checks the operations as one transaction, and as one transaction each. The net change is the same.
    func check() throws {
        try check("one transaction") { state in try state.commit(operations) }
        try check("one by one") { state in try state.commit(oneByOne: operations) }
    }

    private func check(_ manner: String, _ commit: (inout ListState) throws -> Delta) throws {
        let old = try ListState(notation: list)
        var new = old
        let delta = try commit(&new)
        for (view, expected) in [(View.items, items), (.visible, visible ?? items)] {
            let change = ChangeSet(undoing: delta, to: new, view: view)
            #expect(change.text == expected, "\(manner), \(view)")
            #expect(Rows(of: old, view: view).applying(change, view: view) == Rows(of: new, view: view), "\(manner)")
        }
    }
}

// MARK: - Short arguments

func new(_ id: ItemID) -> NewItem { NewItem(id, value: ItemChanges()) }
func section(_ id: SectionID, _ items: NewItem...) -> NewSection { NewSection(SectionProperties(id: id), items: items) }
func before(_ item: ItemID) -> ItemAnchor { ItemAnchor(.before, item) }
func after(_ item: ItemID) -> ItemAnchor { ItemAnchor(.after, item) }

func content(_ number: Int) -> ItemChanges {
    var changes = ItemChanges()
    changes.content = .replace(JSONText(["n": .integer(number)]))
    return changes
}

func kind(_ kind: String) -> ItemChanges {
    var changes = ItemChanges()
    changes.kind = .set(ByteText(kind))
    return changes
}

func title(_ title: String) -> SectionChanges {
    var changes = SectionChanges()
    changes.title = .set(ByteText(title))
    return changes
}

/// The items of a tree; empty for a wrong notation, so that the case fails.
func tree(_ notation: String) -> [NewItem] {
    (try? [NewItem](notation: notation)) ?? []
}

/// A wanted state; empty for a wrong notation, so that the case fails.
func snapshot(_ notation: String) -> WantedSnapshot {
    (try? WantedSnapshot(notation: notation)) ?? WantedSnapshot(sections: [])
}
