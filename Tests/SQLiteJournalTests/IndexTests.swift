import Glibc
import ListModel
import ListStore
import TestSupport
import Testing

@testable import SQLiteJournal

/// The index of the log that is kept in memory while it is written equals the index that a start builds from the files.
@Suite struct IndexTests {
    /// An index in a form that can be compared.
    struct Known: Equatable {
        struct Life: Equatable {
            var start: Int
            var covered: Int
            var position: Int
            var rows: [[Int]]
            var retired: Int?
        }
        struct Ended: Equatable {
            var end: Int
            var rows: [Int]
        }
        var lives: [String: Life] = [:]
        var headers: [String: LogIndex.Header] = [:]
        var ended: [String: Ended] = [:]
        var removableRows: [Int]
        var removableChunks: [Int]

        init(_ database: Database) {
            let index = database.index
            for (list, life) in index.lives {
                lives[list.rawValue.string] = Life(
                    start: life.start, covered: life.covered, position: life.position,
                    rows: life.rows.map { [$0.seq, $0.last] }, retired: life.retired)
            }
            for (list, header) in index.headers { headers[list.rawValue.string] = header }
            for (list, life) in index.ended {
                ended[list.rawValue.string] = Ended(end: life.end, rows: life.rows.sorted())
            }
            // The two are compared as one, because a start does not know which removals had begun.
            removableRows = (index.removableRows + index.coveredRows.values.joined()).sorted()
            #expect(index.coveredCount == index.coveredRows.values.reduce(0) { $0 + $1.count })
            // After a start an unfinished snapshot is not continued.
            let unfinished = database.unfinished.values.flatMap { snapshot in
                (0..<snapshot.count).map { SnapshotChunk.id(snapshot.id, $0) }
            }
            removableChunks = (index.removableChunks.flatMap { Array($0) } + unfinished).sorted()
        }
    }

    private func open(_ path: String) throws -> Database {
        let folder = Folder(path: path)
        try folder.createDatabase(pageSize: 512)
        let database = try Database(
            folder: folder, log: WriteAheadLog.contents(folder.log, on: folder.disk), acknowledged: nil,
            isInDoubt: false, durability: .sync)
        _ = try database.open(receipt: { _ in }, receiptsMax: .max, since: 0)
        #expect(database.isSkimmed)
        return database
    }

    private func batch(_ database: Database, _ random: inout SeededGenerator) -> [JournalEntry] {
        var alive = Set(database.index.lives.lists.map(\.rawValue.string))
        return (0..<Int.random(in: 1...5, using: &random)).map { _ in
            let list = ["a", "b", "c"].randomElement(using: &random)!
            let kind: JournalEntry.Kind =
                !alive.contains(list) || random.once(in: 12)
                ? .create : random.once(in: 6) ? .delete : random.once(in: 4) ? .retire : .append
            if kind == .delete { alive.remove(list) } else { alive.insert(list) }
            return JournalEntry(list, kind, String(repeating: "x", count: Int.random(in: 0...40, using: &random)))
        }
    }

    private func part(_ database: Database, _ random: inout SeededGenerator) -> SnapshotPart? {
        let living = database.index.lives.filter { $0.value.position > $0.value.covered }
        guard let (list, life) = living.sorted(by: { $0.key.rawValue < $1.key.rawValue }).randomElement(using: &random)
        else { return nil }
        let unfinished = database.unfinished[list]?.count ?? 0
        let isNext = unfinished > 0 && !random.once(in: 3)
        return SnapshotPart(
            list: list, position: Int.random(in: life.covered + 1...life.position, using: &random),
            first: isNext ? unfinished : 0,
            chunks: (0..<Int.random(in: 1...20, using: &random)).map { [UInt8($0)] },
            isLast: Bool.random(using: &random))
    }

    @Test(arguments: Soak.seeds(24))
    func staysWhatAStartMakesOfTheFiles(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder(isInMemory: true)
        let copy = try TemporaryFolder(isInMemory: true)
        let database = try open(folder.path)
        for step in 0..<60 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3: try database.append(batch(database, &random))
            case 4...5: if let part = part(database, &random) { try database.write(part) }
            case 6: _ = try database.removeSome(all: random.once(in: 3))
            default: while try random.once(in: 2) && !database.removeSome(all: random.once(in: 3)) {}
            }
            guard step % 3 == 2 else { continue }
            try copy.fill(try folder.contents())
            try #require(try Known(open(copy.path)) == Known(database), "step \(step)")
        }
        #expect(database.close())
    }
}
