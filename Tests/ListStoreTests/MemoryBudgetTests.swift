import Testing
import Threads

@Suite struct MemoryBudgetTests {
    private static let mebibyte = 1 << 20

    /// Rows of what is taken already, what is to be taken, and whether there is room. The bound is 8 MiB.
    static let rooms: [(taken: Int, growth: Int, hasRoom: Bool)] = [
        (0, 7 << 20, true), (0, 7 << 20 + 1, false), (6 << 20, 1 << 20, true), (7 << 20, 1 << 16, false),
        (7 << 20, 60_000, true), (8 << 20, 0, true), (8 << 20 + 1, 0, false), (1 << 40, 1 << 40, false),
    ]

    @Test(arguments: rooms.indices)
    func room(_ index: Int) {
        let row = Self.rooms[index]
        let budget = MemoryBudget(bytesMax: 8 * Self.mebibyte)
        budget.count(row.taken, .answers)
        #expect(budget.hasRoom(for: row.growth, of: row.growth) == row.hasRoom)
        #expect(budget.bytes == row.taken)
        #expect(budget.take(row.growth, .work) == row.hasRoom)
        #expect(budget.bytes == (row.hasRoom ? row.taken + row.growth : row.taken))
        #expect(MemoryBudget.unbounded.hasRoom(for: row.growth, of: row.growth))
    }

    @Test func whatWasRefusedIsWantedOnce() {
        let budget = MemoryBudget(bytesMax: 8 * Self.mebibyte)
        budget.count(6 * Self.mebibyte, .lists)
        #expect(!budget.hasRoom(for: 3 * Self.mebibyte, of: 3 * Self.mebibyte))
        #expect(!budget.hasRoom(for: 2 * Self.mebibyte, of: 2 * Self.mebibyte))
        #expect(budget.takeWanted() == 2 * Self.mebibyte)
        #expect(budget.takeWanted() == 0)
        // Nothing can make room for this.
        #expect(!budget.hasRoom(for: 9 * Self.mebibyte, of: 9 * Self.mebibyte))
        #expect(budget.takeWanted() == 0)
    }

    @Test func ofManyWhoTakeAtOnceAsManyGetRoomAsThereIs() async {
        let budget = MemoryBudget(bytesMax: 8 * Self.mebibyte)
        let served = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<1_000).count { _ in budget.take(Self.mebibyte, .work) } }
            }
            return await group.reduce(0, +)
        }
        #expect(served <= 7 && budget.bytes == served * Self.mebibyte)
    }

    @Test func aClaimCountsAsLongAsItLives() throws {
        let budget = MemoryBudget(bytesMax: 8 * Self.mebibyte)
        var claims = [MemoryClaim(6 * Self.mebibyte, of: budget, for: .answers)]
        claims.append(try #require(MemoryClaim(taking: Self.mebibyte, of: budget, for: .lists)))
        #expect(MemoryClaim(taking: Self.mebibyte, of: budget, for: .lists) == nil)
        #expect(budget.bytes(of: .answers) == 6 * Self.mebibyte && budget.bytes(of: .lists) == Self.mebibyte)
        claims = []
        #expect(budget.bytes == 0)
    }

    @Test func aShareTellsInSteps() {
        let budget = MemoryBudget(bytesMax: 8 * Self.mebibyte)
        var share = MemoryShare(of: budget, for: .bodies)
        share.add(MemoryBudget.step - 1)
        #expect(budget.bytes == 0)
        share.add(1)
        #expect(budget.bytes(of: .bodies) == MemoryBudget.step)
        share.add(10 * MemoryBudget.step)
        share.add(-9 * MemoryBudget.step - 5)
        #expect(budget.bytes == share.bytes)
        share.end()
        #expect(budget.bytes == 0)
        #expect(share.bytes == 0)
    }
}
