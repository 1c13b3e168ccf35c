import ListDiff
import ListModel
import TestSupport
import Testing
import Threads

@testable import ListStore

/// Lists leave memory and come back, and nobody can tell.
@Suite struct ListMemoryTests {
    private static func id(_ number: Int) -> ListID { ListID("list-\(number)")! }

    private static func store(_ journal: TestJournal?, bytesMax: Int?) throws -> Store {
        var limits = StoreFixture.limits
        limits.historyVersionsMax = 5
        limits.listsMemoryBytesMax = bytesMax
        return try Store(journal: journal, limits: limits, clock: { 1_000 }, token: { "e" })
    }

    private static func add(_ item: Int, to list: ListID, _ store: Store) async throws {
        let item = NewItem(ItemID(unchecked: "i\(item)"), value: ItemChanges())
        let append = Operation.appendItems([item], .section("s"))
        let isThere = store.contains(list)
        let section = Operation.appendSections([NewSection(SectionProperties(id: "s"))])
        _ = try await store.create(list, Write(.operations(isThere ? [append] : [section, append]))).settled().get()
    }

    private static func memory(_ store: Store) -> Int { (0..<40).count { store.loaded(id($0)) != nil } }

    @Test func listsThatNobodyUsesLeave() async throws {
        let store = try Self.store(TestJournal(), bytesMax: 60_000)
        for number in 0..<40 { try await Self.add(0, to: Self.id(number), store) }
        #expect((1...19).contains(Self.memory(store)))
        for number in 0..<40 {
            let list = try #require(try store.list(Self.id(number)))
            #expect(list.read { $0.snapshot() }.state.itemCount == 1)
        }
        #expect((1...19).contains(Self.memory(store)))
        #expect(store.lists(after: nil, limit: 50).count == 40)
        store.stop()
    }

    /// Other uses of memory take what the lists may have, or want it.
    @Test(arguments: [true, false])
    func listsLeaveForOtherUses(areThere: Bool) async throws {
        var limits = StoreFixture.limits
        limits.listsMemoryBytesMax = 8 << 20
        limits.memory = MemoryBudget(bytesMax: 8 << 20)
        let store = try Store(journal: TestJournal(), limits: limits, clock: { 1_000 }, token: { "e" })
        // The budget is told once the lists take a step of it.
        for number in 0..<100 { try await Self.add(0, to: Self.id(number), store) }
        let before = (0..<100).count { store.loaded(Self.id($0)) != nil }
        #expect(before == 100)
        #expect(limits.memory.bytes(of: .lists) >= 2 * MemoryBudget.step)
        if areThere {
            limits.memory.count(8 << 20, .answers)
            try await Self.add(1, to: Self.id(0), store)
        } else {
            #expect(!limits.memory.hasRoom(for: 7 << 20, of: 7 << 20))
        }
        // Each list was just asked for, so each has a second turn.
        store.makeRoomForRefused()
        let after = (0..<100).count { store.loaded(Self.id($0)) != nil }
        #expect(after < before)
        store.stop()
    }

    /// Two objects for one list would each take writes.
    @Test func aListThatSomebodyHasStays() async throws {
        let store = try Self.store(TestJournal(), bytesMax: 60_000)
        try await Self.add(0, to: Self.id(0), store)
        let list = try #require(try store.list(Self.id(0)))
        for number in 1..<40 { try await Self.add(0, to: Self.id(number), store) }
        #expect(try store.list(Self.id(0)) === list)
        store.stop()
    }

    @Test func listsLeaveForWhatIsKeptForReadersOfOthers() async throws {
        let store = try Self.store(TestJournal(), bytesMax: 60_000)
        for number in 0..<5 { try await Self.add(0, to: Self.id(number), store) }
        #expect(Self.memory(store) == 5)
        let list = try #require(try store.list(Self.id(4)))
        list.countBeside(60_000)
        try await Self.add(1, to: Self.id(4), store)
        #expect(Self.memory(store) == 1)
        list.countBeside(-60_000)
        for number in 0..<5 { _ = try store.list(Self.id(number)) }
        #expect(Self.memory(store) == 5)
        store.stop()
    }

