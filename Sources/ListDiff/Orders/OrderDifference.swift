public import ListModel

/// How two orders differ, with the fewest moves.
///
/// Elements of both orders that are not in `moved` keep their relative order. No larger set of elements does.
public struct OrderDifference: Sendable, Equatable {
    /// An element of both orders that changes its place among the others.
    public struct Move: Sendable, Equatable {
        /// An old index.
        public var from: Int
        /// A new index.
        public var to: Int
    }

    /// The old indexes of the elements that the new order lacks, ascending.
    public private(set) var removed: [Int] = []
    /// The new indexes of the elements that the old order lacks, ascending.
    public private(set) var arrived: [Int] = []
    /// The elements that change their place among the others, sorted by new index.
    public private(set) var moved: [Move] = []

    /// Compares ids, as bytes.
    ///
    /// If several sets of moves are equally few, the elements that were earlier stay.
    ///
    /// - Parameters:
    ///   - old: The old ids. They are distinct, and so are those of `new`.
    /// - Complexity: O(*n* + *m* log *m*), *m* = runs of neighbours that broke apart.
    public init(from old: [ItemID], to new: [ItemID]) { self.init(of: old, to: new) }

    /// Compares handles of one list, otherwise as above.
    public init(from old: [ItemHandle], to new: [ItemHandle]) {
        self.init(from: old, to: new, HandlePositions.self) { _ in }
    }

    /// Compares ids of any type.
    init<ID: Hashable>(of old: [ID], to new: [ID]) {
        self.init(from: old, to: new, HashedPositions.self) { _ in }
    }

    /// - Parameters:
    ///   - isUntouchedFirst: Whether untouched elements stay even if this takes more moves.
    ///   - touched: The elements that operations placed. If several sets of moves are equally few, these elements move.
    ///     Called only if there is a choice.
    init<Handle: DenseHandle>(
        from old: [Handle], to new: [Handle], isUntouchedFirst: Bool = false, touched: () -> HandleMask<Handle>
    ) {
        self.init(from: old, to: new, HandlePositions.self, isUntouchedFirst: isUntouchedFirst) { blocks in
            let touched = touched()
            for index in blocks.indices {
                let rows = new[blocks[index].new..<blocks[index].new + blocks[index].count]
                blocks[index].untouched = rows.count { !touched.contains($0) }
            }
        }
    }

    /// - Parameter countUntouched: Counts the untouched elements of each block. It is called only if there is a choice.
    private init<Positions: PositionTable>(
        from old: [Positions.Element], to new: [Positions.Element], _: Positions.Type, isUntouchedFirst: Bool = false,
        countUntouched: (inout [Block]) -> Void
    ) {
        let alignment = Alignment(of: old, to: new, Positions.self)
        removed = alignment.removed
        arrived = alignment.arrived
        var blocks = alignment.blocks
        guard !areIncreasing(blocks) else { return }
        countUntouched(&blocks)
        for (block, stays) in zip(blocks, stayingBlocks(blocks, isUntouchedFirst: isUntouchedFirst)) where !stays {
            for offset in 0..<block.count { moved.append(Move(from: block.old + offset, to: block.new + offset)) }
        }
    }
}
