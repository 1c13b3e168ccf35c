import ListDiff
import ListModel
import Synchronization
import TestSupport
import Testing
import Texts

@testable import ListAPI
@testable import ListStore

@Suite struct RecentRowsTests {
    /// The rows of two queries stay, and the list counts for them and for no others.
    @Test func theyCountAsMemoryOfTheirList() async throws {
        let store = try Harness(over: MemoryJournal()).api.store
        let section = Operation.appendSections([NewSection(SectionProperties(id: "s"))])
        let items = Operation.appendItems([NewItem("i", value: ItemChanges())], .section("s"))
        let durability = try #require(store.create(ListID("l")!, Write(.operations([section, items]))).durability)
        await withCheckedContinuation { done in durability.whenDone { _ in done.resume() } }
        let list = try #require(try store.list(ListID("l")!))
        let snapshot = list.read { $0.snapshot() }
        let before = list.counted.load(ordering: .relaxed)
        let recent = RecentRows()
        func growth(_ isStarred: Bool?, _ kind: ByteText?) -> Int {
            var query = RowQuery()
            (query.isStarred, query.kind) = (isStarred, kind)
            _ = recent.rows(of: query, in: snapshot, of: list)
            return list.counted.load(ordering: .relaxed) - before
        }
        let first = growth(true, nil)
        #expect(first > 0)
        #expect(growth(true, nil) == first)
        let both = growth(false, nil)
        #expect(both > first)
        #expect(growth(false, "x") == both)  // The third query has taken the place of the first.
        #expect(growth(true, nil) > 0)
    }
}
