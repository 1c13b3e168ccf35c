/// Finds elements among some of the elements of an order.
protocol PositionTable<Element> {
    associatedtype Element: Hashable

    /// - Parameter positions: The indexes in `elements` of the elements that can be found.
    init(_ positions: [Int], in elements: [Element])

    /// The index in `positions` of the position of `element`; nil if there is none.
    func offset(of element: Element) -> Int?
}

/// A hash table of offsets. It keeps bits of the hashes and leaves the elements in their array.
///
/// Hashes are Swift's, which are seeded for each process: nobody can choose ids that meet in one slot.
struct HashedPositions<Element: Hashable>: PositionTable {
    private struct Slot {
        var hash: UInt32
        /// The offset of the element. It is -1 if the slot is empty.
        var offset: Int32
    }

    private let elements: [Element]
    private let positions: [Int]
    /// The number of slots is a power of two. At least half of them are empty.
    private var slots: [Slot]

    init(_ positions: [Int], in elements: [Element]) {
        self.elements = elements
        self.positions = positions
        var count = 8
        while count < 2 * positions.count { count *= 2 }
        slots = Array(repeating: Slot(hash: 0, offset: -1), count: count)
        for (offset, position) in positions.enumerated() {
            let hash = Self.hash(elements[position])
            var slot = Int(hash) & (count - 1)
            while slots[slot].offset >= 0 { slot = (slot + 1) & (count - 1) }
            slots[slot] = Slot(hash: hash, offset: Int32(truncatingIfNeeded: offset))
        }
    }

    private static func hash(_ element: Element) -> UInt32 { UInt32(truncatingIfNeeded: element.hashValue) }

    func offset(of element: Element) -> Int? {
        let hash = Self.hash(element)
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot].offset >= 0 {
            let offset = Int(slots[slot].offset)
            if slots[slot].hash == hash, elements[positions[offset]] == element { return offset }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }
}

/// A table of offsets from the lowest handle to the highest; a hash table if they are far apart.
struct HandlePositions<Handle: DenseHandle>: PositionTable {
    private enum Table {
        /// The offset of each handle from `lowest` on. It is -1 if there is no such handle.
        case dense([Int32], lowest: Int)
        case hashed(HashedPositions<Handle>)
    }

    private let table: Table

    init(_ positions: [Int], in handles: [Handle]) {
        var (lowest, highest) = (Int.max, 0)
        for position in positions {
            lowest = min(lowest, handles[position].index)
            highest = max(highest, handles[position].index)
        }
        guard lowest <= highest, highest - lowest < 32 * positions.count else {
            table = .hashed(HashedPositions(positions, in: handles))
            return
        }
        var dense = [Int32](repeating: -1, count: highest - lowest + 1)
        for (offset, position) in positions.enumerated() {
            dense[handles[position].index - lowest] = Int32(truncatingIfNeeded: offset)
        }
        table = .dense(dense, lowest: lowest)
    }

    func offset(of handle: Handle) -> Int? {
        switch table {
        case .dense(let offsets, let lowest):
            let index = handle.index - lowest
            guard offsets.indices.contains(index), offsets[index] >= 0 else { return nil }
            return Int(offsets[index])
        case .hashed(let positions):
            return positions.offset(of: handle)
        }
    }
}
