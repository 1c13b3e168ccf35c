import Dispatch
import ListDiff
import ListModel
import ListStore
import TestSupport
import Testing
import Threads

/// While a long write is at work, readers read the durable head, and a brief write is refused instead of waiting.
@Suite struct LongWriteTests {
    private static func add(_ item: ItemID, _ pace: Write.Pace) -> Write {
        var write = Write(.operations([.appendItems([NewItem(item, value: ItemChanges())], .section("A"))]))
        write.pace = pace
        return write
    }

    private static func text(_ store: Store) throws -> String {
        let list = try #require(try store.list(StoreFixture.list))
        return StoreFixture.text(list.read { $0.snapshot() }.state)
    }

    /// A clock at which the next write stops, while it holds its list.
    private final class Gate: Sendable {
        private let isArmed = Locked(false)
        private let entered = DispatchSemaphore(value: 0)
        private let opened = DispatchSemaphore(value: 0)

        func arm() { isArmed.withLock { $0 = true } }
        func waitUntilEntered() { entered.wait() }
        func open() { opened.signal() }

        func time() -> Int {
            let mustStop = isArmed.withLock { isArmed in
                defer { isArmed = false }
                return isArmed
            }
            if mustStop {
                entered.signal()
                opened.wait()
            }
            return 1_000
        }
    }

