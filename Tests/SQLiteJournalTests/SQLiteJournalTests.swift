import Glibc
import ListModel
import ListStore
import TestSupport
import Testing

@testable import SQLiteJournal

@Suite struct SQLiteJournalTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> SQLiteJournal {
        let journal = try SQLiteJournal(directory: folder.path)
        _ = try journal.replayed()
        return journal
    }

    @Test func aNewJournalIsEmpty() throws {
        let journal = try SQLiteJournal(directory: folder.file("new/deep"))
        #expect(try journal.replayed() == Replayed())
        #expect(journal.recovery == .init(bytesDropped: 0, doubt: nil))
        journal.close()
        for name in ["liststate.db", "acknowledged", "lock"] { unlink(folder.file("new/deep/" + name)) }
        rmdir(folder.file("new/deep"))
        rmdir(folder.file("new"))
    }

    @Test func nobodyElseMayReadIt() throws {
        let journal = try open()
        try journal.append([JournalEntry("a", .create, "a1")])
        for name in ["liststate.db", "liststate.db-wal", "acknowledged", "lock"] {
            var status = stat()
            #expect(stat(folder.file(name), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
        journal.close()
    }

    @Test func whatWasAppendedComesBack() throws {
        let entries = [
            JournalEntry("a", .create, "a1"), JournalEntry("b", .create, "b1"), JournalEntry("a", .append, "a2"),
            JournalEntry("a", .append, ""), JournalEntry("b", .append, String(repeating: "x", count: 100_000)),
            JournalEntry("a", .delete, "a4"), JournalEntry("a", .create, "a1'"), JournalEntry("a", .append, "a2'"),
        ]
        let journal = try open()
        for entry in entries { try journal.append([entry]) }
        try journal.append([])
        journal.close()
        #expect(try reopened(folder).entries == entries.living)
        #expect(try reopened(folder).entries == entries.living)
    }

    /// Entries of one list share a row. A new life of the list does not share a row with the old one.
    @Test func aBatchKeepsTheOrderOfEveryList() throws {
        let batch = [
            JournalEntry("a", .append, "1"), JournalEntry("b", .append, "1"), JournalEntry("a", .append, "2"),
            JournalEntry("a", .delete, ""), JournalEntry("a", .create, "1'"), JournalEntry("b", .append, "2"),
            JournalEntry("a", .append, "2'"), JournalEntry("a", .append, "3'"),
        ]
        #expect(LogRow.rows(batch.filter { $0.list.rawValue == "a" }).count == 4)
        let journal = try open()
        try journal.append(batch)
        journal.close()
        #expect(try reopened(folder).entries == batch.living)
    }

    /// A long entry is the last one of its row.
    @Test func longEntriesComeBack() throws {
        let long = [1 << 20 - 1, 1 << 20, 1 << 20 + 1].map { String(repeating: "x", count: $0) }
        var batch = [JournalEntry("a", .create, long[2]), JournalEntry("b", .create, "1")]
        for text in long {
            batch += [
                JournalEntry("a", .append, "-"), JournalEntry("a", .append, text), JournalEntry("b", .append, text),
                JournalEntry("b", .append, "+"),
            ]
        }
        let journal = try open()
        try journal.append(batch)
        journal.close()
        #expect(try reopened(folder).entries == batch.living)
    }

    @Test(arguments: UInt64(1)...20)
    func anyBatchesComeBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let journal = try open()
        var entries: [JournalEntry] = []
        var receipts: [Receipt] = []
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let batch = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                var entry = JournalEntry(
                    ["a", "b", "c"].randomElement(using: &random)!,
                    JournalEntry.Kind.allCases.randomElement(using: &random)!, "")
                let count = Int.random(in: 0...(Bool.random(using: &random) ? 20 : 6000), using: &random)
                if entry.kind != .receiptOnly {
                    entry.bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                }
                if Bool.random(using: &random) || entry.kind == .receiptOnly {
                    entry.receipt = Receipt(receipts.count)
                    receipts.append(Receipt(receipts.count))
                }
                return entry
            }
            try journal.append(batch)
            entries += batch
        }
        journal.close()
        let read = try reopened(folder)
        try #require(read.entries == entries.living)
        try #require(read.receipts == receipts)
    }

    /// The file has trees of several levels, gaps from removed rows, free pages, overflow pages, and a log that is not
    /// in the database yet. Nothing of it must be read a second time.
    @Test(arguments: [512, 4096, 65_536])
    func aLongLogIsReadPageByPage(pageSize: Int) throws {
        var random = SeededGenerator(seed: UInt64(pageSize))
        let journal = try SQLiteJournal(directory: folder.path, pageSize: pageSize)
        _ = try journal.replayed()
        var entries: [JournalEntry] = []
        for round in 0..<400 {
            let batch = (0..<10).map { number in
                let count = random.once(in: 40) ? 9_000 : Int.random(in: 0...90, using: &random)
                return JournalEntry("l\((round + number) % 70)", .append, String(repeating: "x", count: count))
            }
            try journal.append(batch)
            entries += batch
            guard round % 40 == 39 else { continue }
            let id = ListID("l\(round % 70)")!
            let position = entries.count { $0.list == id }
            let chunks = [[UInt8]](repeating: Array("chunk".utf8), count: 30)
            try journal.write(SnapshotPart(list: id, position: position, first: 0, chunks: chunks, isLast: true))
            entries.removeAll { $0.list == id }
            entries.append(JournalEntry(id.rawValue.string, .delete, ""))
            try journal.append([JournalEntry(id.rawValue.string, .delete, "")])
            while try !journal.removeSome(all: true) {}
        }
        for isClosed in [false, true] {
            if isClosed { journal.close() }
            let copy = try TemporaryFolder(isInMemory: true)
            try copy.fill(try folder.contents())
            #expect(try reopened(copy).entries == entries.living)
        }
    }

    @Test func receiptsComeOldestFirstAndBounded() throws {
        let journal = try open()
        for number in 1...10 { try journal.append([JournalEntry("a", .receiptOnly, "", receipt: Receipt(number))]) }
        journal.close()
        let rows: [(receiptsMax: Int, since: Int, numbers: ClosedRange<Int>?)] = [
            (.max, 0, 1...10), (3, 0, 8...10), (100, 6, 6...10), (3, 10, 10...10), (0, 0, nil), (5, 11, nil),
        ]
        for row in rows {
            let journal = try SQLiteJournal(directory: folder.path)
            let read = try journal.replayed(receiptsMax: row.receiptsMax, since: row.since)
            journal.close()
            #expect(read.receipts == (row.numbers.map { $0.map { Receipt($0) } } ?? []), "\(row)")
            #expect(read.entries == [])
        }
    }

    @Test func trimmedReceiptsAreGoneAndNewOnesFollow() throws {
        let journal = try open()
        try journal.append((1...10_000).map { JournalEntry("a", .receiptOnly, "", receipt: Receipt($0)) })
        try journal.trimReceipts(keepNewest: 9_999, olderThan: 0)
        try journal.trimReceipts(keepNewest: .max, olderThan: 4)
        try journal.trimReceipts(keepNewest: .max, olderThan: 3)
        journal.close()
        #expect(try reopened(folder).receipts == (4...10_000).map { Receipt($0) })

        let again = try open()
        while try !again.trimReceipts(keepNewest: 0, olderThan: 0) {}
        try again.append([JournalEntry("a", .receiptOnly, "", receipt: Receipt(7))])
        again.close()
        #expect(try reopened(folder).receipts == [Receipt(7)])
    }

    /// A killed process leaves its files as they are, with the write-ahead log.
    @Test func aKilledProcessLosesNothing() throws {
        let journal = try open()
        for number in 1...5 { try journal.append([JournalEntry("a", .append, "\(number)", receipt: Receipt(number))]) }
        let killed = try TemporaryFolder()
        try killed.fill(try folder.contents())
        #expect(try killed.read("liststate.db-wal").count > 0)
        let read = try reopened(killed)
        #expect(read.entries.map(\.bytes) == (1...5).map { Array("\($0)".utf8) })
        #expect(read.receipts == (1...5).map { Receipt($0) })
        journal.close()
    }

    @Test func theLogStaysShortUnderManyCommits() throws {
        let journal = try open()
        let entry = JournalEntry("a", .append, String(repeating: "x", count: 100_000))
        for _ in 0..<200 { try journal.append([entry]) }
        let size = try folder.read("liststate.db-wal").count
        #expect(size < 6 << 20, "\(size) bytes for 20 MB of entries")
        let killed = try TemporaryFolder()
        try killed.fill(try folder.contents())
        #expect(try reopened(killed).entries == Array(repeating: entry, count: 200))
        journal.close()
        #expect(try !folder.names().contains("liststate.db-wal"))
    }

    @Test func aFullDiskRefusesTheBatchAndGoesOn() throws {
        let journal = try open()
        try journal.append([JournalEntry("a", .append, "1")])
        try journal.limitPages(to: 20)
        let big = JournalEntry("a", .append, String(repeating: "x", count: 200_000), receipt: Receipt(1))
        for _ in 0..<3 {
            #expect(journalError { try journal.append([JournalEntry("b", .append, "lost"), big]) } == .full)
        }
        try journal.append([JournalEntry("a", .append, "2")])
        try journal.limitPages(to: 1_000_000)
        try journal.append([big])
        journal.close()
        let read = try reopened(folder)
        #expect(read.entries.map(\.bytes) == [Array("1".utf8), Array("2".utf8), big.bytes])
        #expect(read.receipts == [Receipt(1)])
    }

    /// The error is not that of a full disk, and other lists are not affected.
    @Test func aRowThatIsTooLongIsRefusedAndTheJournalGoesOn() throws {
        let journal = try open()
        try journal.append([JournalEntry("a", .append, "1")])
        try journal.limitRows(to: 100_000)
        let text = String(repeating: "x", count: 200_000)
        let receipt = Receipt(key: [1], time: 1, bytes: Array(text.utf8))
        for long in [JournalEntry("a", .append, text), JournalEntry("a", .append, "2", receipt: receipt)] {
            let error = journalError { try journal.append([JournalEntry("b", .append, "lost"), long]) }
            guard case .tooLarge? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        try journal.append([JournalEntry("a", .append, "2", receipt: Receipt(1))])
        journal.close()
        let read = try reopened(folder)
        #expect(read.entries.map(\.bytes) == [Array("1".utf8), Array("2".utf8)])
        #expect(read.receipts == [Receipt(1)])
    }

    @Test func aSecondOpenIsRefused() throws {
        let journal = try open()
        let error = journalError { _ = try SQLiteJournal(directory: folder.path) }
        #expect(error == .locked("\(folder.file("lock")) is locked by command (process \(getpid()))."))
        try journal.append([JournalEntry("a", .append, "1")])
        journal.close()
        #expect(try reopened(folder).entries.count == 1)
    }

    /// A forked process holds copies of our descriptors until it becomes another program.
    @Test func aCopyOfTheDescriptorDoesNotKeepTheLock() throws {
        let journal = try open()
        let descriptor = (3..<1024 as Range<Int32>).first { descriptor in
            var (ours, lock) = (stat(), stat())
            guard fstat(descriptor, &ours) == 0, stat(folder.file("lock"), &lock) == 0 else { return false }
            return ours.st_dev == lock.st_dev && ours.st_ino == lock.st_ino
        }
        let copy = dup(try #require(descriptor))
        defer { close(copy) }
        journal.close()
        #expect(try reopened(folder).entries.isEmpty)
    }

    @Test func aPathThatCannotBeAFolderIsRefused() throws {
        try folder.write("file", [1])
        let error = journalError { _ = try SQLiteJournal(directory: folder.file("file/below")) }
        #expect(error == .io("mkdir \(folder.file("file/below")): Not a directory"))
        let onFile = journalError { _ = try SQLiteJournal(directory: folder.file("file")) }
        #expect(onFile == .io("open \(folder.file("file/lock")): Not a directory"))
        #expect(try folder.contents() == ["file": [1]])
    }

    /// The system forbids writing there, even to root.
    @Test func aFolderThatMayNotBeWrittenIsRefused() throws {
        let error = journalError { _ = try SQLiteJournal(directory: "/sys/liststate") }
        guard case .readOnly(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.hasPrefix("/sys/liststate: "))
    }

    @Test func filesOfOthersAreLeftAlone() throws {
        try folder.write("notes.txt", Array("mine".utf8))
        let journal = try open()
        try journal.append([JournalEntry("a", .append, "1")])
        journal.close()
        #expect(try folder.read("notes.txt") == Array("mine".utf8))
        #expect(try folder.names() == ["acknowledged", "liststate.db", "lock", "notes.txt"])
    }

    @Test func nothingIsWrittenBeforeTheReplay() throws {
        try open().close()
        let journal = try SQLiteJournal(directory: folder.path)
        #expect(journalError { try journal.append([JournalEntry("a", .append, "1")]) } != nil)
        #expect(try journal.replayed() == Replayed())
    }

    @Test func aClosedJournalRefuses() throws {
        let journal = try open()
        journal.close()
        journal.close()
        #expect(journalError { try journal.append([JournalEntry("a", .append, "1")]) } == .closed)
        #expect(journalError { try journal.trimReceipts(keepNewest: 0, olderThan: 0) } == .closed)
        #expect(journalError { _ = try journal.replayed() } == .closed)
    }
}
