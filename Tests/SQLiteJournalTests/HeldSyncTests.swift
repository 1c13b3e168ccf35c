import ListDiff
import ListModel
import TestSupport
import Testing
import Threads

@testable import ListStore
@testable import SQLiteJournal

/// A read does not wait while a sync takes long.
@Suite struct HeldSyncTests {
    private static let writes = 24
    private static let lists = (0..<200).compactMap { ListID("l\($0)") }

    private static func title(_ text: ByteText) -> Write {
        var changes = ListChanges()
        changes.title = .set(text)
        return Write(.operations([.updateList(changes)]))
    }

    private static func store(_ disk: SimulatedDisk) throws -> Store {
        let journal = try SQLiteJournal(directory: "/store", pageSize: 512, logPagesMax: 8, on: disk)
        let limits = Store.Limits(
            itemsMax: 100, sectionsMax: 100, contentBytesMax: 1_000, historyVersionsMax: 8, historyBytesMax: 1 << 20,
            receiptsMax: 10, receiptAgeMax: 400)
        return try Store(journal: journal, limits: limits, clock: { 1_000 }, token: { "e" })
    }

    /// Writes several times, and waits for the disk each time.
    private static func write(_ store: Store, _ disk: SimulatedDisk, _ isOver: Locked<Bool>) throws -> Thread {
        try Thread {
            for number in 0..<writes {
                let settled = Locked(false)
                let submission = store.submit(lists[0], title("\(number)"))
                submission.durability?.whenDone { _ in settled.change { $0 = true } }
                settled.wait(until: { $0 }) { _ in }
            }
            isOver.withLock { $0 = true }
            disk.wakeWhoWaitsForSync()
        }
    }

    /// Every sync is held: those of commits, and those of checkpoints.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func readsDoNotWaitForASync() throws {
        let disk = SimulatedDisk(seed: 1)
        let vfs = SimulatedVFS(disk)
        defer { withExtendedLifetime(vfs) {} }
        let first = try Self.store(disk)
        for list in Self.lists { _ = first.create(list, Self.title("start")) }
        first.stop()
        let store = try Self.store(disk)
        let loaded = try #require(try store.list(Self.lists[0]))
        let journal = try #require(store.journal)
        let subscription = store.subscriptions.add([7], owner: "") { _, _ in }.name
        store.subscriptions.waitUntilWritten()
        let record = KeyedRecord.Key(.subscription, Array(subscription.utf8))
        disk.hold(syncs: true)
        let isOver = Locked(false)
        let writer = try Self.write(store, disk, isOver)
        var unread = Self.lists.dropFirst()
        var held = 0
        while disk.waitForSync(until: { isOver.withLock { $0 } }), let next = unread.popFirst() {
            held += 1
            #expect(loaded.enter { $0.snapshot() }.version == loaded.version(at: loaded.standing.revision))
            #expect(try store.list(next)?.enter { $0.snapshot() }.state.properties.title == "start")
            #expect(store.lists(after: nil, limit: 2).count == 2)
            // A page of lists, of which most are not loaded.
            let page = store.lists(after: Self.lists[held % 50], limit: 9, looksMax: 9, bytesMax: .max, among: nil) {
                _ in true
            }
            #expect(page.lists.count == 9)
            #expect(store.deletedLists(after: nil, limit: 9).isEmpty)
            // The changes since a version, and the history.
            let (caught, note) = loaded.enter { list in
                let version = list.version
                return (list.catchup(since: version, view: .items), list.note(of: version.revision))
            }
            #expect(!caught.isHistoryLost && note != nil)
            #expect(try store.subscriptions.find(subscription) == [7])
            #expect(try journal.record(record)?.value == [7])
            #expect(try journal.records(of: .subscription, after: nil, limit: 9).count == 1)
            #expect(try journal.places(of: [next]).count == 1)
            #expect(store.isAcceptingWrites)
            disk.letOneSyncPass()
        }
        disk.hold(syncs: false)
        writer.join()
        // There were more syncs than writes, because the log was moved into the database too.
        #expect(held > Self.writes && isOver.withLock { $0 })
        #expect(loaded.standing.revision == 1 + Self.writes)
        store.stop()
    }

    /// The thread that commits removes receipts itself, so all writes wait for that. It takes its turn as a commit.
    @Test(.timeLimit(.minutes(Soak.hangMinutes))) func receiptsAreRemovedInTheTurnOfACommit() throws {
        let disk = SimulatedDisk(seed: 1)
        let vfs = SimulatedVFS(disk)
        defer { withExtendedLifetime(vfs) {} }
        let journal = try SQLiteJournal(directory: "/store", pageSize: 512, on: disk)
        _ = try journal.checkedLists()
        disk.hold(syncs: true)
        let writer = try Thread { try? journal.append([JournalEntry("l", .create, "one", receipt: Receipt(1))]) }
        let isHeld = disk.waitForSync { false }
        #expect(isHeld)
        let trimmer = try Thread { _ = try? journal.trimReceipts(keepNewest: 0, olderThan: 0) }
        while journal.waiting == (0, 0) {}
        #expect(journal.waiting == (1, 0))
        disk.hold(syncs: false)
        writer.join()
        trimmer.join()
        #expect(journal.receiptCount == 0)
        journal.close()
    }
}
