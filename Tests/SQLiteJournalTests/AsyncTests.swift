import ListStore
import Testing

@testable import SQLiteJournal

/// A journal that does not wait for the disk. It is never taken for one that did.
@Suite struct AsyncTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    private func open(_ durability: SQLiteJournal.Durability) throws -> SQLiteJournal {
        let journal = try SQLiteJournal(directory: folder.path, durability: durability)
        _ = try journal.replayed()
        return journal
    }

    @Test func aProperEndLeavesNoDoubt() throws {
        let journal = try open(.async)
        try journal.settleRecovery()
        try journal.append([JournalEntry("a", .create, "a1")])
        #expect(try folder.names().contains("may-miss-commits"))
        journal.close()
        #expect(try folder.names() == ["acknowledged", "liststate.db", "lock"])
        let again = try open(.sync)
        #expect(!again.recovery.mayMissCommits)
        again.close()
    }

    /// A power failure leaves an older log with a newer mark. The journal opens and says which commits may be missing.
    @Test(arguments: [SQLiteJournal.Durability.sync, .async])
    func lostCommitsAreDoubtedAndNotRefused(next: SQLiteJournal.Durability) throws {
        let journal = try open(.async)
        try journal.append([JournalEntry("a", .create, "a1")])
        let early = try folder.contents()
        try journal.append([JournalEntry("a", .append, "a2")])
        var late = try folder.contents()
        journal.close()
        late["liststate.db-wal"] = early["liststate.db-wal"]
        late["liststate.db"] = early["liststate.db"]
        try folder.fill(late)
        for _ in 0..<2 {
            let again = try SQLiteJournal(directory: folder.path, durability: next)
            #expect(again.recovery.mayMissCommits)
            #expect(try again.replayed().entries == [JournalEntry("a", .create, "a1")])
            // The process is killed before every list has a new epoch.
            let killed = try folder.contents()
            again.close()
            try folder.fill(killed)
        }
        let last = try SQLiteJournal(directory: folder.path, durability: next)
        _ = try last.replayed()
        try last.settleRecovery()
        last.close()
        #expect(try !open(.sync).recovery.mayMissCommits)
    }
}
