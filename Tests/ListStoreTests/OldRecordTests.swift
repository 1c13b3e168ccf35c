import JSONValue
import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore

/// Records of older programs.
@Suite struct OldRecordTests {
    private func record(_ edits: [(inout ByteWriter) -> Void]) -> [UInt8] {
        var writer = ByteWriter()
        for byte in [2, 2] as [UInt8] { writer.write(byte) }
        writer.write(1_000)
        writer.write("ann")
        writer.write(false)
        writer.write(edits.count)
        for edit in edits { edit(&writer) }
        writer.write(false)
        writer.write(false)
        return writer.bytes
    }

    /// Edits of older programs held whole values instead of changes: tags 1, 5 and 10.
    @Test func wholeValues() async throws {
        let content = JSONText(["a": 1]), layout = JSONText(["kind": "grid"])
        let bytes = record([
            {
                $0.write(UInt8(1))
                $0.write("Title")
                $0.write(layout)
            },
            {
                $0.write(UInt8(5))
                $0.write(0)
                $0.write(SectionProperties(id: "A", title: "S", footer: JSONText("f"), isReorderable: false))
            },
            {
                $0.write(UInt8(10))
                $0.write("a")
                $0.write("kind")
                $0.write(content.bytes)
                $0.write(UInt8(1 | 2))
            },
        ])
        let start = Record.create(
            epoch: "e",
            Record.Transaction(
                time: 1, caller: "ann", label: nil,
                edits: [
                    .insertSection(SectionProperties(id: "A", title: "old", header: JSONText("h")), at: 0),
                    .insertItems([Edit.NewRow(Item(id: "a"))], section: 0, at: 0, parent: nil),
                ]))
        let entries = [(JournalEntry.Kind.create, start.bytes), (.append, bytes)].map { kind, bytes in
            JournalEntry(list: StoreFixture.list, kind: kind, bytes: bytes, receipt: nil)
        }
        let fixture = try StoreFixture(journal: TestJournal(entries: entries))
        defer { fixture.store.stop() }
        let state = try #require(fixture.head).state
        let section = state.sectionHandles[0]
        #expect(state.properties == ListProperties(title: "Title", layout: layout))
        #expect(
            state[section]
                == SectionProperties(id: "A", title: "S", footer: JSONText("f"), isReorderable: false))
        let item = try #require(state.handle(of: "a" as ItemID))
        #expect(
            state[item]
                == Item(
                    id: "a", kind: "kind", content: content, isStarred: true, isExpanded: true, isReorderable: false))
        // An undo takes the whole values back.
        let write = Write(.undo(Version(epoch: "e", revision: 2)))
        _ = try await fixture.store.submit(StoreFixture.list, write).settled().get()
        let back = try #require(fixture.head).state
        #expect(back.properties.title == "test" && back[section].title == "old" && back[item] == Item(id: "a"))
    }

    /// The log keeps which versions are not animated. Versions of older programs are animated.
    @Test func whatIsNotAnimatedStaysSo() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a,b")
        for isAnimated in [false, false, true, false] {
            let write = Write(.operation(.toggleStar("a")), isAnimated: isAnimated)
            _ = try await fixture.store.submit(StoreFixture.list, write).settled().get()
        }
        let spans = [
            (1, 2, false), (1, 3, false), (1, 4, true), (1, 5, true), (2, 3, false), (3, 5, true), (4, 5, false),
        ]
        func check(_ fixture: StoreFixture) throws {
            let list = try #require(try fixture.store.list(StoreFixture.list))
            for (since, end, isAnimated) in spans {
                #expect(
                    list.enter { $0.history.isAnimated(since: since, upTo: end) } == isAnimated, "\(since) to \(end)")
            }
            let catchup = list.enter { $0.catchup(since: $0.version(at: 4), view: .items).catchup }
            guard case .changes(let changes, _, _, _) = catchup else {
                Issue.record("a reset")
                return
            }
            #expect(!changes.isAnimated && !changes.isEmpty)
        }
        try check(fixture)
        fixture.store.stop()
        let again = try StoreFixture(journal: TestJournal(entries: journal.entries))
        try check(again)
        again.store.stop()
        // The formats of the records. Format 4 does not exist.
        #expect(journal.entries.map { $0.bytes[0] } == [2, 3, 3, 2, 3])
        var foreign = journal.entries
        foreign[1].bytes[0] = 4
        let damaged = try StoreFixture(journal: TestJournal(entries: foreign))
        #expect(throws: StoreError.self) { _ = try damaged.store.list(StoreFixture.list) }
        damaged.store.stop()
    }
}
