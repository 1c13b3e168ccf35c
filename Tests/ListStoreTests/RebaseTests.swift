import ListDiff
import ListModel
import ListStore
import Testing

/// Operations on a stale base, by the rules of docs/model.md section 8.
@Suite struct RebaseTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var start: String
        /// The operations of other clients since the base.
        var meanwhile: [ListModel.Operation]
        var operation: ListModel.Operation
        var result: String
        var outcome: Outcome
        var testDescription: String { name }
    }

    static func new(_ id: ItemID) -> NewItem { NewItem(id, value: ItemChanges()) }

    static func section(_ id: SectionID, _ items: [ItemID]) -> NewSection {
        NewSection(SectionProperties(id: id), items: items.map(new))
    }

    static let rows = [
        Row(
            name: "moved item deleted", start: "A:a,b,c", meanwhile: [.deleteItems(["a"])],
            operation: .moveItem("a", .anchor(ItemAnchor(.after, "c"))), result: "A:b,c",
            outcome: .dropped(.itemDeleted)),
        Row(
            name: "anchor deleted: behind its left sibling", start: "A:a,b,c,d", meanwhile: [.deleteItems(["c"])],
            operation: .moveItem("a", .anchor(ItemAnchor(.after, "c"))), result: "A:b,a,d",
            outcome: .adjusted(.anchorDeleted)),
        Row(
            name: "the item being placed is no left sibling", start: "A:a,b,c", meanwhile: [.deleteItems(["b"])],
            operation: .moveItem("a", .anchor(ItemAnchor(.after, "b"))), result: "A:a,c",
            outcome: .adjusted(.anchorDeleted)),
        Row(
            name: "no left sibling: first", start: "A:a,b,c", meanwhile: [.deleteItems(["a"])],
            operation: .moveItem("c", .anchor(ItemAnchor(.before, "a"))), result: "A:c,b",
            outcome: .adjusted(.anchorDeleted)),
        Row(
            name: "left sibling moved away does not count", start: "A:a,b,c B:",
            meanwhile: [
                .deleteItems(["b"]), .moveItem("a", .last(.section("B"))),
            ], operation: .insertItems([new("x")], ItemAnchor(.after, "b")), result: "A:x,c B:a",
            outcome: .adjusted(.anchorDeleted)),
        Row(
            name: "section gone too", start: "A:a B:b", meanwhile: [.deleteSections(["A"])],
            operation: .insertItems([new("x")], ItemAnchor(.after, "a")), result: "B:b",
            outcome: .dropped(.sectionDeleted)),
        Row(
            name: "append to a deleted section", start: "A:a B:b", meanwhile: [.deleteSections(["A"])],
            operation: .appendItems([new("x")], .section("A")), result: "B:b", outcome: .dropped(.sectionDeleted)),
        Row(
            name: "append to a deleted parent", start: "A:a,b", meanwhile: [.deleteItems(["a"])],
            operation: .appendItems([new("x")], .parent("a")), result: "A:b", outcome: .dropped(.parentDeleted)),
        Row(
            name: "deleting what others deleted", start: "A:a,b", meanwhile: [.deleteItems(["a"])],
            operation: .deleteItems(["a"]), result: "A:b", outcome: .dropped(.itemDeleted)),
        Row(
            name: "some of many", start: "A:a,b,c", meanwhile: [.deleteItems(["b"])],
            operation: .setStarred(["a", "b"], true), result: "A:a,c", outcome: .partial(["b"], .itemDeleted)),
        Row(
            name: "some sections of many", start: "A:a B:b C:c", meanwhile: [.deleteSections(["B"])],
            operation: .deleteSections(["A", "B"]), result: "C:c",
            outcome: .partial([], sections: ["B"], .sectionDeleted)),
        Row(
            name: "guard that held at the base", start: "A:a,b B:c", meanwhile: [.moveItem("b", .last(.section("B")))],
            operation: .insertItems([new("x")], ItemAnchor(.after, "b", guardedBy: .section("A"))),
            result: "A:a,x B:c,b",
            outcome: .adjusted(.anchorDeleted)),
        Row(
            name: "anchor without guard is followed", start: "A:a,b B:c",
            meanwhile: [.moveItem("b", .last(.section("B")))],
            operation: .insertItems([new("x")], ItemAnchor(.after, "b")), result: "A:a B:c,b,x", outcome: .applied),
        Row(
            name: "others made a cycle of it", start: "A:a,b", meanwhile: [.moveItem("b", .last(.parent("a")))],
            operation: .moveItem("a", .last(.parent("b"))), result: "A:a,b", outcome: .dropped(.cycle)),
        Row(
            name: "whole state: what others added stays", start: "A:a,b,c",
            meanwhile: [
                .insertItems([new("x")], ItemAnchor(.after, "a"))
            ], operation: .applySnapshot(WantedSnapshot(sections: StoreFixture.sections("A:c,b,a"))),
            result: "A:c,b,a,x",
            outcome: .applied),
        Row(
            name: "whole state: a section that others added too is used", start: "A:a",
            meanwhile: [.insertSections([section("N", ["n"])], .before("A"))],
            operation: .applySnapshot(WantedSnapshot(sections: StoreFixture.sections("A:a N:x M:"))),
            result: "N:x,n M: A:a", outcome: .applied),
        Row(
            name: "section state: a section that others added too is used", start: "A:a",
            meanwhile: [.insertSections([section("N", ["n"])], .before("A"))],
            operation: .applySectionSnapshot(StoreFixture.sections("N:x")[0]), result: "N:x,n A:a",
            outcome: .applied),
        Row(
            name: "whole state: tells what a part of it was not applied to", start: "A:a,b B:c,d",
            meanwhile: [.deleteSections(["B"])],
            operation: .applySnapshot(WantedSnapshot(sections: StoreFixture.sections("A:b,a B:d,c"))),
            result: "A:b,a", outcome: .partial(["d"], .itemDeleted)),
        Row(
            name: "whole state: deleting all leaves new sections", start: "A:a",
            meanwhile: [
                .appendSections([section("N", ["n"])])
            ], operation: .deleteAllItems, result: "N:n", outcome: .applied),
    ]

    @Test(arguments: rows)
    func staleBase(_ row: Row) throws {
        try row.check()
    }

    @Test(arguments: rows)
    func aRetryIsToldTheSame(_ row: Row) throws {
        let fixture = try StoreFixture(row.start)
        let base = try #require(fixture.head).version
        for operation in row.meanwhile { _ = try fixture.write(operation) }
        let write = Write(
            .operations([row.operation]), base: base, key: ReceiptKey(scope: [1], request: [2]))
        let first = try fixture.store.submit(StoreFixture.list, write).result.get()
        let second = try fixture.store.submit(StoreFixture.list, write).result.get()
        #expect(!first.isReplay && second.isReplay)
        #expect(second.outcomes == first.outcomes && second.outcomes == [row.outcome])
    }

    @Test(arguments: rows)
    func strictRefusesWhatIsNotApplied(_ row: Row) throws {
        try row.checkStrict()
    }

    @Test func neverExistedIsAnErrorWithAnyBase() throws {
        let fixture = try StoreFixture("A:a,b")
        let base = try #require(fixture.head).version
        _ = try fixture.write(.deleteItems(["b"]))
        #expect(throws: StoreError.self) { _ = try fixture.write(.moveItem("zz", .last(.section("A"))), base: base) }
        #expect(throws: StoreError.self) {
            _ = try fixture.write(.deleteItems(["a"]), .setStarred(["a"], true), base: base)
        }
        #expect(fixture.text == "A:a")
    }
}

