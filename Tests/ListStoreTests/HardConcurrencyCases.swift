import ListDiff
import ListModel
import ListStore
import TestSupport
import Testing

/// Hard cases of list differences: two clients write to one list.
///
/// Operations name ids. Operations that were made for an older base are resolved in the head (docs/model.md section 8).
@Suite struct HardConcurrencyCases {
    typealias Row = RebaseTests.Row

    private static func move(_ item: ItemID, after anchor: ItemID) -> ListModel.Operation {
        .moveItem(item, .anchor(ItemAnchor(.after, anchor)))
    }

    private static func move(_ item: ItemID, before anchor: ItemID) -> ListModel.Operation {
        .moveItem(item, .anchor(ItemAnchor(.before, anchor)))
    }

    static let neighbours = [
        Row(
            name: "the anchor and the row before it deleted: behind the next one left", start: "A:a,b,c,d,x,e",
            meanwhile: [.deleteItems(["c", "d"])], operation: move("e", after: "d"), result: "A:a,b,e,x",
            outcome: .adjusted(.anchorDeleted)),
        Row(
            name: "the anchor and the row behind it deleted: behind the row before", start: "A:a,b,c,d,x,e",
            meanwhile: [.deleteItems(["c", "d"])], operation: move("e", after: "c"), result: "A:a,b,e,x",
            outcome: .adjusted(.anchorDeleted)),
        Row(
            name: "the neighbours changed places: after the one that is named", start: "A:a,b,c,x",
            meanwhile: [move("b", before: "a")], operation: move("x", after: "a"), result: "A:b,a,x,c",
            outcome: .applied),
        Row(
            name: "the neighbours changed places: before the one that is named", start: "A:a,b,c,x",
            meanwhile: [move("b", before: "a")], operation: move("x", before: "b"), result: "A:x,b,a,c",
            outcome: .applied),
        Row(
            name: "the anchor moved to another section: it is followed", start: "A:a,b,x B:c",
            meanwhile: [.moveItem("a", .last(.section("B")))], operation: move("x", after: "a"), result: "A:b B:c,a,x",
            outcome: .applied),
        Row(
            name: "the anchor moved to another section than was asked for: it is lost", start: "A:a,b,x B:c",
            meanwhile: [.moveItem("b", .last(.section("B")))],
            operation: .moveItem("x", .anchor(ItemAnchor(.after, "b", guardedBy: .section("A")))),
            result: "A:a,x B:c,b",
            outcome: .adjusted(.anchorDeleted)),
    ]

    static let targets = [
        Row(
            name: "the moved row deleted: it does not come back", start: "A:a,b,c", meanwhile: [.deleteItems(["a"])],
            operation: .moveItem("a", .last(.section("A"))), result: "A:b,c", outcome: .dropped(.itemDeleted)),
        Row(
            name: "the target's section deleted", start: "A:a B:b", meanwhile: [.deleteSections(["B"])],
            operation: .moveItem("a", .last(.section("B"))), result: "A:a", outcome: .dropped(.sectionDeleted)),
        Row(
            name: "the target's section deleted, and the anchor with it", start: "A:a B:b",
            meanwhile: [.deleteSections(["B"])], operation: move("a", after: "b"), result: "A:a",
            outcome: .dropped(.sectionDeleted)),
        Row(
            name: "the target's parent deleted", start: "A:a,p", meanwhile: [.deleteItems(["p"])],
            operation: .moveItem("a", .last(.parent("p"))), result: "A:a", outcome: .dropped(.parentDeleted)),
        Row(
            name: "a under b while b went under a", start: "A:a,b", meanwhile: [.moveItem("b", .last(.parent("a")))],
            operation: .moveItem("a", .last(.parent("b"))), result: "A:a,b", outcome: .dropped(.cycle)),
    ]

