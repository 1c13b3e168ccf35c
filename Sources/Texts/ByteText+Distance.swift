extension ByteText {
    /// Texts that the writer of this one may have wanted to write: this text in lower case, with two neighbours
    /// exchanged, or without one of its characters. There are none if this text is long or not ASCII.
    package var slips: [ByteText] {
        guard utf8.count <= 32, isASCII else { return [] }
        let bytes = Array(utf8)
        let exchanged = bytes.indices.dropFirst().map { index in
            var bytes = bytes
            bytes.swapAt(index - 1, index)
            return ByteText(decoding: bytes)
        }
        let shorter = bytes.count < 3 ? [] : bytes.indices.map { ByteText(decoding: bytes[..<$0] + bytes[($0 + 1)...]) }
        return [lowercasedASCII] + exchanged + shorter
    }

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
