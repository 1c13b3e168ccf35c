import ListStore
import TestSupport
import Testing

@testable import SQLiteJournal

/// Keyed records in their table, and the subscriptions of databases that have no such table yet.
@Suite struct RecordTableTests {
    private static func record(_ number: UInt8, used: Int = 7, byteCount: Int = 3, kind: UInt8 = 1) -> KeyedRecord {
        KeyedRecord(
            KeyedRecord.Key(.init(rawValue: kind), [number]),
            KeyedRecord.Content(used: used, value: [UInt8](repeating: number, count: byteCount)))
    }

    private static func write(_ records: KeyedRecord...) -> [RecordWrite] {
        records.map { RecordWrite($0.key, .unconditional, $0.content) }
    }

    private static func records(_ journal: SQLiteJournal) throws -> [KeyedRecord] {
        try journal.records(of: .subscription, after: nil, limit: .max)
    }

    /// The records after a start, which must be sure of everything.
    private static func kept(_ folder: TemporaryFolder) throws -> [KeyedRecord] {
        let journal = try SQLiteJournal(directory: folder.path)
        defer { journal.close() }
        let all = try journal.replayed()
        #expect(journal.isSkimmed, "what is right needs no second look")
        #expect(all.entries == [JournalEntry("l", .create, "one")])
        return try records(journal)
    }

    private static func filled(_ records: KeyedRecord...) throws -> TemporaryFolder {
        let folder = try TemporaryFolder(isInMemory: true)
        let journal = try folder.journal()
        try journal.append([JournalEntry("l", .create, "one")])
        _ = try journal.keep(records.map { RecordWrite($0.key, .unconditional, $0.content) })
        journal.close()
        return folder
    }

    @Test func theyOutliveTheProcess() throws {
        let all = [Self.record(1), Self.record(2, byteCount: 100_000), Self.record(3, byteCount: 0)]
        let folder = try Self.filled(all[0], all[1], all[2], Self.record(4, kind: 9))
        #expect(try Self.kept(folder) == all)
        let again = try folder.journal()
        let removals = [1, 2, 77].map { RecordWrite(KeyedRecord.Key(.subscription, [$0]), .unconditional, nil) }
        _ = try again.keep(Self.write(Self.record(3, used: 99), Self.record(5)) + removals)
        again.close()
        #expect(try Self.kept(folder) == [Self.record(3, used: 99), Self.record(5)])
        let report = try Maintenance.examine(folder: folder.path, contents: false)
        #expect(report.findings == [])
    }

    /// A row that was removed at the end leaves a number, which another record may get after a start only.
    @Test func aRemovedRecordIsNotReadAsAnother() throws {
        let folder = try Self.filled(Self.record(1), Self.record(2))
        let journal = try folder.journal()
        _ = try journal.keep([RecordWrite(Self.record(2).key, .unconditional, nil)])
        _ = try journal.keep(Self.write(Self.record(3)))
        #expect(try Self.records(journal) == [Self.record(1), Self.record(3)])
        #expect(try journal.record(Self.record(2).key) == nil)
        journal.close()
        #expect(try Self.kept(folder) == [Self.record(1), Self.record(3)])
    }

    /// Changes of the table behind the journal's back, each with the finding of an examination and the good records.
    private static let damage: [(sql: String, finding: String, good: [UInt8])] = [
        ("UPDATE records SET value = x'00' WHERE id = 1", "Record 1 (kind 1) is damaged.", [2, 3]),
        ("UPDATE records SET used = 8 WHERE id = 2", "Record 2 (kind 1) is damaged.", [1, 3]),
        ("UPDATE records SET kind = 2 WHERE id = 2", "Record 2 (kind 2) is damaged.", [1, 3]),
        ("UPDATE records SET kind = 257 WHERE id = 2", "Record 2 (kind 257) is damaged.", [1, 3]),
        ("UPDATE records SET key = x'09' WHERE id = 2", "Record 2 (kind 1) is damaged.", [1, 3]),
        ("UPDATE records SET id = 9 WHERE id = 2", "Record 9 (kind 1) is damaged.", [1, 3]),
        ("DELETE FROM records WHERE id = 3", "There are 2 records, but 3 were written.", [1, 2]),
    ]

    @Test(arguments: damage)
    func damageIsFoundAndRepaired(sql: String, finding: String, good: [UInt8]) throws {
        let folder = try Self.filled(Self.record(1), Self.record(2), Self.record(3))
        try folder.change(sql)
        #expect(journalError { _ = try reopened(folder) }?.isCorrupt == true)
        #expect(try Maintenance.examine(folder: folder.path, contents: false).findings == [finding])
        let repaired = try #require(try Maintenance.repair(folder: folder.path, contents: false))
        #expect(repaired.losses == [finding])
        #expect(try Self.kept(folder) == good.map { Self.record($0) })
        #expect(try Maintenance.examine(folder: folder.path, contents: false).findings == [])
    }

