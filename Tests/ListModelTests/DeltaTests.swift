import TestSupport
import Testing

@testable import ListModel

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

    /// First new values of items have a short form. All inverse edits keep their order, in both directions.
    @Test func inverseEditsStandInOrder() throws {
        var list = try ListState(notation: "L:a,b,*c,d")
        let before = list
        let delta = try list.run(
            .toggleStar("a"), .setStarred(["b", "c"], false), .deleteItems(["d"]), .toggleStar("b"),
            .setExpanded(["a"], true), .moveItem("c", .anchor(ItemAnchor(.before, "a"))), .setExpanded(["c"], true),
            .toggleStar("c")
        ).delta
        let edits = Array(delta.inverse)
        let names = edits.map { edit -> String in
            switch edit {
            case .changeItem(let id, let changes):
                "\(id)\(changes.isStarred == .keep ? "" : "*")\(changes.isExpanded == .keep ? "" : "v")"
            case .insertItems: "insert"
            case .moveItem: "move"
            default: "other"
            }
        }
        #expect(names == ["a*", "c*", "insert", "b*", "av", "move", "cv", "c*"])
        // Only the first values of `b` and `c` are short. That of `a` was all that the delta had, in a form of its own.
        #expect(delta.otherInverse.count == edits.count - 2)
        #expect(Array(delta.inverse.reversed()) == edits.reversed() && delta.inverse.count == edits.count)
        #expect(ListImage(list.reverted(delta)) == ListImage(before))
    }

    /// A new value of one of many items takes a few bytes besides the old item.
    @Test func manyNewValuesAreShort() throws {
        var list = try ListState(notation: "L:" + (0..<100).map { "i\($0)" }.joined(separator: ","))
        let before = list
        let delta = try list.run(.setStarred((0..<100).map { ItemID(unchecked: "i\($0)") }, true)).delta
        #expect(delta.inverse.count == 100 && delta.otherInverse.count <= 1)
        #expect(delta.estimatedBytes < 100 * 160)
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
