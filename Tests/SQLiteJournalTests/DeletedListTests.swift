import ListDiff
import ListModel
import TestSupport
import Testing

@testable import ListStore
@testable import SQLiteJournal

/// Deleted lists in the files, across starts, compaction, verification, copies and repair.
@Suite struct DeletedListTests {
    private static let id = ListID("list")!
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    private func store(days: Int = 7, clock: Int = 1_000) throws -> ListStore.Store {
        var limits = CompactionTests.limits()
        limits.deleted = .init(listsMax: 3, bytesMax: .max, ageMax: days * 86_400)
        return try CompactionTests.open(folder, limits, clock: clock)
    }

    private static func wait(_ submission: Submission) throws -> Version {
        let result = try submission.result.get()
        try submission.durability?.wait()
        return result.version
    }

    private func fill(_ store: ListStore.Store, _ count: Int) throws {
        for number in 0..<count {
            var changes = ListChanges()
            changes.title = .set("\(number)")
            _ = try Self.wait(store.submit(Self.id, Write(.operations([.updateList(changes)]))))
        }
    }

    private var rows: Int {
        get throws { try Maintenance.examine(folder: folder.path).rowCount }
    }

    @Test func livesThroughStartsAndCompaction() throws {
        var store = try store()
        _ = try Self.wait(
            store.create(Self.id, Write(.operations([.appendSections([NewSection(SectionProperties(id: "s"))])]))))
        try fill(store, 40)
        for round in 1..<4 {
            let end = try Self.wait(store.delete(Self.id, Write(.operations([]))))
            try store.compact()
            store.stop()
            #expect(try Maintenance.examine(folder: folder.path).findings == [])
            store = try self.store()
            try store.compact()
            #expect(try store.list(Self.id) == nil && store.deletedLists(after: nil, limit: 9).map(\.version) == [end])
            let back = try Self.wait(
                store.restore(
                    Self.id, round == 2 ? Version(epoch: end.epoch, revision: end.revision - 5) : nil,
                    Write(.operations([]))))
            #expect(back == end.next)
            try fill(store, 20)
            try store.compact()
            let live = CompactionTests.Knowledge(store)
            store.stop()
            #expect(try Maintenance.examine(folder: folder.path).findings == [])
            store = try self.store()
            #expect(CompactionTests.Knowledge(store) == live && live != nil)
        }
        store.stop()
    }

    @Test func whatIsPurgedLeavesTheDisk() throws {
        var store = try store()
        for round in 0..<4 {
            _ = try Self.wait(store.create(Self.id, Write(.operations([]))))
            try fill(store, 30)
            _ = try Self.wait(store.delete(Self.id, Write(.operations([]))))
            switch round {
            case 0: _ = try Self.wait(store.delete(Self.id, Write(.operations([])), purges: true))
            case 1:
                store.stop()
                #expect(try rows > 5)
                store = try self.store(clock: 1_000 + 8 * 86_400)
            case 2:
                store.stop()
                store = try self.store(days: 0)
            default:
                _ = try Self.wait(store.create(Self.id, Write(.operations([]))))
                _ = try Self.wait(store.delete(Self.id, Write(.operations([])), purges: true))
            }
            store.waitForCompaction()
            try store.compact()
            store.stop()
            #expect(try rows == 0, "round \(round)")
            store = try self.store()
        }
        store.stop()
    }

    /// A copy that is put back, and a folder that was repaired, have the deleted lists, in new epochs.
    @Test func comesWithCopiesAndRepairs() throws {
        var store = try store()
        let first = try Self.wait(store.create(Self.id, Write(.operations([]))))
        try fill(store, 3)
        _ = try Self.wait(store.delete(Self.id, Write(.operations([]))))
        let other = ListID("other")!
        _ = try Self.wait(store.create(other, Write(.operations([]))))
        store.stop()
        let copy = try TemporaryFolder(isInMemory: true)
        try Maintenance.restore(folder.path + "/liststate.db", folder: copy.path)
        try folder.change("UPDATE log SET bytes = x'00' WHERE list = 'other'")
        #expect(try Maintenance.repair(folder: folder.path) != nil)
        for each in [copy, folder] {
            var limits = CompactionTests.limits()
            limits.deleted = .init(listsMax: 3, bytesMax: .max, ageMax: 86_400)
            let journal = try SQLiteJournal(directory: each.path)
            #expect(journal.recovery.mayMissCommits)
            store = try ListStore.Store(
                journal: journal, mayMissCommits: true, limits: limits, clock: { 2_000 }, token: { "new" })
            #expect(store.deletedLists(after: nil, limit: 9).map { "\($0.id) \($0.version)" } == ["list new-4"])
            let old = Result { try Self.wait(store.restore(Self.id, first, Write(.operations([])))) }
            guard case .failure(StoreError.madeAnew) = old else {
                Issue.record("\(old)")
                return
            }
            #expect(try Self.wait(store.restore(Self.id, nil, Write(.operations([])))).revision == 5)
            store.stop()
            #expect(try Maintenance.examine(folder: each.path).findings == [])
        }
    }

    /// A tool has no limits for deleted lists, so it leaves them as they are.
    @Test func toolsLeaveThemAsTheyAre() throws {
        var store = try store()
        _ = try Self.wait(store.create(Self.id, Write(.operations([]))))
        let end = try Self.wait(store.delete(Self.id, Write(.operations([]))))
        store.stop()
        store = try CompactionTests.open(folder, CompactionTests.limits(), clock: 1 << 40)
        #expect(store.load().isEmpty && store.lists(after: nil, limit: 9).isEmpty)
        try store.compact()
        store.stop()
        store = try self.store()
        #expect(store.deletedLists(after: nil, limit: 9).map(\.version) == [end])
        store.stop()
    }
}
