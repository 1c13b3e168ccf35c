import ListDiff
import ListModel
import Threads
import TestSupport
import Testing

@testable import ListStore

/// A deleted list is hidden from readers and kept for a while. When it is restored it continues as the same list.
@Suite struct DeletedListTests {
    private static let id = StoreFixture.list
    private static let deletion = Write(.operations([]))
    private static let day = 86_400

    /// A store in memory or on a journal, which can be started again.
    private final class Shop {
        let journal: TestJournal?
        private(set) var store: Store
        let clock = Locked(1_000)
        private let tokens = Locked(0)
        private let limits: Store.Limits

        init(isOnDisk: Bool, deleted: Store.Limits.Deleted, entries: [JournalEntry] = []) throws {
            journal = isOnDisk ? TestJournal(entries: entries) : nil
            var limits = StoreFixture.limits
            limits.deleted = deleted
            self.limits = limits
            store = try Store(journal: nil, limits: limits, clock: { 0 }, token: { "none" })
            try start()
        }

        func start(missing: Bool = false) throws {
            let (clock, tokens) = (clock, tokens)
            store = try Store(
                journal: journal, mayMissCommits: missing, limits: limits, clock: { clock.withLock { $0 } },
                token: {
                    tokens.withLock { count in
                        count += 1
                        return "e\(count)"
                    }
                })
        }

        /// Does nothing to a store in memory, because it would be empty afterwards.
        func restart(missing: Bool = false) throws {
            guard journal != nil else { return }
            store.stop()
            try start(missing: missing)
        }

        func put(_ sections: String, _ id: ListID = DeletedListTests.id) async throws -> Version {
            let wanted = WantedSnapshot(sections: StoreFixture.sections(sections))
            return try await store.create(id, Write(.operations([.applySnapshot(wanted)]))).settled().get().version
        }

        func write(_ operations: [ListModel.Operation], _ id: ListID = DeletedListTests.id) async throws -> Version {
            try await store.submit(id, Write(.operations(operations))).settled().get().version
        }

        func delete(_ id: ListID = DeletedListTests.id, purges: Bool = false) async -> String {
            Self.text(await store.delete(id, DeletedListTests.deletion, purges: purges).settled())
        }

        func restore(_ version: Version? = nil, _ id: ListID = DeletedListTests.id) async -> String {
            Self.text(await store.restore(id, version, DeletedListTests.deletion).settled())
        }

        static func text(_ result: Result<WriteResult, StoreError>) -> String {
            switch result {
            case .success(let result): "\(result.kind) \(result.version)"
            case .failure(.noSuchList): "no such list"
            case .failure(.madeAnew): "made anew"
            case .failure(.notDeleted): "not deleted"
            case .failure(.versionAhead): "ahead"
            case .failure(.versionGone): "gone"
            case .failure(.journal(let error)): "\(error)"
            case .failure(.preconditionFailed(let head, _)): "at \(head.map { "\($0)" } ?? "none")"
            case .failure(let error): "\(error)"
            }
        }

        /// The version and rows of the list, and its entry among the deleted lists.
        func told(_ id: ListID = DeletedListTests.id) throws -> String {
            let list = try store.list(id)?.enter { $0.snapshot() }
            let live = list.map { "\($0.version) \(StoreFixture.text($0.state))" } ?? "none"
            let dead = store.deletedLists(after: nil, limit: 99).first { $0.id == id }
            #expect((dead != nil) == store.isDeleted(id))
            return live + (dead.map { " | \($0.version) \($0.counts.items) items" } ?? "")
        }

        var deleted: [String] { store.deletedLists(after: nil, limit: 99).map { "\($0.id)" } }
    }

    private func shop(
        _ isOnDisk: Bool, listsMax: Int = 10, bytesMax: Int = .max, days: Int = 7
    ) throws -> Shop {
        try Shop(
            isOnDisk: isOnDisk,
            deleted: Store.Limits.Deleted(listsMax: listsMax, bytesMax: bytesMax, ageMax: days * Self.day))
    }

