import Glibc
import ListModel
import ListStore
import TestSupport
import Testing

@testable import SQLiteJournal

/// An examination reports all damage, a repair keeps everything undamaged, and copies are complete.
@Suite struct MaintenanceTests {
    let folder: TemporaryFolder
    let sample: CompactedDamageTests

    init() throws {
        folder = try TemporaryFolder(isInMemory: true)
        sample = try CompactedDamageTests()
    }

    @Test func aWholeFolderHasNoFindings() throws {
        for stage in sample.stages {
            try folder.fill(stage.files)
            let report = try Maintenance.examine(folder: folder.path, contents: false)
            #expect(report.findings.isEmpty, "\(report.findings)")
            #expect(try Maintenance.repair(folder: folder.path, contents: false) == nil)
            let after = try folder.contents()
            for (name, bytes) in stage.files { #expect(after[name] == bytes, "\(name)") }
        }
    }

    /// An examination finds all damage that a start refuses. A repaired folder has the beginning of each list.
    @Test(arguments: ["liststate.db-wal", "liststate.db"])
    func whatIsMendedIsAPrefix(name: String) throws {
        let files = try #require(name == "liststate.db" ? sample.closed : sample.stages.last?.files)
        let whole = try #require(sample.stages.last?.lists)
        let bytes = try #require(files[name])
        var mended = 0
        for offset in stride(from: 0, to: bytes.count, by: 3 * Soak.damageStride) {
            var flipped = files
            flipped[name]?[offset] ^= UInt8(1 << (offset % 8))
            try folder.fill(flipped)
            let isRefused = (try? reopened(folder, mayNeedSecondLook: true)) == nil
            try folder.fill(flipped)
            guard let report = try? Maintenance.examine(folder: folder.path, contents: false) else { continue }
            try #require(!report.findings.isEmpty || !isRefused, "flipped \(offset)")
            guard isRefused, let kept = try Maintenance.repair(folder: folder.path, contents: false)?.keptAs else {
                continue
            }
            mended += 1
            try #require(try folder.names().contains(String(kept.split(separator: "/").last ?? "")))
            let journal = try SQLiteJournal(directory: folder.path)
            try #require(journal.recovery.mayMissCommits)
            let lists = SnapshotTests.lists(try journal.replayed())
            try journal.append([JournalEntry("a", lists["a"] == nil ? .create : .append, "more")])
            journal.close()
            for (list, texts) in lists {
                let firstLife = (1...5).map { "\(list)\($0)" }
                let isPrefix = whole[list]?.starts(with: texts) ?? false
                try #require(isPrefix || firstLife.starts(with: texts), "flipped \(offset): \(list) \(texts)")
            }
        }
        #expect(mended > 10, "\(mended)")
    }

    @Test(arguments: [
        (
            "UPDATE log SET bytes = x'00' WHERE list = 'a' AND position = 6",
            "Row 14 of the log (list a, version 6) is damaged.", ["a1", "a2", "a3", "a4", "a5"]
        ),
        (
            "UPDATE chunks SET bytes = x'00' WHERE id = (SELECT max(id) FROM chunks)",
            "The snapshot of the list a at version 5 is damaged.", nil
        ),
        (
            "DELETE FROM log WHERE list = 'b' AND position = 1", "1 rows of the log are missing, or others are there.",
            ["a1", "a2", "a3", "a4", "a5", "a6"]
        ),
    ])
    func aFindingIsInWords(sql: String, finding: String, a: [String]?) throws {
        try folder.fill(sample.closed)
        try folder.change(sql)
        let report = try Maintenance.examine(folder: folder.path, contents: false)
        #expect(report.findings.contains(finding), "\(report.findings)")
        #expect(try Maintenance.repair(folder: folder.path, contents: false) != nil)
        #expect(SnapshotTests.lists(try reopened(folder))["a"] == a)
        #expect(try Maintenance.examine(folder: folder.path, contents: false).findings.isEmpty)
    }

    /// Rows that a snapshot stands for stay for a while, and one damaged row among them does no harm. Between two
    /// damaged rows the list may have begun anew, so then the rows behind them are dropped.
    @Test(arguments: [("= 2", 8), ("IN (1, 3)", 4), ("= 5", 4), ("= 6", 5)])
    func aBadRowThatTheSnapshotStandsForIsLeftOut(rows: String, versions: Int) throws {
        let journal = try folder.journal()
        let texts = (1...8).map { "a\($0)" }
        for text in texts { try journal.append([JournalEntry("a", text == "a1" ? .create : .append, text)]) }
        let snapshot = Array(texts[..<4].joined(separator: ",").utf8)
        try journal.write(
            SnapshotPart(list: ListID("a")!, position: 4, first: 0, chunks: [snapshot], isLast: true))
        journal.close()
        try folder.change("UPDATE log SET bytes = x'00' WHERE position \(rows)")
        #expect(try !Maintenance.examine(folder: folder.path, contents: false).findings.isEmpty)
        #expect(try Maintenance.repair(folder: folder.path, contents: false) != nil)
        #expect(SnapshotTests.lists(try reopened(folder))["a"] == Array(texts[..<versions]))
    }

    /// An earlier repair was interrupted when the log had its new name already, but the database had not.
    @Test func aRepairThatWasInterruptedIsDoneAgain() throws {
        var files = try #require(sample.stages.last?.files)
        files["liststate.db-wal"]?[200] ^= 1
        files["liststate.db.damaged-1-wal"] = [1]
        files["liststate.db.mended"] = [2]
        try folder.fill(files)
        #expect(
            try Maintenance.repair(folder: folder.path, contents: false)?.keptAs
                == folder.file("liststate.db.damaged-2"))
        for suffix in ["", "-wal"] {
            #expect(try folder.read("liststate.db.damaged-2" + suffix) == files["liststate.db" + suffix])
        }
        #expect(try folder.read("liststate.db.damaged-1-wal") == [1])
        _ = try reopened(folder)
    }

