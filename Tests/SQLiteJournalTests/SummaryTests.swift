import Glibc
import ListDiff
import ListModel
import TestSupport
import Testing
import Threads

@testable import ListStore
@testable import SQLiteJournal

/// Stored summaries: pages of lists are shown without reading the lists, and never show anything else than the lists.
@Suite struct SummaryTests {
    private static func id(_ number: Int) -> ListID { ListID("list-\(number)")! }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    private func open(bytesMax: Int? = nil, epochs: ByteText = "e") throws -> ListStore.Store {
        // A thread that has just written summaries may still refer to the store before.
        let journal = try SQLiteJournal(directory: folder.path, pageSize: 512, patience: 10)
        var limits = CompactionTests.limits()
        limits.listsMemoryBytesMax = bytesMax
        limits.deleted = .init(listsMax: 9, bytesMax: .max, ageMax: 1_000)
        return try ListStore.Store(
            journal: journal, mayMissCommits: journal.recovery.mayMissCommits, limits: limits, clock: { 1_000 },
            token: { epochs })
    }

    /// Runs `body` on a store whose process is then killed.
    private func untilKilled<Result>(
        bytesMax: Int? = nil, _ body: (ListStore.Store) throws -> Result
    ) throws -> Result {
        let store = try open(bytesMax: bytesMax)
        defer { store.summaries?.waitUntilIdle() }
        return try body(store)
    }

    private func put(_ number: Int, _ title: String, _ store: ListStore.Store, items: Int = 0) throws {
        try wait(submit(number, title, store, items: items))
    }

    private func submit(_ number: Int, _ title: String, _ store: ListStore.Store, items: Int = 0) -> Submission {
        var changes = ListChanges()
        changes.title = .set(ByteText(title))
        let new = (0..<items).map { NewItem(ItemID(unchecked: "i\($0)"), value: ItemChanges()) }
        let fill: [ListModel.Operation] = [
            .appendSections([NewSection(SectionProperties(id: "s"))]), .appendItems(new, .section("s")),
        ]
        return store.create(Self.id(number), Write(.operations([.updateList(changes)] + (items > 0 ? fill : []))))
    }

    private func wait(_ submission: Submission) throws {
        _ = try submission.result.get()
        try submission.durability?.wait()
    }

    private func page(_ store: ListStore.Store) -> [ListedList] {
        store.lists(after: nil, limit: 10_000, looksMax: 10_000, bytesMax: .max, among: nil) { _ in true }.lists
    }

    /// The summaries as the lists themselves give them.
    private func truth(_ store: ListStore.Store) throws -> [ListedList] {
        store.lists(after: nil, limit: .max).map { listing in
            listing.list.map { .readable($0.read { $0.summary() }) } ?? .unreadable(listing.id)
        }
    }

    private func countStored(_ store: ListStore.Store, of count: Int) -> Int {
        (0..<count).count { store.mustLoad(Self.id($0)) }
    }

    // MARK: Pages after a start

    @Test func noListIsReadAfterAStop() throws {
        var store = try open()
        for number in 0..<300 { try put(number, "List \(number)", store, items: number % 4) }
        let before = page(store)
        #expect(before.count == 300)
        #expect(try before == truth(store))
        store.stop()
        for _ in 0..<2 {
            store = try open()
            #expect(page(store) == before && countStored(store, of: 300) == 300)
            let found = store.lists(after: Self.id(5), limit: 2, looksMax: 1_000, bytesMax: 1, among: nil) { list in
                if case .readable(let summary) = list { summary.title == "List 77" } else { false }
            }
            #expect(found.lists.map(\.id) == [Self.id(77)] && countStored(store, of: 300) == 300)
            store.stop()
        }
        #expect(try Maintenance.examine(folder: folder.path).findings == [])
    }

    /// A list that has changed since its summary was kept is read, and gets a summary again.
    @Test func afterAKillOnlyChangedListsAreRead() throws {
        var store = try open()
        for number in 0..<20 { try put(number, "old", store) }
        store.stop()
        let expected = try untilKilled { store in
            for number in [3, 4, 11] { try put(number, "new", store, items: 2) }
            try put(20, "made", store)
            return try truth(store)
        }
        store = try open()
        #expect(page(store) == expected && countStored(store, of: 21) == 17)
        store.stop()
        store = try open()
        #expect(page(store) == expected && countStored(store, of: 21) == 21)
        store.stop()
    }

