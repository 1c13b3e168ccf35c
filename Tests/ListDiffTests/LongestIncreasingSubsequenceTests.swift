import TestSupport
import Testing

@testable import ListDiff

@Suite struct LongestIncreasingSubsequenceTests {
    struct Row: Sendable {
        /// The old indexes, in the new order.
        var order: [Int]
        var touched: Set<Int> = []
        /// The old indexes of the rows that move, in the new order.
        var moved: [Int]
    }

    static let rows = [
        Row(order: [], moved: []),
        Row(order: [0], moved: []),
        Row(order: [0, 1, 2], moved: []),
        Row(order: [1, 0], moved: [1]),
        Row(order: [1, 0], touched: [0], moved: [0]),
        Row(order: [1, 0], touched: [0, 1], moved: [1]),
        Row(order: [2, 1, 0], moved: [2, 1]),
        Row(order: [2, 1, 0], touched: [0], moved: [2, 0]),
        Row(order: [0, 2, 1, 3], moved: [2]),
        Row(order: [0, 3, 1, 2], moved: [3]),
        Row(order: [5, 0, 1, 2, 3, 4], moved: [5]),
        Row(order: [1, 2, 3, 4, 5, 0], moved: [0]),
        // Fewer moves are preferred to more untouched items.
        Row(order: [3, 0, 1, 2], touched: [0, 1, 2], moved: [3]),
        // The sequences [0 1] and [2 3] are equally long. The earlier one stays.
        Row(order: [2, 3, 0, 1], moved: [2, 3]),
        Row(order: [2, 3, 0, 1], touched: [1], moved: [0, 1]),
    ]

    @Test(arguments: rows)
    func staysAndMoves(_ row: Row) {
        let stays = stayingBlocks(blocks(row.order, touched: row.touched))
        #expect(zip(row.order, stays).filter { !$1 }.map { $0.0 } == row.moved)
    }

    @Test(arguments: Soak.seeds(400))
    func agreesWithTryingEverySubset(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var blocks: [Block] = []
        for old in 0..<random.below(9) {
            let size = random.below(3) + 1
            blocks.append(Block(old: old * 10, new: 0, count: size, untouched: random.below(size + 1)))
        }
        blocks.shuffle(using: &random)
        #expect(stayingBlocks(blocks) == bestSubset(blocks))
    }

    @Test func aLongReversalKeepsTheFirst() {
        let stays = stayingBlocks(blocks((0..<20_000).reversed(), touched: []))
        #expect(stays.last == true)
        #expect(stays.count(where: { $0 }) == 1)
    }

    private func blocks(_ order: [Int], touched: Set<Int>) -> [Block] {
        order.enumerated().map { new, old in
            Block(old: old, new: new, count: 1, untouched: touched.contains(old) ? 0 : 1)
        }
    }

    /// The definition, by trying all subsets.
    private func bestSubset(_ blocks: [Block]) -> [Bool] {
        var best: (weight: (Int, Int), olds: [Int], stays: [Bool])?
        for bits in 0..<(1 << blocks.count) {
            let stays = blocks.indices.map { bits & (1 << $0) != 0 }
            let chosen = zip(blocks, stays).filter(\.1).map(\.0)
            guard zip(chosen, chosen.dropFirst()).allSatisfy({ $0.old < $1.old }) else { continue }
            let weight = (chosen.reduce(0) { $0 + $1.count }, chosen.reduce(0) { $0 + $1.untouched })
            let olds = chosen.flatMap { block in (0..<block.count).map { block.old + $0 } }
            if let best, best.weight > weight { continue }
            if let best, best.weight == weight, best.olds.lexicographicallyPrecedes(olds) { continue }
            best = (weight, olds, stays)
        }
        return best?.stays ?? []
    }
}
