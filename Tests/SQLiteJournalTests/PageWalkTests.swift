import Glibc
import ListModel
import ListStore
import TestSupport
import Testing

@testable import SQLiteJournal

/// The reader of pages works without SQLite. It accepts nothing that SQLite's own check refuses, and it does not
/// release SQLite's locks on the file.
@Suite struct PageWalkTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    /// Fills the folder with a few commits.
    private func fill(_ commits: Int = 4) throws {
        let journal = try folder.journal()
        for number in 0..<commits { try journal.append([JournalEntry("a", number == 0 ? .create : .append, "x")]) }
        journal.close()
    }

    @Test("A row of every table fits into StoredRow", arguments: Schema.tables.map(\.1) + [Schema.subscriptions.sql])
    func columns(of sql: String) {
        #expect(sql.split(separator: ",").count <= StoredRow.columnsMax)
    }

    /// A process that closes any descriptor of a file loses all of its POSIX locks on the file, also SQLite's.
    @Test func otherProcessesStayLockedOut() throws {
        let journal = try folder.journal()
        try journal.append([JournalEntry("a", .create, "1")])
        let other = Glibc.open(folder.file("liststate.db"), O_RDWR)
        defer { close(other) }
        var wanted = flock()
        (wanted.l_type, wanted.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
        // This lock belongs to the open file, so this process counts as another one (`F_OFD_GETLK`).
        #expect(fcntl(other, 36, &wanted) == 0)
        #expect(wanted.l_type != Int16(F_UNLCK))
        journal.close()
    }

    /// A file with trees of several levels, gaps, free pages and overflow pages, together with its earlier states.
    private func generations() throws -> [[String: [UInt8]]] {
        var random = SeededGenerator(seed: 7)
        let journal = try folder.journal()
        var generations: [[String: [UInt8]]] = []
        for round in 0..<120 {
            let batch = (0..<4).map { number in
                let count = random.once(in: 30) ? 2_000 : Int.random(in: 0...60, using: &random)
                let receipt = Receipt(4 * round + number)
                return JournalEntry(
                    "l\((round + number) % 9)", .append, String(repeating: "x", count: count), receipt: receipt)
            }
            try journal.append(batch)
            guard round % 20 == 19 else { continue }
            let id = ListID("l\(round % 7)")!
            let chunks = [[UInt8]](repeating: Array("chunk".utf8), count: 12)
            try journal.write(SnapshotPart(list: id, position: 9, first: 0, chunks: chunks, isLast: true))
            if round == 79 { try journal.append([JournalEntry("l3", .delete, "")]) }
            while try !journal.removeSome(all: true) {}
            guard round > 90 else { continue }
            generations.append(try folder.contents())
        }
        journal.close()
        return generations + [try folder.contents()]
    }

    /// Pages are flipped, exchanged, or taken from an earlier state, with a log or without one.
    @Test(arguments: UInt64(1)...8)
    func whatItVouchesForIsWhole(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let generations = try generations()
        let whole = try reopened(folder)
        var vouched = 0
        for round in 0..<60 {
            var files = generations[generations.count - 1 - round % 2]
            var bytes = try #require(files["liststate.db"])
            let old = try #require(generations[0]["liststate.db"])
            let pages = 0..<bytes.count / 512
            let page = 512 * Int.random(in: pages, using: &random)
            switch random.below(6) {
            case 0: for offset in 0..<512 { bytes.swapAt(page + offset, 512 * (round % pages.count) + offset) }
            case 1:
                let part = old.dropFirst(page).prefix(512)
                bytes.replaceSubrange(page..<page + part.count, with: part)
            case 2: bytes.removeLast(512 * Int.random(in: 1...3, using: &random))
            case 3: bytes += old.prefix(512 * Int.random(in: 1...3, using: &random))
            case 4: bytes[page + Int.random(in: 0..<24, using: &random)] = UInt8.random(in: 0...255, using: &random)
            default: bytes[page + Int.random(in: 0..<512, using: &random)] ^= 1 << UInt8(random.below(8))
            }
            files["liststate.db"] = bytes
            try folder.fill(files)
            let journal = try? SQLiteJournal(directory: folder.path)
            let read = try? journal?.replayed()
            let isVouchedFor = journal?.isSkimmed ?? false
            journal?.close()
            guard let read else { continue }
            try #require(read == whole, "round \(round)")
            guard isVouchedFor else { continue }
            vouched += 1
            try #require(
                try Maintenance.examine(folder: folder.path, contents: false).findings.isEmpty, "round \(round)")
        }
        // Some damage does not matter: it is in a free page, or in a page of which the log has a newer copy.
        #expect(vouched > 0)
    }

    /// A kill or a power failure within a checkpoint, between a checkpoint and the restart of the log, within the first
    /// commit after that, and after the file has become shorter.
    @Test func aWholeFileNeedsNoSecondLook() throws {
        let place = Folder(path: folder.path)
        try place.createDatabase(pageSize: 512)
        let database = try Database(
            folder: place, log: WriteAheadLog.contents(place.log, on: place.disk), acknowledged: nil, isInDoubt: false,
            durability: .sync)
        _ = try database.open(receipt: { _ in }, receiptsMax: .max, since: 0)
        var states: [(name: String, files: [String: [UInt8]])] = []
        func note(_ name: String) throws { states.append((name, try folder.contents())) }
        for number in 0..<30 {
            try database.append([JournalEntry("a", .append, String(repeating: "x", count: 40 * number))])
        }
        try note("before a checkpoint")
        try database.connection.checkpoint()
        try note("after a checkpoint")
        let (before, after) = (states[0].files, states[1].files)
        let written = try #require(after["liststate.db"])
        let old = try #require(before["liststate.db"])
        for pages in [1, 2, written.count / 1024, written.count / 512 - 1] {
            var torn = before
            torn["liststate.db"] = Array(written.prefix(512 * pages)) + old.dropFirst(512 * pages)
            states.append(("\(pages) pages into a checkpoint", torn))
        }
        // The file gets empty pages, and then becomes shorter than the log believes.
        let part = SnapshotPart(list: ListID("a")!, position: 29, first: 0, chunks: [[1]], isLast: true)
        try database.write(part)
        while try !database.removeSome(all: true) {}
        try note("a log that has started over")
        let next = try #require(states.last?.files["liststate.db-wal"])
        for count in [0, 31, 32, 40, 32 + 535] {
            var torn = after
            torn["liststate.db-wal"] = Array(next.prefix(count))
            states.append(("\(count) bytes of the next log", torn))
            torn["liststate.db-wal"]?.append(contentsOf: after["liststate.db-wal"]?.dropFirst(count) ?? [])
            if count > 31 { states.append(("\(count) bytes of the next log over the last one", torn)) }
        }
        try database.connection.run("VACUUM")
        try note("a shorter file, in the log")
        try database.connection.checkpoint()
        try note("a shorter file")
        try database.append([JournalEntry("a", .append, "more")])
        try note("a commit after that")
        for state in states {
            try folder.fill(state.files)
            // An incomplete log would be behind the mark, so the mark is removed. Nothing of the log is missing here.
            try File.remove(place.mark)
            let journal = try SQLiteJournal(directory: folder.path)
            let count = try journal.replayed().entries.count
            #expect(count > 0 && journal.isSkimmed, "\(state.name)")
            journal.close()
        }
    }

    /// The header of the file decides how SQLite writes to it.
    @Test func aFlippedBitInTheHeaderDoesNoHarm() throws {
        try fill()
        let files = try folder.contents()
        let last = (0..<12).map { JournalEntry("l\($0)", .create, String(repeating: "y", count: 400)) }
        for bit in 0..<800 {
            var flipped = files
            flipped["liststate.db"]?[bit / 8] ^= UInt8(1 << (bit % 8))
            try folder.fill(flipped)
            guard (try? reopened(folder, mayNeedSecondLook: true)) != nil else { continue }
            let journal = try folder.journal()
            try journal.append(last)
            journal.close()
            let findings = try Maintenance.examine(folder: folder.path, contents: false).findings
            try #require(findings.isEmpty, "bit \(bit)")
        }
    }

    /// A pointer leads into a gap that holds an old copy of the row. The row would be read correctly, but the next row
    /// would overwrite it.
    @Test func aRowInAGapIsRefused() throws {
        try fill()
        try folder.change(
            "INSERT INTO chunks VALUES(1, x'01020304', 5), (2, zeroblob(90), 5), (3, x'01020304', 5);")
        try folder.change("DELETE FROM chunks WHERE id = 2")
        #expect(try reopened(folder) == reopened(folder))
        var bytes = try folder.read("liststate.db")
        let start = 512
        #expect(bytes[start] == 13 && bytes[start + 4] == 2, "the leaf of the chunks")
        let gap = bytes.span.short(start + 1)
        let cell = bytes.span.short(start + 8)
        for offset in 0..<20 { bytes[start + gap + 40 + offset] = bytes[start + cell + offset] }
        (bytes[start + 8], bytes[start + 9]) = (UInt8((gap + 40) >> 8), UInt8((gap + 40) & 0xFF))
        try folder.write("liststate.db", bytes)
        #expect(journalError { _ = try reopened(folder, mayNeedSecondLook: true) }?.isCorrupt == true)
    }

    /// A write-ahead log may claim any number of pages.
    @Test func pagesThatNoFileHasAreNotBelieved() throws {
        try fill()
        let file = try File(folder.file("liststate.db"), O_RDONLY)
        let pages = try file.size() / 512
        for (count, size) in [(1 << 32 - 1, 512), (pages + 3, 512), (pages, 1024)] {
            let contents = WriteAheadLog.Contents(frames: [2: 32], pageCount: count, pageSize: size)
            #expect(throws: PageReader.Unsure.self) { _ = try TableWalk(file, file, contents, roots: [:]) }
        }
        let contents = WriteAheadLog.Contents(frames: [2: 32], pageCount: pages, pageSize: 512)
        _ = try TableWalk(file, file, contents, roots: [:])
    }

    /// Numbers that have a correct checksum but are too large for later arithmetic.
    @Test func numbersBeyondAllOthersAreRefused() throws {
        let names = Array("a".utf8)
        let places: [(position: Int, count: Int)] = [(.max, 1), (.max, 2), (2, .max), (.min, 1), (5, .min)]
        for place in places {
            try folder.fill([:])
            try fill()
            let bytes: [UInt8] = [1, 0, 0, 0, 7]
            let checksum = LogRow.checksum([5, 2, place.position, place.count, 1], names.span, bytes.span)
            try folder.change(
                "INSERT INTO log VALUES(5, 'a', 2, \(place.position), \(place.count), x'0100000007', \(checksum))")
            #expect(journalError { _ = try reopened(folder) }?.isCorrupt == true, "\(place)")
            #expect(try !Maintenance.examine(folder: folder.path, contents: false).findings.isEmpty, "\(place)")
        }
        let headers = [
            LogIndex.Header(id: .max, since: 1, position: 1, chunks: 1, content: 0),
            .init(id: 1, since: .max, position: 1, chunks: 1, content: 0),
            .init(id: 1, since: 1, position: .max, chunks: 1, content: 0),
            .init(id: 1, since: 1, position: 1, chunks: .max, content: 0),
        ]
        for header in headers {
            try folder.fill([:])
            try fill()
            let checksum = header.checksum(list: ListID("a")!)
            try folder.change(
                "INSERT INTO snapshots VALUES(\(header.id), 'a', \(header.since), \(header.position), "
                    + "\(header.chunks), 0, \(checksum))")
            #expect(journalError { _ = try reopened(folder) }?.isCorrupt == true, "\(header)")
        }
    }

    /// A chunk that belongs to no snapshot is removed, whatever its number is.
    @Test func aStrayChunkIsRemoved() throws {
        for id in [Int.max, Int.max - 1, -1, Int.min + 1, 1] {
            try folder.fill([:])
            try fill()
            try folder.change("INSERT INTO chunks VALUES(\(id), x'01', 5)")
            let journal = try folder.journal()
            while try !journal.removeSome(all: true) {}
            let part = SnapshotPart(list: ListID("a")!, position: 2, first: 0, chunks: [[1]], isLast: true)
            try journal.write(part)
            while try !journal.removeSome(all: true) {}
            journal.close()
            #expect(try reopened(folder).snapshots == [part], "\(id)")
        }
    }
}
