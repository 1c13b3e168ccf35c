import ListModel
import ListStore
import TestSupport
import Testing

@testable import SQLiteJournal

/// Lists of another journal, in one transaction.
@Suite struct WholeListTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    /// A journal with small pages, which takes a record of more than 1,000 bytes in parts.
    private func journal() throws -> SQLiteJournal {
        let journal = try SQLiteJournal(directory: folder.path, pageSize: 512, partBytes: 1_000)
        _ = try journal.replayed()
        return journal
    }

    /// A list with a snapshot of three entries, and further entries of some lengths.
    private static func whole(_ list: String, _ lengths: Int...) -> WholeList {
        var whole = WholeList(ListID(list)!)
        let chunks = (0..<9).map { [UInt8](repeating: $0, count: 700) }
        whole.add(SnapshotPart(list: whole.list, position: 3, first: 0, chunks: chunks, isLast: true))
        for length in lengths {
            let bytes = (0..<length).map { UInt8($0 % 251) }
            whole.add(JournalEntry(list: whole.list, kind: .append, bytes: bytes, receipt: nil))
        }
        return whole
    }

    private static func read(_ list: ListID, of journal: SQLiteJournal) throws -> WholeList? {
        var whole = WholeList(list)
        let end = try journal.load(list, after: nil, snapshot: { whole.add($0) }, entry: { whole.add($0) })
        return end == nil ? nil : whole
    }

    private func number(_ sql: String) throws -> Int? {
        try SQLiteConnection(reading: folder.file("liststate.db")).run(sql).first?.first??.integer
    }

    private func findings() throws -> [String] {
        try Maintenance.examine(folder: folder.path, contents: false).findings
    }

    @Test func longRecordsAreWrittenInParts() throws {
        var journal = try journal()
        let list = Self.whole("a", 10, 5_000, 20, 2_001)
        #expect(try journal.write([list]).contains(.moved) == false)
        journal.close()
        #expect(try number("SELECT max(length(bytes)) FROM log") ?? 0 < 1_000)
        #expect(try findings() == [])
        journal = try self.journal()
        while try !journal.removeSome(all: true) {}
        #expect(try Self.read(list.list, of: journal) == list)
        journal.close()
    }

    /// The parts of a list that was not written are not needed.
    @Test func aListThatHasMovedLeavesNothing() throws {
        let journal = try journal()
        let (first, second) = (Self.whole("a", 10), Self.whole("a", 5_000))
        #expect(try journal.write([first, second]).map { $0 == .moved } == [false, true])
        while try !journal.removeSome(all: true) {}
        #expect(try Self.read(first.list, of: journal) == first)
        journal.close()
        #expect(try number("SELECT count(*) FROM chunks") == 9)
        #expect(try findings() == [])
    }

    @Test func aFullDiskTakesNone() throws {
        let journal = try journal()
        let lists = [Self.whole("a", 10), Self.whole("b", 5_000), Self.whole("c")]
        try journal.limitPages(to: 40)
        #expect(throws: JournalError.full) { try journal.write(lists) }
        #expect(try journal.lists(after: nil, limit: .max) == [])
        try journal.limitPages(to: 10_000)
        while try !journal.removeSome(all: true) {}
        #expect(try journal.write(lists).contains(.moved) == false)
        for list in lists { #expect(try Self.read(list.list, of: journal) == list) }
        journal.close()
        #expect(try number("SELECT count(*) FROM chunks") == 32)
        #expect(try findings() == [])
    }
}
