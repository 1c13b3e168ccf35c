import ListDiff
import ListModel
@testable import ListStore
import TestSupport
import Testing

@testable import SQLiteJournal

/// A store that writes snapshots is the same store after any number of starts.
@Suite struct CompactionTests {
    static let list = ListID("list")!

    static func limits(versions: Int = 12, age: Int? = nil) -> ListStore.Store.Limits {
        ListStore.Store.Limits(
            itemsMax: 10_000, sectionsMax: 10_000, contentBytesMax: 65_536, historyVersionsMax: versions,
            historyBytesMax: 1 << 30,
            historyAgeMax: age, receiptsMax: 100, receiptAgeMax: 86_400)
    }

    static func open(
        _ folder: TemporaryFolder?, _ limits: ListStore.Store.Limits = limits(), rows: Int = 1, clock: Int = 1_000,
        partBytes: Int = 1 << 20
    ) throws -> ListStore.Store {
        let journal = try folder.map { try SQLiteJournal(directory: $0.path, pageSize: 512, partBytes: partBytes) }
        return try ListStore.Store(
            journal: journal, mayMissCommits: journal?.recovery.mayMissCommits ?? false, limits: limits,
            compaction: .init(rows: rows, bytes: 1 << 30), clock: { clock }, token: { "e" })
    }

    /// Everything that readers can learn about a list.
    struct Knowledge: Equatable {
        struct Past: Equatable {
            var image: ListImage
            var note: TransactionNote?
            var changes: ChangeSet?
        }
        var version: Version
        var past: [Int: Past] = [:]

        init?(_ store: ListStore.Store) {
            guard let list = (try? store.list(CompactionTests.list)) ?? nil else { return nil }
            version = list.enter { $0.version }
            for revision in 1...version.revision {
                let version = list.version(at: revision)
                guard let snapshot = try? list.enter({ try $0.snapshot(at: version) }) else { continue }
                let (catchup, _) = list.enter { $0.catchup(since: version, view: .visible) }
                var changes: ChangeSet?
                if case .changes(let set, _, _, _) = catchup { changes = set }
                past[revision] = Past(
                    image: ListImage(snapshot.state), note: list.enter { $0.note(of: revision) }, changes: changes)
            }
        }
    }

    private func write(_ operations: [ListModel.Operation], label: String, to store: ListStore.Store) throws -> Bool {
        let submission = store.submit(Self.list, Write(.operations(operations), caller: "me", label: ByteText(label)))
        guard case .success = submission.result else { return false }
        try submission.durability?.wait()
        return true
    }

    @Test(arguments: zip(UInt64(1)...7, Bias.allCases))
    func startsLikeAStoreThatNeverStopped(seed: UInt64, bias: Bias) throws {
        try startsLikeAStoreThatNeverStopped(seed: seed, bias: bias, partBytes: 1 << 20)
    }

    @Test(arguments: zip(UInt64(1)...7, Bias.allCases))
    func recordsThatAreWrittenAheadAreReadToo(seed: UInt64, bias: Bias) throws {
        try startsLikeAStoreThatNeverStopped(seed: seed, bias: bias, partBytes: 60)
    }

