import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore

/// Tests which transaction an undo or a redo takes back, and how history shows it.
@Suite struct CallerUndoTests {
    private func star(_ item: ItemID) -> [ListModel.Operation] { [.setStarred([item], true)] }

    private func stars(_ fixture: StoreFixture) throws -> String {
        let state = try #require(fixture.head).state
        return state.ids.filter { id in state.handle(of: id).map { state[$0].isStarred } ?? false }
            .map(\.rawValue.string).sorted().joined()
    }

    private func refusal(_ body: () throws -> WriteResult) -> StoreError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test func oneAfterAnotherAndBackAgain() throws {
        let fixture = try StoreFixture("A:a,b,c,d")
        _ = try fixture.write(star("a"), by: "ann")
        _ = try fixture.write(star("b"), by: "ann")
        _ = try fixture.write(star("c"), by: "bob")
        _ = try fixture.write([.reloadItems(["d"])], by: "ann")
        #expect(try fixture.undo(nil, by: "ann").outcomes == [.applied])
        #expect(try stars(fixture) == "ac")
        _ = try fixture.undo(nil, by: "ann")
        #expect(try stars(fixture) == "c")
        guard case .nothingToUndo? = refusal({ try fixture.undo(nil, by: "ann") }) else {
            Issue.record("undone all")
            return
        }
        _ = try fixture.redo(nil, by: "ann")
        #expect(try stars(fixture) == "ac")
        _ = try fixture.redo(nil, by: "ann")
        #expect(try stars(fixture) == "abc")
        guard case .nothingToUndo? = refusal({ try fixture.redo(nil, by: "ann") }) else {
            Issue.record("redone all")
            return
        }
        _ = try fixture.undo(nil, by: "bob")
        #expect(try stars(fixture) == "ab")
    }

    /// A title that one person has written three times goes back step by step.
    @Test func writesOfOneMember() throws {
        let fixture = try StoreFixture("A:a")
        func titled(_ title: String) -> [ListModel.Operation] {
            var changes = ListChanges()
            changes.title = .set(ByteText(title))
            return [.updateList(changes)]
        }
        for title in ["1", "2", "3"] { _ = try fixture.write(titled(title), by: "ann") }
        _ = try fixture.write(star("a"), by: "bob")
        var seen: [String] = []
        for _ in 0..<3 {
            _ = try fixture.undo(nil, by: "ann")
            seen.append(try #require(fixture.head).state.properties.title.string)
        }
        #expect(seen == ["2", "1", "test"])
        for _ in 0..<3 {
            _ = try fixture.redo(nil, by: "ann")
            seen.append(try #require(fixture.head).state.properties.title.string)
        }
        #expect(seen.suffix(3) == ["1", "2", "3"])
        #expect(try stars(fixture) == "a")
    }

    @Test func whatCannotBeTakenBack() throws {
        let fixture = try StoreFixture("A:a,b")
        let first = try #require(fixture.head).version
        let version = try fixture.write(star("a")).version
        let mark = try fixture.write([.reloadItems(["a"])]).version
        let refusals = [
            refusal { try fixture.undo(nil) }, refusal { try fixture.redo(version) },
            refusal { try fixture.undo(first) }, refusal { try fixture.undo(mark) },
            refusal { try fixture.undo(Version(epoch: "x", revision: 2)) },
            refusal { try fixture.undo(Version(epoch: first.epoch, revision: 9)) },
            refusal { try fixture.undo(Version(epoch: first.epoch, revision: 0)) },
        ].map { $0.map { String(describing: $0).prefix { $0 != "(" } } ?? "none" }
        #expect(
            refusals == [
                "transactionNotNamed", "nothingToUndo", "nothingToUndo", "nothingToUndo", "unknownBase", "unknownBase",
                "transactionGone",
            ])
        let undo = try fixture.undo(version)
        guard case .nothingToUndo? = refusal({ try fixture.undo(version) }) else {
            Issue.record("undone twice")
            return
        }
        #expect(try stars(fixture) == "")
        #expect(try fixture.redo(undo.version).kind == .changed, "an undo can be named, too")
        #expect(try stars(fixture) == "a")
    }

    /// A redo never takes a transaction back: it is refused if the transaction is in effect.
    @Test func redoOfWhatIsInEffectIsRefused() throws {
        let fixture = try StoreFixture("A:a")
        let version = try fixture.write(star("a")).version
        let undo = try fixture.undo(version).version
        let redo = try fixture.redo(undo).version
        for named in [version, undo, redo] {
            guard case .nothingToUndo? = refusal({ try fixture.redo(named) }) else {
                Issue.record("\(named)")
                continue
            }
        }
        #expect(try stars(fixture) == "a")
        _ = try fixture.undo(redo)
        #expect(try stars(fixture) == "")
        #expect(try fixture.redo(redo).kind == .changed)
        #expect(try stars(fixture) == "a")
    }

    @Test func strictAndDryRunChangeNothing() throws {
        let fixture = try StoreFixture("A:a,b")
        let version = try fixture.write([.setStarred(["a", "b"], true)]).version
        _ = try fixture.write([.setStarred(["b"], false)])
        let head = try #require(fixture.head).version
        let dry = try fixture.store.submit(StoreFixture.list, Write(.undo(version), isDryRun: true)).result.get()
        #expect(dry.outcomes == [.partial(["b"], .overwritten)])
        #expect(dry.version == head)
        let strict = refusal {
            try fixture.store.submit(StoreFixture.list, Write(.undo(version), isStrict: true)).result.get()
        }
        guard case .staleBase(head, .changes)? = strict else {
            Issue.record("\(String(describing: strict))")
            return
        }
        #expect(try stars(fixture) == "a")
        #expect(fixture.head?.version == head)
    }

    /// A transaction that history has dropped cannot be undone. The history then begins with the transaction that made
    /// the oldest kept version, and that one cannot be undone either.
    @Test func trimmed() throws {
        let fixture = try StoreFixture("A:a")
        let version = try fixture.write(star("a")).version
        for _ in 0..<101 { _ = try fixture.write([.toggleStar("a")]) }
        guard case .transactionGone? = refusal({ try fixture.undo(version) }) else {
            Issue.record("still there")
            return
        }
        let list = try #require(try fixture.store.list(StoreFixture.list))
        let (page, hasMore) = try list.enter { try $0.transactions(before: nil, limit: 500) }
        #expect(page.count == 101 && !hasMore)
        #expect(page.first?.version == fixture.head?.version)
    }

    /// Records without intents, as older programs wrote them, can be read. Their intents are unknown.
    @Test func oldRecords() throws {
        let journal = TestJournal()
        let fixture = try StoreFixture("A:a,b", journal: journal)
        _ = try fixture.write(star("a"))
        fixture.store.stop()
        let old = try journal.entries.map { entry in
            var entry = entry
            // The record in the older format has no intent and no reversal.
            try #require(entry.bytes.suffix(2) == [0, 0])
            entry.bytes = [1] + entry.bytes.dropFirst().dropLast(2)
            return entry
        }
        let reopened = try StoreFixture(journal: TestJournal(entries: old))
        #expect(try stars(reopened) == "a")
        let list = try #require(try reopened.store.list(StoreFixture.list))
        let page = try list.enter { try $0.transactions(before: nil, limit: 10) }.page
        #expect(page.map(\.version.revision) == [2, 1])
        reopened.store.stop()
    }
}
