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

    /// The log has the bytes of each deleted list. In a damaged log they can be any number, and their sum must not
    /// overflow.
    @Test func theBytesOfManyListsAreNotTooManyToAdd() {
        var lists = RetiredLists()
        let ids = (0..<3_000).compactMap { ListID("l\($0)") }
        for id in ids {
            let retirement = Retirement(
                time: 1, version: Version(epoch: "e", revision: 1), title: "",
                counts: ListCounts(sections: 0, items: 0, visibleItems: 0), bytes: 1 << 53)
            lists.add(RetiredLists.Entry(retirement, age: 1, list: nil), of: id)
        }
        let limits = Store.Limits.Deleted(listsMax: 3_000, bytesMax: 3 << 53, ageMax: 100)
        #expect(lists.purge(limits, now: 3, except: { _ in false }, { _, _ in nil }).count == 2_997)
        #expect(lists.count == 3)
    }
}