    @Test func aRowNumberBeyondAllOthersDoesNotStay() throws {
        try folder.fill(sample.closed)
        try folder.change("UPDATE log SET seq = \(Int.max) WHERE seq = (SELECT max(seq) FROM log)")
        #expect(try Maintenance.repair(folder: folder.path, contents: false) != nil)
        _ = try reopened(folder)
        #expect(try Maintenance.examine(folder: folder.path, contents: false).findings.isEmpty)
    }

    @Test func anOpenFolderIsNotExamined() throws {
        let journal = try SQLiteJournal(directory: folder.path)
        guard case .locked = journalError({ _ = try Maintenance.examine(folder: folder.path, contents: false) }) else {
            Issue.record("not locked")
            return
        }
        journal.close()
    }

    // MARK: Copies

    /// The copy has everything up to some moment. The log is moved between the steps, later, or never.
    @Test(arguments: [1, 10, 1_000])
    func aCopyThatIsMadeWhileWritersWriteIsWhole(logPagesMax: Int) throws {
        let journal = try SQLiteJournal(directory: folder.path, pageSize: 512, logPagesMax: logPagesMax)
        _ = try journal.replayed()
        let text = String(repeating: "x", count: 900)
        for number in 1...300 { try journal.append([JournalEntry("a", number == 1 ? .create : .append, text)]) }
        let backup = try journal.backUp(to: folder.file("copy"))
        var count = 300
        while try !backup.step().isDone {
            count += 1
            try journal.append([JournalEntry("a", .append, text)])
        }
        try journal.append([JournalEntry("a", .append, "after the last step")])
        try backup.finish()
        #expect(journalError { _ = try backup.step() } == .closed)
        journal.close()
        #expect(count > 301)
        let copy = try SQLiteJournal(reading: folder.file("copy"))
        let entries = try copy.replayed().entries
        copy.close()
        #expect((300...count).contains(entries.count))
        #expect(entries.allSatisfy { $0.bytes.count == 900 })
        #expect(try !folder.names().contains { $0.hasPrefix("copy.") || $0.hasPrefix("copy-") })
    }

    /// The copy is complete also if the log is moved in the last round and the file becomes shorter.
    @Test(arguments: UInt64(1)...20) func aCopyIsWholeWhateverIsMovedMeanwhile(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let journal = try SQLiteJournal(directory: folder.path, pageSize: 512, logPagesMax: 8)
        _ = try journal.replayed()
        func append(_ kind: JournalEntry.Kind = .append) throws {
            let text = String(repeating: "x", count: Int.random(in: 1...4_000, using: &random))
            try journal.append([JournalEntry("a", kind, text)])
        }
        try append(.create)
        for _ in 0..<300 { try append() }
        let backup = try journal.backUp(to: folder.file("copy"))
        while try !backup.step().isDone {
            for _ in 0..<Int.random(in: 0...9, using: &random) { try append() }
            if random.once(in: 8) { try journal.shrink() }
        }
        try append()
        try backup.finish()
        journal.close()
        let copy = try SQLiteJournal(reading: folder.file("copy"))
        let entries = try copy.replayed().entries
        copy.close()
        let all = try reopened(folder).entries
        #expect(entries.count > 300)
        #expect(entries == Array(all.prefix(entries.count)))
    }