    static let races = [
        Row(
            name: "two move one row: the later wins", start: "A:a,b,c,d",
            meanwhile: [.moveItem("a", .last(.section("A")))],
            operation: move("a", after: "b"), result: "A:b,a,c,d", outcome: .applied),
        Row(
            name: "two move one row to two sections: it is in the later", start: "A:a B: C:",
            meanwhile: [.moveItem("a", .last(.section("B")))], operation: .moveItem("a", .last(.section("C"))),
            result: "A: B: C:a", outcome: .applied),
        Row(
            name: "two swap one pair, both by the first: swapped once", start: "A:a,b",
            meanwhile: [move("a", after: "b")],
            operation: move("a", after: "b"), result: "A:b,a", outcome: .applied),
        Row(
            name: "two swap one pair, each by another: swapped once", start: "A:a,b",
            meanwhile: [move("a", after: "b")],
            operation: move("b", before: "a"), result: "A:b,a", outcome: .applied),
        Row(
            name: "two to the top: the later is first", start: "A:a,b,c,d",
            meanwhile: [.moveItem("b", .first(.section("A")))], operation: .moveItem("c", .first(.section("A"))),
            result: "A:c,b,a,d", outcome: .applied),
        Row(
            name: "two to the end: the later is last", start: "A:a,b,c,d",
            meanwhile: [.moveItem("a", .last(.section("A")))], operation: .moveItem("b", .last(.section("A"))),
            result: "A:c,d,a,b", outcome: .applied),
        Row(
            name: "two after one anchor: the later is nearer", start: "A:a,b,c,d", meanwhile: [move("c", after: "a")],
            operation: move("d", after: "a"), result: "A:a,d,c,b", outcome: .applied),
        Row(
            name: "two before one anchor: the later is nearer", start: "A:a,b,c,d", meanwhile: [move("a", before: "d")],
            operation: move("b", before: "d"), result: "A:c,a,b,d", outcome: .applied),
    ]

    @Test(arguments: neighbours + targets + races)
    func staleBase(_ row: Row) throws {
        try row.check()
    }

    @Test(arguments: neighbours + targets + races)
    func strict(_ row: Row) throws {
        try row.checkStrict()
    }

    // MARK: Refusals

    @Test("a row before or after itself is refused, whatever the base", arguments: [ItemAnchor.Side.before, .after])
    func itself(side: ItemAnchor.Side) throws {
        let fixture = try StoreFixture("A:a,b")
        let base = try #require(fixture.head).version
        _ = try fixture.write(.setStarred(["b"], true))
        for base in [nil, base] {
            let write = Write(.operations([.moveItem("a", .anchor(ItemAnchor(side, "a")))]), base: base)
            guard case .failure(.model(.itemMovesToItself("a"), operation: 0)) = fixture.submit(write) else {
                Issue.record("not refused")
                continue
            }
        }
        #expect(fixture.text == "A:a,b")
        #expect(fixture.head?.version == base.next)
    }

    @Test("a base in the future is unknown, and the answer is a reset")
    func future() throws {
        let fixture = try StoreFixture("A:a,b")
        let head = try #require(fixture.head).version
        let write = Write(.operations([.deleteItems(["a"])]), base: head.next)
        guard case .failure(.unknownBase(head: head, missed: .reset(let snapshot))) = fixture.submit(write) else {
            Issue.record("not refused")
            return
        }
        #expect(StoreFixture.text(snapshot.state) == "A:a,b")
        #expect(fixture.text == "A:a,b")
        #expect(fixture.head?.version == head)
    }

    @Test("If-Match of another version leaves everything as it is", arguments: [-1, 1])
    func ifMatch(offset: Int) throws {
        let fixture = try StoreFixture("A:a,b")
        _ = try fixture.write(.setStarred(["a"], true))
        let before = try #require(fixture.head)
        let other = Version(epoch: before.version.epoch, revision: before.version.revision + offset)
        let write = Write(
            .operations([.deleteItems(["a"]), .appendSections([RebaseTests.section("N", [])])]),
            match: .versions([other]))
        guard case .failure(.preconditionFailed(head: before.version, _)) = fixture.submit(write) else {
            Issue.record("not refused")
            return
        }
        let after = try #require(fixture.head)
        #expect(after.version == before.version)
        #expect(ListImage(after.state) == ListImage(before.state))
    }

    // MARK: Indexes

