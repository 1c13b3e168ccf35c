import ListModel

/// The elements of an order that may still stand at their old places. A search for the nearest one looks at a gone
/// element only once, because every operation of a transaction may search.
///
/// - Complexity: A search takes O(log *n*) and a look at each element up to the one that fits. An element that is gone
///   is not looked at again until `restore(_:)` names it.
struct Standing {
    /// The first level has a bit for each element. Each level above has a bit for each word below that is not zero.
    private var levels: [[UInt64]] = []

    /// At first every element may stand at its place.
    init(count: Int) {
        var count = count
        repeat {
            count = (count + 63) / 64
            levels.append(Array(repeating: .max, count: count))
        } while count > 1
    }

    /// Notes that an element may stand at its place again.
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

    /// The result of a look at one element.
    enum Finding {
        case fits
        /// The element stands at its place, but is not wanted now.
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

    /// - Parameter items: The siblings in their order at the base.
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
