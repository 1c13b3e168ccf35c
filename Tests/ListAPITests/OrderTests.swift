import Dispatch
import ListDiff
import ListModel
import ListStore
import Microhttpd
import TestSupport
import Testing
import Threads

@testable import ListAPI

/// Updates of long lists are left to workers. Followers that need the same one wait for one worker together.
@Suite struct OrderTests {
    /// A store with the long list `l`, and its only worker, which is held up until `release` is called.
    private final class Setup {
        let store: Store
        let list: ListActor
        let live: LiveList
        /// How often an update has had no room.
        let refused: Locked<Int>
        private let workers = Workers(threads: 1)
        private let held = DispatchSemaphore(value: 0)

        init(_ memory: MemoryBudget = .unbounded) throws {
            let limits = Store.Limits(
                itemsMax: 10_000, sectionsMax: 6, contentBytesMax: 100, historyVersionsMax: 100,
                historyBytesMax: 1 << 24, receiptsMax: 10, receiptAgeMax: 100)
            store = try Store(journal: nil, limits: limits, clock: { 0 }, token: { "e" })
            let items = (0..<3_000).map { NewItem(ItemID(unchecked: "i\($0)"), value: ItemChanges()) }
            let wanted = WantedSnapshot(sections: [WantedSection("s", items: items)])
            let id = try #require(ListID("l"))
            _ = try store.create(id, Write(.operations([.applySnapshot(wanted)]))).result.get()
            list = try #require(try store.list(id))
            let refused = Locked(0)
            let live = LiveList.of(
                list, .json, workers, within: memory, makeRoom: { refused.withLock { $0 += 1 } }, changed: nil)
            self.refused = refused
            self.live = try #require(live)
        }

        deinit { workers.stop() }

        func holdUp() { workers.run(Errand(updating: list.id)) { [held] in held.wait() } }
        func release() { held.signal() }

        /// Waits until the worker has done everything before.
        func settle() {
            let done = DispatchSemaphore(value: 0)
            workers.run(Errand(updating: list.id)) { done.signal() }
            done.wait()
        }

        func star(_ item: ItemID) throws {
            _ = try store.submit(list.id, Write(.operation(.setStarred([item], true)))).result.get()
        }

        /// Asks for one of many views.
        func ask(for view: Int, _ order: inout LiveList.Order?) throws -> LiveUpdate? {
            var query = RowQuery()
            query.view = .visible
            query.expanded = NamedIDs([ItemID(unchecked: "i\(view)")])
            return try live.promptUpdate(of: list, since: nil, query, as: .event, &order)
        }

        func order(_ view: Int) throws -> LiveList.Order {
            var order: LiveList.Order?
            #expect(try ask(for: view, &order) == nil)
            return try #require(order)
        }

        func ask(_ order: inout LiveList.Order?, as form: UpdateForm = .event) -> LiveUpdate? {
            try? live.promptUpdate(of: list, since: nil, RowQuery(), as: form, &order)
        }
    }

    @Test func followersOfOneUpdateWaitTogether() throws {
        let setup = try Setup()
        setup.holdUp()
        var (one, other, third): (LiveList.Order?, LiveList.Order?, LiveList.Order?)
        #expect(setup.ask(&one) == nil && setup.ask(&other) == nil)
        #expect(one === other)
        #expect(setup.ask(&third, as: .body(isCoded: true)) == nil)
        #expect(third !== one)
        // Asked again, a follower still waits.
        #expect(setup.ask(&one) == nil)
        setup.release()
        setup.settle()
        let update = try #require(setup.ask(&one))
        #expect(one == nil)
        #expect(setup.ask(&other) === update)
        #expect(update.kind == .reset && update.end == 1 && update.isMade)
        let coded = try #require(setup.ask(&third))
        #expect(coded.isMade && coded.codedBytes != nil)
    }

    @Test func whoWaitedGetsWhatWasOrderedAndOthersTheHead() throws {
        let setup = try Setup()
        var (one, other): (LiveList.Order?, LiveList.Order?)
        #expect(setup.ask(&one) == nil)
        setup.settle()
        try setup.star("i1")
        #expect(setup.ask(&other) == nil)
        #expect(one !== other)
        setup.settle()
        #expect(setup.ask(&one)?.end == 1)
        #expect(setup.ask(&other)?.end == 2)
    }

    @Test func nothingIsMadeForFollowersThatLeft() throws {
        let setup = try Setup()
        setup.holdUp()
        weak var gone: LiveList.Order?
        do {
            var order: LiveList.Order?
            #expect(setup.ask(&order) == nil)
            gone = order
        }
        #expect(gone == nil)
        var next: LiveList.Order?
        #expect(setup.ask(&next) == nil)
        setup.release()
        setup.settle()
        #expect(setup.ask(&next)?.end == 1)
    }

    /// A follower that leaves while others order the same again takes nothing from them.
    @Test func whoOrdersAgainIsServed() throws {
        let setup = try Setup()
        setup.holdUp()
        for _ in 1...3 {
            var order: LiveList.Order?
            #expect(setup.ask(&order) == nil)
        }
        var (one, other): (LiveList.Order?, LiveList.Order?)
        #expect(setup.ask(&one) == nil && setup.ask(&other, as: .body(isCoded: false)) == nil)
        setup.release()
        setup.settle()
        #expect(setup.ask(&one)?.end == 1 && setup.ask(&other)?.end == 1)
    }

    /// Updates count before they are made, and as long as somebody keeps them.
    @Test func updatesWithoutRoomAreNotMade() throws {
        let memory = MemoryBudget(bytesMax: 4 << 20)
        let setup = try Setup(memory)
        setup.holdUp()
        var orders = try (0..<30).map { try setup.order($0) }
        setup.release()
        setup.settle()
        #expect(orders.allSatisfy { $0.outcome != nil })
        var made = orders.compactMap { try? $0.outcome?.get() }
        let bytes = made.reduce(0) { $0 + $1.bytes.count }
        #expect(setup.refused.withLock { $0 } == orders.count - made.count)
        #expect(made.count >= 5 && made.count < orders.count)
        #expect(bytes <= 7 << 19 && memory.bytes == bytes && memory.bytes(of: .answers) == bytes)
        // Who asks for the same shares it.
        var order: LiveList.Order?
        #expect(try setup.ask(for: 0, &order) === made[0])
        #expect(memory.bytes == bytes)
        (orders, made) = ([], [])
        #expect(memory.bytes == 0)
    }

    @Test func aSmallUpdateOfALongListIsMadeAtOnce() throws {
        let setup = try Setup()
        try setup.star("i1")
        var order: LiveList.Order?
        let update = try setup.live.promptUpdate(of: setup.list, since: 1, RowQuery(), as: .event, &order)
        #expect(update?.kind == .change && order == nil)
    }
}
