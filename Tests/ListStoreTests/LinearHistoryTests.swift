import ListDiff
import ListStore
import Testing

@testable import ListModel

/// The cost of a page of history in steps is linear, however long the chain of undos and redos in it is.
@Suite struct LinearHistoryTests {
    @Test func aChainOfUndoAndRedoIsWalkedOnce() throws {
        func steps(_ count: Int) throws -> Int {
            let fixture = try StoreFixture("A:a,b")
            let first = try fixture.write([.setStarred([ItemID(unchecked: "a")], true)]).version
            for number in 0..<count {
                _ = number.isMultiple(of: 2) ? try fixture.undo(first) : try fixture.redo(first)
            }
            let list = try #require(try fixture.store.list(StoreFixture.list))
            return try Steps.taken {
                let page = try list.enter { try $0.transactions(before: nil, limit: 1_000) }.page
                // The last transaction is in effect, the one before is undone by it, and so on.
                let isUndone = page.dropLast().enumerated().map { !$0.offset.isMultiple(of: 2) }
                #expect(page.dropLast().map(\.isUndone) == isUndone)
            }
        }
        let (few, many) = (try steps(40), try steps(80))
        #expect(many * 10 <= few * 25, "\(few) steps for 40, \(many) for 80")
    }
}
