import ListDiff
import ListModel
@testable import ListStore
import TestSupport
import Testing
import Threads

/// Readers of one store see what another one has written before they asked. No hint tells of it.
@Suite(.timeLimit(.minutes(Soak.hangMinutes))) struct ReadCheckTests {
    private static let list = StoreFixture.list
    private static let other = ListID("other")!

    private let journals: [WatchedJournal]
    private let stores: [Store]
    private let clock = Locked(0)

    init() throws {
        let memory = MemoryJournal(fault: .givesNoHints)
        journals = (0..<2).map { _ in WatchedJournal(over: memory) }
        var limits = StoreFixture.limits
        limits.deleted = .init(listsMax: 9, bytesMax: .max, ageMax: 1_000)
        stores = try zip(journals, ["e", "f"]).map { [clock, limits] journal, name in
            let count = Counter()
            return try Store(
                journal: journal, limits: limits, clock: { 0 }, milliseconds: { clock.withLock { $0 } },
                token: { "\(name)\(count.next())" })
        }
    }

    private func put(_ sections: String, _ list: ListID = Self.list, by store: Store) async throws {
        let write = Write(.operations([.applySnapshot(WantedSnapshot(sections: StoreFixture.sections(sections)))]))
        _ = try await store.create(list, write).settled().get()
    }

    private static func text(_ store: Store, _ list: ListID = Self.list) -> String {
        guard let list = try? store.list(list) else { return "no list" }
        return StoreFixture.text(list.read { $0.snapshot() }.state)
    }

    /// The lists that readers see at the moment when they are told, in the order in which they are told.
    private final class Readers: Sendable {
        private let seen = Locked<[String]>([])
        private let told = Locked(0)

        /// How many are told. Some of them may still be reading.
        var toldCount: Int { told.withLock { $0 } }

        func read(_ store: Store, _ lists: ListID...) {
            store.whenCurrent(lists) { [seen, told] outcome in
                told.change { $0 += 1 }
                let text: String
                switch outcome {
                case .success: text = lists.map { ReadCheckTests.text(store, $0) }.joined(separator: "; ")
                case .failure(let error): text = "\(error)"
                }
                seen.change { $0.append(text) }
            }
        }

        func wait(_ count: Int) -> [String] { seen.wait(until: { $0.count >= count }) { $0 } }
    }

    @Test func aReaderSeesWhatOthersWrote() async throws {
        let readers = Readers()
        try await put("A:a", by: stores[0])
        readers.read(stores[1], Self.list)
        #expect(readers.wait(1) == ["A:a"])
        try await put("A:a,b", by: stores[0])
        // Without a check it does not.
        #expect(Self.text(stores[1]) == "A:a")
        readers.read(stores[1], Self.list)
        #expect(readers.wait(2).last == "A:a,b")
        _ = try await stores[0].delete(Self.list, Write(.operations([])), purges: true).settled().get()
        readers.read(stores[1], Self.list)
        #expect(readers.wait(3).last == "no list")
        try await put("B:b", by: stores[0])
        try await put("C:c", Self.other, by: stores[0])
        readers.read(stores[1], Self.list, Self.other)
        #expect(readers.wait(4).last == "B:b; C:c")
    }

    /// A query that is under way says nothing to those who come meanwhile, and one query says it to all of them.
    @Test func whoComesDuringAQueryWaitsForTheNext() async throws {
        let readers = Readers()
        try await put("A:a", by: stores[0])
        try await put("C:c", Self.other, by: stores[0])
        #expect(Self.text(stores[1]) + Self.text(stores[1], Self.other) == "A:aC:c")
        let before = journals[1].asked.count
        journals[1].hold(.afterPlaces)
        readers.read(stores[1], Self.list)
        journals[1].waitForCaller(at: .afterPlaces)
        try await put("A:a,b", by: stores[0])
        for _ in 0..<50 { readers.read(stores[1], Self.list) }
        for _ in 0..<50 { readers.read(stores[1], Self.other) }
        journals[1].release(.afterPlaces)
        let seen = readers.wait(101)
        #expect(seen[0] == "A:a")
        #expect(seen.filter { $0 == "A:a,b" }.count == 50)
        #expect(seen.filter { $0 == "C:c" }.count == 50)
        let asked = journals[1].asked.dropFirst(before)
        #expect(asked.map { Set($0) } == [[Self.list], [Self.list, Self.other]])
    }

    /// The entries of one list take long. Readers of another list do not wait for them.
    @Test func aListThatTakesLongHoldsUpNoOther() async throws {
        let readers = Readers()
        try await put("A:a", by: stores[0])
        try await put("C:c", Self.other, by: stores[0])
        #expect(Self.text(stores[1]) + Self.text(stores[1], Self.other) == "A:aC:c")
        try await put("A:a,b", by: stores[0])
        try await put("C:c,d", Self.other, by: stores[0])
        journals[1].hold(.beforeLoad(Self.list))
        readers.read(stores[1], Self.list)
        journals[1].waitForCaller(at: .beforeLoad(Self.list))
        for count in 1...3 {
            readers.read(stores[1], Self.other)
            #expect(readers.wait(count) == Array(repeating: "C:c,d", count: count))
        }
        journals[1].release(.beforeLoad(Self.list))
        #expect(readers.wait(4).last == "A:a,b")
    }

    /// Others can see a commit before the store that made it knows that it is written. No reader may go back then.
    @Test func aCommitThatIsBeingSettledIsSeen() async throws {
        let readers = Readers()
        try await put("A:a", by: stores[0])
        journals[0].hold(.afterCommit)
        let write = Write(.operations([.applySnapshot(WantedSnapshot(sections: StoreFixture.sections("A:a,b")))]))
        let submission = stores[0].create(Self.list, write)
        journals[0].waitForCaller(at: .afterCommit)
        readers.read(stores[1], Self.list)
        #expect(readers.wait(1) == ["A:a,b"])
        let asked = journals[0].asked.count
        readers.read(stores[0], Self.list)
        // The store that made it is asked meanwhile.
        while journals[0].asked.count == asked { await Task.yield() }
        journals[0].release(.afterCommit)
        #expect(readers.wait(2).last == "A:a,b")
        _ = try await submission.settled().get()
    }

    /// A commit that nobody can see yet is no reason to wait.
    @Test func aCommitThatIsNotThereHoldsUpNobody() async throws {
        let readers = Readers()
        try await put("A:a", by: stores[0])
        let list = try #require(try stores[0].list(Self.list))
        let line = list.line
        let place = try #require(line.place)
        line.move(to: LogPlace(life: place.life, position: place.position + 1))
        #expect(line.covers(place))
        #expect(!line.covers(line.place))
        #expect(line.isAboutToCover(line.place))
        #expect(!line.isAboutToCover(place))
        line.show()
        #expect(line.covers(line.place))
        #expect(!line.isAboutToCover(line.place))
        line.move(to: place)
        readers.read(stores[0], Self.list)
        #expect(readers.wait(1) == ["A:a"])
    }

    /// A thread has read a list before others wrote to it, and the list is not in memory yet.
    @Test func aListThatWasReadBeforeIsNotCurrent() async throws {
        let readers = Readers()
        try await put("A:a", by: stores[0])
        journals[1].hold(.afterLoad(Self.list))
        let loader = try startThread { [stores] in _ = Self.text(stores[1]) }
        journals[1].waitForCaller(at: .afterLoad(Self.list))
        try await put("A:a,b", by: stores[0])
        journals[1].hold(.afterPlaces)
        readers.read(stores[1], Self.list)
        journals[1].waitForCaller(at: .afterPlaces)
        // The next query comes when the answer of this one is looked at.
        stores[1].whenCurrent([Self.other]) { _ in }
        journals[1].release(.afterPlaces)
        while readers.toldCount == 0, !journals[1].asked.contains([Self.other]) { await Task.yield() }
        // Nobody can let the list follow.
        journals[1].fail(with: .away("no route"))
        journals[1].release(.afterLoad(Self.list))
        #expect(readers.wait(1) == ["\(JournalError.away("no route"))"])
        loader.join()
        journals[1].fail(with: nil)
        readers.read(stores[1], Self.list)
        #expect(readers.wait(2).last == "A:a,b")
    }

    /// A write reads the list before others write to it, and the list follows before the refusal is compared.
    @Test func aRefusalIsNotOfAListThatWasReadBefore() async throws {
        try await put("A:a", by: stores[0])
        journals[1].hold(.afterLoad(Self.list))
        let refusal = Locked<StoreError?>(nil)
        let writer = try startThread { [stores] in
            let write = Write(.operations([]), match: .versions([]))
            guard case .failure(let error) = stores[1].submit(Self.list, write).result else { return }
            refusal.withLock { $0 = error }
        }
        journals[1].waitForCaller(at: .afterLoad(Self.list))
        try await put("A:a,b", by: stores[0])
        let head = try #require(try stores[0].list(Self.list)).standing.revision
        // The writer cannot ask what has come meanwhile. Another thread can.
        journals[1].fail(with: .away("no route"), calls: 1)
        journals[1].hold(.beforePlaces)
        journals[1].release(.afterLoad(Self.list))
        while refusal.withLock({ $0 == nil }), !journals[1].isHolding(.beforePlaces) { await Task.yield() }
        try stores[1].follow(Self.list)
        journals[1].release(.beforePlaces)
        writer.join()
        guard case .preconditionFailed(let found, _)? = refusal.withLock({ $0 }) else {
            Issue.record("The write was not refused.")
            return
        }
        #expect(found?.revision == head)
    }

    @Test func aJournalThatIsAwayIsSaid() async throws {
        let readers = Readers()
        try await put("A:a", by: stores[0])
        #expect(Self.text(stores[1]) == "A:a")
        journals[1].fail(with: .away("no route"))
        readers.read(stores[1], Self.list)
        readers.read(stores[1], Self.list, Self.other)
        #expect(readers.wait(2) == Array(repeating: "\(JournalError.away("no route"))", count: 2))
        #expect(Self.text(stores[1]) == "A:a")
        journals[1].fail(with: nil)
        try await put("A:a,b", by: stores[0])
        readers.read(stores[1], Self.list)
        #expect(readers.wait(3).last == "A:a,b")
        stores[1].stop()
        readers.read(stores[1], Self.list)
        #expect(readers.wait(4).last == "\(JournalError.closed)")
    }

    @Test func theAgeOfMemoryIsKnown() async throws {
        let readers = Readers()
        try await put("A:a", by: stores[0])
        clock.withLock { $0 = 1_000 }
        let list = try #require(try stores[1].list(Self.list))
        #expect(stores[1].millisecondsSinceCurrent(list) == 0)
        clock.withLock { $0 = 3_500 }
        #expect(stores[1].millisecondsSinceCurrent(list) == 2_500)
        #expect(stores[1].millisecondsSincePageWasCurrent(after: nil, limit: 9, among: nil) == 3_500)
        // A comparison of all lists, as after a hint, shows that nothing has changed.
        stores[1].noteOthers(wroteTo: [Self.list])
        #expect(stores[1].millisecondsSinceCurrent(list) == 0)
        clock.withLock { $0 = 5_000 }
        journals[1].fail(with: .away("no route"))
        stores[1].noteOthers(wroteTo: [Self.list])
        readers.read(stores[1], Self.list)
        _ = readers.wait(1)
        #expect(stores[1].millisecondsSinceCurrent(list) == 1_500)
        #expect(throws: JournalError.self) { try stores[1].checkPage(after: nil, limit: 9, among: nil) }
        journals[1].fail(with: nil)
        try stores[1].checkPage(after: nil, limit: 9, among: nil)
        #expect(stores[1].millisecondsSincePageWasCurrent(after: nil, limit: 9, among: nil) == 0)
    }

    @Test func deletedListsOfOthersAreFound() async throws {
        let names = { (store: Store) in store.deletedLists(after: nil, limit: 9).map(\.id) }
        try await put("A:a", by: stores[0])
        try await put("C:c", Self.other, by: stores[0])
        #expect(Self.text(stores[1]) == "A:a")
        for list in [Self.list, Self.other] {
            _ = try await stores[0].delete(list, Write(.operations([]))).settled().get()
        }
        #expect(names(stores[1]) == [])
        clock.withLock { $0 = 9_000 }
        #expect(stores[1].millisecondsSinceDeletedWereCurrent == 9_000)
        try stores[1].checkDeletedLists()
        #expect(names(stores[1]) == names(stores[0]))
        #expect(names(stores[1]).count == 2)
        #expect(stores[1].millisecondsSinceDeletedWereCurrent == 0)
        _ = try await stores[0].restore(Self.list, nil, Write(.operations([]))).settled().get()
        try stores[1].checkDeletedLists()
        #expect(names(stores[1]) == [Self.other])
        #expect(Self.text(stores[1]) == "A:a")
        journals[1].fail(with: .away("no route"))
        #expect(throws: JournalError.self) { try stores[1].checkDeletedLists() }
    }

    /// A store alone has nobody to ask, and no thread for it.
    @Test func aStoreAloneChecksNothing() async throws {
        let fixture = try StoreFixture(journal: MemoryJournal())
        try await fixture.createSettled("A:a")
        #expect(!fixture.store.checksReads)
        let told = Locked(0)
        fixture.store.whenCurrent([Self.list]) { _ in told.withLock { $0 += 1 } }
        #expect(told.withLock { $0 } == 1)
    }
}
