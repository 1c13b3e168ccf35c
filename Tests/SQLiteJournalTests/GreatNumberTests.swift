import Glibc
import ListModel
import ListStore
import TestSupport
import Testing

@testable import SQLiteJournal

/// Databases with numbers as great as a file can hold.
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

    /// Makes the database one from which `end` rows have been removed.
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
        // Only the count and the sum show that the row is missing. The mended database is as good as any.
        try folder.change("DELETE FROM log WHERE list = 'b'")
        let refusal = journalError { _ = try reopened(folder) }
        #expect("\(String(describing: refusal))".contains("rows of log are missing"))
        let repaired = try #require(try Maintenance.repair(folder: folder.path, contents: false))
        #expect(repaired.losses == ["1 rows of the log are missing, or others are there."])
        #expect(SnapshotTests.lists(try reopened(folder)) == ["a": texts])
        #expect(try Maintenance.examine(folder: folder.path, contents: false).findings == [])
    }
}