    /// Otherwise those who read could make the store refuse to write.
    @Test func withoutAJournalNothingCountsThatIsKeptForReaders() async throws {
        let store = try Self.store(nil, bytesMax: 60_000)
        try await Self.add(0, to: Self.id(0), store)
        try #require(try store.list(Self.id(0))).countBeside(60_000)
        try await Self.add(1, to: Self.id(0), store)
        store.stop()
    }

    @Test func aListStaysWhileAWriteWaitsForTheDisk() async throws {
        let journal = TestJournal()
        let store = try Self.store(journal, bytesMax: 60_000)
        for number in 0..<10 { try await Self.add(0, to: Self.id(number), store) }
        journal.close(gate: true)
        let item = NewItem("late", value: ItemChanges())
        let late = store.submit(Self.id(9), Write(.operations([.appendItems([item], .section("s"))])))
        var others: [Submission] = []
        for number in 10..<40 {
            let write = Write(.operations([.appendSections([NewSection(SectionProperties(id: "s"))])]))
            others.append(store.create(Self.id(number), write))
        }
        journal.close(gate: false)
        for one in others { _ = try await one.settled().get() }
        _ = try await late.settled().get()
        let list = try #require(try store.list(Self.id(9)))
        #expect(list.read { $0.snapshot() }.state.contains(ItemID(unchecked: "late")))
        store.stop()
    }

    /// The same random writes and reads, with lists that leave at once and with lists that stay.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func nobodyCanTell(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let (small, large) = (try Self.store(TestJournal(), bytesMax: 1), try Self.store(TestJournal(), bytesMax: nil))
        var next = 0
        for _ in 0..<400 {
            let list = Self.id(Int.random(in: 0..<6, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                next += 1
                for store in [small, large] { try await Self.add(next, to: list, store) }
            case 5:
                for store in [small, large] { _ = await store.delete(list, Write(.operations([]))).settled() }
            case 6:
                let since = Int.random(in: 0...12, using: &random)
                let write = Write(.undo(Version(epoch: "e", revision: since)))
                let results = [small, large].map { $0.submit(list, write) }
                for result in results { _ = await result.settled() }
                #expect(Self.text(results[0]) == Self.text(results[1]))
            default:
                let since = Int.random(in: 0...12, using: &random)
                #expect(try Self.changes(small, list, since) == Self.changes(large, list, since))
            }
            #expect(Self.memory(small) <= 4)
        }
        for store in [small, large] { store.stop() }
    }

    private static func text(_ submission: Submission) -> String {
        switch submission.result {
        case .success(let result): "\(result.version) \(String(describing: result.changes))"
        case .failure(let error): "\(error)"
        }
    }

    private static func changes(_ store: Store, _ id: ListID, _ since: Int) throws -> String {
        guard let list = try store.list(id) else { return "none" }
        let version = list.version(at: since)
        let found = list.catchup(since: version, RowQuery(), RowQuery(), isReload: false, among: nil)
        switch found.catchup {
        case .changes(let changes, let from, let to, let counts): return "\(from) \(to) \(counts) \(changes)"
        case .reset(let snapshot):
            return "reset \(found.isHistoryLost) \(snapshot.version) \(StoreFixture.text(snapshot.state))"
        }
    }

    /// Without a journal nothing can leave.
    @Test func inMemoryAListThatWouldGrowBeyondTheBoundIsRefused() async throws {
        let store = try Self.store(nil, bytesMax: 60_000)
        var refused = 0
        for number in 0..<40 {
            do { try await Self.add(0, to: Self.id(number), store) } catch StoreError.memoryFull { refused += 1 }
        }
        #expect(refused > 20 && Self.memory(store) == 40 - refused)
        // Before a list is made, its title is its id, so this one becomes smaller.
        var changes = ListChanges()
        changes.title = .set("x")
        guard case .failure(.memoryFull) = store.create(Self.id(41), Write(.operations([.updateList(changes)]))).result
        else {
            Issue.record("a list was made beyond the bound")
            return
        }
        // A write that makes a list shorter is allowed, and makes room.
        _ = try store.submit(Self.id(0), Write(.operations([.deleteItems(["i0"])]))).result.get()
        for number in 0..<5 { _ = try store.delete(Self.id(number), Write(.operations([]))).result.get() }
        try await Self.add(0, to: Self.id(39), store)
        store.stop()
    }
}
