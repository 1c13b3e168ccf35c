internal import Texts

/// The elements that two orders have in common, and those that only one of them has.
///
/// Most orders are nearly alike. So both are first walked side by side, and only the elements that this puts aside are
/// looked up.
struct Alignment {
    /// The old indexes of the elements that the new order lacks, ascending.
    private(set) var removed: [Int] = []
    /// The new indexes of the elements that the old order lacks, ascending.
    private(set) var arrived: [Int] = []
    /// Runs of elements that both orders have, in new order. The common start and the common end are left out.
    private(set) var blocks: [Block] = []

    /// - Parameters:
    ///   - old: The old elements. They are distinct, and so are those of `new`.
    init<Positions: PositionTable>(of old: [Positions.Element], to new: [Positions.Element], _: Positions.Type) {
        old.withSpan { old in new.withSpan { new in walk(old, new) } }
        lookUp(old, new, Positions.self)
    }
}

// MARK: - Side by side

extension Alignment {
    /// How far to look for the other order's element before both are put aside.
    private static let lookAhead = 4
    /// The number of elements that may be put aside one after the other. With more, the orders are not alike.
    private static let asideMax = 64

    /// Goes from one common run to the next. It notes the elements that it puts aside as removed and arrived.
    private mutating func walk<Element: Equatable>(_ old: Span<Element>, _ new: Span<Element>) {
        let start = Self.commonCount(old, new)
        var (left, leftEnd) = (start, old.count)
        var (right, rightEnd) = (start, new.count)
        while leftEnd > left, rightEnd > right, old[leftEnd - 1] == new[rightEnd - 1] {
            leftEnd -= 1
            rightEnd -= 1
        }
        var aside = 0
        while left < leftEnd, right < rightEnd, aside < Self.asideMax {
            let count = Self.commonCount(old.extracting(left..<leftEnd), new.extracting(right..<rightEnd))
            if count > 0 {
                blocks.append(Block(old: left, new: right, count: count, untouched: 0))
                left += count
                right += count
                aside = 0
            } else if let next = Self.find(old[left], in: new, right + 1..<rightEnd) {
                arrived += right..<next
                right = next
            } else if let next = Self.find(new[right], in: old, left + 1..<leftEnd) {
                removed += left..<next
                left = next
            } else {
                removed.append(left)
                arrived.append(right)
                left += 1
                right += 1
                aside += 1
            }
        }
        removed += left..<leftEnd
        arrived += right..<rightEnd
    }

    /// How many elements two orders have in common at their start.
    private static func commonCount<Element: Equatable>(_ left: Span<Element>, _ right: Span<Element>) -> Int {
        let end = min(left.count, right.count)
        var count = 0
        while count < end, left[count] == right[count] { count += 1 }
        return count
    }

    /// The index of an element that is not far from the start of a range.
    private static func find<Element: Equatable>(
        _ element: Element, in order: Span<Element>, _ range: Range<Int>
    ) -> Int? {
        for index in range.prefix(lookAhead) where order[index] == element { return index }
        return nil
    }
}

// MARK: - Looking up

extension Alignment {
    /// Finds the elements that were put aside in both orders: they are neither removed nor arrived.
    private mutating func lookUp<Positions: PositionTable>(
        _ old: [Positions.Element], _ new: [Positions.Element], _: Positions.Type
    ) {
        guard !removed.isEmpty, !arrived.isEmpty else { return }
        let wanted = arrived
        let aside = removed
        let positions = Positions(aside, in: old)
        var isFound = [Bool](repeating: false, count: aside.count)
        var walked = blocks[...]
        blocks = []
        blocks.reserveCapacity(walked.count + wanted.count)
        arrived = []
        var next = 0
        for index in wanted {
            // An element is most often followed by the one that followed it before.
            let isNext = next < aside.count && old[aside[next]] == new[index]
            guard let offset = isNext ? next : positions.offset(of: new[index]) else {
                arrived.append(index)
                continue
            }
            isFound[offset] = true
            next = offset + 1
            while let block = walked.first, block.new < index { append(walked.removeFirst()) }
            append(Block(old: aside[offset], new: index, count: 1, untouched: 0))
        }
        for block in walked { append(block) }
        removed = zip(aside, isFound).lazy.filter { !$1 }.map(\.0)
    }

    /// Appends a block, or lengthens the last one if it goes on there in both orders.
    private mutating func append(_ block: Block) {
        if let last = blocks.last, last.old + last.count == block.old, last.new + last.count == block.new {
            blocks[blocks.endIndex - 1].count += block.count
        } else {
            blocks.append(block)
        }
    }
}
