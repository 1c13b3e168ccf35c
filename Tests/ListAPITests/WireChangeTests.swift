import JSONValue
import ListModel
import ListStore
import TestSupport
import Testing
import Texts

@testable import ListAPI
@testable import ListWire
@testable import ListDiff

@Suite struct WireChangeTests {
    static func row(_ id: ItemID) -> ItemRow { ItemRow(item: Item(id: id), parent: nil, level: 0, childCount: 0) }

    /// The example of docs/contract.md section 5 as a change set, with a row in each part.
    static var example: ChangeSet {
        var properties = ListChanges()
        properties.title = .set("New title")
        var sections = ChangeSet.Sections()
        sections.deleted = [.init(id: "b", index: 1)]
        sections.inserted = [
            .init(index: 0, section: SectionRows(properties: SectionProperties(id: "n", title: "New"), items: []))
        ]
        sections.moved = [.init(id: "c", from: 2, to: 1)]
        sections.reconfigured = [.init(index: 1, properties: SectionProperties(id: "c", title: "C2"))]
        sections.reloaded = [
            .init(index: 2, section: SectionRows(properties: SectionProperties(id: "d"), items: [row("r")]))
        ]
        var items = ChangeSet.Items()
        items.deleted = [.init(id: "x", path: RowPath(section: 0, index: 7))]
        items.inserted = [.init(path: RowPath(section: 0, index: 3), row: row("i"))]
        items.moved = [
            .init(id: "y", from: RowPath(section: 0, index: 4), to: RowPath(section: 2, index: 0)),
            .init(id: "z", from: RowPath(section: 0, index: 5), to: RowPath(section: 2, index: 1)),
        ]
        items.reconfigured = [.init(path: RowPath(section: 0, index: 5), row: row("j"))]
        items.reloaded = [.init(path: RowPath(section: 0, index: 6), row: row("k"))]
        return ChangeSet(properties: properties, sections: sections, items: items)
    }

