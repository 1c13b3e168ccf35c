import ListModel
import TestSupport
import Testing

@testable import ListDiff

@Suite struct OrderDifferenceTests {
    /// Two orders of numbers.
    struct Orders: Sendable, CustomTestStringConvertible {
        var name: String
        var old: [Int]
        var new: [Int]

        init(_ name: String, from old: [Int], to new: [Int]) {
            self.name = name
            self.old = old
            self.new = new
        }

        var testDescription: String { name }
    }

    /// Orders that reach all branches of the comparison: runs longer than its look-ahead, and more of them than it can
    /// put aside.
    static let orders = [
        Orders("nothing", from: [], to: []),
        Orders("all arrives", from: [], to: [1, 2, 3]),
        Orders("all goes", from: [1, 2, 3], to: []),
        Orders("others", from: [1, 2, 3], to: [4, 5, 6]),
        Orders("first to last", from: Array(0..<1_000), to: Array(1..<1_000) + [0]),
        Orders("last to first", from: Array(0..<1_000), to: [999] + Array(0..<999)),
        Orders(
            "a block", from: Array(0..<1_000),
            to: Array(0..<100) + Array(400..<700) + Array(100..<400) + Array(700..<1_000)),
        Orders("halves swapped", from: Array(0..<500), to: Array(250..<500) + Array(0..<250)),
        Orders("halves interleaved", from: Array(0..<500), to: (0..<250).flatMap { [$0, $0 + 250] }),
        Orders("reversed", from: Array(0..<300), to: (0..<300).reversed()),
        Orders("a run in front", from: Array(0..<300), to: Array(1_000..<1_200) + Array(0..<300)),
        Orders("a run gone", from: Array(0..<300), to: Array(0..<50) + Array(250..<300)),
        Orders("every other one", from: Array(0..<300), to: Array(stride(from: 1, to: 300, by: 2))),
        Orders("every other one new", from: Array(0..<300), to: (0..<300).map { $0 % 2 == 0 ? $0 : $0 + 1_000 }),
        Orders("handles far apart", from: [0, 1_000_000, 5, 2_000_000], to: [2_000_000, 5, 7, 0]),
    ]

    @Test(arguments: orders)
    func leads(_ orders: Orders) throws { try check(orders.old, orders.new) }

    @Test(arguments: Soak.seeds(300))
    func leadsFromRandomOrdersToOthers(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let old = Array(0..<random.below(400)).shuffled(using: &random)
        var new = old
        for _ in 0..<random.below(12) {
            let start = random.below(new.count + 1)
            let run = start..<min(new.count, start + 1 + random.below(seed % 2 == 0 ? 3 : 120))
            let taken = Array(new[run])
            new.removeSubrange(run)
            let target = random.below(new.count + 1)
            switch random.below(4) {
            case 0: new.insert(contentsOf: taken.map { $0 + 1_000 * (1 + random.below(9)) }, at: target)
            case 1: new.insert(contentsOf: taken.shuffled(using: &random), at: target)
            case 2: new.insert(contentsOf: taken, at: target)
            default: break
            }
        }
        try check(old, Array(distinct: new))
    }

    private func check(_ old: [Int], _ new: [Int]) throws {
        let difference = OrderDifference(from: old.map { ItemHandle($0) }, to: new.map { ItemHandle($0) })
        #expect(difference == OrderDifference(from: old.map { ItemID("\($0)")! }, to: new.map { ItemID("\($0)")! }))
        try #require(try replayed(difference, from: old, to: new) == new)
        #expect(difference.removed == old.indices.filter { !Set(new).contains(old[$0]) })
        #expect(difference.arrived == new.indices.filter { !Set(old).contains(new[$0]) })
        #expect(difference.moved.count == fewestMoves(old, new))
        #expect(difference.moved.map(\.to) == difference.moved.map(\.to).sorted())
    }

    /// The rows that stay fill the gaps between the placed rows.
    private func replayed(_ difference: OrderDifference, from old: [Int], to new: [Int]) throws -> [Int] {
        let leaving = Set(difference.removed + difference.moved.map(\.from))
        try #require(leaving.count == difference.removed.count + difference.moved.count)
        var placed: [Int: Int] = [:]
        for index in difference.arrived { placed[index] = new[index] }
        for move in difference.moved { placed[move.to] = old[move.from] }
        try #require(placed.count == difference.arrived.count + difference.moved.count)
        var staying = old.indices.filter { !leaving.contains($0) }.map { old[$0] }[...]
        return new.indices.compactMap { placed[$0] ?? staying.popFirst() }
    }
}

extension [Int] {
    /// The numbers without repetitions. The first occurrence of each stays.
    fileprivate init(distinct numbers: [Int]) {
        var seen: Set<Int> = []
        self = numbers.filter { seen.insert($0).inserted }
    }
}
