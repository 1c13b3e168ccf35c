extension ByteText {
    /// The edit distance: how many bytes must be inserted, deleted, replaced or swapped with their neighbour to turn
    /// one text into the other.
    ///
    /// It takes time in the product of both lengths, so both texts must be short.
    package func distance(to other: ByteText) -> Int {
        let (left, right) = (Array(utf8), Array(other.utf8))
        var before: [Int] = []
        var row = Array(0...right.count)
        for i in left.indices {
            var next = [i + 1]
            next.reserveCapacity(row.count)
            for j in right.indices {
                let isSame = left[i] == right[j]
                var least = min(row[j + 1] + 1, next[j] + 1, row[j] + (isSame ? 0 : 1))
                let isSwapped = i > 0 && j > 0 && left[i] == right[j - 1] && left[i - 1] == right[j]
                if isSwapped { least = min(least, before[j - 1] + 1) }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[right.count]
    }
}