    static let exampleText = #"""
        {"list":"l","from":"k3v9-41","to":"k3v9-47","view":"items","counts":{"sections":4,"items":9,"visibleItems":8},
        "properties":{"title":"New title"},
        "sections":{"deleted":[{"id":"b","index":1}],
        "inserted":[{"index":0,"section":{"id":"n","title":"New","items":[]}}],
        "moved":[{"id":"c","from":2,"to":1}],
        "reconfigured":[{"index":1,"section":{"id":"c","title":"C2"}}],
        "reloaded":[{"index":2,"section":{"id":"d","items":[{"id":"r","kind":"item","content":{}}]}}]},
        "items":{"deleted":[{"id":"x","section":0,"index":7}],
        "inserted":[{"section":0,"index":3,"item":{"id":"i","kind":"item","content":{}}}],
        "moved":[{"id":"y","from":{"section":0,"index":4},"to":{"section":2,"index":0}},
        {"id":"z","from":{"section":0,"index":5},"to":{"section":2,"index":1}}],
        "reconfigured":[{"section":0,"index":5,"item":{"id":"j","kind":"item","content":{}}}],
        "reloaded":[{"section":0,"index":6,"item":{"id":"k","kind":"item","content":{}}}]}}
        """#.replacing("\n", with: "")

    static let counts = ListCounts(sections: 4, items: 9, visibleItems: 8)
    static let countsText = #""counts":{"sections":4,"items":9,"visibleItems":8}"#
    static let list = ListID("l")!
    static let from = Version(epoch: "k3v9", revision: 41)
    static let to = Version(epoch: "k3v9", revision: 47)

    @Test func writesTheContractsExample() {
        #expect(
            text(Self.example.body(list: Self.list, from: Self.from, to: Self.to, view: .items, counts: Self.counts))
                == Self.exampleText)
    }

    @Test func leavesOutEmptyParts() {
        #expect(
            text(ChangeSet().body(list: Self.list, from: Self.from, to: Self.from, view: .visible, counts: Self.counts))
                == #"{"list":"l","from":"k3v9-41","to":"k3v9-41","view":"visible",\#(Self.countsText)}"#)
        var properties = ListChanges()
        properties.layout = .set(nil)
        #expect(
            text(
                ChangeSet(properties: properties)
                    .body(list: Self.list, from: Self.from, to: Self.to, view: .items, counts: Self.counts))
                == #"{"list":"l","from":"k3v9-41","to":"k3v9-47","view":"items",\#(Self.countsText),"properties":{"layout":null}}"#
        )
        properties.layout = .set(JSONText(["k": 1]))
        properties.title = .set("\"")
        #expect(
            text(
                ChangeSet(properties: properties)
                    .body(list: Self.list, from: Self.from, to: Self.to, view: .items, counts: Self.counts)
            )
            .hasSuffix(#","properties":{"title":"\"","layout":{"k":1}}}"#))
    }

    @Test func resetCarriesTheSnapshotOfTheView() throws {
        let snapshot = try ListSnapshot(putting: #"{"title":"T","sections":[{"id":"s","items":[{"id":"a"}]}]}"#)
        let whole = text(snapshot.body(view: .items))
        #expect(
            text(Catchup.reset(snapshot).body(list: snapshot.id, RowQuery(.items)))
                == #"{"list":"l","to":"e1-1","view":"items","reset":true,"snapshot":\#(whole)}"#)
        let visible = text(snapshot.body(view: .visible))
        #expect(
            text(Catchup.reset(snapshot).body(list: snapshot.id, RowQuery(.visible)))
                == #"{"list":"l","to":"e1-1","view":"visible","reset":true,"snapshot":\#(visible)}"#)
    }
}

@Suite struct WireResultTests {
    static let one = Version(epoch: "k3v9", revision: 41)
    static let two = Version(epoch: "k3v9", revision: 42)
    static let outcomes: [Outcome] = [
        .applied, .adjusted(.anchorDeleted), .partial(["a", "b"], .itemDeleted),
        .partial([], sections: ["s"], .sectionDeleted), .dropped(.cycle),
        .dropped(.sectionDeleted), .dropped(.parentDeleted),
    ]
    static let warnings: [Warning] = [
        .movedExisting(["list.fox"]), .missingItems(["a", "b"]), .missingSections(["s"]), .keptInPlace(["c"]),
        .skippedUnknown(["d"]), .rebasedToNothing(Version(epoch: "k3v9", revision: 7)),
        .leftOut(items: 2, sections: 1), .replacedDeleted(Version(epoch: "k3v9", revision: 8)),
    ]

    @Test func tellsEverything() {
        let result = WriteResult(
            kind: .changed, version: Self.two, outcomes: Self.outcomes,
            missed: .changes(
                ChangeSet(), from: Version(epoch: "k3v9", revision: 40), to: Self.one, counts: WireChangeTests.counts),
            changes: ChangeSet(), counts: ListCounts(sections: 4, items: 8, visibleItems: 7), from: Self.one,
            warnings: Self.warnings)
        #expect(
            text(result.body(list: WireChangeTests.list, view: .items, isDryRun: false))
                == #"""
                {"version":"k3v9-42","changed":true,"operations":[{"status":"applied"},
                {"status":"adjusted","reason":"anchor_deleted"},
                {"status":"partial","items":["a","b"],"reason":"item_deleted"},
                {"status":"partial","sections":["s"],"reason":"section_deleted"},
                {"status":"dropped","reason":"cycle"},{"status":"dropped","reason":"section_deleted"},
                {"status":"dropped","reason":"parent_deleted"}],
                "missed":{"list":"l","from":"k3v9-40","to":"k3v9-41","view":"items",
                "counts":{"sections":4,"items":9,"visibleItems":8}},
                "changes":{"list":"l","from":"k3v9-41","to":"k3v9-42","view":"items",
                "counts":{"sections":4,"items":8,"visibleItems":7}},
                "warnings":[{"code":"moved_existing","items":["list.fox"],"detail":"These were in the list before: they have\#
                 moved, and keep the members that were not given."},
                {"code":"missing","items":["a","b"],"detail":"These are not in the list: there was nothing to delete."},
                {"code":"missing","sections":["s"],"detail":"These are not in the list: there was nothing to delete."},
                {"code":"kept_in_place","items":["c"],"detail":"The order leaves these out: each keeps its left neighbour."},
                {"code":"skipped_unknown","items":["d"],"detail":"The list does not have these: the order counts without\#
                 them."},
                {"code":"rebased_to_nothing","version":"k3v9-7","detail":"The version of the snapshot was taken as the base,\#
                 and the snapshot changes nothing in it. POST restore with that version brings its state back; the same PUT\#
                 without version writes what it says."},
                {"code":"left_out","detail":"Left out of the snapshot, and so deleted: 2 items and 1 section. POST undo with\#
                 the version of this answer brings them back."},
                {"code":"replaced_deleted","version":"k3v9-8","detail":"A deleted list of this id could be restored until\#
                 then. This one replaces it for good."}]}
                """#.replacing("\n", with: ""))
    }

    static let kinds: [(kind: WriteResult.Kind, changes: ChangeSet?, isDryRun: Bool, text: String)] = [
        (.created, nil, false, #"{"version":"k3v9-42","changed":true,"operations":[]}"#),
        (.created, nil, true, #"{"changed":true,"operations":[]}"#),
        (
            .unchanged, ChangeSet(), false,
            #"{"version":"k3v9-42","changed":false,"operations":[],"changes":{"list":"l","from":"k3v9-42","to":"k3v9-42","view":"visible",\#(WireChangeTests.countsText)}}"#
        ),
        (
            .changed, ChangeSet(), true,
            #"{"version":"k3v9-42","changed":true,"operations":[],"changes":{"list":"l","from":"k3v9-42","view":"visible",\#(WireChangeTests.countsText)}}"#
        ),
    ]

    @Test(arguments: kinds)
    func tellsWhatHappened(_ row: (kind: WriteResult.Kind, changes: ChangeSet?, isDryRun: Bool, text: String)) {
        let result = WriteResult(
            kind: row.kind, version: Self.two, outcomes: [], changes: row.changes, counts: WireChangeTests.counts,
            from: Self.two)
        #expect(text(result.body(list: WireChangeTests.list, view: .visible, isDryRun: row.isDryRun)) == row.text)
    }
}

@Suite struct WireProblemTests {
    @Test func tellsWhatIsNeeded() {
        let problem = Problem(.notFound, "Nothing \"here\".")
        #expect(
            text(problem.body(path: "", requestID: "r1"))
                == #"""
                {"type":"/problems/not_found","title":"\#(problem.code.title)","status":404,"detail":"Nothing \"here\".",
                "code":"not_found","requestId":"r1"}
                """#.replacing("\n", with: ""))
    }

    @Test func tellsEverything() throws {
        let names = KnownNames("x", among: ["op", "items"] as [ByteText])
        let wrong = WireError(.unknownMember(names)).at("x").at(.element(3)).at("operations")
        let snapshot = try ListSnapshot(putting: #"{"title":"T"}"#)
        var problem = Problem(wrong, all: [])
        problem.detail = "D"
        problem.operation = 3
        problem.limit = Problem.Limit(name: "operationsMax", value: 10_000)
        problem.head = snapshot.version
        problem.missed = (.reset(snapshot), snapshot.id, .items)
        #expect(
            text(problem.body(path: "/v1/lists/l", requestID: "r1"))
                == #"""
                {"type":"/problems/invalid","title":"\#(problem.code.title)","status":422,"detail":"D",
                "instance":"/v1/lists/l","code":"invalid",
                "requestId":"r1","errors":[{"pointer":"/operations/3/x","code":"unknown_member",
                "detail":"Unknown member \"x\". It can be \"op\" or \"items\".","known":["op","items"]}],
                "op":3,"limit":{"name":"operationsMax","value":10000},
                "head":"e1-1","missed":{"list":"l","to":"e1-1","view":"items","reset":true,
                "snapshot":\#(text(snapshot.body(view: .items)))}}
                """#.replacing("\n", with: ""))
    }
}
