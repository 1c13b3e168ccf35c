import ListModel
import Testing

@testable import ListStore

@Suite struct RetiredListsTests {
    /// The older lists may be about to be removed. Then the newest one would be removed without need.
    @Test func theNewestStaysThoughOthersAreHeld() {
        var lists = RetiredLists()
        let ids = ["a", "b", "c"].compactMap { ListID($0) }
        for (age, id) in ids.enumerated() {
            let retirement = Retirement(
                time: age, version: Version(epoch: "e", revision: 1), title: "",
                counts: ListCounts(sections: 0, items: 0, visibleItems: 0), bytes: 10)
            lists.add(RetiredLists.Entry(retirement, age: age, list: nil), of: id)
        }
        func ended(_ listsMax: Int, _ bytesMax: Int, held: [ListID]) -> [ListID] {
            let limits = Store.Limits.Deleted(listsMax: listsMax, bytesMax: bytesMax, ageMax: 100)
            var (lists, ended) = (lists, [ListID]())
            _ = lists.purge(limits, now: 3, except: { held.contains($0) }) { id, _ in
                ended.append(id)
                return nil
            }
            return ended
        }
        #expect(ended(2, 99, held: [ids[0], ids[1]]).isEmpty)
        #expect(ended(9, 15, held: [ids[0], ids[1]]).isEmpty)
        #expect(ended(1, 99, held: [ids[0]]) == [ids[1]])
        #expect(ended(1, 99, held: []) == [ids[0], ids[1]] && ended(9, 5, held: []) == [ids[0], ids[1]])
    }
}