    /// A difference that moves one row of section A. `from` counts the rows of the base, and `to` the rows of the
    /// result.
    private static func indexMove(_ item: ItemID, from: Int, to: Int) -> WriteIntent {
        .reorder(
            Reorder(
                view: .items,
                sections: [
                    .init(
                        "A",
                        .difference(
                            insertions: [.init(offset: to, element: item)],
                            removals: [.init(offset: from, element: item)]))
                ]))
    }

    struct IndexMove: Sendable, CustomTestStringConvertible {
        var name: String
        var from: Int
        var to: Int
        /// The result on `A:a,b,c,d`; nil if the difference is refused.
        var result: String?
        /// The result if another client has moved d to the front since the base.
        var rebased: String?
        var testDescription: String { name }
    }

    static let indexMoves = [
        IndexMove(name: "an index to itself: nothing moves", from: 1, to: 1, result: "A:a,b,c,d", rebased: "A:d,a,b,c"),
        IndexMove(
            name: "an index to the next: past one row", from: 1, to: 2, result: "A:a,c,b,d", rebased: "A:d,a,c,b"),
        IndexMove(
            name: "an index to the one before: before one row", from: 1, to: 0, result: "A:b,a,c,d",
            rebased: "A:b,d,a,c"),
        IndexMove(name: "an index to the last one", from: 1, to: 3, result: "A:a,c,d,b", rebased: "A:d,b,a,c"),
        IndexMove(name: "an index beyond the end is refused", from: 1, to: 4),
        IndexMove(name: "an index far beyond the end is refused", from: 1, to: .max),
        IndexMove(name: "a negative index is refused", from: 1, to: -1),
        IndexMove(name: "a negative index to take from is refused", from: -1, to: 1),
        IndexMove(name: "an index beyond the end to take from is refused", from: 4, to: 1),
    ]

    @Test(arguments: indexMoves)
    func indexMove(_ row: IndexMove) throws {
        for isStale in [false, true] {
            let fixture = try StoreFixture("A:a,b,c,d")
            let base = try #require(fixture.head).version
            if isStale { _ = try fixture.write(.moveItem("d", .first(.section("A")))) }
            let before = try #require(fixture.head)
            let outcome = fixture.submit(Write(Self.indexMove("b", from: row.from, to: row.to), base: base))
            guard let result = isStale ? row.rebased : row.result else {
                guard case .failure(.reorder(.invalidDifference(section: "A", _, reason: .offsetOutOfRange))) = outcome
                else {
                    Issue.record("not refused: \(outcome)")
                    continue
                }
                #expect(fixture.head?.version == before.version)
                #expect(ListImage(try #require(fixture.head).state) == ListImage(before.state))
                continue
            }
            #expect(try outcome.get().outcomes == [.applied])
            #expect(fixture.text == result)
        }
    }

    @Test("two swap one pair by their indexes: swapped once")
    func swapByIndex() throws {
        for (second, from, to) in [("a", 0, 1), ("b", 1, 0)] as [(ItemID, Int, Int)] {
            let fixture = try StoreFixture("A:a,b")
            let base = try #require(fixture.head).version
            _ = try fixture.submit(Write(Self.indexMove("a", from: 0, to: 1), base: base)).get()
            let result = try fixture.submit(Write(Self.indexMove(second, from: from, to: to), base: base)).get()
            #expect(fixture.text == "A:b,a")
            #expect(result.kind == .unchanged)
        }
    }

    @Test("a move by index that is sent again with its key moves once")
    func retry() throws {
        let fixture = try StoreFixture("A:a,b,c,d")
        let base = try #require(fixture.head).version
        let write = Write(
            Self.indexMove("a", from: 0, to: 1), base: base, key: ReceiptKey(scope: [1], request: [2]))
        let first = try fixture.submit(write).get()
        #expect(fixture.text == "A:b,a,c,d")
        _ = try fixture.write(.moveItem("a", .last(.section("A"))))
        let second = try fixture.submit(write).get()
        #expect(second.isReplay && second.version == first.version && second.outcomes == first.outcomes)
        #expect(second.changes == first.changes)
        #expect(fixture.text == "A:b,c,d,a")
    }
}

extension StoreFixture {
    fileprivate func submit(_ write: Write) -> Result<WriteResult, StoreError> {
        store.submit(Self.list, write).result
    }
}