    private func startsLikeAStoreThatNeverStopped(seed: UInt64, bias: Bias, partBytes: Int) throws {
        let folder = try TemporaryFolder(isInMemory: true)
        var lists = RandomLists(seed: seed, itemIDs: 40, bias: bias)
        var store = try Self.open(folder, partBytes: partBytes)
        let reference = try Self.open(nil)
        let start = Write(.operations([.applySnapshot(lists.snapshot())]))
        try store.create(Self.list, start).durability?.wait()
        _ = reference.create(Self.list, start)
        for step in 0..<80 {
            let state = try #require(try reference.list(Self.list)).enter { $0.snapshot() }.state
            let operations =
                state.itemCount > 4 ? [lists.operation(on: state)] : [.applySnapshot(lists.snapshot(on: state))]
            let isDone = try write(operations, label: "\(step)", to: store)
            try #require(try write(operations, label: "\(step)", to: reference) == isDone)
            if lists.random.once(in: 4) { try store.compact() }
            guard lists.random.once(in: 10) else { continue }
            store.stop()
            store = try Self.open(folder, partBytes: partBytes)
            let (known, wanted) = try (#require(Knowledge(store)), #require(Knowledge(reference)))
            try #require(known.version == wanted.version, "step \(step)")
            for (revision, past) in wanted.past {
                try #require(known.past[revision] == past, "step \(step), revision \(revision)")
            }
        }
        store.stop()
    }

    private func rows(_ folder: TemporaryFolder) throws -> Int {
        let connection = try SQLiteConnection(path: folder.file("liststate.db"), create: false)
        return try connection.run("SELECT count(*) FROM log").first?.first??.integer ?? -1
    }

    private func star(_ store: ListStore.Store, _ count: Int) throws {
        for _ in 0..<count {
            let operation = ListModel.Operation.toggleStar("a")
            #expect(try write([operation], label: "", to: store))
        }
    }

    private func create(_ store: ListStore.Store, _ id: ListID = list) throws {
        let wanted = WantedSnapshot(sections: [WantedSection("A", items: [NewItem("a", value: ItemChanges())])])
        try store.create(id, Write(.operations([.applySnapshot(wanted)]))).durability?.wait()
    }

    @Test func theLogIsAsLongAsHistoryAndWhatHasGrown() throws {
        let folder = try TemporaryFolder(isInMemory: true)
        let store = try Self.open(folder, rows: 10)
        try create(store)
        try star(store, 200)
        store.waitForCompaction()
        store.stop()
        let count = try rows(folder)
        #expect(count >= 12 && count <= 12 + 10 + 3, "\(count)")
        let again = try Self.open(folder)
        #expect(try again.list(Self.list)?.enter { $0.version.revision } == 201)
        again.stop()
    }

    /// Receipts beyond the limit leave the disk without a restart.
    @Test func receiptsThatAreTooManyLeaveTheDisk() throws {
        let folder = try TemporaryFolder(isInMemory: true)
        let store = try Self.open(folder, rows: 10)
        try create(store)
        for number in 0..<300 {
            let key = ReceiptKey(scope: Array("\(number)".utf8), request: [1])
            try store.submit(Self.list, Write(.operation(.toggleStar("a")), key: key)).durability?.wait()
        }
        try store.compact()
        store.stop()
        let connection = try SQLiteConnection(path: folder.file("liststate.db"), create: false)
        let count = try connection.run("SELECT count(*) FROM receipts").first?.first??.integer
        #expect(count == Self.limits().receiptsMax)
    }

    @Test func whatIsOldIsForgotten() throws {
        let folder = try TemporaryFolder(isInMemory: true)
        let limits = Self.limits(versions: 1_000, age: 640)
        var oldest: [Int] = []
        for clock in [10_000, 10_500, 10_700, 9_000, 20_000] {
            let store = try Self.open(folder, limits, clock: clock)
            if clock == 10_000 { try create(store) }
            try star(store, 10)
            try store.compact()
            oldest.append(try #require(try store.list(Self.list)).enter { $0.history.oldest })
            store.stop()
        }
        // The versions are those of the revisions 2–11, 12–21, 22–31, 32–41 (the clock had gone back) and 42–51.
        #expect(oldest == [1, 1, 11, 11, 41])
    }

    /// This holds after trimming, compaction, a restart and a new epoch.
    @Test(arguments: [false, true])
    func everyKeptVersionKeepsItsAuthorAndTime(compacts: Bool) throws {
        let folder = try TemporaryFolder(isInMemory: true)
        func told(_ store: ListStore.Store) throws -> [String] {
            let list = try #require(try store.list(Self.list))
            return try list.enter { try $0.transactions(before: nil, limit: 100) }.page.map { past in
                "\(past.version.revision) \(past.note.actor) \(past.note.label ?? "") \(past.note.time) \(past.isUndone)"
            }
        }
        var wanted: [String] = []
        for run in 1...6 {
            let store = try Self.open(folder, clock: 1_000 * run)
            if run == 1 {
                try create(store)
                wanted = ["1 anonymous  1000 false"]
            }
            for number in 1...5 {
                let label = "\(run).\(number)"
                let intent: WriteIntent = number == 3 ? .undo(nil) : .operation(.toggleStar("a"))
                let write = Write(intent, caller: "user \(run)", label: ByteText(label))
                try store.submit(Self.list, write).durability?.wait()
                if number == 3 { wanted[0] = wanted[0].replacing("false", with: "true") }
                wanted.insert("\((run - 1) * 5 + number + 1) user \(run) \(label) \(1_000 * run) false", at: 0)
                #expect(try told(store) == Array(wanted.prefix(13)))
            }
            if compacts { try store.compact() }
            #expect(try told(store) == Array(wanted.prefix(13)))
            store.stop()
        }
        var files = try folder.contents()
        files["acknowledged"] = nil
        try folder.fill(files)
        for _ in 1...2 {
            let store = try Self.open(folder, clock: 9_000)
            #expect(try told(store) == Array(wanted.prefix(1)))
            try store.compact()
            #expect(try told(store) == Array(wanted.prefix(1)))
            store.stop()
        }
    }

    @Test func aDeletedListLeavesNothing() throws {
        let folder = try TemporaryFolder(isInMemory: true)
        let store = try Self.open(folder)
        try create(store)
        try star(store, 30)
        try store.delete(Self.list, Write(.operations([]))).durability?.wait()
        store.waitForCompaction()
        try create(store, ListID("other")!)
        store.stop()
        #expect(try rows(folder) == 1)
        let again = try Self.open(folder)
        #expect(again.lists(after: nil, limit: 9).map(\.id.rawValue) == ["other"])
        again.stop()
    }

    /// A copy without a mark starts new epochs, again and again, also for lists that come from stored snapshots.
    @Test func aNewEpochFollowsASnapshot() throws {
        let folder = try TemporaryFolder(isInMemory: true)
        var revisions: [Int] = []
        for _ in 0..<4 {
            let store = try Self.open(folder)
            if try store.list(Self.list) == nil { try create(store) }
            try star(store, 20)
            try store.compact()
            revisions.append(try #require(try store.list(Self.list)).enter { $0.version.revision })
            store.stop()
            var files = try folder.contents()
            files["acknowledged"] = nil
            try folder.fill(files)
        }
        #expect(revisions == [21, 41, 61, 81])
    }
}

extension Durability {
    /// Waits for the outcome.
    func wait() throws {
        let outcome = Outcomes()
        whenDone { outcome.settle($0) }
        try outcome.wait().get()
    }
}
