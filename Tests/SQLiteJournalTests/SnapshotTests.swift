import ListModel
import ListStore
import TestSupport
import Testing

@testable import SQLiteJournal

/// Stored snapshots in the journal: the rows that they stand for are removed, and the same list is read.
@Suite struct SnapshotTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    private func append(_ journal: SQLiteJournal, _ list: String, _ numbers: ClosedRange<Int>) throws {
        for number in numbers {
            try journal.append([JournalEntry(list, number == 1 ? .create : .append, "\(list)\(number)")])
        }
    }

    private func part(_ list: String, _ position: Int, first: Int = 0, isLast: Bool = true) -> SnapshotPart {
        let chunks = ["\(list) at \(position)", String(repeating: "x", count: 900)].map { Array($0.utf8) }
        return SnapshotPart(list: ListID(list)!, position: position, first: first, chunks: chunks, isLast: isLast)
    }

    /// The numbers of rows in log, snapshots and chunks. They are read from a copy, because the journal may be open.
    private func rowCount() throws -> [Int] {
        let copy = try TemporaryFolder(isInMemory: true)
        try copy.fill(try folder.contents())
        let connection = try SQLiteConnection(path: copy.file("liststate.db"), create: false)
        return try ["log", "snapshots", "chunks"].map { table in
            try connection.run("SELECT count(*) FROM \(table)").first?.first??.integer ?? -1
        }
    }

    @Test func aSnapshotTakesThePlaceOfWhatItStandsFor() throws {
        let journal = try folder.journal()
        try append(journal, "a", 1...6)
        try append(journal, "b", 1...2)
        try journal.write(part("a", 4))
        while try !journal.removeSome(all: true) {}
        try append(journal, "a", 7...8)
        journal.close()
        for _ in 0..<2 {
            let read = try reopened(folder)
            #expect(read.snapshots.map(\.position) == [4])
            #expect(read.snapshots.map(\.isLast) == [true])
            #expect(read.snapshots.flatMap(\.chunks) == part("a", 4).chunks)
            #expect(
                read.entries.map { String(decoding: $0.bytes, as: UTF8.self) } == ["a5", "a6", "a7", "a8", "b1", "b2"])
        }
        #expect(try rowCount() == [6, 1, 2])
    }

    /// Chunks are read ahead. A reader stops by throwing an error.
    @Test func aLongSnapshotComesInOrder() throws {
        let journal = try folder.journal()
        defer { journal.close() }
        try append(journal, "a", 1...3)
        let chunks = (0..<100).map { Array("chunk \($0)".utf8) }
        let list = ListID("a")!
        try journal.write(SnapshotPart(list: list, position: 3, first: 0, chunks: chunks, isLast: true))
        var parts: [SnapshotPart] = []
        try journal.read(list, snapshot: { parts.append($0) }, entry: { _ in Issue.record("an entry") })
        #expect(parts.flatMap(\.chunks) == chunks)
        #expect(parts.dropLast().allSatisfy { !$0.isLast } && parts.last?.isLast == true)
        for enough in [1, 5, parts.count] {
            var count = 0
            #expect(throws: JournalError.io("enough")) {
                try journal.read(
                    list,
                    snapshot: { _ in
                        count += 1
                        if count == enough { throw JournalError.io("enough") }
                    }, entry: { _ in })
            }
            #expect(count == enough)
        }
    }

    @Test func aRowIsReadFromWhereTheSnapshotEnds() throws {
        let journal = try folder.journal()
        try journal.append([JournalEntry("a", .create, "1")])
        try journal.append((2...5).map { JournalEntry("a", .append, "\($0)") })
        try journal.write(part("a", 3))
        while try !journal.removeSome(all: true) {}
        journal.close()
        let read = try reopened(folder)
        #expect(read.entries == [JournalEntry("a", .append, "4"), JournalEntry("a", .append, "5")])
    }

    @Test func onlyAWholeSnapshotCounts() throws {
        let journal = try folder.journal()
        try append(journal, "a", 1...5)
        try journal.write(part("a", 3, isLast: false))
        let killed = try TemporaryFolder(isInMemory: true)
        try killed.fill(try folder.contents())
        #expect(try reopened(killed).snapshots.isEmpty)
        #expect(try reopened(killed).entries.count == 5)
        try journal.write(part("a", 3, first: 2))
        journal.close()
        let read = try reopened(folder)
        #expect(read.snapshots.flatMap(\.chunks).count == 4)
        #expect(read.entries.count == 2)
    }

    @Test func aPartThatDoesNotFollowIsDropped() throws {
        let journal = try folder.journal()
        try append(journal, "a", 1...5)
        try journal.write(part("a", 3, isLast: false))
        try journal.write(part("a", 3, first: 4))
        try journal.write(part("a", 6))
        try journal.write(part("nobody", 1))
        while try !journal.removeSome(all: true) {}
        journal.close()
        #expect(try reopened(folder).snapshots.isEmpty)
        #expect(try reopened(folder).entries.count == 5)
        #expect(try rowCount() == [5, 0, 0])
    }

    @Test func nothingStaysOfAListThatEnded() throws {
        let journal = try folder.journal()
        try append(journal, "a", 1...4)
        try journal.write(part("a", 2))
        try journal.append([JournalEntry("a", .delete, ""), JournalEntry("a", .create, "again")])
        try append(journal, "b", 1...2)
        try journal.append([JournalEntry("b", .delete, "")])
        for _ in 0..<20 {
            let isDone = try journal.removeSome(all: true)
            let killed = try TemporaryFolder(isInMemory: true)
            try killed.fill(try folder.contents())
            let read = try reopened(killed)
            #expect(read.entries.last { $0.list.rawValue == "a" } == JournalEntry("a", .create, "again"))
            #expect(
                Set(read.entries.filter { $0.list.rawValue == "b" }.map(\.kind)).isSubset(of: [
                    .create, .append, .delete,
                ]))
            if isDone { break }
        }
        journal.close()
        let read = try reopened(folder)
        #expect(read.entries == [JournalEntry("a", .create, "again")])
        #expect(read.snapshots.isEmpty)
        #expect(try rowCount() == [1, 0, 0])
    }

    /// Rows of many lists lie side by side. Removing the rows of one list alone would rewrite all pages for little.
    @Test func rowsWaitUntilAThirdOfTheLogMayGo() throws {
        let journal = try folder.journal()
        let lists = ["a", "b", "c"]
        for number in 1...20 {
            for list in lists { try journal.append([JournalEntry(list, number == 1 ? .create : .append, "\(number)")]) }
        }
        var rowCounts: [Int] = []
        for list in lists {
            try journal.write(part(list, 15))
            while try !journal.removeSome(all: false) {}
            rowCounts.append(try rowCount()[0])
            let killed = try TemporaryFolder(isInMemory: true)
            try killed.fill(try folder.contents())
            let read = try reopened(killed)
            #expect(read.entries.filter { $0.list.rawValue.string == list }.count == 5)
        }
        journal.close()
        #expect(rowCounts == [60, 30, 15])
        #expect(try reopened(folder).entries.count == 15)
    }

    @Test func aLongRowDoesNotWait() throws {
        let journal = try folder.journal()
        try journal.append([JournalEntry("long", .create, String(repeating: "x", count: 5_000))])
        try append(journal, "b", 1...20)
        try journal.write(part("long", 1))
        while try !journal.removeSome(all: false) {}
        #expect(try rowCount()[0] == 20)
        journal.close()
        let read = try reopened(folder)
        #expect(read.snapshots.map(\.list.rawValue) == ["long"])
        #expect(read.entries.count == 20)
    }

    /// The rows that a snapshot stands for are removed with their list. Otherwise a start would take them for a list.
    @Test func rowsThatWaitGoWithTheirList() throws {
        let journal = try folder.journal()
        try append(journal, "a", 1...6)
        try append(journal, "b", 1...20)
        try journal.write(part("a", 5))
        while try !journal.removeSome(all: false) {}
        #expect(try rowCount()[0] == 26)
        try journal.append([JournalEntry("a", .delete, "")])
        for _ in 0..<20 {
            let isDone = try journal.removeSome(all: false)
            let killed = try TemporaryFolder(isInMemory: true)
            try killed.fill(try folder.contents())
            #expect(try reopened(killed).entries.living.map(\.list.rawValue) == Array(repeating: "b", count: 20))
            if isDone { break }
        }
        #expect(try rowCount() == [20, 0, 0])
        journal.close()
    }

    /// A snapshot that was begun in one life of a list must not be used in the next.
    @Test func aSnapshotOfAnEarlierLifeIsDropped() throws {
        let journal = try folder.journal()
        try append(journal, "a", 1...4)
        try journal.write(part("a", 3, isLast: false))
        try journal.append([JournalEntry("a", .delete, "")])
        try append(journal, "a", 1...4)
        try journal.write(part("a", 3, first: 2))
        while try !journal.removeSome(all: true) {}
        journal.close()
        let read = try reopened(folder)
        #expect(read.snapshots.isEmpty)
        #expect(read.entries.count == 4)
    }

    @Test func aFullDiskLosesNothing() throws {
        let journal = try folder.journal()
        try append(journal, "a", 1...5)
        try journal.limitPages(to: 30)
        let big = SnapshotPart(
            list: ListID("a")!, position: 3, first: 0, chunks: [[UInt8](repeating: 1, count: 100_000)], isLast: true)
        #expect(journalError { try journal.write(big) } == .full)
        try append(journal, "a", 6...6)
        try journal.limitPages(to: 1_000_000)
        try journal.write(big)
        while try !journal.removeSome(all: true) {}
        journal.close()
        let read = try reopened(folder)
        #expect(read.snapshots.flatMap(\.chunks) == big.chunks)
        #expect(read.entries.count == 3)
    }

    /// Any history of appends, deletions, snapshots, removals and kills is read as the lists that were written.
    @Test(arguments: Soak.seeds(40))
    func anyHistoryComesBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var journal = try folder.journal()
        var lists: [String: [String]] = [:]
        for step in 0..<120 {
            let list = ["a", "b", "c"].randomElement(using: &random)!
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where lists[list] != nil:
                try journal.append([JournalEntry(list, .delete, "")])
                lists[list] = nil
            case 1...2:
                guard let count = lists[list]?.count else { continue }
                let position = Int.random(in: 1...count, using: &random)
                // A snapshot holds everything that came before its position.
                let text = lists[list]!.prefix(position).joined(separator: ",")
                let part = SnapshotPart(
                    list: ListID(list)!, position: position, first: 0, chunks: [Array(text.utf8)], isLast: true)
                try journal.write(part)
            case 3...4: _ = try journal.removeSome(all: random.once(in: 3))
            case 5 where Int.random(in: 0..<3, using: &random) == 0:
                if Bool.random(using: &random) {
                    journal.close()
                } else {
                    let killed = try folder.contents()
                    journal.close()
                    try folder.fill(killed)
                }
                journal = try SQLiteJournal(directory: folder.path, pageSize: 512)
                try #require(try Self.lists(journal.replayed()) == lists, "step \(step)")
            default:
                var batch: [JournalEntry] = []
                for part in 0..<Int.random(in: 1...3, using: &random) {
                    let text = "\(step).\(part)"
                    batch.append(JournalEntry(list, lists[list] == nil ? .create : .append, text))
                    lists[list, default: []].append(text)
                }
                try journal.append(batch)
            }
        }
        journal.close()
        try #require(try Self.lists(reopened(folder)) == lists)
    }

    /// The texts of each list, those of its snapshot first.
    static func lists(_ read: Replayed) -> [String: [String]] {
        var lists: [String: [String]] = [:]
        for parts in Dictionary(grouping: read.snapshots, by: \.list).values {
            let text = String(decoding: parts.flatMap { $0.chunks.joined() }, as: UTF8.self)
            lists[parts[0].list.rawValue.string] = text.split(separator: ",").map(String.init)
        }
        for entry in read.entries {
            let text = String(decoding: entry.bytes, as: UTF8.self)
            switch entry.kind {
            case .create: lists[entry.list.rawValue.string] = [text]
            case .append, .retire, .revive: lists[entry.list.rawValue.string]?.append(text)
            case .delete: lists[entry.list.rawValue.string] = nil
            case .receiptOnly: break
            }
        }
        return lists
    }
}