extension RebaseTests.Row {
    /// Checks that the operation, made for the base, has the row's effect on the head.
    func check() throws {
        let (fixture, base) = try staleFixture()
        let result = try fixture.write(operation, base: base)
        #expect(fixture.text == self.result)
        #expect(result.outcomes == [outcome])
        #expect(result.missed != nil)
        guard case .changes(let missed, let from, let to, _)? = result.missed else { return }
        #expect(from == base && to == result.from && !missed.isEmpty)
    }

    /// Checks that a strict write is refused, without effect, if it would not be applied as it is.
    func checkStrict() throws {
        let (fixture, base) = try staleFixture()
        guard outcome != .applied else {
            #expect(try fixture.write(operation, base: base, isStrict: true).outcomes == [.applied])
            #expect(fixture.text == result)
            return
        }
        let before = try #require(fixture.head)
        #expect(throws: StoreError.self) { _ = try fixture.write(operation, base: base, isStrict: true) }
        #expect(fixture.text == StoreFixture.text(before.state))
        #expect(fixture.head?.version == before.version)
    }

    /// A list, and an older version of it from which the list has moved on.
    private func staleFixture() throws -> (fixture: StoreFixture, base: Version) {
        let fixture = try StoreFixture(start)
        let base = try #require(fixture.head).version
        for operation in meanwhile { _ = try fixture.write(operation) }
        return (fixture, base)
    }
}
