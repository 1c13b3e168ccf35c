import ListDiff
import ListModel
import Testing

@testable import ListStore
@testable import SQLiteJournal

/// The number of receipts is bounded while the store serves. The store's limit counts, not that of the program that
/// opens it.
@Suite struct ReceiptBoundTests {
    private static let list = ListID("l")!
    private static let receiptsMax = 100

    private static func limits(_ receiptsMax: Int?) -> Store.Limits {
        Store.Limits(
            itemsMax: 100, sectionsMax: 100, contentBytesMax: 1_000, historyVersionsMax: 8, historyBytesMax: 1 << 20,
            receiptsMax: receiptsMax, receiptAgeMax: 400)
    }

    private static func store(
        _ journal: SQLiteJournal, receiptsMax: Int?, receiptBytesMax: Int = 1 << 28
    ) throws -> Store {
        var limits = limits(receiptsMax)
        limits.receiptBytesMax = receiptBytesMax
        return try Store(
            journal: journal, mayMissCommits: false, limits: limits, compaction: nil, intents: nil,
            isStepped: true, clock: { 1_000 }, token: { "e" })
    }

    private static func write(_ number: Int, operations: Int = 1) -> Write {
        var changes = ListChanges()
        changes.title = .set("\(number)")
        return Write(
            .operations(Array(repeating: .updateList(changes), count: operations)),
            key: ReceiptKey(scope: Array("\(number)".utf8), request: [1]))
    }

    /// - Parameter batch: The number of writes that share a sync.
    @Test(arguments: [1, 7, 400, 9_000])
    func theyStayBoundedWhileOthersCome(batch: Int) throws {
        let folder = try TemporaryFolder(isInMemory: true)
        let journal = try SQLiteJournal(directory: folder.path)
        let store = try Self.store(journal, receiptsMax: Self.receiptsMax)
        _ = store.create(Self.list, Write(.operations([])))
        var number = 0
        for _ in 0..<max(4, 3_000 / batch) {
            for _ in 0..<batch {
                number += 1
                _ = store.submit(Self.list, Self.write(number))
            }
            store.step()
            #expect(journal.receiptCount <= Self.receiptsMax + 256 + batch)
            #expect(store.shared.receipts.count <= Self.receiptsMax)
        }
        #expect(journal.receiptCount < number)
        let replay = try store.submit(Self.list, Self.write(number)).result.get()
        #expect(replay.isReplay)
        store.stop()
        #expect(try Self.receiptCount(folder) <= Self.receiptsMax + 256 + batch)
    }

    /// A transaction of many operations has a long answer.
    @Test func longAnswersTakeTheRoomOfMany() throws {
        let folder = try TemporaryFolder(isInMemory: true)
        let journal = try SQLiteJournal(directory: folder.path)
        let store = try Self.store(journal, receiptsMax: 10_000, receiptBytesMax: 20_000)
        _ = store.create(Self.list, Write(.operations([])))
        func isKept(_ number: Int, _ store: Store) throws -> Bool {
            try store.submit(Self.list, Self.write(number, operations: 900)).result.get().isReplay
        }
        for number in 1...60 {
            #expect(try !isKept(number, store))
            store.step()
            // Each answer has more than 900 bytes. The disk may have a quarter more of them.
            #expect(store.shared.receipts.count <= 22 && journal.receiptCount <= 28)
            #expect(try isKept(max(1, number - 10), store))
        }
        store.stop()
        let again = try Self.store(
            SQLiteJournal(directory: folder.path), receiptsMax: 10_000, receiptBytesMax: 20_000)
        for number in 50...60 { #expect(try isKept(number, again)) }
        #expect(again.shared.receipts.count <= 22)
        again.stop()
        // The newest answer is kept whatever its size.
        let small = try Self.store(SQLiteJournal(directory: folder.path), receiptsMax: 10_000, receiptBytesMax: 10)
        #expect(try isKept(60, small))
        #expect(try !isKept(59, small))
        small.step()
        #expect(try isKept(59, small))
        small.stop()
    }

    @Test func whoAnswersNobodyLeavesThemAsTheyAre() throws {
        let folder = try TemporaryFolder(isInMemory: true)
        let first = try Self.store(SQLiteJournal(directory: folder.path), receiptsMax: 50)
        _ = first.create(Self.list, Write(.operations([])))
        for number in 1...40 { _ = first.submit(Self.list, Self.write(number)) }
        first.step()
        first.stop()
        let tool = try Store(
            journal: SQLiteJournal(directory: folder.path), limits: Self.limits(nil),
            compaction: Store.Compaction(rows: 1, bytes: 1), clock: { 1 << 40 }, token: { "t" })
        try tool.compact()
        tool.stop()
        #expect(try Self.receiptCount(folder) == 40)
        let again = try Self.store(SQLiteJournal(directory: folder.path), receiptsMax: 50)
        for number in 1...40 { #expect(try again.submit(Self.list, Self.write(number)).result.get().isReplay) }
        again.stop()
    }

    @Test func aStoreSaysWhatItKeeps() throws {
        let folder = try TemporaryFolder(isInMemory: true)
        var retention = Retention(
            receiptsMax: 7, receiptAgeMax: 8, historyVersionsMax: 9, historyBytesMax: 10, historyAgeMax: nil)
        for age in [nil, 11, nil] as [Int?] {
            retention.historyAgeMax = age
            let journal = try SQLiteJournal(directory: folder.path)
            _ = try journal.open(receipt: { _ in }, receiptsMax: 0, since: 0)
            try journal.keep(retention)
            journal.close()
            let reader = try SQLiteJournal(reading: folder.path)
            #expect(try reader.retention() == retention)
            reader.close()
        }
        #expect(try Maintenance.examine(folder: folder.path).findings == [])
        try folder.change("UPDATE meta SET value = 9 WHERE name = 'snapshotCount'")
        #expect(try Maintenance.repair(folder: folder.path) != nil)
        let mended = try SQLiteJournal(reading: folder.path)
        #expect(try mended.retention() == retention)
        mended.close()
        try folder.change("UPDATE meta SET value = 70 WHERE name = 'receiptsMax'")
        let journal = try SQLiteJournal(reading: folder.path)
        #expect(throws: JournalError.self) { try journal.retention() }
        journal.close()
    }

    @Test func aStoreThatNobodyHasServedSaysNothing() throws {
        let folder = try TemporaryFolder(isInMemory: true)
        let journal = try SQLiteJournal(directory: folder.path)
        #expect(try journal.retention() == nil)
        journal.close()
    }

    private static func receiptCount(_ folder: TemporaryFolder) throws -> Int {
        let connection = try SQLiteConnection(path: folder.file("liststate.db"), create: false)
        return try connection.run("SELECT count(*) FROM receipts").first?.first??.integer ?? -1
    }
}
