/// A run of elements that are neighbours in both orders, so that all of them stay or none does.
struct Block: Equatable {
    /// The index of the first element in the old order.
    var old: Int
    /// The index of the first element in the new order.
    var new: Int
    var count: Int
    /// How many of the elements no operation placed.
    var untouched: Int
}

/// Tells which blocks stay in place: the heaviest increasing subsequence.
///
/// Of all subsequences whose old indexes increase, this is the one with the most elements; among those the one with the
/// most untouched elements; among those the one whose sequence of old indexes is lexicographically smallest.
///
/// - Parameters:
///   - blocks: The blocks in new order.
///   - isUntouchedFirst: Whether more untouched elements are preferred to more elements.
/// - Complexity: O(*m* log *m*), *m* = `blocks.count`; O(*m*) if they increase already.
func stayingBlocks(_ blocks: [Block], isUntouchedFirst: Bool = false) -> [Bool] {
    guard !areIncreasing(blocks) else { return Array(repeating: true, count: blocks.count) }
    let ranks = descendingRanks(blocks)
    var heaviest = PrefixMaximum(count: blocks.count, least: Subsequence.none)
    var next = [Int32](repeating: -1, count: blocks.count)
    // The loop goes backwards, so that each block knows its heaviest continuation and the walk from the first one is
    // greedy.
    for index in blocks.indices.reversed() {
        let rank = ranks[index]
        let continuation = heaviest.maximum(before: rank)
        next[index] = continuation.block
        let (count, untouched) = (UInt64(blocks[index].count), UInt64(blocks[index].untouched))
        let weight = isUntouchedFirst ? untouched << 32 + count : count << 32 + untouched
        let found = Subsequence(weight: weight + continuation.weight, rank: Int32(rank), block: Int32(index))
        heaviest.raise(at: rank, to: found)
    }
    var stays = [Bool](repeating: false, count: blocks.count)
    var index = Int(heaviest.maximum(before: blocks.count).block)
    while index >= 0 {
        stays[index] = true
        index = Int(next[index])
    }
    return stays
}

func areIncreasing(_ blocks: [Block]) -> Bool {
    zip(blocks, blocks.dropFirst()).allSatisfy { $0.old < $1.old }
}

/// The rank of each block by old index, the last one being 0.
private func descendingRanks(_ blocks: [Block]) -> [Int] {
    var ranks = [Int](repeating: 0, count: blocks.count)
    for (rank, index) in descending(blocks).enumerated() { ranks[index] = rank }
    return ranks
}

/// The indexes of blocks by old index, the last one first.
private func descending(_ blocks: [Block]) -> [Int] {
    var (lowest, highest) = (Int.max, -1)
    for block in blocks {
        lowest = min(lowest, block.old)
        highest = max(highest, block.old)
    }
    // A table is faster than sorting, unless the old indexes are far apart.
    guard lowest <= highest, highest - lowest < 32 * blocks.count else {
        return blocks.indices.sorted { blocks[$0].old > blocks[$1].old }
    }
    var places = [Int32](repeating: -1, count: highest - lowest + 1)
    for (index, block) in blocks.enumerated() { places[block.old - lowest] = Int32(truncatingIfNeeded: index) }
    var order: [Int] = []
    order.reserveCapacity(blocks.count)
    for index in places.reversed() where index >= 0 { order.append(Int(index)) }
    return order
}

/// The heaviest increasing subsequence that begins with a block.
private struct Subsequence: Comparable {
    /// The number of elements and the number of untouched ones. The number that is compared first is in the upper half.
    var weight: UInt64
    /// The rank of the first block. Of two subsequences of one weight, the greater is the one that begins earlier in
    /// the old order.
    var rank: Int32
    /// The first block; -1 for none.
    var block: Int32

    static let none = Subsequence(weight: 0, rank: -1, block: -1)

    static func < (left: Self, right: Self) -> Bool {
        left.weight != right.weight ? left.weight < right.weight : left.rank < right.rank
    }
}

/// The greatest of the values before any index: a Fenwick tree.
struct PrefixMaximum<Value: Comparable> {
    private var nodes: [Value]

    init(count: Int, least: Value) { nodes = Array(repeating: least, count: count + 1) }

    func maximum(before end: Int) -> Value {
        // No value is noted at the first node.
        var greatest = nodes[0]
        var node = end
        while node > 0 {
            if greatest < nodes[node] { greatest = nodes[node] }
            node &= node - 1
        }
        return greatest
    }

    mutating func raise(at index: Int, to value: Value) {
        var node = index + 1
        while node < nodes.count {
            if nodes[node] < value { nodes[node] = value }
            node += node & -node
        }
    }
}
