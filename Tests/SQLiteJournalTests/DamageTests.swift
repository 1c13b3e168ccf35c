import CCRC32C
import Glibc
import ListModel
import ListStore
import TestSupport
import Testing

@testable import SQLiteJournal

/// Files are cut, flipped, lost and exchanged. The journal then gives exactly the written entries, or refuses to open.
@Suite struct DamageTests {
    /// The files of a small store: after a close, and after a kill behind the last commit.
    struct Store: Sendable {
        static let commits = (1...4).map { number in
            [
                JournalEntry("list-a", .append, "a\(number)", receipt: Receipt(number)),
                JournalEntry("list-b", .append, String(repeating: "\(number)", count: number == 2 ? 600 : 20)),
            ]
        }
        var created: [String: [UInt8]]
        /// The length of the write-ahead log after each commit.
        var logLengths: [Int] = []
        var killed: [String: [UInt8]]
        var closed: [String: [UInt8]]

        /// Pages of 512 bytes give many pages with few bytes.
        init() throws {
            let folder = try TemporaryFolder(isInMemory: true)
            let journal = try SQLiteJournal(directory: folder.path, pageSize: 512)
            _ = try journal.replayed()
            created = try folder.contents()
            for commit in Self.commits {
                try journal.append(commit)
                logLengths.append(try folder.read("liststate.db-wal").count)
            }
            killed = try folder.contents()
            journal.close()
            closed = try folder.contents()
        }

        /// The content that a replay must read after the first `count` commits.
        static func content(_ count: Int) -> Replayed {
            var content = Replayed()
            let entries = Array(commits.prefix(count).joined())
            content.receipts = entries.compactMap(\.receipt)
            content.entries = entries.living
            return content
        }

        static var whole: Replayed { content(commits.count) }
    }

    let folder: TemporaryFolder
    let store: Store

    init() throws {
        folder = try TemporaryFolder(isInMemory: true)
        store = try Store()
    }