    /// Lists that leave memory have their summaries kept, without a stop.
    @Test func listsThatLeaveMemoryAreNotReadAfterAKill() throws {
        var count = 1_200
        let expected = try untilKilled(bytesMax: 20_000) { store in
            var submissions: [Submission] = []
            // No list leaves memory while its commit waits for the disk, so none has left after these.
            store.gather { submissions = (0..<count).map { submit($0, "\($0)", store) } }
            for one in submissions { try wait(one) }
            // Room is made once memory has grown further. The thread that commits may still refer to some lists.
            while countStored(store, of: count) < 1_100, count < 5_000 {
                try put(count, "\(count)", store)
                count += 1
            }
            let expected = try truth(store)
            #expect(page(store) == expected)
            return expected
        }
        let store = try open()
        #expect(page(store) == expected && countStored(store, of: count) >= 512)
        store.stop()
    }

    /// A folder of an earlier program has no summaries.
    @Test func missingSummariesAreMadeByThePage() throws {
        var store = try open()
        for number in 0..<30 { try put(number, "\(number)", store) }
        let expected = page(store)
        store.stop()
        try folder.change("DROP TABLE summaries")
        try untilKilled { store in #expect(page(store) == expected && countStored(store, of: 30) == 0) }
        store = try open()
        #expect(page(store) == expected && countStored(store, of: 30) == 30)
        store.stop()
    }

    @Test func aDamagedSummaryIsMadeAnew() throws {
        var store = try open()
        for number in 0..<10 { try put(number, "\(number)", store) }
        let expected = page(store)
        store.stop()
        for damage in ["bytes = x'00' WHERE list = 'list-3'", "position = 7 WHERE list = 'list-4'", "list = 'list-6'"] {
            try folder.change("UPDATE summaries SET \(damage)")
            store = try open()
            #expect(page(store) == expected)
            #expect(countStored(store, of: 10) == (damage.contains("list-6") ? 1 : 9))
            store.stop()
            store = try open()
            #expect(page(store) == expected && countStored(store, of: 10) == 10)
            store.stop()
        }
    }

    // MARK: Lives

    private func summaryRows() throws -> [Int] {
        let connection = try SQLiteConnection(reading: folder.file("liststate.db"))
        return try connection.run("SELECT life FROM summaries ORDER BY life").compactMap { $0.first??.integer }
    }

    /// A list that is deleted for good loses its summary, and one that is made in its place has none of the old life.
    @Test func aNewLifeHasItsOwnSummary() throws {
        var store = try open()
        for number in 0..<3 { try put(number, "first", store) }
        store.stop()
        #expect(try summaryRows().count == 3)
        let expected = try untilKilled { store in
            try wait(store.delete(Self.id(0), Write(.operations([])), purges: true))
            try wait(store.delete(Self.id(1), Write(.operations([])), purges: true))
            try put(1, "second", store)
            try wait(store.delete(Self.id(2), Write(.operations([]))))
            return try truth(store)
        }
        #expect(expected.map(\.id) == [Self.id(1)])
        for isKnown in [false, true] {
            store = try open()
            #expect(page(store) == expected && store.mustLoad(Self.id(1)) == isKnown)
            store.stop()
        }
        store = try open()
        try wait(store.restore(Self.id(2), nil, Write(.operations([]))))
        #expect(try page(store).count == 2 && page(store) == truth(store))
        store.stop()
        #expect(try summaryRows().count == 2)
    }

    /// The summary of an earlier life that waits to be kept is dropped when the list is made anew, although the new life
    /// has as many entries.
    @Test func aSummaryThatWaitsIsNotTakenForOneOfTheNextLife() throws {
        var store = try open(bytesMax: 1)
        try put(0, "first", store)
        // The thread that commits may refer to the first list for a moment.
        var tries = 0
        repeat {
            try put(1, "other \(tries)", store)
            tries += 1
        } while !store.mustLoad(Self.id(0)) && tries < 1_000
        #expect(store.mustLoad(Self.id(0)) && store.catalogue.withLock { $0.summaryCount } > 0)
        try wait(store.delete(Self.id(0), Write(.operations([])), purges: true))
        try put(0, "second", store)
        store.summaries?.write()
        store.stop()
        store = try open()
        #expect(try page(store) == truth(store))
        store.stop()
    }

    @Test func newEpochsMakeAllSummariesOld() throws {
        var store = try open()
        for number in 0..<5 { try put(number, "\(number)", store) }
        store.stop()
        var files = try folder.contents()
        files["acknowledged"] = nil
        try folder.fill(files)
        store = try open(epochs: "f")
        let shown = page(store)
        #expect(try shown == truth(store) && shown.count == 5)
        let epochs = shown.map { list in
            if case .readable(let summary) = list { summary.version.epoch } else { "" as ByteText }
        }
        #expect(Set(epochs) == ["f"])
        store.stop()
    }

    // MARK: The journal

    /// - Parameter life: The row that began the life of the list. Nil stands for the first row of "a" and the second of
    ///   others.
    private func summary(_ list: String, _ position: Int, _ text: String, life: Int? = nil) -> StoredSummary {
        let place = LogPlace(life: life ?? (list == "a" ? 1 : 2), position: position)
        return StoredSummary(list: ListID(list)!, place: place, bytes: Array(text.utf8))
    }

    @Test func aSummaryStandsForAllEntriesOfItsLife() throws {
        let journal = try folder.journal()
        let lists = [ListID("a")!, ListID("b")!]
        try journal.append([JournalEntry("a", .create, "1"), JournalEntry("b", .create, "1")])
        #expect(journal.summaries(of: lists).isEmpty)
        try journal.keep([summary("a", 1, "a1"), summary("b", 2, "too new"), summary("c", 1, "no list")])
        #expect(journal.summaries(of: lists) == [summary("a", 1, "a1")])
        try journal.append([JournalEntry("a", .append, "2")])
        #expect(journal.summaries(of: lists).isEmpty)
        try journal.keep([summary("a", 1, "too old"), summary("b", 1, "b1")])
        try journal.keep([summary("a", 2, "a2")])
        #expect(Set(journal.summaries(of: lists).map(\.place.position)) == [1, 2])
        try journal.append([JournalEntry("a", .retire, "3")])
        try journal.keep([summary("a", 3, "deleted")])
        #expect(journal.summaries(of: lists) == [summary("b", 1, "b1")])
        journal.close()
        let again = try folder.journal()
        #expect(again.isSkimmed && again.summaries(of: lists) == [summary("b", 1, "b1")])
        // The end of a life and the beginning of the next one may be in one batch.
        try again.append([JournalEntry("b", .delete, ""), JournalEntry("b", .create, "1")])
        #expect(again.summaries(of: lists).isEmpty)
        // A summary may come when its life is over and the next one has as many entries.
        try again.keep([summary("b", 1, "too old")])
        #expect(again.summaries(of: lists).isEmpty)
        let place = try #require(try again.places(of: [ListID("b")!])[0])
        try again.keep([summary("b", 1, "new", life: place.life)])
        #expect(again.summaries(of: lists) == [summary("b", 1, "new", life: place.life)])
        again.close()
        #expect(try summaryRows() == [1, place.life])
    }

    @Test func aFullDiskKeepsNoSummaryAndAllElse() throws {
        let journal = try folder.journal()
        try journal.append([JournalEntry("a", .create, "1")])
        try journal.limitPages(to: 30)
        let long = String(repeating: "x", count: 100_000)
        #expect(journalError { try journal.keep([summary("a", 1, long)]) } == .full)
        #expect(journal.summaries(of: [ListID("a")!]).isEmpty)
        try journal.append([JournalEntry("a", .append, "2")])
        try journal.keep([summary("a", 2, "short")])
        #expect(journal.summaries(of: [ListID("a")!]).count == 1)
        journal.close()
    }

    /// Nothing depends on a summary. A table of them that cannot be read stops no write.
    @Test func aTableThatCannotBeReadEndsNothing() throws {
        var journal = try folder.journal()
        try journal.append([JournalEntry("a", .create, "1")])
        try journal.keep([summary("a", 1, "kept")])
        journal.close()
        let connection = try SQLiteConnection(reading: folder.file("liststate.db"))
        let root = try connection.run("SELECT rootpage FROM sqlite_schema WHERE name = 'summaries'").first?.first??
            .integer
        let place = try (#require(root) - 1) * 512
        journal = try folder.journal()
        let file = try SystemDisk().open(folder.file("liststate.db"), O_RDWR)
        try file.write([UInt8](repeating: 0, count: 512), at: place)
        try journal.keep([summary("a", 1, "another")])
        #expect(journal.summaries(of: [ListID("a")!]).isEmpty)
        try journal.append([JournalEntry("a", .append, "2")])
        journal.close()
    }

    /// Backups have the summaries, and repairs leave them out.
    @Test func copiesAndRepairs() throws {
        var store = try open()
        for number in 0..<5 { try put(number, "\(number)", store) }
        store.stop()
        let journal = try SQLiteJournal(directory: folder.path)
        _ = try journal.checkedLists()
        let copy = folder.file("copy.db")
        let backup = try journal.backUp(to: copy)
        while try !backup.step().isDone {}
        try backup.finish()
        journal.close()
        #expect(try Maintenance.examine(copy: copy).findings == [])
        try folder.change("UPDATE receipts SET time = 1")
        try folder.change("UPDATE log SET checksum = 1 WHERE list = 'list-4'")
        #expect(try Maintenance.repair(folder: folder.path) != nil)
        store = try open(epochs: "g")
        #expect(try page(store) == truth(store) && page(store).count == 4)
        store.stop()
    }
}
