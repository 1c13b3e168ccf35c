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
        private let workers = Workers(threads: 1)
        private let held = DispatchSemaphore(value: 0)

        init() throws {
            let limits = Store.Limits(
                itemsMax: 10_000, sectionsMax: 6, contentBytesMax: 100, historyVersionsMax: 100,
                historyBytesMax: 1 << 24, receiptsMax: 10, receiptAgeMax: 100)
            store = try Store(journal: nil, limits: limits, clock: { 0 }, token: { "e" })
            let items = (0..<3_000).map { NewItem(ItemID(unchecked: "i\($0)"), value: ItemChanges()) }
            let wanted = WantedSnapshot(sections: [WantedSection("s", items: items)])
            let id = try #require(ListID("l"))
            _ = try store.create(id, Write(.operations([.applySnapshot(wanted)]))).result.get()
            list = try #require(try store.list(id))
            live = try #require(LiveList.of(list, .json, workers))
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

        func ask(_ order: inout LiveList.Order?, as form: UpdateForm = .event) -> LiveUpdate? {
            live.promptUpdate(of: list, since: nil, RowQuery(), as: form, &order)
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
        #expect(update.kind == .reset && update.end == 1 && update.isMade(.event))
        let coded = try #require(setup.ask(&third))
        #expect(coded.isMade(.body(isCoded: true)))
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

    @Test func aSmallUpdateOfALongListIsMadeAtOnce() throws {
        let setup = try Setup()
        try setup.star("i1")
        var order: LiveList.Order?
        let update = setup.live.promptUpdate(of: setup.list, since: 1, RowQuery(), as: .event, &order)
        #expect(update?.kind == .change && order == nil)
    }
}
