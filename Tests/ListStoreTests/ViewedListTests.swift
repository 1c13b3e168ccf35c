import ListDiff
import ListModel
import ListStore
import TestSupport
import Testing

/// The rows that clients see of a list if they have not asked for all rows.
@Suite struct ViewedListTests {
    /// The list may be deleted and created again after a reader has got its state. Handles have the same numbers in
    /// both lives.
    @Test func anAnchorIsNotLookedUpInTheHistoryOfAnotherLife() throws {
        let fixture = try StoreFixture("A:a,b,c")
        let (star, anchor) = (ItemID(unchecked: "a"), ItemID(unchecked: "c"))
        _ = try fixture.write(.deleteItems([anchor]))
        for isStarred in [true, false, true] { _ = try fixture.write(.setStarred([star], isStarred)) }
        let old = try #require(fixture.head)
        _ = try fixture.store.delete(StoreFixture.list, Write(.operations([]))).result.get()
        try fixture.create("A:d,e,f B: C: D:")
        _ = try fixture.write(.deleteItems([ItemID(unchecked: "f")]))
        _ = try fixture.write(.deleteSections([SectionID(unchecked: "D")]))
        for item in ["d", "e"] { _ = try fixture.write(.setStarred([ItemID(unchecked: item)], true)) }
        var query = RowQuery(.visible)
        query.window = Window(around: anchor, before: 1, after: 1)
        let list = try #require(try fixture.store.list(StoreFixture.list))
        #expect(list.enter { $0.resolved(query, at: old) } == nil)
    }
}