    @Test(arguments: [false, true]) func goesOnInItsEpochWithItsHistory(isOnDisk: Bool) async throws {
        let shop = try shop(isOnDisk)
        let first = try await shop.put("A:a,b")
        let second = try await shop.write([.toggleStar("a")])
        _ = try await shop.write([.deleteItems(["b"])])
        let list = try #require(try shop.store.list(Self.id))
        #expect(await shop.delete() == "deleted e1-3")
        #expect(try list.standing.isGone && shop.told() == "none | e1-3 1 items")
        #expect(shop.store.lists(after: nil, limit: 9).isEmpty)
        #expect(await shop.delete() == "no such list")
        await #expect(throws: StoreError.self) { _ = try await shop.write([.toggleStar("a")]) }
        try shop.restart()
        #expect(try shop.told() == "none | e1-3 1 items")
        let known = try #require(shop.store.deletedLists(after: nil, limit: 1).first)
        #expect(known.title == Self.id.rawValue && known.time == 1_000 && known.end == 1_000 + 7 * Self.day)
        #expect(known.counts == ListCounts(sections: 1, items: 1, visibleItems: 1))
        #expect(await shop.restore() == "changed e1-4")
        #expect(try shop.told() == "e1-4 A:a")
        for _ in 0..<2 {
            let again = try #require(try shop.store.list(Self.id))
            let (catchup, isLost) = again.enter { $0.catchup(since: second, view: .items) }
            guard case .changes(let changes, _, let end, _) = catchup, !isLost else {
                Issue.record("a reset")
                return
            }
            #expect(changes.items.deleted.count == 1 && end.revision == 4)
            #expect(
                again.enter { $0.catchup(since: Version(epoch: "e1", revision: 3), view: .items) }.isHistoryLost
                    == false)
            try shop.restart()
        }
        #expect(await shop.restore(first) == "changed e1-5")
        #expect(try shop.told() == "e1-5 A:a,b")
        let undone = await shop.store.submit(Self.id, Write(.undo(Version(epoch: "e1", revision: 5)))).settled()
        #expect(Shop.text(undone) == "changed e1-6")
        shop.store.stop()
    }

    @Test(arguments: [false, true]) func comesBackAsItWasAtAVersion(isOnDisk: Bool) async throws {
        let shop = try shop(isOnDisk)
        let first = try await shop.put("A:a,b")
        _ = try await shop.write([.deleteItems(["b"])])
        _ = await shop.delete()
        #expect(await shop.restore(Version(epoch: "e1", revision: 9)) == "ahead")
        #expect(await shop.restore(Version(epoch: "e9", revision: 1)) == "made anew")
        try shop.restart()
        #expect(try shop.told() == "none | e1-2 1 items")
        let write = Write(.operations([]), isDryRun: true)
        let dry = try await shop.store.restore(Self.id, first, write).settled().get()
        #expect(dry.version.revision == 2 && dry.kind == .changed && dry.changes?.items.inserted.count == 1)
        #expect(try shop.told() == "none | e1-2 1 items")
        #expect(await shop.restore(first) == "changed e1-3")
        #expect(try shop.told() == "e1-3 A:a,b")
        #expect(await shop.restore() == "not deleted")
        #expect(await shop.restore(first) == "unchanged e1-3")
        // The same once more, with starts in between: the log has everything.
        _ = await shop.delete()
        try shop.restart()
        #expect(await shop.restore() == "changed e1-4")
        try shop.restart()
        #expect(try shop.told() == "e1-4 A:a,b")
        shop.store.stop()
    }

    @Test(arguments: [false, true]) func aListMadeAnewIsAnother(isOnDisk: Bool) async throws {
        let shop = try shop(isOnDisk)
        let first = try await shop.put("A:a")
        _ = await shop.delete()
        #expect(try await shop.put("B:b").epoch != first.epoch)
        #expect(shop.deleted.isEmpty)
        #expect(await shop.restore(first) == "made anew")
        try shop.restart()
        #expect(await shop.restore(first) == "made anew")
        #expect(try shop.told().hasSuffix("B:b"))
        _ = await shop.delete()
        #expect(await shop.restore(first) == "made anew")
        #expect(await shop.restore() == "changed e2-2")
        shop.store.stop()
    }

    @Test(arguments: [false, true]) func purgedIsGone(isOnDisk: Bool) async throws {
        let shop = try shop(isOnDisk)
        _ = try await shop.put("A:a")
        #expect(await shop.delete(purges: true) == "deleted e1-1")
        #expect(try shop.told() == "none")
        #expect(await shop.restore() == "no such list")
        #expect(await shop.delete(purges: true) == "no such list")
        _ = try await shop.put("A:a")
        _ = await shop.delete()
        let match = Write(.operations([]), match: .versions([Version(epoch: "e1", revision: 1)]))
        #expect(Shop.text(await shop.store.delete(Self.id, match, purges: true).settled()) == "at e2-1")
        let key = ReceiptKey(scope: [1], request: [2])
        for _ in 0..<2 {
            let write = Write(.operations([]), key: key)
            #expect(Shop.text(await shop.store.delete(Self.id, write, purges: true).settled()) == "deleted e2-1")
            #expect(try shop.told() == "none")
        }
        try shop.restart()
        #expect(try shop.told() == "none")
        #expect(await shop.restore() == "no such list")
        shop.store.stop()
    }

    @Test(arguments: [false, true]) func theOldestGoFirst(isOnDisk: Bool) async throws {
        let shop = try shop(isOnDisk, listsMax: 2)
        let ids = ["d", "c", "b", "a"].compactMap { ListID($0) }
        for id in ids { _ = try await shop.put("A:a", id) }
        for (index, id) in ids.enumerated() {
            shop.clock.withLock { $0 += 10 }
            _ = await shop.delete(id)
            #expect(shop.deleted == ids[max(0, index - 1)...index].map { "\($0)" }.sorted())
        }
        #expect(await shop.restore(nil, ids[1]) == "no such list")
        #expect(await shop.restore(nil, ids[2]) == "changed e3-2")
        _ = await shop.delete(ids[2])
        try shop.restart()
        #expect(shop.deleted == ["a", "b"])
        _ = try await shop.put("A:a", ids[0])
        _ = await shop.delete(ids[0])
        #expect(shop.deleted == ["b", "d"], "a was deleted before b was again")
        shop.store.stop()
    }

    @Test(arguments: [false, true]) func theyTakeSoManyBytes(isOnDisk: Bool) async throws {
        let shop = try shop(isOnDisk, bytesMax: 5_000)
        let ids = ["a", "b", "c"].compactMap { ListID($0) }
        let many = "A:" + (0..<200).map { "item\($0)" }.joined(separator: ",")
        for id in ids {
            _ = try await shop.put(many, id)
            _ = await shop.delete(id)
        }
        #expect(shop.deleted.last == "c" && shop.deleted.count < 3)
        shop.store.stop()
    }

    @Test(arguments: [false, true]) func theirTimeIsOver(isOnDisk: Bool) async throws {
        let shop = try shop(isOnDisk, days: 1)
        let other = try #require(ListID("other"))
        _ = try await shop.put("A:a")
        _ = try await shop.put("A:a", other)
        _ = await shop.delete()
        shop.clock.withLock { $0 += Self.day - 1 }
        #expect(shop.deleted == ["test"])
        _ = await shop.delete(other)
        shop.clock.withLock { $0 += 1 }
        #expect(shop.deleted == ["other"])
        #expect(await shop.restore() == "no such list")
        #expect(await shop.delete(purges: true) == "no such list")
        try shop.restart()
        #expect(shop.deleted == ["other"])
        shop.clock.withLock { $0 += Self.day }
        try shop.restart()
        shop.store.stop()
        #expect(shop.deleted.isEmpty)
        #expect(try shop.journal?.retired().isEmpty ?? true)
    }

    @Test func noDaysDeleteForGood() async throws {
        let shop = try shop(true, days: 0)
        _ = try await shop.put("A:a")
        _ = await shop.delete()
        #expect(try shop.told() == "none" && shop.journal?.entries.last?.kind == .delete)
        shop.store.stop()
    }

    /// A list whose deletion is in an older format of the log cannot be restored.
    @Test func whatWasDeletedBeforeIsGone() async throws {
        let old = TestJournal()
        let fixture = try StoreFixture(journal: old)
        try await fixture.createSettled("A:a")
        _ = try await fixture.store.delete(Self.id, Self.deletion).settled().get()
        fixture.store.stop()
        let shop = try Shop(
            isOnDisk: true, deleted: Store.Limits.Deleted(listsMax: 9, bytesMax: .max, ageMax: Self.day),
            entries: old.entries)
        #expect(await shop.restore() == "no such list")
        #expect(shop.deleted.isEmpty)
        shop.store.stop()
    }

    /// If acknowledged commits may be missing, a deleted list gets a new epoch too. It stays deleted.
    @Test func staysDeletedInANewEpoch() async throws {
        let shop = try shop(true)
        let first = try await shop.put("A:a")
        _ = await shop.delete()
        try shop.restart(missing: true)
        #expect(try shop.told() == "none | e2-1 1 items")
        try shop.restart()
        #expect(await shop.restore(first) == "made anew")
        #expect(await shop.restore() == "changed e2-2")
        _ = try await shop.write([.toggleStar("a")])
        try shop.restart()
        #expect(try shop.told() == "e2-3 A:a")
        shop.store.stop()
    }

    /// A write that fails takes back its own effects and nothing else.
    @Test func whatIsLostLeavesTheListAsItWas() async throws {
        let shop = try shop(true)
        let journal = try #require(shop.journal)
        _ = try await shop.put("A:a")
        journal.failOnce(with: .full)
        #expect(await shop.delete() == "full")
        #expect(try shop.told() == "e1-1 A:a")
        #expect(await shop.delete() == "deleted e1-1")
        for isPut in [false, true] {
            journal.failOnce(with: .full)
            if isPut {
                await #expect(throws: StoreError.self) { _ = try await shop.put("B:b") }
            } else {
                #expect(await shop.restore() == "full")
            }
            #expect(try shop.told() == "none | e1-1 1 items")
        }
        journal.failOnce(with: .full)
        #expect(await shop.delete(purges: true) == "full")
        #expect(try shop.told() == "none | e1-1 1 items")
        #expect(await shop.restore() == "changed e1-2")
        try shop.restart()
        #expect(try shop.told() == "e1-2 A:a")
        shop.store.stop()
    }

    /// The disk does not answer. Meanwhile lives of a list are deleted, restored, purged and begun one after the other.
    @Test(arguments: [JournalError.full, nil])
    func livesFollowOneAnotherWhileTheDiskIsAway(failure: JournalError?) async throws {
        let shop = try shop(true)
        let journal = try #require(shop.journal)
        let first = try await shop.put("A:a")
        journal.close(gate: true)
        journal.fail(with: failure)
        let end = shop.store.delete(Self.id, Self.deletion)
        let back = shop.store.restore(Self.id, first, Self.deletion)
        let star = shop.store.submit(Self.id, Write(.operations([.toggleStar("a")])))
        #expect(try shop.told() == "e1-1 A:a")
        let again = shop.store.delete(Self.id, Self.deletion)
        let purge = shop.store.delete(Self.id, Self.deletion, purges: true)
        let none = shop.store.restore(Self.id, nil, Self.deletion)
        let new = shop.store.create(Self.id, Write(.operations([])))
        journal.close(gate: false)
        var told: [String] = []
        for each in [end, back, star, again, purge, none, new] { told.append(Shop.text(await each.settled())) }
        guard failure == nil else {
            #expect(told == Array(repeating: "full", count: 7))
            #expect(try shop.told() == "e1-1 A:a")
            journal.fail(with: nil)
            #expect(try await shop.write([.toggleStar("a")]).revision == 2)
            return shop.store.stop()
        }
        #expect(
            told == [
                "deleted e1-1", "changed e1-2", "changed e1-3", "deleted e1-3", "deleted e1-3", "no such list",
                "created e2-1",
            ])
        #expect(try shop.told() == "e2-1 ")
        try shop.restart()
        #expect(try shop.told() == "e2-1 ")
        shop.store.stop()
    }

    /// A restored list is as it was, whatever happened before and however often the store was started.
    @Test(arguments: UInt64(1)...12) func anyLivesAreTheSameInMemoryAndOnDisk(seed: UInt64) async throws {
        var lists = RandomLists(seed: seed, itemIDs: 8, sectionIDs: 3, bias: .everything)
        let shops = [try shop(false, listsMax: 2), try shop(true, listsMax: 2)]
        let ids = ["a", "b", "c"].compactMap { ListID($0) }
        for step in 0..<150 {
            let id = lists.random.pick(ids)
            let choice = lists.random.below(12)
            let state = try shops[0].store.list(id)?.enter { $0.snapshot() }
            let operation = state.map { lists.operation(on: $0.state) }
            let revision = 1 + lists.random.below(12)
            let snapshot = lists.snapshot()
            var told: [String] = []
            for shop in shops {
                shop.clock.withLock { $0 += 1 }
                let (store, plain) = (shop.store, Self.deletion)
                switch choice {
                case 0, 1: told.append(await shop.delete(id, purges: choice == 0 && step % 3 == 0))
                case 2, 3: told.append(await shop.restore(nil, id))
                case 4:
                    let epoch = state?.version.epoch ?? store.deletedLists(after: nil, limit: 9).last?.version.epoch
                    let version = Version(epoch: epoch ?? "e1", revision: revision)
                    told.append(Shop.text(await store.restore(id, version, plain).settled()))
                case 5:
                    let write = Write(.operations([.applySnapshot(snapshot)]))
                    told.append(Shop.text(await store.create(id, write).settled()))
                case 6: try shop.restart()
                default:
                    guard let operation else { continue }
                    told.append(Shop.text(await store.submit(id, Write(.operation(operation))).settled()))
                }
            }
            if told.count == 2 { try #require(told[0] == told[1], "step \(step): \(choice)") }
            for id in ids { try #require(try shops[0].told(id) == shops[1].told(id), "step \(step): \(choice)") }
        }
        for shop in shops { shop.store.stop() }
    }
}
