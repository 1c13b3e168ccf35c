import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore

/// A record that is too long for one entry becomes several entries, which readers get as one record.
@Suite struct LongRecordTests {
    private static var limits: Store.Limits {
        var limits = StoreFixture.limits
        limits.entryBytesMax = 40
        return limits
    }

    @Test(arguments: UInt64(1)...12)
    func partsAreOneRecord(seed: UInt64) async throws {
        var lists = RandomLists(seed: seed, itemIDs: 14, sectionIDs: 3, bias: .everything)
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal, limits: Self.limits)
        defer { fixture.store.stop() }
        try await fixture.createSettled(lists.snapshot())
        for _ in 0..<30 {
            let state = try #require(fixture.head).state
            let write = Write(.operations([lists.operation(on: state), lists.operation(on: state)]))
            _ = await fixture.store.submit(StoreFixture.list, write).settled()
        }
        #expect(journal.entries.allSatisfy { $0.bytes.count < 60 })
        let head = try #require(fixture.head)
        #expect(journal.entries.count > head.version.revision)
        let again = try StoreFixture(journal: TestJournal(entries: journal.entries), limits: Self.limits)
        defer { again.store.stop() }
        #expect(try #require(again.head).version == head.version)
        #expect(ListImage(try #require(again.head).state) == ListImage(head.state))
    }

    /// A repair may cut the log within a record. That record is dropped, and the list continues behind it.
    @Test func aRecordThatWasCutIsNone() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal, limits: Self.limits)
        try await fixture.createSettled("A:a,b,c")
        let before = journal.entries.count
        let long = (0..<20).map { NewItem(ItemID(unchecked: "n\($0)"), value: ItemChanges()) }
        _ = try await fixture.store.submit(StoreFixture.list, Write(.operation(.appendItems(long, nil)))).settled()
            .get()
        fixture.store.stop()
        #expect(journal.entries.count > before + 3)
        for count in before..<journal.entries.count {
            let cut = TestJournal(entries: Array(journal.entries[..<count]))
            for round in 1...3 {
                let rest = try StoreFixture(
                    journal: cut, mayMissCommits: round == 1, epochs: "f", limits: Self.limits)
                #expect(rest.text == "A:a,b,c" + (1..<round).map { ",m\($0)" }.joined())
                let added = [NewItem(ItemID(unchecked: "m\(round)"), value: ItemChanges())]
                let write = Write(.operation(.appendItems(added, nil)))
                _ = try await rest.store.submit(StoreFixture.list, write).settled().get()
                rest.store.stop()
            }
        }
    }

    /// A record fails as a whole, and the list is as before.
    @Test func partsFailTogether() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal, limits: Self.limits)
        defer { fixture.store.stop() }
        try await fixture.createSettled("A:a,b,c")
        let before = journal.entries
        journal.fail(with: .full)
        let long = (0..<20).map { NewItem(ItemID(unchecked: "n\($0)"), value: ItemChanges()) }
        let write = Write(.operation(.appendItems(long, nil)))
        guard case .failure(.journal(.full)) = await fixture.store.submit(StoreFixture.list, write).settled() else {
            Issue.record("not refused")
            return
        }
        #expect(fixture.text == "A:a,b,c" && journal.entries == before)
        journal.fail(with: nil)
        // A write that comes right behind a failure may fail with it, so it is tried twice.
        var last = await fixture.store.submit(StoreFixture.list, write).settled()
        if case .failure = last { last = await fixture.store.submit(StoreFixture.list, write).settled() }
        _ = try last.get()
        let again = try StoreFixture(journal: TestJournal(entries: journal.entries), limits: Self.limits)
        defer { again.store.stop() }
        #expect(again.text == fixture.text)
    }
}
