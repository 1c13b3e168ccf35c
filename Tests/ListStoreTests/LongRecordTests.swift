import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore

/// A long record is written ahead, if the journal does that. Readers get it as one record.
@Suite struct LongRecordTests {
    private static let partBytes = 40

    /// Adds twenty items.
    private static let long = Write(
        .operation(.appendItems((0..<20).map { NewItem(ItemID(unchecked: "n\($0)"), value: ItemChanges()) }, nil)))

    @Test(arguments: UInt64(1)...12, [partBytes, nil])
    func longRecordsAreReadAsOthers(seed: UInt64, partBytes: Int?) async throws {
        var lists = RandomLists(seed: seed, itemIDs: 14, sectionIDs: 3, bias: .everything)
        let journal = TestJournal(partBytes: partBytes)
        let fixture = try StoreFixture(journal: journal)
        defer { fixture.store.stop() }
        try await fixture.createSettled(lists.snapshot())
        for _ in 0..<30 {
            let state = try #require(fixture.head).state
            let write = Write(.operations([lists.operation(on: state), lists.operation(on: state)]))
            _ = await fixture.store.submit(StoreFixture.list, write).settled()
        }
        #expect(journal.partLengths.allSatisfy { $0 <= Self.partBytes } && journal.runningRecords == 0)
        #expect(journal.partLengths.isEmpty == (partBytes == nil))
        let head = try #require(fixture.head)
        #expect(journal.entries.count == head.version.revision)
        let again = try StoreFixture(journal: TestJournal(entries: journal.entries))
        defer { again.store.stop() }
        #expect(try #require(again.head).version == head.version)
        #expect(ListImage(try #require(again.head).state) == ListImage(head.state))
    }

    /// The thread of a brief write does not wait for the disk, so its record is committed whole.
    @Test func aBriefWriteIsNotWrittenAhead() async throws {
        let journal = TestJournal(partBytes: Self.partBytes)
        let fixture = try StoreFixture(journal: journal)
        defer { fixture.store.stop() }
        try await fixture.createSettled("A:a")
        let before = journal.partLengths
        var write = Self.long
        write.pace = .brief
        _ = try await fixture.store.submit(StoreFixture.list, write).settled().get()
        #expect(journal.partLengths == before && journal.entries.count == 2)
        write = Write(.operation(.deleteAllItems))
        write.pace = .long
        _ = try await fixture.store.submit(StoreFixture.list, write).settled().get()
        write = Write(.undo(try #require(fixture.head).version))
        write.pace = .long
        _ = try await fixture.store.submit(StoreFixture.list, write).settled().get()
        #expect(journal.partLengths.count > before.count && journal.runningRecords == 0)
    }

    /// Earlier programs made several entries of a record. A repair may cut the log within them. That record is dropped,
    /// and the list continues behind it.
    @Test func anOldRecordThatWasCutIsNone() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a,b,c")
        _ = try await fixture.store.submit(StoreFixture.list, Self.long).settled().get()
        let text = fixture.text
        fixture.store.stop()
        let entries = Self.inParts(journal.entries)
        #expect(entries.count > 1 + 3)
        let whole = try StoreFixture(journal: TestJournal(entries: entries))
        #expect(whole.text == text && whole.head?.version.revision == 2)
        whole.store.stop()
        for count in 1..<entries.count {
            let cut = TestJournal(entries: Array(entries[..<count]))
            for round in 1...3 {
                let rest = try StoreFixture(journal: cut, mayMissCommits: round == 1, epochs: "f")
                #expect(rest.text == "A:a,b,c" + (1..<round).map { ",m\($0)" }.joined())
                let added = [NewItem(ItemID(unchecked: "m\(round)"), value: ItemChanges())]
                let write = Write(.operation(.appendItems(added, nil)))
                _ = try await rest.store.submit(StoreFixture.list, write).settled().get()
                rest.store.stop()
            }
        }
    }

    /// The entries with the last one in the parts of an earlier program.
    private static func inParts(_ entries: [JournalEntry]) -> [JournalEntry] {
        guard let last = entries.last else { return [] }
        let starts = Array(stride(from: 0, to: last.bytes.count, by: partBytes))
        return entries.dropLast()
            + starts.enumerated().map { index, start in
                let bytes = Array(last.bytes[start..<min(last.bytes.count, start + partBytes)])
                let record = Record.part(bytes, rest: starts.count - 1 - index)
                return JournalEntry(list: last.list, kind: .append, bytes: record.bytes, receipt: nil)
            }
    }

    /// A record that finds no room fails as a batch does, whether its parts or its entry find none.
    @Test(arguments: [true, false], [true, false])
    func aRecordWithoutRoomLeavesTheListAsItWas(isAhead: Bool, isNew: Bool) async throws {
        let journal = TestJournal(partBytes: Self.partBytes)
        let fixture = try StoreFixture(journal: journal)
        defer { fixture.store.stop() }
        if !isNew { try await fixture.createSettled("A:a,b,c") }
        let before = journal.entries
        let text = fixture.text
        if isAhead { journal.fail(ahead: .full) } else { journal.fail(with: .full) }
        let wanted = WantedSnapshot(sections: StoreFixture.sections("A:a,b,c,d,e,f,g,h,i,j,k,l"))
        let write = isNew ? Write(.operations([.applySnapshot(wanted)])) : Self.long
        func submit() async -> Result<WriteResult, StoreError> {
            let store = fixture.store
            let list = StoreFixture.list
            return await (isNew ? store.create(list, write) : store.submit(list, write)).settled()
        }
        guard case .failure(.journal(.full)) = await submit() else {
            Issue.record("not refused")
            return
        }
        #expect(fixture.text == text && journal.entries == before && journal.runningRecords == 0)
        journal.fail(ahead: nil)
        // A write that comes right behind a failure may fail with it, so it is tried twice.
        var last = await submit()
        if case .failure = last { last = await submit() }
        _ = try last.get()
        let again = try StoreFixture(journal: TestJournal(entries: journal.entries))
        defer { again.store.stop() }
        #expect(again.text == fixture.text && again.text != text)
    }

    /// An error after which nobody knows what was written ends all writes, also if it comes from the parts.
    @Test func aFailureOfThePartsEndsAllWrites() async throws {
        let journal = TestJournal(partBytes: Self.partBytes)
        let fixture = try StoreFixture(journal: journal)
        defer { fixture.store.stop() }
        try await fixture.createSettled("A:a,b,c")
        journal.fail(ahead: .io("x"))
        guard case .failure(.journal(.io("x"))) = await fixture.store.submit(StoreFixture.list, Self.long).settled()
        else {
            Issue.record("not refused")
            return
        }
        #expect(!fixture.store.isAcceptingWrites && fixture.text == "A:a,b,c")
        journal.fail(ahead: nil)
        let short = Write(.operation(.toggleStar("a")))
        guard case .failure(.journal(.io("x"))) = await fixture.store.submit(StoreFixture.list, short).settled() else {
            Issue.record("not refused")
            return
        }
    }
}
