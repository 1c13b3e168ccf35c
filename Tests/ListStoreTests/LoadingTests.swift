import Glibc
import ListDiff
import ListModel
@testable import ListStore
import Threads
import TestSupport
import Testing

/// A list is read into memory once, when it is first asked for. While it cannot be read, no client is told that it does
/// not exist.
@Suite struct LoadingTests {
    /// A journal whose reads wait for a gate and fail when told to.
    private final class ReadJournal: PartialJournal {
        private struct State: Sendable {
            var isOpen = true
            var failure: JournalError?
            var reads = 0
        }

        private let state = Locked(State())
        private let journal: TestJournal

        init(_ entries: [JournalEntry]) { journal = TestJournal(entries: entries) }

        var entries: [JournalEntry] { journal.entries }
        var reads: Int { state.withLock { $0.reads } }
        func close(gate isClosed: Bool) { state.change { $0.isOpen = !isClosed } }
        func fail(with error: JournalError?) { state.withLock { $0.failure = error } }
        func waitForRead() { state.wait(until: { $0.reads > 0 }) { _ in } }

        func load(
            _ list: ListID, after place: LogPlace?, snapshot: (SnapshotPart) throws -> Void,
            entry: (JournalEntry) throws -> Void
        ) throws -> LogPlace? {
            state.change { $0.reads += 1 }
            if let failure = state.wait(until: { $0.isOpen }, then: { $0.failure }) { throw failure }
            return try journal.load(list, after: place, snapshot: snapshot, entry: entry)
        }

        func commit(_ commits: [Commit]) throws(JournalError) -> [CommitOutcome] { try journal.commit(commits) }
        func lists(after id: ListID?, limit: Int) throws(JournalError) -> [ListID] {
            try journal.lists(after: id, limit: limit)
        }
        func retired() throws -> [RetiredList] { try journal.retired() }
    }

    private static func put(_ sections: String, key: ReceiptKey? = nil) -> Write {
        Write(.operations([.applySnapshot(WantedSnapshot(sections: StoreFixture.sections(sections)))]), key: key)
    }

    /// The log that a store with these lists writes.
    private func written(_ lists: [ListID]) async throws -> [JournalEntry] {
        let journal = TestJournal()
        let fixture = try StoreFixture(journal: journal)
        for list in lists { _ = try await fixture.store.create(list, Self.put("A:a,b")).settled().get() }
        fixture.store.stop()
        return journal.entries
    }

    @Test func whoComesSecondWaitsForTheFirst() async throws {
        let journal = ReadJournal(try await written([StoreFixture.list]))
        let store = try StoreFixture(journal: journal).store
        journal.close(gate: true)
        let found = Locked<[ListActor?]>([])
        let threads = try (0..<6).map { number in
            try Thread {
                let list =
                    number % 2 == 0
                    ? try? store.list(StoreFixture.list) : store.lists(after: nil, limit: 9).first?.list
                found.change { $0.append(list) }
            }
        }
        journal.waitForRead()
        journal.close(gate: false)
        for thread in threads { thread.join() }
        let lists = found.withLock { $0 }.compactMap { $0 }
        #expect(lists.count == 6 && lists.allSatisfy { $0 === lists[0] })
        #expect(journal.reads == 1)
        store.stop()
    }

    /// A search reads a few lists, and the next search the lists behind them. A list in memory costs nothing.
    @Test func aSearchReadsSoMuch() async throws {
        let ids = (10..<30).map { ListID("l\($0)")! }
        let journal = ReadJournal(try await written(ids))
        let store = try StoreFixture(journal: journal).store
        let first = store.lists(after: nil, limit: 50, looksMax: 50, bytesMax: 1, among: nil) { _ in true }
        #expect(first.lists.map(\.id) == [ids[0]] && first.last == ids[0] && journal.reads == 1)
        let second = store.lists(after: nil, limit: 50, looksMax: 50, bytesMax: 1, among: nil) { _ in false }
        #expect(second.lists.isEmpty && second.last == ids[1] && journal.reads == 2)
        let size = try #require(try store.list(ids[0])).enter { $0.storedBytes }
        let third = store.lists(after: second.last, limit: 50, looksMax: 50, bytesMax: 5 * size, among: nil) { _ in true
        }
        #expect(third.lists.map(\.id) == Array(ids[2..<7]) && third.last == ids[6] && journal.reads == 7)
        let rest = store.lists(after: ids[6], limit: 50, looksMax: 50, bytesMax: .max, among: nil) { _ in true }
        #expect(rest.lists.count == 13 && rest.last == nil && journal.reads == 20)
        store.stop()
    }