    /// Opens and reads these files. A refusal must leave all of them unchanged.
    private func read(_ files: [String: [UInt8]], _ comment: String) throws -> Replayed? {
        try folder.fill(files)
        do {
            return try reopened(folder, mayNeedSecondLook: true)
        } catch {
            let after = try folder.contents()
            for (name, bytes) in files { try #require(after[name] == bytes, "\(name) changed, \(comment)") }
            try #require((error as? JournalError)?.isCorrupt == true, "\(error), \(comment)")
            return nil
        }
    }

    // MARK: The write-ahead log

    /// Every length in the long form. The short form takes some, in all places of a frame.
    private static func cuts(of count: Int) -> [Int] {
        Array(stride(from: 0, to: count, by: min(3, Soak.damageStride))) + [count]
    }

    /// Without an acknowledged mark, a log that is cut anywhere gives the complete commits, and reports the bytes it
    /// dropped.
    @Test func aLogCutAtAnyByteGivesAPrefix() throws {
        let log = try #require(store.killed["liststate.db-wal"])
        try #require(store.logLengths.last == log.count)
        for length in Self.cuts(of: log.count) {
            let whole = store.logLengths.count { $0 <= length }
            var files = store.killed
            files["liststate.db-wal"] = Array(log.prefix(length))
            files["acknowledged"] = store.created["acknowledged"]
            try folder.fill(files)
            let journal = try SQLiteJournal(directory: folder.path)
            let read = try journal.replayed()
            try #require(read == Store.content(whole), "cut at \(length)")
            let kept = whole > 0 ? store.logLengths[whole - 1] : length < 32 ? 0 : 32
            try #require(journal.recovery.bytesDropped == length - kept, "cut at \(length)")
            guard length % 61 == 0 else { continue }
            try journal.append([JournalEntry("list-c", .append, "after")])
            journal.close()
            let entries = try reopened(folder).entries
            try #require(entries == read.entries + [JournalEntry("list-c", .append, "after")], "cut at \(length)")
        }
    }

    @Test func aLogCutBeforeTheMarkIsRefused() throws {
        let log = try #require(store.killed["liststate.db-wal"])
        for length in Self.cuts(of: log.count).dropLast() {
            var files = store.killed
            files["liststate.db-wal"] = Array(log.prefix(length))
            try #require(try read(files, "cut at \(length)") == nil, "cut at \(length)")
        }
        #expect(try read(store.killed, "whole") == Store.whole)
    }

    @Test func aFlippedByteInTheLogIsNeverAWrongEntry() throws {
        let log = try #require(store.killed["liststate.db-wal"])
        var refused = 0
        for offset in stride(from: 0, to: log.count, by: Soak.damageStride) {
            var files = store.killed
            files["liststate.db-wal"]?[offset] ^= UInt8(1 << (offset % 8))
            let read = try read(files, "flipped \(offset)")
            try #require(read == nil || read == Store.whole, "flipped \(offset)")
            refused += read == nil ? 1 : 0
        }
        #expect(refused > log.count / Soak.damageStride / 2)
    }

    /// Frames of an earlier run that lie behind the present end of the log are not a loss.
    @Test func whatACheckpointLeftBehindDoesNotCount() throws {
        try folder.fill([:])
        let journal = try SQLiteJournal(directory: folder.path)
        _ = try journal.replayed()
        let big = JournalEntry("a", .append, String(repeating: "x", count: 5 << 20))
        try journal.append([big])
        try journal.append([JournalEntry("a", .append, "2")])
        let killed = try TemporaryFolder(isInMemory: true)
        try killed.fill(try folder.contents())
        journal.close()
        let size = try killed.read("liststate.db-wal").count
        #expect(size > 5 << 20, "the log is overwritten from its start, not cut")
        let reader = try SQLiteJournal(directory: killed.path)
        #expect(reader.recovery.bytesDropped == 0)
        #expect(try reader.replayed().entries == [big, JournalEntry("a", .append, "2")])
    }

    // MARK: The database

    @Test func aFlippedByteInTheDatabaseIsNeverAWrongEntry() throws {
        let database = try #require(store.closed["liststate.db"])
        let last = JournalEntry("list-c", .append, "after")
        var refused = 0
        for offset in stride(from: 0, to: database.count, by: Soak.damageStride) {
            var files = store.closed
            files["liststate.db"]?[offset] ^= UInt8(1 << (offset % 8))
            guard let read = try read(files, "flipped \(offset)") else {
                refused += 1
                continue
            }
            try #require(read == Store.whole, "flipped \(offset)")
            // Damage that was overlooked because it is in no content must not harm the next commit.
            let journal = try SQLiteJournal(directory: folder.path)
            _ = try journal.replayed()
            try journal.append([last])
            journal.close()
            let entries = try reopened(folder, mayNeedSecondLook: true).entries
            try #require(entries == Store.whole.entries + [last], "flipped \(offset)")
        }
        #expect(refused > database.count / Soak.damageStride / 4)
    }

    @Test func aDatabaseCutAtAnyPlaceIsRefused() throws {
        let database = try #require(store.closed["liststate.db"])
        for length in stride(from: 0, to: database.count, by: 37) {
            var files = store.closed
            files["liststate.db"] = Array(database.prefix(length))
            try #require(try read(files, "cut at \(length)") == nil, "cut at \(length)")
        }
    }

    // MARK: The mark

    /// Other programs may have written the mark, so its form stays.
    @Test func aMarkIsALineOfNumbers() throws {
        try folder.fill(store.closed)
        let database = try File(folder.file("liststate.db"), O_RDONLY).identity()
        _ = try AcknowledgedMark(folder.file("acknowledged"), .init(log: 1_234_567_890, receipt: 0), beside: database)
        let mark = try File(folder.file("acknowledged"), O_RDONLY)
        let identity = try mark.identity()
        let numbers = [1_234_567_890, 0, database.inode, database.birth, identity.inode, identity.birth]
        let line = numbers.map { String(repeating: "0", count: 20 - "\($0)".utf8.count) + "\($0) " }.joined()
        var checksum = CRC32C()
        for number in numbers { checksum.add(number) }
        let sum = String(checksum.value, radix: 16)
        let wanted = line + String(repeating: "0", count: 8 - sum.utf8.count) + sum + "\n"
        #expect(String(decoding: try mark.read(1_000, at: 0), as: UTF8.self) == wanted)
    }

    @Test func aMarkAheadOfTheLogIsRefused() throws {
        let ahead = [
            AcknowledgedMark.Position(log: 9, receipt: 4), .init(log: 8, receipt: 5), .init(log: .max, receipt: .max),
        ]
        for position in ahead {
            try folder.fill(store.closed)
            let database = try File(folder.file("liststate.db"), O_RDONLY).identity()
            _ = try AcknowledgedMark(folder.file("acknowledged"), position, beside: database)
            let error = journalError { _ = try SQLiteJournal(directory: folder.path) }
            #expect(
                error
                    == .corrupt(
                        "\(folder.file("liststate.db")) ends at row 8 and receipt 4, but row \(position.log) and "
                            + "receipt \(position.receipt) were acknowledged (\(folder.file("acknowledged")))"))
        }
    }

