import ListModel
import ListStore
import TestSupport
import Testing

@testable import SQLiteJournal

/// Long records, whose parts are on the disk before their entries.
@Suite struct AheadRecordTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    private static func parts(_ count: Int, of name: String) -> [String] {
        (1...count).map { String(repeating: "\(name)\($0) ", count: 300) }
    }

    private func texts(_ replayed: Replayed) -> [String] {
        replayed.entries.map { "\($0.list) \(String(decoding: $0.bytes, as: UTF8.self))" }
    }

    /// A list with two long records around a short one, and a short list.
    private func fill(_ journal: SQLiteJournal) throws -> [String] {
        let (first, third) = (Self.parts(9, of: "x"), Self.parts(20, of: "y"))
        try journal.append([try journal.writeAhead(first, of: "long", .create), JournalEntry("long", .append, "2")])
        try journal.append([try journal.writeAhead(third, of: "long"), JournalEntry("short", .create, "1")])
        return ["long " + first.joined(), "long 2", "long " + third.joined(), "short 1"]
    }

    private func count(_ table: String) throws -> Int {
        let connection = try SQLiteConnection(reading: folder.file("liststate.db"))
        return try connection.run("SELECT count(*) FROM \(table)").first?.first??.integer ?? -1
    }

    /// Everything is read again at a start, and a copy and a repair have it too.
    @Test func recordsAreReadCopiedAndKept() throws {
        let journal = try folder.journal()
        let wanted = try fill(journal)
        let backup = try journal.backUp(to: folder.file("copy.db"))
        while try !backup.step().isDone {}
        try backup.finish()
        journal.close()
        let read = try reopened(folder)
        #expect(texts(read) == wanted && read.entries.allSatisfy { !$0.isAhead })
        #expect(try Maintenance.examine(folder: folder.path, contents: false).findings == [])
        let other = try TemporaryFolder(isInMemory: true)
        try Maintenance.restore(folder.file("copy.db"), folder: other.path, contents: false)
        #expect(try texts(reopened(other)) == wanted)
        let reader = try SQLiteJournal(reading: folder.file("copy.db"))
        #expect(try texts(reader.replayed()) == wanted)
        reader.close()
    }

    /// A process that dies between the parts and the entry leaves parts that nobody needs.
    @Test func partsWithoutAnEntryAreRemoved() throws {
        var journal = try folder.journal()
        let wanted = try fill(journal)
        _ = try journal.writeAhead(Self.parts(30, of: "z"), of: "long")
        journal.close()
        #expect(try count("chunks") == 59)
        #expect(try Maintenance.examine(folder: folder.path, contents: false).findings == [])
        journal = try folder.journal()
        #expect(journal.isSkimmed)
        // A new record does not take the numbers of the old one.
        let last = try journal.writeAhead(["a ", "b"], of: "short")
        while try !journal.removeSome(all: true) {}
        try journal.append([last])
        journal.close()
        #expect(try count("chunks") == 31)
        #expect(try texts(reopened(folder)) == wanted + ["short a b"])
    }

    /// Damage in a part is found by a start and by an examination. It costs what follows in the one list.
    @Test(arguments: [("max", ["long", "2"]), ("min", [])])
    func damageCostsOneList(which: String, kept: [String]) throws {
        let journal = try folder.journal()
        let wanted = try fill(journal)
        journal.close()
        try folder.change("UPDATE chunks SET bytes = x'00' WHERE id = (SELECT \(which)(id) FROM chunks)")
        let error = try #require(journalError { _ = try reopened(folder) })
        #expect(error.isCorrupt && "\(error)".contains("is damaged in part"), "\(error)")
        let findings = try Maintenance.examine(folder: folder.path, contents: false).findings
        let place = "(list long, version \(which == "max" ? 3 : 1)) is damaged in part"
        #expect(findings.count == 1 && findings[0].contains(place), "\(findings)")
        let repaired = try #require(try Maintenance.repair(folder: folder.path, contents: false))
        #expect(repaired.losses.count == 1 && repaired.losses[0].hasPrefix("The list long"))
        #expect(try texts(reopened(folder)) == (kept.isEmpty ? [] : Array(wanted[..<2])) + ["short 1"])
        #expect(try count("chunks") == (kept.isEmpty ? 0 : 9))
    }

    /// A record goes with the snapshot that stands for it, and with its list, in pieces.
    @Test func recordsThatAreNotNeededAreRemoved() throws {
        let journal = try folder.journal()
        _ = try fill(journal)
        try journal.write(
            SnapshotPart(list: ListID("long")!, position: 2, first: 0, chunks: [[1], [2]], isLast: true))
        while try !journal.removeSome(all: false) {}
        journal.close()
        #expect(try count("chunks") == 22)
        let again = try folder.journal()
        try again.append([JournalEntry("long", .delete, "")])
        while try !again.removeSome(all: true) {}
        again.close()
        #expect(try count("chunks") == 0 && count("log") == 1)
        #expect(try texts(reopened(folder)) == ["short 1"])
    }

    /// A record that finds no room leaves room for others, at the latest when the rest of it has been removed.
    @Test func aFullDiskRefusesTheRecordAlone() throws {
        let journal = try folder.journal()
        let wanted = try fill(journal)
        try journal.limitPages(to: 300)
        #expect(journalError { _ = try journal.writeAhead(Self.parts(200, of: "z"), of: "long") } == .full)
        while try !journal.removeSome(all: true) {}
        try journal.append([JournalEntry("short", .append, "2")])
        let last = try journal.writeAhead(Self.parts(9, of: "w"), of: "short")
        try journal.append([last])
        journal.close()
        #expect(try texts(reopened(folder)) == wanted + ["short 2", "short " + Self.parts(9, of: "w").joined()])
    }

    /// Checkpoints come between the parts of a long record, so none has to move all of it while commits wait.
    @Test func theLogStaysShortBesideALongRecord() throws {
        let journal = try SQLiteJournal(directory: folder.path, pageSize: 4096, logPagesMax: 100, partBytes: 1 << 15)
        _ = try journal.replayed()
        let part = [UInt8](repeating: 7, count: 1 << 15)
        let name = try journal.write(ahead: Array(repeating: part, count: 256))
        #expect(try folder.read("liststate.db-wal").count < 100 * 4_200)
        var entry = JournalEntry("a", .create, "")
        (entry.bytes, entry.isAhead) = (name, true)
        try journal.append([entry])
        #expect(try folder.read("liststate.db-wal").count < 100 * 4_200)
        journal.close()
        #expect(try reopened(folder).entries.map(\.bytes.count) == [256 << 15])
    }

    /// An entry whose record was removed meanwhile is not read in part: the list must be read again.
    @Test func aReaderIsToldThatARecordHasGone() throws {
        let journal = try folder.journal()
        _ = try fill(journal)
        var entries = 0
        let error = journalError {
            _ = try journal.load(ListID("long")!, after: nil, snapshot: { _ in }) { _ in
                entries += 1
                guard entries == 1 else { return }
                try journal.write(
                    SnapshotPart(list: ListID("long")!, position: 3, first: 0, chunks: [[1]], isLast: true))
                while try !journal.removeSome(all: true) {}
            }
        }
        #expect(error == .moved)
        journal.close()
    }
}
