/// Which elements of two orders are the same.
///
/// Most orders are nearly alike, so both are walked side by side first; only what that leaves is looked up.
struct Alignment {
    /// How far to look for the other side's element before both are put aside.
    private static let lookAhead = 4
    /// How many may be put aside one after the other: beyond, the orders are not alike.
    private static let asideMax = 64

    /// Where the orders begin to differ, in both.
    private var start = 0
    /// From `start` on to where they differ no more: by new index, the old one; -1 if there is none.
    private var sources: [Int32] = []
    /// By old index, whether the new order has it.
    private var isFound: [Bool] = []

    /// - Parameters:
    ///   - old: Distinct elements, as are `new`.
    init<Positions: PositionTable>(of old: [Positions.Element], to new: [Positions.Element], _: Positions.Type) {
        let shortest = min(old.count, new.count)
        while start < shortest, old[start] == new[start] { start += 1 }
        var end = 0
        while end < shortest - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
        sources = Array(repeating: -1, count: new.count - end - start)
        isFound = Array(repeating: false, count: old.count - end - start)
        guard !sources.isEmpty, !isFound.isEmpty else { return }
        walk(old, new)
        lookUp(old, new, Positions.self)
    }

    private mutating func match(_ old: Int, _ new: Int) {
        sources[new - start] = Int32(truncatingIfNeeded: old)
        isFound[old - start] = true
    }

    private mutating func walk<Element: Equatable>(_ old: [Element], _ new: [Element]) {
        let (oldEnd, newEnd) = (start + isFound.count, start + sources.count)
        var (left, right) = (start, start)
        var aside = 0
        while left < oldEnd, right < newEnd, aside < Self.asideMax {
            if old[left] == new[right] {
                match(left, right)
                aside = 0
            } else if let next = Self.find(old[left], in: new[..<newEnd], behind: right) {
                match(left, next)
                right = next
            } else if let next = Self.find(new[right], in: old[..<oldEnd], behind: left) {
                match(next, right)
                left = next
            } else {
                aside += 1
            }
            left += 1
            right += 1
        }
    }

    private static func find<Element: Equatable>(
        _ element: Element, in order: ArraySlice<Element>, behind index: Int
    ) -> Int? {
        order[(index + 1)...].prefix(lookAhead).firstIndex(of: element)
    }

    private mutating func lookUp<Positions: PositionTable>(
        _ old: [Positions.Element], _ new: [Positions.Element], _: Positions.Type
    ) {
        let aside = removed
        let wanted = arrived
        guard !aside.isEmpty, !wanted.isEmpty else { return }
        let positions = Positions(aside, in: old)
        for index in wanted {
            // Behind an element stands most often what stood behind it before.
            let next = index > start ? Int(sources[index - 1 - start]) + 1 : start
            if next > start, next < start + isFound.count, !isFound[next - start], old[next] == new[index] {
                match(next, index)
            } else if let position = positions.position(of: new[index]) {
                match(position, index)
            }
        }
    }
}

// MARK: - Reading

extension Alignment {
    /// Old indexes of what the new order lacks, ascending.
    var removed: [Int] { isFound.indices.lazy.filter { !isFound[$0] }.map { $0 + start } }

    /// New indexes of what the old order lacks, ascending.
    var arrived: [Int] { sources.indices.lazy.filter { sources[$0] < 0 }.map { $0 + start } }

    /// What is in both but for their common ends, in new order.
    var blocks: [Block] {
        var blocks: [Block] = []
        var end = Block(old: -1, new: -1, count: 0, untouched: 0)
        for (offset, source) in sources.enumerated() where source >= 0 {
            let (old, new) = (Int(source), offset + start)
            if end.old + end.count == old, end.new + end.count == new {
                end.count += 1
            } else {
                if end.count > 0 { blocks.append(end) }
                end = Block(old: old, new: new, count: 1, untouched: 0)
            }
        }
        if end.count > 0 { blocks.append(end) }
        return blocks
    }
}
