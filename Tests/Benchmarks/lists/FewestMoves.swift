/// The fewest elements that must move to turn one order into the other: the common elements without the longest
/// increasing subsequence. Patience sorting finds it. The code is independent of the measured code, which it checks.
func fewestMoves<Element: Hashable>(_ old: [Element], _ new: [Element]) -> Int {
    let positions = Dictionary(uniqueKeysWithValues: zip(old, old.indices))
    let order = new.compactMap { positions[$0] }
    var tops: [Int] = []
    for position in order {
        var (start, end) = (0, tops.count)
        while start < end {
            let middle = (start + end) / 2
            (start, end) = tops[middle] < position ? (middle + 1, end) : (start, middle)
        }
        if start == tops.count { tops.append(position) } else { tops[start] = position }
    }
    return order.count - tops.count
}
