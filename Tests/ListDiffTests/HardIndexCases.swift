import ListDiff
import ListModel
import TestSupport
import Testing

/// Hard cases of list differences: whether an index counts the rows of the old or of the new state.
@Suite struct HardIndexCases {
    typealias Case = ChangeSetCases.Case

    static let cases = [
        Case(
            "an update behind an insertion is at its new index", "A:a,b",
            [.insertItems([new("x")], before("a")), .updateItem("b", content(1))], items: "ins 0.0, cfg 0.2"),
        Case(
            "an update before the insertion is at its new index too", "A:a,b",
            [.updateItem("b", content(1)), .insertItems([new("x")], before("a"))], items: "ins 0.0, cfg 0.2"),
        Case(
            "an update behind a deletion is at its new index", "A:a,b,c",
            [.deleteItems(["a"]), .updateItem("c", content(1))], items: "del 0.0, cfg 0.1"),
        Case(
            "an update behind an inserted section is at its new section", "A:a,b",
            [.updateItem("b", content(1)), .insertSections([section("N")], .before("A"))], items: "insS 0, cfg 1.1"),
        Case(
            "an update and a move of one row", "A:a,b,c",
            [.updateItem("c", content(1)), .moveItem("c", .anchor(before("a")))], items: "mov 0.2>0.0, cfg 0.0"),
        Case(
            "a moved row of another kind is reloaded at its target", "A:a,b",
            [.moveItem("b", .anchor(before("a"))), .updateItem("b", kind("emoji"))], items: "mov 0.1>0.0, rld 0.0"),
        Case(
            "a deletion and a source beside each other", "A:a,b,c,d",
            [.deleteItems(["b"]), .moveItem("a", .anchor(after("d")))], items: "del 0.1, mov 0.0>0.2"),
        Case(
            "a row that is moved and deleted is deleted only", "A:a,b,c",
            [.moveItem("a", .anchor(after("c"))), .deleteItems(["a"])], items: "del 0.0"),
        Case(
            "an insertion and a target beside each other", "A:a,b,c",
            [.moveItem("c", .anchor(before("a"))), .insertItems([new("x")], before("c"))],
            items: "ins 0.0, mov 0.2>0.1"),
        Case(
            "a row that is inserted and moved is inserted only", "A:a,b",
            [.appendItems([new("x")], nil), .moveItem("x", .anchor(before("a")))], items: "ins 0.0"),
        Case(
            "a row for another at one index", "A:a,b,c", [.insertItems([new("x")], before("b")), .deleteItems(["b"])],
            items: "del 0.1, ins 0.1"),
        Case(
            "one deletion twice is one", "A:a,b,c", [.deleteItems(["b"]), .deleteItems(["b"])], items: "del 0.1"),
        Case(
            "a row and then its parent deleted: each once", "A:p{c},b",
            [.deleteItems(["c"]), .deleteItems(["p", "c"])],
            items: "del 0.1, del 0.0", visible: "del 0.0"),
        Case(
            "a row and then its section deleted: the section only", "A:a B:b",
            [.deleteItems(["b"]), .deleteSections(["B"])], items: "delS 1"),
    ]

    @Test(arguments: cases)
    func change(_ row: Case) throws {
        try row.check()
    }

    /// Moves are not steps of a sequence. One move does not shift the indexes of another.
    @Test("moves count all in the old rows and all in the new ones, none in between", arguments: Soak.seeds(50))
    func movesAreNoSteps(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ids = (0..<12).map { ItemID(unchecked: "i\($0)") }
        var list = try ListState(notation: "A:" + ids.map(\.rawValue.string).joined(separator: ",") + " B:")
        let old = Rows(of: list, view: .items)
        var rest = ids.shuffled(using: &random)
        rest.removeLast(2)
        let cut = random.below(rest.count + 1)
        let sections = [rest[..<cut].map { NewItem($0) } + [new("x")], [new("y")] + rest[cut...].map { NewItem($0) }]
        let delta = try list.commit(
            .applySnapshot(
                WantedSnapshot(sections: [
                    WantedSection("A", items: sections[0]), WantedSection("B", items: sections[1]),
                ]
                )))
        let new = Rows(of: list, view: .items)
        let change = ChangeSet(undoing: delta, to: list, view: .items)
        try #require(!change.items.moved.isEmpty)
        for move in change.items.moved {
            #expect(old.sections[move.from.section].items[move.from.index].item.id == move.id)
            #expect(new.sections[move.to.section].items[move.to.index].item.id == move.id)
        }
        let sources = change.items.moved.map(\.from) + change.items.deleted.map(\.path)
        let targets = change.items.moved.map(\.to) + change.items.inserted.map(\.path)
        #expect(Set(sources).count == sources.count)
        #expect(Set(targets).count == targets.count)
    }
}