    /// An old row has a right checksum, but is not the row that was written last.
    @Test func anOldRowIsFound() throws {
        let folder = try Self.filled(Self.record(1), Self.record(2))
        let old = KeyedRecord.checksum(id: 1, Self.record(1).key, used: 6, [1, 1, 1].span)
        try folder.change("UPDATE records SET used = 6, checksum = \(old) WHERE id = 1")
        #expect(journalError { _ = try reopened(folder) }?.isCorrupt == true)
        let findings = ["There are other records than those that were written."]
        #expect(try Maintenance.examine(folder: folder.path, contents: false).findings == findings)
        _ = try Maintenance.repair(folder: folder.path, contents: false)
        #expect(try Self.kept(folder) == [Self.record(1, used: 6), Self.record(2)])
    }

    @Test func twoRowsOfOneKeyAreFound() throws {
        let folder = try Self.filled(Self.record(1))
        let sum = KeyedRecord.checksum(id: 2, Self.record(1).key, used: 7, [1, 1, 1].span)
        try folder.change("INSERT INTO records VALUES(2, 1, x'01', 7, x'010101', \(sum))")
        #expect(journalError { _ = try reopened(folder) }?.isCorrupt == true)
        _ = try #require(try Maintenance.repair(folder: folder.path, contents: false))
        #expect(try Self.kept(folder) == [Self.record(1)])
    }

    @Test func aCopyHasThem() throws {
        let folder = try Self.filled(Self.record(1), Self.record(2, byteCount: 9_000))
        let journal = try folder.journal()
        let copy = folder.file("copy")
        let backup = try journal.backUp(to: copy)
        while try !backup.step().isDone {}
        try backup.finish()
        journal.close()
        #expect(try Maintenance.examine(copy: copy, contents: false).findings == [])
        let copied = try SQLiteJournal(reading: copy)
        defer { copied.close() }
        _ = try copied.replayed()
        #expect(try Self.records(copied) == [Self.record(1), Self.record(2, byteCount: 9_000)])
    }

    @Test func aFullDiskRefusesThemAndKeepsAllElse() throws {
        let folder = try Self.filled(Self.record(1))
        let journal = try folder.journal()
        try journal.limitPages(to: 40)
        let writes = Self.write(Self.record(2, byteCount: 100_000))
        let removal = RecordWrite(Self.record(1).key, .unconditional, nil)
        #expect(journalError { _ = try journal.keep(writes + [removal]) } == .full)
        #expect(try Self.records(journal) == [Self.record(1)])
        _ = try journal.keep(Self.write(Self.record(3)))
        journal.close()
        #expect(try Self.kept(folder) == [Self.record(1), Self.record(3)])
    }

    /// A number that was damaged says nothing of the records.
    @Test(arguments: [Schema.Name.recordCount, .recordSum])
    func aDamagedNumberIsOneFinding(name: Schema.Name) throws {
        let folder = try Self.filled(Self.record(1), Self.record(2))
        try folder.change("UPDATE meta SET checksum = 1 WHERE name = '\(name.rawValue)'")
        let findings = ["The number \(name.rawValue) is damaged."]
        #expect(try Maintenance.examine(folder: folder.path, contents: false).findings == findings)
        let repaired = try #require(try Maintenance.repair(folder: folder.path, contents: false))
        #expect(repaired.losses == [])
        #expect(try Self.kept(folder) == [Self.record(1), Self.record(2)])
    }

    @Test func thereIsNoRoomBehindTheLastNumber() throws {
        let folder = try Self.filled(Self.record(1))
        let last = Database.rows.upperBound - 1
        let sum = KeyedRecord.checksum(id: last, Self.record(1).key, used: 7, [1, 1, 1].span)
        try folder.change("UPDATE records SET id = \(last), checksum = \(sum)")
        let connection = try SQLiteConnection(path: folder.file("liststate.db"), create: false)
        try Schema.set(.recordSum, sum, in: connection)
        try connection.setCloseKeepsLog(false)
        let journal = try folder.journal()
        #expect(journalError { _ = try journal.keep(Self.write(Self.record(2))) } == .full)
        _ = try journal.keep(Self.write(Self.record(1, used: 8)))
        #expect(try Self.records(journal) == [Self.record(1, used: 8)])
        journal.close()
        #expect(try Self.kept(folder) == [Self.record(1, used: 8)])
    }

