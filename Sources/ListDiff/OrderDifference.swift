/// How two orders of handles differ, with the fewest moves.
struct OrderDifference<Handle: DenseHandle> {
    struct Move {
        /// An old index.
        var from: Int
        /// A new index.
        var to: Int
    }

    /// Old indexes of what the new order lacks, ascending.
    private(set) var removed: [Int] = []
    /// New indexes of what the old order lacks, ascending.
    private(set) var arrived: [Int] = []
    /// By new index, ascending.
    private(set) var moved: [Move] = []

    /// - Parameters:
    ///   - old: Distinct handles, as are `new`.
    ///   - capacity: Above every handle's index.
    ///   - touched: What operations placed; among equally few moves these are the ones that move.
    ///     Asked for only if there is a choice.
    /// - Complexity: O(*n* + *m* log *m*), *m* = runs of neighbours that broke apart.
    init(from old: [Handle], to new: [Handle], capacity: Int, touched: () -> HandleMask<Handle>) {
        var start = 0
        while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
        var oldEnd = old.count
        var newEnd = new.count
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        var blocks = match(old[start..<oldEnd], new[start..<newEnd], capacity: capacity)
        guard !areIncreasing(blocks) else { return }
        countUntouched(&blocks, new, touched())
        for (block, stays) in zip(blocks, stayingBlocks(blocks)) where !stays {
            moved += (0..<block.count).map { Move(from: block.old + $0, to: block.new + $0) }
        }
    }

    /// Notes what is in one order only.
    ///
    /// - Returns: What is in both, in new order.
    private mutating func match(_ old: ArraySlice<Handle>, _ new: ArraySlice<Handle>, capacity: Int) -> [Block] {
        guard !old.isEmpty, !new.isEmpty else {
            removed = Array(old.indices)
            arrived = Array(new.indices)
            return []
        }
        var finder = PositionFinder(old, capacity: capacity)
        var isMatched = [Bool](repeating: false, count: old.count)
        var blocks: [Block] = []
        var expected = old.startIndex
        for index in new.indices {
            let isNext = expected < old.endIndex && old[expected] == new[index]
            guard let position = isNext ? expected : finder.position(of: new[index], near: expected) else {
                arrived.append(index)
                continue
            }
            isMatched[position - old.startIndex] = true
            expected = position + 1
            if let last = blocks.last, last.old + last.count == position, last.new + last.count == index {
                blocks[blocks.endIndex - 1].count += 1
            } else {
                blocks.append(Block(old: position, new: index, count: 1, untouched: 0))
            }
        }
        for index in old.indices where !isMatched[index - old.startIndex] { removed.append(index) }
        return blocks
    }

    private func countUntouched(_ blocks: inout [Block], _ new: [Handle], _ touched: HandleMask<Handle>) {
        for index in blocks.indices {
            let rows = new[blocks[index].new..<(blocks[index].new + blocks[index].count)]
            blocks[index].untouched = rows.count(where: { !touched.contains($0) })
        }
    }
}
