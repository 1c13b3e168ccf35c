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
        let items = Operation.appendItems(
            [NewItem("i", value: ItemChanges()), NewItem("j", value: ItemChanges())], .section("s"))
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
        // Two rows, and 16 bytes each.
        #expect(growth(false, nil) == 32)
        #expect(growth(false, nil) == 32)
        #expect(growth(true, nil) == 32)  // It has no rows.
        #expect(growth(false, "item") == 32)  // It takes the place of the first query,
        #expect(growth(nil, "item") == 64)  // and this one that of the second.
    }
}
