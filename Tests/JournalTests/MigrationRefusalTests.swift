import ListModel
import ListStore
import PostgreSQLJournal
import SQLiteJournal
import TestSupport
import Testing
import Texts

/// A migration refuses a target with something else, and passes over lists that it cannot carry.
@Suite struct MigrationRefusalTests {
    /// A source with some lists, one of which is deleted. It is new each time.
    private static func source(_ count: Int = 9) throws -> MemoryJournal {
        let journal = MemoryJournal()
        _ = try MigrationScene(on: journal, lists: count)
        journal.reopen()
        return journal
    }

    private static func run(_ source: any Journal, _ target: any TakesWholeLists) throws -> Migration.Report {
        try Migration.run(from: source, to: target) { _, _ in true }
    }

    /// A change of a target that has everything, and the names in the refusal.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var lists: [ListID] = []
        var others = 0
        let make: @Sendable (MemoryJournal) throws -> Void
    }

    private static func entry(_ list: String, _ kind: JournalEntry.Kind, receipt: Receipt? = nil) -> JournalEntry {
        JournalEntry(list: ListID(ByteText(list))!, kind: kind, bytes: [1, 2, 3], receipt: receipt)
    }

    static let changes = [
        Change(testDescription: "a list has one entry more", lists: [ListID("l1")!]) { target in
            _ = try target.commit([Commit(entry("l1", .append), .unconditional)])
        },
        Change(testDescription: "a list was made anew with as many entries", lists: [ListID("l0")!]) { target in
            _ = try target.commit([
                Commit(entry("l0", .delete), .unconditional), Commit(entry("l0", .create), .isNew),
            ])
        },
        Change(testDescription: "a key has another answer", others: 1) { target in
            let receipt = Receipt(key: Array("key of 3".utf8), time: 9, bytes: [9])
            _ = try target.commit([Commit(entry("l0", .receiptOnly, receipt: receipt), .unconditional)])
        },
        Change(testDescription: "a keyed record has another value", others: 1) { target in
            let key = KeyedRecord.Key(KeyedRecord.Kind(rawValue: 7), Array("record 5".utf8))
            _ = try target.keep([RecordWrite(key, .unconditional, KeyedRecord.Content(used: 5, value: [9]))])
        },
    ]

    @Test(arguments: changes) func aTargetWithSomethingElseIsRefused(_ change: Change) throws {
        let (source, target) = (try Self.source(), MemoryJournal())
        _ = try Self.run(source, target)
        // A list that is missing would be written if the refusal came too late.
        _ = try target.commit([Commit(Self.entry("l2", .delete), .unconditional)])
        try change.make(target)
        let before = (target.log, target.receipts)
        let conflict = #expect(throws: Migration.Conflict.self) { try Self.run(source, target) }
        #expect(conflict?.lists == change.lists && conflict?.otherCount == change.others && conflict?.isEarly == true)
        #expect(target.log == before.0 && target.receipts == before.1)
        #expect(try target.lists(after: nil, limit: .max).contains(ListID("l2")!) == false)
    }

    @Test func otherListsOfTheTargetStay() throws {
        let (source, target) = (try Self.source(), MemoryJournal())
        _ = try target.commit([Commit(Self.entry("other", .create), .isNew)])
        let report = try Self.run(source, target)
        #expect(report.writtenCount == 9)
        #expect(try target.lists(after: nil, limit: .max).count == 10)
    }

    @Test func aListWhoseRecordsMakeNoListIsNamed() throws {
        let (source, target) = (try Self.source(), MemoryJournal())
        for list in ["bad", "l4"] { _ = try source.commit([Commit(Self.entry(list, .append), .unconditional)]) }
        let report = try Self.run(source, target)
        #expect(report.unreadable.map(\.id) == [ListID("bad")!, ListID("l4")!])
        #expect(report.writtenCount == 8)
        #expect(try target.lists(after: nil, limit: .max).count == 8)
    }

    @Test func aDamagedListOfADatabaseIsNamed() throws {
        let (server, schema) = (try PostgreSQLServer.shared, PostgreSQLServer.newName())
        let folder = try Folder()
        _ = try Self.run(Self.source(), server.journal(schema))
        try server.query(
            "UPDATE \(schema).log SET crc = crc + 1 WHERE list = (SELECT id FROM \(schema).list WHERE name = 'l5')")
        let target = try SQLiteJournal(directory: folder.path)
        defer { target.close() }
        let report = try Self.run(server.journal(schema), target)
        #expect(report.unreadable.map(\.id) == [ListID("l5")!])
        #expect(try target.lists(after: nil, limit: .max).count == 8)
    }

    @Test func aListThatIsTooLongForTheTargetIsNamed() throws {
        let (source, target) = (try Self.source(), NarrowJournal())
        let report = try Self.run(source, target)
        // Its title alone is longer.
        #expect(report.unreadable.map(\.id) == [ListID("l3")!])
        #expect(target.count == 8)
    }

    @Test func aSourceThatOthersChangeIsNoticed() throws {
        let (source, target) = (try Self.source(), MemoryJournal())
        let report = try Migration.run(from: source, to: target) { done, _ in
            if done == 9 { _ = try? source.commit([Commit(Self.entry("l1", .append), .unconditional)]) }
            return true
        }
        #expect(report.hasMoved)
        #expect(try !Self.run(Self.source(), MemoryJournal()).hasMoved)
    }
}

/// A journal for short lists.
private final class NarrowJournal: PartialJournal, TakesWholeLists {
    private let journal = MemoryJournal()
    var count: Int { (try? journal.lists(after: nil, limit: .max).count) ?? 0 }

    func write(_ lists: [WholeList]) throws(JournalError) -> [CommitOutcome] {
        if lists.contains(where: { $0.byteCount > 100_000 }) { throw .tooLarge("a list") }
        return try journal.write(lists)
    }
}
