import ListModel
import ListStore
import TestSupport
import Testing

@testable import SQLiteJournal

/// A small store with stored snapshots is cut and flipped at every byte. It gives a correct prefix or is refused, but
/// never a wrong list.
@Suite struct CompactedDamageTests {
    /// The files after each step that writes, as a killed process leaves them, and the lists in them.
    struct Stage: Sendable {
        var files: [String: [UInt8]]
        var lists: [String: [String]]
    }

    let folder: TemporaryFolder
    let created: [String: [UInt8]]
    let stages: [Stage]
    let closed: [String: [UInt8]]

    init() throws {
        let folder = try TemporaryFolder(isInMemory: true)
        self.folder = folder
        let journal = try SQLiteJournal(directory: folder.path, pageSize: 512)
        _ = try journal.replayed()
        created = try folder.contents()
        var stages: [Stage] = []
        var lists: [String: [String]] = [:]
        func write(_ body: () throws -> Void) throws {
            try body()
            stages.append(Stage(files: try folder.contents(), lists: lists))
        }
        for number in 1...5 {
            let batch = ["a", "b"].map { JournalEntry($0, number == 1 ? .create : .append, "\($0)\(number)") }
            for list in ["a", "b"] { lists[list, default: []].append("\(list)\(number)") }
            try write { try journal.append(batch) }
        }
        func keep(_ key: UInt8, _ value: [UInt8]?) throws {
            let content = value.map { KeyedRecord.Content(used: 7, value: $0) }
            _ = try journal.keep([RecordWrite(KeyedRecord.Key(.subscription, [key]), .unconditional, content)])
        }
        try write { try keep(1, [UInt8](repeating: 1, count: 700)) }
        try write { try keep(2, [2]) }
        var record: JournalEntry?
        try write { record = try journal.writeAhead(["c1, ", "in parts"], of: "c", .create) }
        lists["c"] = ["c1, in parts"]
        try write { try journal.append([#require(record)]) }
        try write { try journal.write(Self.part("a", lists, 3)) }
        lists["b"] = nil
        try write { try journal.append([JournalEntry("b", .delete, "")]) }
        try write { _ = try journal.removeSome(all: true) }
        try write { _ = try journal.removeSome(all: true) }
        lists["b"] = ["b1'"]
        lists["a"]?.append("a6")
        try write { try journal.append([JournalEntry("b", .create, "b1'"), JournalEntry("a", .append, "a6")]) }
        try write { try keep(2, nil) }
        try write { try journal.write(Self.part("a", lists, 5)) }
        try write { _ = try journal.removeSome(all: true) }
        try write { _ = try journal.removeSome(all: true) }
        journal.close()
        closed = try folder.contents()
        self.stages = stages
    }

    private static func part(_ list: String, _ lists: [String: [String]], _ position: Int) -> SnapshotPart {
        let text = (lists[list] ?? []).prefix(position).joined(separator: ",")
        let middle = text.utf8.count / 2
        let chunks = [Array(text.utf8.prefix(middle)), Array(text.utf8.dropFirst(middle))]
        return SnapshotPart(list: ListID(list)!, position: position, first: 0, chunks: chunks, isLast: true)
    }

    private func read(_ files: [String: [UInt8]], _ comment: String) throws -> [String: [String]]? {
        try folder.fill(files)
        do {
            return SnapshotTests.lists(try reopened(folder, mayNeedSecondLook: true))
        } catch {
            try #require((error as? JournalError)?.isCorrupt == true, "\(error), \(comment)")
            return nil
        }
    }

    /// No step of compaction changes the lists.
    @Test func eachStageHoldsItsLists() throws {
        for (index, stage) in stages.enumerated() {
            #expect(try read(stage.files, "stage \(index)") == stage.lists, "stage \(index)")
        }
        #expect(try read(closed, "closed") == stages.last?.lists)
    }

    /// Without an acknowledged mark, a log that is cut anywhere gives the lists of the last step that is complete.
    @Test func aLogCutAtAnyByteGivesAPrefix() throws {
        let last = try #require(stages.last)
        let log = try #require(last.files["liststate.db-wal"])
        let lengths = stages.map { $0.files["liststate.db-wal"]?.count ?? 0 }
        try #require(lengths == lengths.sorted() && lengths.last == log.count)
        let step = Soak.damageStride
        for length in 0...log.count where length % step == 0 || lengths.contains(where: { abs($0 - length) < 2 }) {
            var files = last.files
            files["liststate.db-wal"] = Array(log.prefix(length))
            files["acknowledged"] = created["acknowledged"]
            let whole = lengths.lastIndex { $0 <= length }
            let wanted = whole.map { stages[$0].lists } ?? [:]
            try #require(try read(files, "cut at \(length)") == wanted, "cut at \(length)")
        }
    }

    @Test(arguments: ["liststate.db-wal", "liststate.db"])
    func aFlippedByteIsNeverAWrongList(name: String) throws {
        let files = try #require(name == "liststate.db" ? closed : stages.last?.files)
        let lists = try #require(stages.last?.lists)
        let bytes = try #require(files[name])
        var refused = 0
        for offset in stride(from: 0, to: bytes.count, by: Soak.damageStride) {
            var flipped = files
            flipped[name]?[offset] ^= UInt8(1 << (offset % 8))
            let read = try read(flipped, "flipped \(offset)")
            // A step that only removes rows is never acknowledged, so it may be lost.
            try #require(read == nil || read == lists, "flipped \(offset)")
            refused += read == nil ? 1 : 0
        }
        #expect(refused > bytes.count / Soak.damageStride / 10, "\(refused)")
    }

    @Test(arguments: [
        (
            "UPDATE chunks SET bytes = x'00' WHERE id = (SELECT max(id) FROM chunks)",
            "the snapshot of list a at version 5 is damaged in chunk 2 of 2"
        ),
        ("DELETE FROM chunks WHERE id = (SELECT max(id) FROM chunks)", "is damaged in chunk 2 of 2"),
        ("DELETE FROM chunks WHERE id = (SELECT min(id) FROM chunks WHERE id > 3 << 24)", "is damaged in chunk 1 of 2"),
        ("UPDATE chunks SET bytes = x'00' WHERE id = 1 + (1 << 24)", "is damaged in part 2 of 2"),
        ("DELETE FROM chunks WHERE id = 1 << 24", "is damaged in part 1 of 2"),
        ("UPDATE snapshots SET position = 6 WHERE chunks > 0", "(list a) is damaged"),
        ("DELETE FROM snapshots", "there are 0 snapshots, but 2 were written"),
        ("DELETE FROM log WHERE list = 'b'", "rows of log are missing"),
        ("UPDATE log SET position = 7 WHERE list = 'a'", "of log (list a, version 7) is damaged"),
    ])
    func aChangedRowIsNamed(sql: String, part: String) throws {
        try folder.fill(closed)
        try folder.change(sql)
        let error = journalError { _ = try reopened(folder) }
        #expect("\(String(describing: error))".contains(part), "\(String(describing: error))")
    }
}