    @Test func aListThatCannotBeReadIsNeitherMissingNorMadeAnew() async throws {
        let (id, other) = (StoreFixture.list, ListID("zoo")!)
        let journal = ReadJournal(try await written([id, other]))
        let store = try StoreFixture(journal: journal).store
        let before = journal.entries
        let key = ReceiptKey(scope: [1], request: [1])
        let failure = JournalError.io("the disk is away")
        journal.fail(with: failure)
        func isUnreadable(_ body: () throws -> Void) -> Bool {
            do { try body() } catch StoreError.unreadable(id, failure) { return true } catch { return false }
            return false
        }
        for _ in 0..<2 {
            #expect(isUnreadable { _ = try store.list(id) })
            let listed = store.lists(after: nil, limit: 9)
            #expect(listed.map(\.id) == [id, other] && listed.allSatisfy { $0.list == nil })
            #expect(isUnreadable { _ = try store.create(id, Self.put("B:c", key: key)).result.get() })
            #expect(isUnreadable { _ = try store.create(id, Self.put("B:c"), mustNotExist: true).result.get() })
            #expect(isUnreadable { _ = try store.submit(id, Self.put("B:c", key: key)).result.get() })
            #expect(isUnreadable { _ = try store.delete(id, Write(.operations([]))).result.get() })
            #expect(store.contains(id))
        }
        #expect(store.load().map(\.error) == [failure, failure])
        #expect(store.damagedLists(limit: 9).isEmpty)
        #expect(store.isAcceptingWrites && journal.entries == before)
        journal.fail(with: nil)
        #expect(store.lists(after: nil, limit: 9).map(\.id) == [id, other])
        let result = try await store.create(id, Self.put("B:c", key: key)).settled().get()
        #expect(result.kind == .changed && result.version.revision == 2)
        store.stop()
    }

    @Test func aListIsMadeAgainBeforeAnybodyHasReadIt() async throws {
        let journal = TestJournal(entries: try await written([StoreFixture.list]))
        for round in 0..<3 {
            let store = try StoreFixture(journal: journal, epochs: "r\(round)n").store
            _ = try await store.delete(StoreFixture.list, Write(.operations([]))).settled().get()
            #expect(try store.list(StoreFixture.list) == nil)
            let made = try await store.create(StoreFixture.list, Self.put("A:c")).settled().get()
            #expect(made.kind == .created && made.version.revision == 1)
            store.stop()
        }
        let fixture = try StoreFixture(journal: TestJournal(entries: journal.entries))
        #expect(fixture.text == "A:c")
        fixture.store.stop()
    }

    /// A start that may miss commits is ended after it has written some of the new epochs.
    @Test(arguments: 0...3)
    func newEpochsAreWrittenWithoutReadingTheLists(kept: Int) async throws {
        let ids = ["a", "b", "c"].map { ListID($0)! }
        let before = try await written(ids)
        let first = ReadJournal(before)
        try StoreFixture(journal: first, mayMissCommits: true, epochs: "x").store.stop()
        #expect(first.reads == 0 && first.entries.count == before.count + 3)
        let second = ReadJournal(Array(first.entries.prefix(before.count + kept)))
        let store = try StoreFixture(journal: second, mayMissCommits: true, epochs: "y").store
        var epochs: Set<String> = []
        for id in ids {
            let list = try #require(try store.list(id))
            let snapshot = list.enter { $0.snapshot() }
            #expect(StoreFixture.text(snapshot.state) == "A:a,b" && snapshot.version.revision == 1)
            #expect(snapshot.version.epoch.hasPrefix("y"))
            epochs.insert(snapshot.version.epoch.string)
        }
        #expect(epochs.count == 3)
        store.stop()
    }
}
