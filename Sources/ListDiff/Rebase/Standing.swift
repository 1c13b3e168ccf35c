import ListModel

/// Which elements of an order may still stand where they stood, so that the nearest of them is found without another
/// look at those that do not: every operation of a transaction may ask for it again.
///
/// - Complexity: A search takes O(log *n*) and a look at each element that it finds not to stand; an element is looked
///   at once, and once more for each time that `restore(_:)` is told of it.
struct Standing {
    /// A bit for each element; above, a bit for each word of the level below that has one.
    private var levels: [[UInt64]] = []

    /// All of them may.
    init(count: Int) {
        var count = count
        repeat {
            count = (count + 63) / 64
            levels.append(Array(repeating: .max, count: count))
        } while count > 1
    }

    /// An element may stand there again.
    mutating func restore(_ index: Int) {
        var index = index
        for level in levels.indices {
            levels[level][index / 64] |= 1 << UInt64(index % 64)
            index /= 64
        }
    }

    private mutating func remove(_ index: Int) {
        var index = index
        for level in levels.indices {
            levels[level][index / 64] &= ~(1 << UInt64(index % 64))
            guard levels[level][index / 64] == 0 else { return }
            index /= 64
        }
    }

    /// What a look at an element finds.
    enum Finding {
        case fits
        /// It stands there, but is not wanted now.
        case isPassedOver
        case isGone
    }

    /// The last element before an index that fits.
    mutating func last(before end: Int, where find: (Int) -> Finding) -> Int? {
        var end = end
        while let index = last(before: end) {
            Steps.add(1)
            switch find(index) {
            case .fits: return index
            case .isPassedOver: break
            case .isGone: remove(index)
            }
            end = index
        }
        return nil
    }

    /// The last element before an index that may stand.
    private func last(before end: Int) -> Int? {
        var last = end - 1
        for level in levels.indices where last >= 0 {
            Steps.add(1)
            let bits = levels[level][last / 64] << UInt64(63 - last % 64)
            guard bits == 0 else { return lowest(last - bits.leadingZeroBitCount, from: level) }
            last = last / 64 - 1
        }
        return nil
    }

    /// The last element below a bit of a level.
    private func lowest(_ index: Int, from level: Int) -> Int {
        levels[..<level].reversed().reduce(index) { $0 * 64 + 63 - $1[$0].leadingZeroBitCount }
    }
}

/// The siblings that an item had at the base of a transaction.
struct BaseSiblings {
    let items: [ItemHandle]
    private let ranks: [ItemHandle: Int]
    private var standing: Standing

    /// - Parameter items: In order.
    init(_ items: [ItemHandle]) {
        self.items = items
        ranks = Dictionary(uniqueKeysWithValues: zip(items, items.indices))
        standing = Standing(count: items.count)
        Steps.add(items.count)
    }

    mutating func restore(_ item: ItemHandle) {
        if let rank = ranks[item] { standing.restore(rank) }
    }

    mutating func last(before item: ItemHandle, where find: (ItemHandle) -> Standing.Finding) -> ItemHandle? {
        guard let rank = ranks[item] else { return nil }
        return standing.last(before: rank) { find(items[$0]) }.map { items[$0] }
    }
}
