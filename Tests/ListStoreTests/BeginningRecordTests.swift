import JSONValue
import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore

/// A list that begins with a snapshot has the record of the edits that would make it.
@Suite struct BeginningRecordTests {
    @Test(arguments: UInt64(1)...24)
    func hasTheEditsOfTheSnapshot(seed: UInt64) async throws {
        var lists = RandomLists(seed: seed, itemIDs: [3, 30, 700][Int(seed) % 3], bias: .everything)
        let wanted = lists.snapshot()
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        defer { fixture.store.stop() }
        try await fixture.createSettled(wanted)
        let head = try #require(fixture.head)
        var (state, log) = (ListState(ListProperties(title: StoreFixture.list.rawValue)), TransactionLog())
        try state.apply(.applySnapshot(wanted), rules: .lenient, into: &log)
        // Edits carry the merge patch of a new item out once more. No client can send one in a snapshot.
        let edits = log.edits.filter { if case .changeItem = $0 { false } else { true } }
        let transaction = Record.Transaction(time: 1_000, caller: "anonymous", label: nil, edits: edits)
        let isSame = journal.entries.map(\.bytes) == [Record.create(epoch: head.version.epoch, transaction).bytes]
        #expect(isSame)
        #expect(ListImage(head.state) == ListImage(state))
    }

    /// A refused beginning leaves nothing, and the id can be used at once.
    @Test func aRefusedBeginningLeavesNothing() throws {
        let fixture = try StoreFixture()
        let value = ItemChanges()
        let twice = WantedSection("s", items: [NewItem("a", value: value), NewItem("a", value: value)])
        let refused = fixture.store.create(
            StoreFixture.list, Write(.operations([.applySnapshot(WantedSnapshot(sections: [twice]))])))
        guard case .failure(.model(.repeatedItem("a"), operation: 0)) = refused.result else {
            Issue.record("not refused")
            return
        }
        #expect(fixture.head == nil)
        #expect(try fixture.create("A:a").version.revision == 1)
        #expect(fixture.text == "A:a")
    }

    /// A list begins once: a snapshot of an empty list that exists can be undone.
    @Test func anEmptyListDoesNotBeginAgain() throws {
        let fixture = try StoreFixture("A")
        let wanted = WantedSnapshot(sections: StoreFixture.sections("A:a,b"))
        let changed = try fixture.write(.applySnapshot(wanted))
        #expect(changed.kind == .changed && changed.changes?.items.inserted.count == 2)
        _ = try fixture.store.submit(StoreFixture.list, Write(.undo(changed.version))).result.get()
        #expect(fixture.text == "A:")
    }
}