    /// Pages of keys, while keys come and go.
    @Test func pagesAreInTheOrderOfTheKeys() throws {
        let folder = try Self.filled()
        let journal = try folder.journal()
        var expected: Set<UInt8> = []
        for number in [UInt8](0..<200).map({ $0 &* 77 }) {
            _ = try journal.keep(Self.write(Self.record(number), Self.record(number, kind: 9)))
            expected.insert(number)
            if number % 3 == 0 {
                _ = try journal.keep([RecordWrite(Self.record(number).key, .unconditional, nil)])
                expected.remove(number)
            }
            _ = try journal.keep(Self.write(Self.record(77, used: Int(number))))
            expected.insert(77)
            for first in [nil, [], [number], [100, 1]] as [[UInt8]?] {
                let page = try journal.records(of: .subscription, after: first, limit: 7).map(\.key.bytes)
                let wanted = expected.sorted().map { [$0] }.filter { key in
                    first.map { $0.lexicographicallyPrecedes(key) } ?? true
                }
                #expect(page == Array(wanted.prefix(7)))
            }
        }
        journal.close()
    }

    // MARK: Format 2

    /// Turns a database into one of format 2, with subscriptions, one of them damaged.
    private static func turnBack(_ folder: TemporaryFolder, subscriptions: Bool) throws {
        let connection = try SQLiteConnection(path: folder.file("liststate.db"), create: false)
        try connection.run("DROP TABLE records")
        try connection.run("DELETE FROM meta WHERE name IN ('recordCount', 'recordSum')")
        try Schema.set(.format, 2, in: connection)
        try connection.setCloseKeepsLog(false)
        guard subscriptions else { return }
        try connection.run(Schema.subscriptions.sql)
        for number in 1...3 {
            var sum = CRC32C()
            for part in [number, 7, 1] { sum.add(part) }
            sum.add([UInt8(number)])
            sum.add([UInt8](repeating: UInt8(number), count: 3))
            let bytes = number == 2 ? "ffffff" : String(repeating: "0\(number)", count: 3)
            try connection.run(
                "INSERT INTO subscriptions VALUES(\(number), x'0\(number)', 7, x'\(bytes)', \(sum.value))")
        }
    }

    @Test func theSubscriptionsOfAnOldDatabaseBecomeRecords() throws {
        let folder = try Self.filled()
        try Self.turnBack(folder, subscriptions: true)
        let old = try folder.contents()
        #expect(try Maintenance.examine(folder: folder.path, contents: false).findings == [])
        #expect(try folder.contents()["liststate.db"] == old["liststate.db"], "an examination changes nothing")
        #expect(try Self.kept(folder) == [Self.record(1), Self.record(3)])
        #expect(try Self.kept(folder) == [Self.record(1), Self.record(3)], "at the next start")
        #expect(try Maintenance.examine(folder: folder.path, contents: false).findings == [])
    }

    @Test func anOldDatabaseWithoutSubscriptionsGetsTheTable() throws {
        let folder = try Self.filled()
        try Self.turnBack(folder, subscriptions: false)
        #expect(try Self.kept(folder) == [])
        let journal = try folder.journal()
        _ = try journal.keep(Self.write(Self.record(1)))
        journal.close()
        #expect(try Self.kept(folder) == [Self.record(1)])
    }

    @Test func aRepairOfAnOldDatabaseKeepsSubscriptions() throws {
        let folder = try Self.filled()
        try Self.turnBack(folder, subscriptions: true)
        try folder.change("INSERT INTO chunks VALUES(1, x'00', 1); DELETE FROM receipts;")
        try folder.change("UPDATE meta SET value = 5 WHERE name = 'receiptsTrimmed'")
        _ = try #require(try Maintenance.repair(folder: folder.path, contents: false))
        #expect(try Self.kept(folder) == [Self.record(1), Self.record(3)])
    }

    /// A damaged database is refused before it gets a new format, and stays as it is.
    @Test func aDamagedOldDatabaseIsLeftAlone() throws {
        let folder = try Self.filled()
        try Self.turnBack(folder, subscriptions: true)
        try folder.change("UPDATE log SET bytes = x'00'")
        let old = try folder.contents()
        #expect(journalError { _ = try reopened(folder) }?.isCorrupt == true)
        #expect(try folder.contents()["liststate.db"] == old["liststate.db"])
    }

    /// On a full disk the database keeps its old format, and the next start tries again.
    @Test func aFullDiskLeavesTheOldFormat() throws {
        let folder = try Self.filled()
        try Self.turnBack(folder, subscriptions: true)
        let journal = try SQLiteJournal(directory: folder.path)
        try journal.limitPages(to: 1)
        #expect(journalError { _ = try journal.replayed() } == .full)
        journal.close()
        #expect(try Self.kept(folder) == [Self.record(1), Self.record(3)])
    }
}
