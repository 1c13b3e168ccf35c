import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore

/// Operations whose base is no longer known, and which are reapplied to the head, by the rules of docs/model.md section 8.
@Suite struct ReappliedTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var operations: [ListModel.Operation]
        var result: String
        var outcomes: [Outcome]
        var testDescription: String { name }

        init(_ name: String, _ operations: [ListModel.Operation], _ result: String, _ outcomes: [Outcome]) {
            (self.name, self.operations, self.result, self.outcomes) = (name, operations, result, outcomes)
        }
    }

    private static func beside(_ item: ItemID, guardedBy container: Container? = nil) -> ItemAnchor {
        ItemAnchor(.after, item, guardedBy: container)
    }

    private static let x = NewItem("x", value: ItemChanges())
    private static let bare = NewItem("q", value: nil)

    /// The list is `A:a,b,c B:d`, and has neither the items q and x nor the sections Q and X.
    static let rows: [Row] = [
        Row("what is there is done", [.moveItem("a", .anchor(beside("c")))], "A:b,c,a B:d", [.applied]),
        Row("to an end", [.moveItem("a", .last(.section("B")))], "A:b,c B:d,a", [.applied]),
        Row("the item is gone", [.moveItem("q", .anchor(beside("c")))], "A:a,b,c B:d", [.dropped(.itemDeleted)]),
        Row("its anchor is gone", [.moveItem("a", .anchor(beside("q")))], "A:a,b,c B:d", [.dropped(.anchorDeleted)]),
        Row(
            "its anchor is gone, its section is there",
            [.moveItem("a", .anchor(beside("q", guardedBy: .section("B"))))],
            "A:b,c B:a,d", [.adjusted(.anchorDeleted)]),
        Row(
            "its anchor has left its section", [.moveItem("a", .anchor(beside("b", guardedBy: .section("B"))))],
            "A:b,c B:a,d", [.adjusted(.anchorDeleted)]),
        Row(
            "its anchor and its section are gone", [.moveItem("a", .anchor(beside("q", guardedBy: .section("Q"))))],
            "A:a,b,c B:d", [.dropped(.sectionDeleted)]),
        Row(
            "its anchor and its parent are gone", [.moveItem("a", .anchor(beside("q", guardedBy: .parent("x"))))],
            "A:a,b,c B:d", [.dropped(.parentDeleted)]),
        Row(
            "a new item beside a lost one is kept", [.insertItems([x], beside("q"))], "A:a,b,c B:d,x",
            [.adjusted(.anchorDeleted)]),
        Row(
            "a new item beside a lost one in a section", [.insertItems([x], beside("q", guardedBy: .section("A")))],
            "A:x,a,b,c B:d", [.adjusted(.anchorDeleted)]),
        Row("a new item at an end", [.appendItems([x], .section("A"))], "A:a,b,c,x B:d", [.applied]),
        Row(
            "a new item in a lost section, and a star for it",
            [.appendItems([x], .section("Q")), .setStarred(["x"], true)],
            "A:a,b,c B:d", [.dropped(.sectionDeleted), .dropped(.itemDeleted)]),
        Row(
            "a new item under a lost parent", [.appendItems([x], .parent("q"))], "A:a,b,c B:d",
            [.dropped(.parentDeleted)]),
        Row(
            "a bare id is gone", [.appendItems([bare, x], .section("A"))], "A:a,b,c,x B:d",
            [.partial(["q"], .itemDeleted)]),
        Row(
            "an id that is there moves", [.appendItems([NewItem("a", value: ItemChanges())], .section("B"))],
            "A:b,c B:d,a", [.applied]),
        Row("some are gone", [.deleteItems(["a", "q"])], "A:b,c B:d", [.partial(["q"], .itemDeleted)]),
        Row("all are gone", [.deleteItems(["q", "x"])], "A:a,b,c B:d", [.dropped(.itemDeleted)]),
        Row(
            "an update of one that is gone", [.updateItem("q", ItemChanges())], "A:a,b,c B:d", [.dropped(.itemDeleted)]),
        Row("a toggle of one that is gone", [.toggleStar("q")], "A:a,b,c B:d", [.dropped(.itemDeleted)]),
        Row(
            "sections that are gone",
            [.deleteSections(["Q", "B"]), .updateSection("Q", SectionChanges()), .reloadSections(["Q"])],
            "A:a,b,c",
            [.partial([], sections: ["Q"], .sectionDeleted), .dropped(.sectionDeleted), .dropped(.sectionDeleted)]),
        Row(
            "a section beside one that is gone", [.moveSection("A", .after("Q"))], "A:a,b,c B:d",
            [.dropped(.anchorDeleted)]),
        Row(
            "a new section beside one that is gone",
            [.insertSections([NewSection(SectionProperties(id: "X"), items: [x])], .before("Q"))], "A:a,b,c B:d X:x",
            [.adjusted(.anchorDeleted)]),
        Row(
            "below itself by now",
            [.moveItem("b", .last(.parent("a"))), .moveItem("a", .last(.parent("b")))], "A:a,b,c B:d",
            [.applied, .dropped(.cycle)]),
    ]

    private static let gone = Version(epoch: "gone", revision: 7)
    private static let start = "A:a,b,c B:d"

    private static func write(_ operations: [ListModel.Operation], base: Version = gone) -> Write {
        var write = Write(.operations(operations), base: base)
        write.onLostBase = .reapply
        return write
    }

    @Test(arguments: rows) func aLostBaseIsNoObstacle(_ row: Row) throws {
        let fixture = try StoreFixture(Self.start)
        let before = try #require(fixture.head).version
        let result = try fixture.store.submit(StoreFixture.list, Self.write(row.operations)).result.get()
        #expect(fixture.text == row.result)
        #expect(result.outcomes == row.outcomes)
        guard case .reset(let snapshot)? = result.missed else { throw Missing(what: "no reset") }
        #expect(snapshot.version == before && result.from == before)
    }

    /// Without the wish, with a strict one, and for writes of whole states it stays as it was.
    @Test(arguments: rows) func theDefaultRefuses(_ row: Row) throws {
        let fixture = try StoreFixture(Self.start)
        var writes = [Write(.operations(row.operations), base: Self.gone)]
        if row.outcomes != row.outcomes.map({ _ in .applied }) {
            var strict = Self.write(row.operations)
            strict.isStrict = true
            writes.append(strict)
        }
        writes.append(Self.write(row.operations + [.deleteAllItems]))
        for write in writes {
            guard case .failure(let error) = fixture.store.submit(StoreFixture.list, write).result else {
                Issue.record("not refused")
                continue
            }
            switch error {
            case .unknownBase: #expect(!write.isStrict)
            case .staleBase: #expect(write.isStrict)
            default: Issue.record("\(error)")
            }
            #expect(fixture.text == Self.start)
        }
    }

    /// Bases of another epoch, ahead of the head, and older than the history, each of a list at its sixth version.
    private static let lost = [
        Version(epoch: "gone", revision: 1), gone, Version(epoch: "e1", revision: 99),
        Version(epoch: "e1", revision: 1),
    ]

    /// A retry is told the same, also if the revision of its base is one that the history has.
    @Test(arguments: lost) func aRetryGetsTheReset(base: Version) async throws {
        var limits = StoreFixture.limits
        limits.historyVersionsMax = 3
        let fixture = try StoreFixture(Self.start, limits: limits)
        for _ in 0..<5 { _ = try fixture.write(.toggleStar("a")) }
        let before = try #require(fixture.head).version
        var write = Self.write([.moveItem("a", .last(.section("B")))], base: base)
        write.number = WriteNumber(client: [1], owner: "", number: 1, request: [1])
        for isReplay in [false, true] {
            let result = try await fixture.store.submit(StoreFixture.list, write).settled().get()
            #expect(result.isReplay == isReplay && result.outcomes == [.applied])
            guard case .reset(let snapshot)? = result.missed else { throw Missing(what: "no reset") }
            #expect(snapshot.version == before && StoreFixture.text(snapshot.state) == Self.start)
            #expect(fixture.text == "A:b,c B:d,a")
        }
    }

    /// Sections of a final order that the list does not have any more are left out.
    @Test func anOrderOfAGoneSectionIsDropped() throws {
        let rows: [(sections: [(SectionID, [ItemID])], result: String, outcomes: [Outcome])] = [
            ([("Q", ["c"]), ("A", ["b", "a"])], "A:b,c,a B:d", [.dropped(.sectionDeleted), .applied]),
            ([("A", ["b", "a"]), ("Q", ["c", "q"])], "A:b,c,a B:d", [.applied, .dropped(.sectionDeleted)]),
            (
                [("Q", []), ("B", ["a", "d"]), ("X", ["a"])], "A:b,c B:a,d",
                [.dropped(.sectionDeleted), .applied, .dropped(.sectionDeleted)]
            ),
            ([("Q", ["a"])], "A:a,b,c B:d", [.dropped(.sectionDeleted)]),
        ]
        for row in rows {
            let fixture = try StoreFixture(Self.start)
            let reorder = Reorder(
                view: .items, sections: row.sections.map { Reorder.SectionOrder($0.0, .final($0.1)) })
            var write = Write(.reorder(reorder), base: Self.gone)
            write.onLostBase = .reapply
            let result = try fixture.store.submit(StoreFixture.list, write).result.get()
            #expect(result.outcomes == row.outcomes, "\(row)")
            #expect(fixture.text == row.result, "\(row)")
            write.isStrict = true
            #expect(throws: StoreError.self) { try fixture.store.submit(StoreFixture.list, write).result.get() }
            // Without a base nothing is taken for deleted.
            let other = Write(.reorder(reorder))
            #expect(throws: StoreError.self) { try fixture.store.submit(StoreFixture.list, other).result.get() }
        }
    }

    /// A base that is known is rebased as ever.
    @Test func aKnownBaseIsRebased() throws {
        let fixture = try StoreFixture(Self.start)
        let base = try #require(fixture.head).version
        _ = try fixture.write(.deleteItems(["b"]))
        let result = try fixture.store.submit(
            StoreFixture.list, Self.write([.moveItem("c", .anchor(Self.beside("b")))], base: base)
        ).result.get()
        #expect(result.outcomes == [.adjusted(.anchorDeleted)] && fixture.text == "A:a,c B:d")
        guard case .changes? = result.missed else { throw Missing(what: "no changes") }
        #expect(throws: StoreError.self) {
            _ = try fixture.store.submit(
                StoreFixture.list, Self.write([.moveItem("never", .last(.section("A")))], base: base)
            ).result.get()
        }
    }

    /// Whatever was wished for another list is never refused because of an id that is not there.
    @Test(arguments: Soak.seeds(40)) func noIdIsAnObstacle(seed: UInt64) throws {
        for bias in Bias.allCases where bias != .wholeStates {
            var lists = RandomLists(seed: seed, itemIDs: 12, bias: bias)
            for _ in 0..<60 {
                let (known, head) = (lists.list(), lists.list())
                let operation = lists.operation(on: known)
                guard WriteIntent.operation(operation).canBeReapplied else { continue }
                var rebase = Rebase(reapplyingOn: head)
                let resolution = rebase.resolve(operation, on: head)
                var state = head
                for one in resolution.operations {
                    do throws(ModelError) { try state.commit(one) } catch {
                        switch error {
                        case .unknownItem, .unknownSection, .anchorElsewhere, .cycle:
                            Issue.record("\(operation) as \(one) on \(StoreFixture.text(head)): \(error)")
                        // What the operation says is wrong in itself, or is forbidden.
                        default: break
                        }
                        state = head
                        break
                    }
                }
                if case .dropped = resolution.outcome { #expect(resolution.operations.isEmpty) }
            }
        }
    }
}
