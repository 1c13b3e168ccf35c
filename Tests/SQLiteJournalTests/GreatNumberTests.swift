import Glibc
import ListModel
import ListStore
import TestSupport
import Testing

@testable import SQLiteJournal

/// Databases with very great numbers and right checksums. Such a database is read, or it is refused with an error.
@Suite struct GreatNumberTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    /// Opens the database without the journal.
    private func change(_ body: (SQLiteConnection) throws -> Void) throws {
        let connection = try SQLiteConnection(path: folder.file("liststate.db"), create: false)
        try connection.run("PRAGMA locking_mode=EXCLUSIVE")
        try body(connection)
        try connection.setCloseKeepsLog(false)
    }

    // MARK: The count of rows

    /// Makes a database whose counts say that rows 1 to `end` of the log were written and removed.
    private func removeRows(upTo end: Int) throws {
        let journal = try folder.journal()
        journal.close()
        let sum = Int128(end) * (Int128(end) + 1) / 2
        try change { connection in
            try Schema.set(.logRemovedLast, end, in: connection)
            try Schema.set(.logRemovedCount, end, in: connection)
            try Schema.set(.logRemovedSum, Int(truncatingIfNeeded: sum), in: connection)
        }
    }

    /// The sum of all row numbers has more than 63 bits from row 4,294,967,296 on.
    @Test(arguments: [
        0, 3_037_000_490, 3_037_000_498, 3_037_000_499, 3_037_000_500, 4_294_967_287, 4_294_967_295, 4_294_967_296,
        6_074_000_999, 6_074_001_000, 1 << 40, 1 << 52, (1 << 53) - 100,
    ])
    func aDatabaseOfSoManyRowsIsWhole(end: Int) throws {
        try removeRows(upTo: end)
        let texts = (1...20).map { "a\($0)" }
        for text in texts {
            let journal = try folder.journal()
            try journal.append([JournalEntry("a", text == "a1" ? .create : .append, text)])
            if text == "a5" { try journal.append([JournalEntry("b", .create, "b1")]) }
            if text == "a9" {
                let part = SnapshotPart(
                    list: ListID("a")!, position: 7, first: 0, chunks: [Array("a1,a2,a3,a4,a5,a6,a7".utf8)],
                    isLast: true)
                try journal.write(part)
                while try !journal.removeSome(all: true) {}
            }
            journal.close()
        }
        #expect(SnapshotTests.lists(try reopened(folder)) == ["a": texts, "b": ["b1"]])
        #expect(try Maintenance.examine(folder: folder.path, contents: false).findings == [])
        // Only the count and the sum show that the row is missing. The repaired database has no findings.
        try folder.change("DELETE FROM log WHERE list = 'b'")
        let refusal = journalError { _ = try reopened(folder) }
        #expect("\(String(describing: refusal))".contains("rows of log are missing"))
        let repaired = try #require(try Maintenance.repair(folder: folder.path, contents: false))
        #expect(repaired.losses == ["1 rows of the log are missing, or others are there."])
        #expect(SnapshotTests.lists(try reopened(folder)) == ["a": texts])
        #expect(try Maintenance.examine(folder: folder.path, contents: false).findings == [])
    }

    // MARK: Numbers that no program writes

    private static let great = [Int.min, -1, 1 << 38, 1 << 52, 1 << 53, 1 << 62, .max - 1, .max]

    /// Makes a database with rows, removed rows, a snapshot, receipts, removed receipts and a record.
    private func fill() throws {
        let journal = try folder.journal()
        for number in 1...6 {
            try journal.append([
                JournalEntry("a", number == 1 ? .create : .append, "a\(number)", receipt: Receipt(number))
            ])
        }
        try journal.write(
            SnapshotPart(
                list: ListID("a")!, position: 3, first: 0, chunks: [Array("a1,a2".utf8), Array(",a3".utf8)],
                isLast: true))
        while try !journal.removeSome(all: true) {}
        try journal.trimReceipts(keepNewest: 3, olderThan: 0)
        try journal.keep(
            Retention(receiptsMax: 9, receiptAgeMax: 9, historyVersionsMax: 9, historyBytesMax: 9, historyAgeMax: 9))
        let content = KeyedRecord.Content(used: 7, value: [1])
        _ = try journal.keep([RecordWrite(KeyedRecord.Key(.subscription, [1]), .unconditional, content)])
        journal.close()
    }

    /// Opens, examines and repairs the database. Each of these may end with an error that calls the database corrupt, or of
    /// another format.
    private func isRefusedOrServes(_ comment: String) throws {
        let files = try folder.contents()
        let refusal = journalError {
            let journal = try SQLiteJournal(directory: folder.path)
            defer { journal.close() }
            _ = try journal.replayed(receiptsMax: 2)
            _ = try journal.retention()
            _ = try journal.records(of: .subscription, after: nil, limit: .max)
            _ = journal.receiptCount
            for entry in ["b1", "b2"] {
                try journal.append([JournalEntry("b", .append, entry, receipt: Receipt(9))])
                try journal.trimReceipts(keepNewest: 1, olderThan: 0)
                while try !journal.removeSome(all: true) {}
            }
        }
        // A great number of a format is one that the program does not know.
        var isRefused = refusal?.isCorrupt != false
        if case .otherFormat = refusal { isRefused = true }
        try #require(isRefused, "\(refusal.map { "\($0)" } ?? ""), \(comment)")
        if refusal == nil {
            let receipts = try reopened(folder, mayNeedSecondLook: true).receipts
            try #require(receipts.count == 1, "\(comment)")
        }
        try folder.fill(files)
        guard (try? Maintenance.examine(folder: folder.path, contents: false)) != nil else { return }
        do { _ = try Maintenance.repair(folder: folder.path, contents: false) } catch JournalError.corrupt { return }
        _ = try reopened(folder, mayNeedSecondLook: true)
    }

    @Test(arguments: Schema.Name.allCases.map(\.rawValue) + Schema.Setting.allCases.map(\.rawValue), great)
    func aNumberInMeta(name: String, value: Int) throws {
        try fill()
        try change { connection in
            if let name = Schema.Name(rawValue: name) { try Schema.set(name, value, in: connection) }
            if let name = Schema.Setting(rawValue: name) { try Schema.set(name, value, in: connection) }
        }
        try isRefusedOrServes("\(name) = \(value)")
    }

    @Test(arguments: great) func aNumberOfALogRow(value: Int) throws {
        try fill()
        let files = try folder.contents()
        for column in 0..<3 {
            try folder.fill(files)
            try change { connection in
                try connection.run("DELETE FROM log WHERE seq = 6")
                var row = LogRow.rows([JournalEntry("a", .append, "a6")])[0]
                row.position = column == 1 ? value : 6
                row.count = column == 2 ? value : 1
                try Statements(connection).insert(row, seq: column == 0 ? value : 6)
            }
            try isRefusedOrServes("column \(column) of log is \(value)")
        }
    }

    @Test(arguments: great) func aNumberOfASnapshot(value: Int) throws {
        try fill()
        let files = try folder.contents()
        for column in 0..<5 {
            try folder.fill(files)
            try change { connection in
                var header: LogIndex.Header?
                try connection.read(LogIndex.Header.InPlace.self) { if $0.header.chunks > 0 { header = $0.header } }
                var changed = try #require(header)
                try connection.run("DELETE FROM snapshots WHERE id = \(changed.id)")
                switch column {
                case 0: changed.id = value
                case 1: changed.since = value
                case 2: changed.position = value
                case 3: changed.chunks = value
                default: changed.content = value
                }
                try Statements(connection).insert(changed, list: ListID("a")!)
            }
            try isRefusedOrServes("column \(column) of snapshots is \(value)")
        }
    }

    /// A start refuses two snapshots of one list, and a snapshot other than the one that was written. An examination
    /// finds either, and a repair mends it.
    @Test(arguments: [true, false]) func anotherSnapshot(isCounted: Bool) throws {
        try fill()
        try change { connection in
            var sum = try Schema.value(.snapshotSum, in: connection, "the database")
            if isCounted {
                let header = LogIndex.Header(id: 9, since: 1, position: 0, chunks: 0, content: 0)
                try Statements(connection).insert(header, list: ListID("a")!)
                try Schema.set(.snapshotCount, 2, in: connection)
                sum += 9
            }
            try Schema.set(.snapshotSum, isCounted ? sum : sum + 1, in: connection)
        }
        #expect(journalError { _ = try reopened(folder) }?.isCorrupt == true)
        let findings = try Maintenance.examine(folder: folder.path, contents: false).findings
        #expect(
            findings.first
                == (isCounted
                    ? "The list a has two snapshots." : "There are other snapshots than those that were written."))
        #expect(try Maintenance.repair(folder: folder.path, contents: false) != nil)
        _ = try reopened(folder)
    }

    @Test(arguments: great) func aNumberOfAChunk(value: Int) throws {
        try fill()
        try change { connection in _ = try Statements(connection).insert(chunk: [1], id: value) }
        try isRefusedOrServes("a chunk is number \(value)")
    }

    @Test(arguments: great) func aNumberOfAReceipt(value: Int) throws {
        try fill()
        let files = try folder.contents()
        for column in 0..<2 {
            try folder.fill(files)
            try change { connection in
                try connection.run("DELETE FROM receipts WHERE seq = 6")
                let receipt = Receipt(6, time: column == 1 ? value : 6)
                try Statements(connection).insert(receipt, seq: column == 0 ? value : 6)
            }
            try isRefusedOrServes("column \(column) of receipts is \(value)")
        }
    }

    /// A record is damaged if one of its numbers is negative or too great.
    @Test(arguments: great) func aNumberOfARecord(value: Int) throws {
        try fill()
        let files = try folder.contents()
        let key = KeyedRecord.Key(.subscription, [1])
        for column in ["id", "used", "kind"] {
            try folder.fill(files)
            let (id, used) = (column == "id" ? value : 1, column == "used" ? value : 7)
            let sum = KeyedRecord.checksum(id: id, key, used: used, [1].span)
            try folder.change("UPDATE records SET \(column) = \(value), checksum = \(sum)")
            try change { connection in try Schema.set(.recordSum, sum, in: connection) }
            let isRead = (try? reopened(folder, mayNeedSecondLook: true)) != nil
            #expect(isRead == (column != "kind" && (0..<1 << 53).contains(value)), "\(column) of records is \(value)")
            try isRefusedOrServes("\(column) of records is \(value)")
        }
    }

    // MARK: The write-ahead log

    /// A write-ahead log with a size of pages that SQLite does not have is read as empty, even if its checksum is
    /// right.
    @Test(arguments: [513, 516, 600, 65_535]) func aSizeOfPagesInTheLog(size: UInt32) throws {
        try fill()
        func words(_ numbers: [UInt32]) -> [UInt8] {
            numbers.flatMap { word in
                stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
            }
        }
        func sum(_ bytes: [UInt8]) -> [UInt32] {
            var (first, second): (UInt32, UInt32) = (0, 0)
            for start in stride(from: 0, to: bytes.count, by: 8) {
                func word(_ offset: Int) -> UInt32 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }
                first &+= word(start) &+ second
                second &+= word(start + 4) &+ first
            }
            return [first, second]
        }
        var log = words([0x377F_0683, 3_007_000, size, 1, 2, 3])
        log += words(sum(log))
        log += words([1, 1, 2, 3, 0, 0]) + [UInt8](repeating: 0, count: Int(size))
        try folder.write("liststate.db-wal", log)
        let contents = try WriteAheadLog.contents(folder.file("liststate.db-wal"), on: SystemDisk())
        #expect(contents.frames.isEmpty && contents.bytesAfterLastCommit == log.count)
    }
}