    /// The doubt about the missing mark remains until every list has a new epoch.
    @Test func aMissingMarkIsReportedUntilItIsSettled() throws {
        var files = store.closed
        files["acknowledged"] = nil
        try folder.fill(files)
        let starts: [(SQLiteJournal.Doubt?, settles: Bool)] = [(.noMark, false), (.notSettled, true), (nil, true)]
        for (doubt, settles) in starts {
            let journal = try SQLiteJournal(directory: folder.path)
            #expect(journal.recovery == .init(bytesDropped: 0, doubt: doubt))
            #expect(try journal.replayed() == Store.whole)
            if settles { try journal.settleRecovery() }
            journal.close()
        }
        #expect(try folder.names() == ["acknowledged", "liststate.db", "lock"])
    }

    // MARK: Missing and strange files

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (inout [String: [UInt8]]) -> Void
    }

    static let strange = [
        Case(testDescription: "no database, but a mark") { $0["liststate.db"] = nil },
        Case(testDescription: "no database, but a log") { files in
            files["liststate.db"] = nil
            files["acknowledged"] = nil
            files["liststate.db-wal"] = [1]
        },
        Case(testDescription: "an empty database") { $0["liststate.db"] = [] },
        Case(testDescription: "an empty database beside a log, which SQLite would delete") { files in
            files["liststate.db"] = []
            files["liststate.db-wal"] = [1, 2, 3]
        },
        Case(testDescription: "a file of somebody else") { $0["liststate.db"] = Array("#!/bin/sh\n".utf8) },
        Case(testDescription: "a rollback journal") { $0["liststate.db-journal"] = [UInt8](repeating: 1, count: 600) },
    ]

    @Test(arguments: strange)
    func strangeFilesAreRefused(_ row: Case) throws {
        var files = store.closed
        row.change(&files)
        #expect(try read(files, row.testDescription) == nil)
    }

    @Test(arguments: [
        ("DELETE FROM log WHERE seq = 1", "version 1 of list list-a is missing before row 3"),
        ("DELETE FROM log WHERE seq = 3", "version 2 of list list-a is missing before row 5"),
        ("DELETE FROM log WHERE seq = 8", "ends at row 7 and receipt 4"),
        ("DELETE FROM receipts WHERE seq = 2", "row 2 of receipts is damaged or missing"),
        ("DELETE FROM receipts", "ends at row 8 and receipt 0"),
        ("DELETE FROM log WHERE list = 'list-a'", "rows of log are missing; there are 4 up to row 8"),
        ("UPDATE log SET list = 'list-c' WHERE seq = 5", "row 5 of log (list list-c, version 3) is damaged"),
        ("UPDATE log SET kind = 3 WHERE seq = 1", "row 1 of log (list list-a, version 1) is damaged"),
        ("UPDATE log SET seq = seq + 100 WHERE seq = 8", "row 108 of log (list list-b, version 4) is damaged"),
        ("UPDATE receipts SET time = 9 WHERE seq = 4", "row 4 of receipts is damaged or missing"),
        ("UPDATE meta SET value = 4 WHERE name = 'format'", "format is damaged"),
        ("CREATE TABLE other(x)", "is not a database of this program"),
        ("PRAGMA application_id = 1", "is not a database of this program"),
    ])
    func aChangedRowIsNamed(sql: String, part: String) throws {
        try folder.fill(store.closed)
        try folder.change(sql)
        let error = journalError { _ = try reopened(folder) }
        #expect(error?.isCorrupt == true)
        #expect("\(String(describing: error))".contains(part), "\(String(describing: error))")
    }

    @Test func anUnknownFormatIsRefused() throws {
        try folder.fill(store.closed)
        let connection = try SQLiteConnection(path: folder.file("liststate.db"), create: false)
        try Schema.set(.format, Schema.format + 1, in: connection)
        let error = journalError { _ = try Schema.verify(connection, "the database") }
        #expect(error == .otherFormat(Schema.format + 1, newest: Schema.format))
        try Schema.set(.format, 2, in: connection)
        let other = journalError { _ = try Schema.verify(connection, "the database") }
        #expect(other == .corrupt("the database is not a database of this program"))
    }
}

