import ListStore
import Testing

@testable import ListModel

/// What a page of history costs in steps, however long a chain of undo and redo it shows.
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
                // The last one stands, the one before is taken back by it, and so on.
                let isUndone = page.dropLast().enumerated().map { !$0.offset.isMultiple(of: 2) }
                #expect(page.dropLast().map(\.isUndone) == isUndone)
            }
        }
        let (few, many) = (try steps(40), try steps(80))
        #expect(many * 10 <= few * 25, "\(few) steps for 40, \(many) for 80")
    }
}
