import ListModel
import TestSupport
import Testing

/// A delta of one new value has a form of its own. It takes the general form when more edits are added.
@Suite struct DeltaTests {
    @Test func deltasOfOneValueGrow() throws {
        let before = try ListState(notation: "L:a,b")
        var list = before
        let star = try list.run(.toggleStar("a")).delta
        let middle = list
        let rest = try list.run(.toggleStar("b"), .deleteItems(["a"])).delta
        var span = star
        span.append(rest)
        #expect(ListImage(list.reverted(span)) == ListImage(before))
        #expect(span.past.items.count == 2 && span.inverse.count == 3 && !span.holdsOnlyValues)
        // A copy that was made before the delta grew is unchanged.
        #expect(ListImage(middle.reverted(star)) == ListImage(before))
        #expect(star.past.items.count == 1 && star.inverse.count == 1 && star.holdsOnlyValues)
    }

    @Test func whatIsOlderWins() throws {
        var list = try ListState(notation: "L:*a")
        let before = list
        let a = try #require(list.handle(of: "a" as ItemID))
        let delta = try list.run(.toggleStar("a"), .setExpanded(["a"], true), .toggleStar("a")).delta
        #expect(delta.past.items.count == 1)
        #expect(delta.past.items[a]?.item.isStarred == true && delta.past.items[a]?.item.isExpanded == false)
        #expect(ListImage(list.reverted(delta)) == ListImage(before))
    }

    @Test func nothingIsNothing() throws {
        var list = try ListState(notation: "L:*a")
        let delta = try list.run(.setStarred(["a"], true)).delta
        #expect(delta.past.items.count == 0 && delta.inverse.isEmpty && delta.holdsOnlyValues)
        var seen = 0
        delta.forEachItem { _, _ in seen += 1 }
        #expect(seen == 0)
    }
}
