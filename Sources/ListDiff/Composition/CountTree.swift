/// A sequence of counts that finds the count in which a running sum reaches a number: a Fenwick tree.
///
/// An example with the counts 3, 1, 4, 2. The tree keeps one sum for each, of that count and perhaps some before it:
///
///     sums[1] = 3    sums[2] = 3 + 1    sums[3] = 4    sums[4] = 3 + 1 + 4 + 2
///
/// `find(5)` halves its steps. `sums[4]` is 10 and not below 5, so the answer is among the four. `sums[2]` is 4 and
/// below 5, so two counts lie behind and 1 is left. `sums[3]` is 4 and not below 1, so the answer is the third count,
/// of which 1 is needed: `(element: 2, offset: 1)`. To add 1 to the third count changes `sums[3]` and `sums[4]`.
struct CountTree: Sendable {
    /// The partial sums: `sums[i]` is the sum of the last *k* counts before index *i*, *k* = the lowest set bit of *i*.
    private var sums = [0]

    /// The element in which the running sum reaches `sum`, and the part of its count that this takes; the first element
    /// for 0.
    ///
    /// - Parameter sum: At most the sum of all.
    /// - Complexity: O(log *n*)
    func find(_ sum: Int) -> (element: Int, offset: Int) {
        var element = 0
        var offset = sum
        var step = 1 << (Int.bitWidth - 1 - sums.count.leadingZeroBitCount)
        while step > 0 {
            if element + step < sums.count, sums[element + step] < offset {
                element += step
                offset -= sums[element]
            }
            step /= 2
        }
        return (element, offset)
    }

    /// - Complexity: O(log *n*)
    mutating func add(_ count: Int, at element: Int) {
        var node = element + 1
        while node < sums.count {
            sums[node] += count
            node += node & -node
        }
    }

    /// - Complexity: O(*n*), as are the following.
    mutating func append(_ count: Int) {
        withCounts { $0.append(count) }
    }

    mutating func remove(at element: Int) {
        withCounts { $0.remove(at: element + 1) }
    }

    /// Splits an element in two. The second one gets `upper` of its count.
    mutating func split(at element: Int, upper: Int) {
        withCounts { counts in
            counts[element + 1] -= upper
            counts.insert(upper, at: element + 2)
        }
    }

    /// - Parameter body: Receives the plain counts, which begin at index 1.
    private mutating func withCounts(_ body: (inout [Int]) -> Void) {
        for node in sums.indices.dropFirst().reversed() {
            let next = node + (node & -node)
            if next < sums.count { sums[next] -= sums[node] }
        }
        body(&sums)
        for node in sums.indices.dropFirst() {
            let next = node + (node & -node)
            if next < sums.count { sums[next] += sums[node] }
        }
    }
}
