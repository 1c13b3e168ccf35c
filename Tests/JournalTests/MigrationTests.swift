import ListDiff
import ListModel
import ListStore
import PostgreSQLJournal
import SQLiteJournal
import TestSupport
import Testing
import Texts
import Threads

/// A migration carries everything, goes on after an interruption, and refuses a target that has something else.
@Suite(.timeLimit(.minutes(Soak.hangMinutes))) struct MigrationTests {
    // MARK: There and back

    @Test func aThousandListsGoThereAndBack() throws {
        let (server, schema) = (try PostgreSQLServer.shared, PostgreSQLServer.newName())
        let (first, last) = (try Folder(), try Folder())
        let scene = try MigrationScene(on: SQLiteJournal(directory: first.path), lists: 1_000)

        let folder = try SQLiteJournal(reading: first.path)
        let there = try Self.run(folder, server.journal(schema))
        folder.close()
        let back = try Self.run(server.journal(schema), SQLiteJournal(directory: last.path))

        #expect(there.listCount == 955 && there.writtenCount == 955 && there.foundCount == 0)
        #expect(back.listCount == 955 && back.writtenCount == 955)
        #expect(there.receiptCount == scene.keyed.count && there.recordCount == 250)
        let journals: [() throws -> any Journal] = [
            { try SQLiteJournal(directory: first.path) }, { try server.journal(schema) },
            { try SQLiteJournal(directory: last.path) },
        ]
        let contents = try journals.map { try JournalContents(of: $0()) }
        let (isSameThere, isSameBack) = (contents[0] == contents[1], contents[0] == contents[2])
        #expect(isSameThere && isSameBack)
        #expect(contents[0].lists.contains { !$0.chunks.isEmpty } && contents[0].lists.contains { $0.chunks.isEmpty })

        let stores = try journals.map { try StoreContents(of: $0()) }
        #expect(stores[0].count > 500 && stores[0].deleted.count > 100 && stores[0].historyCount > 300)
        #expect(stores[1].differences(from: stores[0]) == [])
        #expect(stores[2].differences(from: stores[0]) == [])
        for journal in journals { try Self.checkAnswers(scene, MigrationScene.store(on: journal())) }
    }

    /// Retries are answered as before, new writes get the next versions, and deleted lists come back.
    private static func checkAnswers(_ scene: MigrationScene, _ store: Store) throws {
        defer { store.stop() }
        for one in scene.keyed {
            let result = try store.submit(one.list, one.write).result.get()
            #expect(result.isReplay && result.version == one.version, "\(one.list)")
        }
        let deleted = try #require(store.deletedLists(after: nil, limit: 1).first)
        let restored = store.restore(deleted.id, nil, Write(.operations([])))
        #expect(try restored.result.get().version == deleted.version.next)
        let list = ListID("l1")!
        let head = try #require(try store.list(list)).enter { $0.version }
        let written = store.submit(list, Write(.operations([.toggleStar("i0")])))
        #expect(try written.result.get().version == head.next)
        #expect(written.isKept && restored.isKept)
    }

    /// Runs a migration, and closes the target.
    private static func run(
        _ source: any Journal, _ target: any TakesWholeLists, _ progress: (Int, Int) -> Bool = { _, _ in true }
    ) throws -> Migration.Report {
        defer { target.close() }
        return try Migration.run(from: source, to: target, progress: progress)
    }

    // MARK: Interruptions

    /// Journals of which the next run finds what the one before has left.
    enum Target: String, Sendable, CaseIterable {
        case memory, sqlite, postgreSQL

        func make() throws -> () throws -> any TakesWholeLists {
            switch self {
            case .memory:
                let journal = MemoryJournal()
                return {
                    journal.reopen()
                    return journal
                }
            case .sqlite:
                let folder = try Folder()
                return { try SQLiteJournal(directory: folder.path) }
            case .postgreSQL:
                let (server, schema) = (try PostgreSQLServer.shared, PostgreSQLServer.newName())
                return { try server.journal(schema) }
            }
        }
    }

    private static let source = Result {
        let journal = MemoryJournal()
        _ = try MigrationScene(on: journal, lists: 500)
        journal.reopen()
        return (journal, try JournalContents(reading: journal))
    }

    @Test(arguments: Target.allCases, 1...Soak.migrations)
    func anInterruptedMigrationGoesOn(to target: Target, seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let (source, wanted) = try Self.source.get()
        let open = try target.make()
        let written = Locked<[ListID: Int]>([:])
        var (isOver, interruptions) = (false, 0)
        while !isOver {
            let journal = InterruptedJournal(
                try open(), written, failsAt: 1 + random.below(14), isDone: random.once(in: 2))
            var callsLeft = 1 + random.below(14)
            do {
                let report = try Self.run(source, journal) { _, _ in
                    callsLeft -= 1
                    return callsLeft > 0
                }
                isOver = !report.isStopped
            } catch let Migration.Fault.target(error) {
                #expect(error == .unknown("planned"))
            }
            if !isOver { interruptions += 1 }
        }
        let isSame = try JournalContents(of: open()) == wanted
        #expect(isSame, "after \(interruptions) interruptions")
        #expect(written.withLock { $0.count } == wanted.lists.count)
        #expect(written.withLock { $0.values.filter { $0 > 1 } } == [])
    }

    @Test func whatIsThereIsNotWrittenTwice() throws {
        let (source, wanted) = try Self.source.get()
        let open = try Target.memory.make()
        _ = try Self.run(source, open())
        let again = try Self.run(source, open())
        #expect(again.writtenCount == 0 && again.foundCount == wanted.lists.count)
        let isSame = try JournalContents(of: open()) == wanted
        #expect(isSame)
    }
}