    /// Begins a long write that appends `b` to `A:a`, runs `body` while it holds the list, and waits for its end.
    private func during(_ journal: TestJournal? = nil, _ body: (Store, ListActor) throws -> Void) async throws -> Store
    {
        let gate = Gate()
        let store = try Store(
            journal: journal, limits: StoreFixture.limits, clock: gate.time, uptime: { 1_000 }, token: { "e" })
        let wanted = WantedSnapshot(sections: StoreFixture.sections("A:a"))
        _ = try await store.create(StoreFixture.list, Write(.operations([.applySnapshot(wanted)]))).settled().get()
        let list = try #require(try store.list(StoreFixture.list))
        gate.arm()
        let done = DispatchSemaphore(value: 0)
        let result = Locked<Submission?>(nil)
        DispatchQueue.global().async {
            let submission = store.submit(StoreFixture.list, Self.add("b", .long))
            result.withLock { $0 = submission }
            done.signal()
        }
        gate.waitUntilEntered()
        try body(store, list)
        gate.open()
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                done.wait()
                continuation.resume()
            }
        }
        _ = try #require(result.withLock { $0 }).result.get()
        return store
    }

    @Test(arguments: [false, true])
    func readersGoOnAndBriefWritesAreRefused(isOnDisk: Bool) async throws {
        let journal = isOnDisk ? TestJournal() : nil
        let store = try await during(journal) { (store, list) throws in
            #expect(try Self.text(store) == "A:a")
            let version = list.read { $0.version }
            #expect(version.revision == 1)
            let found = list.catchup(since: version, RowQuery(), RowQuery(), isReload: false, among: nil)
            #expect(found.catchup.version == version)
            #expect(list.read { $0.note(of: 1) } != nil)
            #expect(store.submit(StoreFixture.list, Self.add("c", .brief)).isBusy)
            #expect(store.delete(StoreFixture.list, Self.add("c", .brief)).isBusy)
            #expect(store.create(StoreFixture.list, Self.add("c", .brief)).isBusy)
            // The refused write has freed its key.
            var keyed = Self.add("c", .brief)
            keyed.key = ReceiptKey(scope: [1], request: [2])
            #expect(store.submit(StoreFixture.list, keyed).isBusy && store.submit(StoreFixture.list, keyed).isBusy)
        }
        let after = try await store.submit(StoreFixture.list, Self.add("c", .brief)).settled().get()
        #expect(after.version.revision == 3)
        #expect(try Self.text(store) == "A:a,b,c")
        store.stop()
    }

    @Test func readersSeeTheOldListUntilALongWriteIsOnTheDisk() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a")
        journal.close(gate: true)
        let long = fixture.store.submit(StoreFixture.list, Self.add("b", .long))
        let brief = fixture.store.submit(StoreFixture.list, Self.add("c", .brief))
        #expect(try brief.result.get().version.revision == 3)
        #expect(try Self.text(fixture.store) == "A:a")
        let list = try #require(try fixture.store.list(StoreFixture.list))
        #expect(list.read { $0.version }.revision == 1)
        journal.close(gate: false)
        _ = try await long.settled().get()
        _ = try await brief.settled().get()
        #expect(try Self.text(fixture.store) == "A:a,b,c")
        fixture.store.stop()
    }

    /// A copy could have commits that the journal has lost.
    @Test func aLostLongWriteLeavesNoCopyBehind() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a")
        journal.close(gate: true)
        journal.failOnce(with: .full)
        let first = fixture.store.submit(StoreFixture.list, Self.add("x", .ordinary))
        journal.waitForBatch()
        let long = fixture.store.submit(StoreFixture.list, Self.add("b", .long))
        journal.fail(with: .full)
        journal.close(gate: false)
        for submission in [first, long] {
            let outcome = await submission.settled()
            #expect(throws: StoreError.self) { try outcome.get() }
        }
        journal.fail(with: nil)
        _ = try await fixture.store.submit(StoreFixture.list, Self.add("c", .long)).settled().get()
        #expect(try Self.text(fixture.store) == "A:a,c")
        #expect(try #require(fixture.head).version.revision == 2)
        fixture.store.stop()
    }

    @Test func aBriefWriteDoesNotWaitForAListToBeRead() async throws {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        try await fixture.createSettled("A:a")
        fixture.store.stop()
        let store = try StoreFixture(journal: journal).store
        #expect(store.mustLoad(StoreFixture.list))
        #expect(store.submit(StoreFixture.list, Self.add("b", .brief)).isBusy)
        #expect(store.mustLoad(StoreFixture.list))
        _ = try await store.submit(StoreFixture.list, Self.add("b", .long)).settled().get()
        #expect(!store.mustLoad(StoreFixture.list))
        _ = try await store.submit(StoreFixture.list, Self.add("c", .brief)).settled().get()
        #expect(try Self.text(store) == "A:a,b,c")
        store.stop()
    }

    /// The cost of a write is known only when it is carried out, so a brief one gives up on the way.
    @Test func aBriefWriteOfManyRowsIsRefused() throws {
        var limits = StoreFixture.limits
        limits.itemsMax = 10_000
        limits.historyBytesMax = 1 << 26
        let fixture = try StoreFixture("A:a B:" + (0..<5_000).map { "i\($0)" }.joined(separator: ","), limits: limits)
        let store = fixture.store
        func submit(_ write: Write, _ pace: Write.Pace) -> Submission {
            var write = write
            write.pace = pace
            return store.submit(StoreFixture.list, write)
        }
        let before = try #require(fixture.head)
        let rows: [Write] = [
            Write(.operations([.deleteSections(["B"])])),
            Write(.undo(Version(epoch: before.version.epoch, revision: 2))),
            Write(.redo(Version(epoch: before.version.epoch, revision: 3))), Write(.restore(before.version)),
        ]
        for (index, write) in rows.enumerated() {
            let text = fixture.text
            #expect(submit(write, .brief).isBusy, "\(index)")
            #expect(fixture.text == text && fixture.head?.version.revision == index + 1)
            let pace: Write.Pace = index % 2 == 0 ? .long : .patient
            #expect(try submit(write, pace).result.get().version.revision == index + 2, "\(index)")
        }
        #expect(fixture.text == StoreFixture.text(before.state))
        // A write that names a few rows is brief in a long list, too.
        #expect(try submit(Self.add("b", .brief), .brief).result.get().version.revision == 6)
        let based = Write(.operations([.deleteItems(["b"])]), base: Version(epoch: before.version.epoch, revision: 1))
        #expect(submit(based, .brief).isBusy)
        let old = Write(.operations([.deleteItems(["b"])]), match: .versions([before.version]))
        #expect(submit(old, .brief).isBusy)
    }
}