@Suite struct ChecksumTests {
    /// Source: RFC 3720 appendix B.4, and the check value in the catalogue of CRC algorithms.
    static let known: [([UInt8], UInt32)] = [
        ([], 0),
        (Array("123456789".utf8), 0xE306_9283),
        ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
        ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
        (Array(0..<32), 0x46DD_794E),
        (Array((0..<32).reversed()), 0x113F_DB5C),
        (
            [0x01, 0xC0, 0, 0] + [UInt8](repeating: 0, count: 12) + [0x14, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0x14]
                + [0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0], 0xD996_3A56
        ),
    ]

    @Test(arguments: known)
    func agreesWithTheStandard(bytes: [UInt8], sum: UInt32) {
        for cut in 0...bytes.count {
            var checksum = CRC32C()
            checksum.add(Array(bytes[..<cut]))
            checksum.add(Array(bytes[cut...]))
            #expect(checksum.value == sum)
        }
    }

    /// Compares the instruction with the tables. The test also passes on a machine without the instruction.
    @Test func theInstructionAgreesWithTheTables() {
        let bytes = (0..<80).map { UInt8(truncatingIfNeeded: $0 &* 0x9D ^ $0 >> 3) }
        bytes.withUnsafeBytes { buffer in
            for start in 0...8 {
                for count in 0...64 {
                    let part = UnsafeRawBufferPointer(rebasing: buffer[start..<start + count])
                    for state: UInt32 in [0, ~0, 0x1234_5678] {
                        let byWords = liststate_crc32c(state, part.baseAddress, count)
                        #expect(byWords == liststate_crc32c_portable(state, part.baseAddress, count))
                        #expect(byWords == part.reduce(state, Self.bitByBit), "\(count) bytes at \(start)")
                    }
                }
            }
        }
    }

    /// The instruction takes long inputs in blocks, and reads three parts of a block at once.
    @Test(arguments: [2_015, 2_016, 2_017, 2_689, 4_031, 4_032, 4_096, 6_100, 48 << 10])
    func theInstructionAgreesWithTheTablesOnLongPieces(count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        let bytes = (0..<count + 8).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        bytes.withUnsafeBytes { buffer in
            for start in 0...8 {
                let part = UnsafeRawBufferPointer(rebasing: buffer[start..<start + count])
                for state: UInt32 in [0, ~0, 0x1234_5678] {
                    let byWords = liststate_crc32c(state, part.baseAddress, count)
                    #expect(byWords == liststate_crc32c_portable(state, part.baseAddress, count), "at \(start)")
                }
            }
        }
    }

    private static func bitByBit(_ state: UInt32, _ byte: UInt8) -> UInt32 {
        (0..<8).reduce(state ^ UInt32(byte)) { state, _ in state & 1 == 1 ? state >> 1 ^ 0x82F6_3B78 : state >> 1 }
    }

    @Test func aNumberIsItsEightBytes() {
        var number = CRC32C()
        number.add(0x0102_0304_0506_0708)
        var bytes = CRC32C()
        bytes.add([8, 7, 6, 5, 4, 3, 2, 1])
        #expect(number.value == bytes.value)
    }
}