/// A journal that fails at one of its writes: before the write, or after it.
private final class InterruptedJournal: PartialJournal, TakesWholeLists {
    private let journal: any TakesWholeLists
    /// How often each list was written.
    private let written: Locked<[ListID: Int]>
    private let writesLeft: Locked<Int>
    private let isDone: Bool

    init(_ journal: any TakesWholeLists, _ written: Locked<[ListID: Int]>, failsAt write: Int, isDone: Bool) {
        (self.journal, self.written, self.isDone) = (journal, written, isDone)
        writesLeft = Locked(write)
    }

    private func write<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
        let left = writesLeft.withLock { left in
            left -= 1
            return left
        }
        guard left == 0 else { return try body() }
        if isDone { _ = try body() }
        throw .unknown("planned")
    }

    func write(_ lists: [WholeList]) throws(JournalError) -> [CommitOutcome] {
        try write { () throws(JournalError) in
            let outcomes = try journal.write(lists)
            written.withLock { written in
                for (list, outcome) in zip(lists, outcomes) where outcome != .moved {
                    written[list.list, default: 0] += 1
                }
            }
            return outcomes
        }
    }

    func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome] {
        try write { () throws(JournalError) in try journal.commit(commits) }
    }

    func keep(_ records: [RecordWrite]) throws(JournalError) -> [Bool] {
        try write { () throws(JournalError) in try journal.keep(records) }
    }

    func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws {
        try journal.open(receipt: receipt, receiptsMax: receiptsMax, since: since)
    }

    func places(of lists: [ListID]) throws(JournalError) -> [LogPlace?] { try journal.places(of: lists) }

    func load(
        _ list: ListID, after place: LogPlace?, snapshot: (SnapshotPart) throws -> Void,
        entry: (JournalEntry) throws -> Void
    ) throws -> LogPlace? {
        try journal.load(list, after: place, snapshot: snapshot, entry: entry)
    }

    func record(_ key: KeyedRecord.Key) throws(JournalError) -> KeyedRecord.Content? { try journal.record(key) }

    func close() { journal.close() }
}