    @Test func aLogThatWasLongDoesNotStaySo() throws {
        let journal = try SQLiteJournal(directory: folder.path)
        _ = try journal.replayed()
        let text = String(repeating: "x", count: 24 << 20)
        try journal.append([JournalEntry("a", .create, text)])
        let log = try File(folder.file("liststate.db-wal"), O_RDONLY)
        #expect(try log.size() > 24 << 20)
        try journal.append([JournalEntry("a", .append, "1")])
        #expect(try log.size() <= 16 << 20)
        journal.close()
    }

    @Test func aCopyThatWasCancelledLeavesNothing() throws {
        let journal = try SQLiteJournal(directory: folder.path)
        _ = try journal.replayed()
        let backup = try journal.backUp(to: folder.file("copy"))
        backup.cancel()
        #expect(journalError { _ = try backup.step() } == .closed)
        #expect(journalError { try backup.finish() } == .closed)
        #expect(try !folder.names().contains { $0.hasPrefix("copy") })
        // The cancelled copy has no effect on the next one.
        let next = try journal.backUp(to: folder.file("copy"))
        while try !next.step().isDone {}
        try next.finish()
        journal.close()
        #expect(try Maintenance.examine(copy: folder.file("copy"), contents: false).findings.isEmpty)
    }

    @Test func aCopyNeverTakesThePlaceOfAFile() throws {
        try folder.write("copy", [1])
        let journal = try SQLiteJournal(directory: folder.path)
        _ = try journal.replayed()
        #expect(
            journalError { _ = try journal.backUp(to: folder.file("copy")) }
                == .io("\(folder.file("copy")) is there already"))
        journal.close()
        #expect(try folder.read("copy") == [1])
    }

    @Test func whatIsRestoredIsInDoubt() throws {
        let journal = try SQLiteJournal(directory: folder.path)
        _ = try journal.replayed()
        try journal.append([JournalEntry("a", .create, "1")])
        let backup = try journal.backUp(to: folder.file("copy"))
        while try !backup.step().isDone {}
        try backup.finish()
        journal.close()
        let other = try TemporaryFolder(isInMemory: true)
        try Maintenance.restore(folder.file("copy"), folder: other.path, contents: false)
        #expect(
            journalError { try Maintenance.restore(folder.file("copy"), folder: other.path, contents: false) } != nil)
        let restored = try SQLiteJournal(directory: other.path)
        #expect(restored.recovery.mayMissCommits)
        #expect(try restored.replayed().entries == [JournalEntry("a", .create, "1")])
        restored.close()
    }

    @Test func aDamagedCopyIsNotRestored() throws {
        var bytes = try #require(sample.closed["liststate.db"])
        let middle = bytes.count / 2
        for offset in middle..<middle + 300 { bytes[offset] ^= 0x55 }
        try folder.write("copy", bytes)
        let other = try TemporaryFolder(isInMemory: true)
        #expect(
            journalError { try Maintenance.restore(folder.file("copy"), folder: other.path, contents: false) }?
                .isCorrupt == true)
        #expect(try other.names() == ["lock"])
    }

    @Test func whatIsOpenedToBeReadStaysAsItIs() throws {
        try folder.fill(sample.closed)
        let journal = try SQLiteJournal(reading: folder.path)
        #expect(SnapshotTests.lists(try journal.replayed()) == sample.stages.last?.lists)
        try journal.trimReceipts(keepNewest: 0, olderThan: .max)
        try journal.settleRecovery()
        guard case .readOnly = journalError({ try journal.append([JournalEntry("a", .append, "x")]) }) else {
            Issue.record("written")
            return
        }
        journal.close()
        var after = try folder.contents()
        after["lock"] = nil
        var before = sample.closed
        before["lock"] = nil
        #expect(after == before)
    }
}
