/// For each item, the name of the chunk in which its row stands.
package typealias ChunkNames = PagedArray<Int32>

/// The rows of a section, depth first, hidden ones too: a counted sequence in chunks.
///
/// The counts of the chunks lead from an index to a chunk, and the chunk's name leads from an item to its chunk. So
/// rows are found, put and taken at the cost of one chunk. Copies share the chunks that neither of them has changed.
package struct RowList: Sendable {
    /// The most rows of a chunk, and the rows of each chunk when many are put at once.
    static let full = 512
    static let filled = 384
    /// A chunk with fewer rows joins a neighbour that has the room.
    static let few = 128

    /// The chunks by name, so that copies share them even if their order changes; empty for a name that is free.
    var chunks = PagedArray<[Row]>()
    var counts: [Int32] = []
    var shownCounts: [Int32] = []
    /// The names of the chunks in order. A chunk keeps its name while others come and go.
    var names: [Int32] = []
    /// The index in `names` of each name.
    var positions: [Int32] = []
    var freeNames: [Int32] = []
    package internal(set) var count = 0
    /// How many rows are shown.
    package internal(set) var shownCount = 0

    package init() {}

    /// The number of chunks. A change costs the rows of its own chunk, and a count for each of the others.
    var chunkCount: Int { names.count }
    package var isEmpty: Bool { count == 0 }
    package var hidesRows: Bool { shownCount < count }
}

// MARK: - Reading

extension RowList {
    struct Place {
        var chunk: Int
        var offset: Int
    }

    /// The chunk at a position.
    subscript(chunk position: Int) -> [Row] {
        _read { yield chunks[Int(names[position])] }
        _modify { yield &chunks[Int(names[position])] }
    }

    /// The row at an index.
    ///
    /// - Precondition: `index` is in `0..<count`.
    package subscript(index: Int) -> Row {
        let place = place(at: index + 1)
        return self[chunk: place.chunk][place.offset - 1]
    }

    /// The rows of a range of indexes, in order.
    package subscript(range: Range<Int>) -> [Row] {
        guard !range.isEmpty else { return [] }
        Steps.add(range.count)
        var rows: [Row] = []
        rows.reserveCapacity(range.count)
        var place = place(at: range.lowerBound)
        while rows.count < range.count {
            let chunk = self[chunk: place.chunk]
            rows += chunk[place.offset..<min(chunk.count, place.offset + range.count - rows.count)]
            place = Place(chunk: place.chunk + 1, offset: 0)
        }
        return rows
    }

    /// The gap before the row at an index, at the end of a chunk rather than at the start of the next.
    func place(at index: Int) -> Place { Self.place(behind: index, counts) }

    /// The chunk that holds the last one of the first `number` rows, and how many of these rows it holds. The last
    /// chunk if there are fewer.
    private static func place(behind number: Int, _ counts: [Int32]) -> Place {
        Steps.add(1 + counts.count / stride)
        var rest = Int32(truncatingIfNeeded: number)
        var chunk = 0
        let last = counts.count - 1
        // The counts of a stride are added up in vectors, which is faster than a look at each of them.
        while chunk + stride <= last {
            let sum = sum(counts[chunk..<chunk + stride])
            guard rest > sum else { break }
            rest -= sum
            chunk += stride
        }
        while chunk < last, rest > counts[chunk] {
            rest -= counts[chunk]
            chunk += 1
        }
        return Place(chunk: chunk, offset: Int(rest))
    }

    private static let stride = 32

    private static func sum(_ counts: ArraySlice<Int32>) -> Int32 {
        var sum: Int32 = 0
        for count in counts { sum &+= count }
        return sum
    }

    private func place(of item: ItemHandle, _ chunkNames: borrowing ChunkNames) -> Place {
        let chunk = Int(positions[Int(chunkNames[item.index])])
        Steps.add(1)
        return Place(chunk: chunk, offset: self[chunk: chunk].firstIndex { $0.item == item } ?? 0)
    }

    /// The index of an item that has a row in this list.
    package func index(of item: ItemHandle, _ chunkNames: borrowing ChunkNames) -> Int {
        let place = place(of: item, chunkNames)
        return Self.sum(counts, before: place.chunk) + place.offset
    }

    /// Whether the row of an item is shown.
    func isShown(_ item: ItemHandle, _ chunkNames: borrowing ChunkNames) -> Bool {
        guard hidesRows else { return true }
        let place = place(of: item, chunkNames)
        return self[chunk: place.chunk][place.offset].isShown
    }

    /// How many of the first `index` rows are shown. This is also the index of the next shown row among shown rows.
    package func shownCount(before index: Int) -> Int {
        guard hidesRows, index > 0 else { return index }
        let place = place(at: index)
        let here = self[chunk: place.chunk][..<place.offset].count(where: \.isShown)
        return Self.sum(shownCounts, before: place.chunk) + here
    }

    private static func sum(_ counts: [Int32], before end: Int) -> Int {
        Steps.add(1 + end / stride)
        return Int(sum(counts[..<end]))
    }

    /// The shown row whose index among shown rows is `index`.
    ///
    /// - Precondition: `index` is in `0..<shownCount`.
    package func shownItem(at index: Int) -> ItemHandle {
        guard hidesRows else { return self[index].item }
        let place = Self.place(behind: index + 1, shownCounts)
        var rest = place.offset
        var offset = -1
        while rest > 0 {
            offset += 1
            if self[chunk: place.chunk][offset].isShown { rest -= 1 }
        }
        return self[chunk: place.chunk][offset].item
    }

    /// The shown rows whose indexes among shown rows are in a range, in order.
    package func shownItems(_ range: Range<Int>) -> [ItemHandle] {
        guard hidesRows else { return self[range].map(\.item) }
        guard !range.isEmpty else { return [] }
        var items: [ItemHandle] = []
        items.reserveCapacity(range.count)
        let start = Self.place(behind: range.lowerBound, shownCounts)
        var skipped = 0
        for chunk in start.chunk..<names.count where items.count < range.count {
            for row in self[chunk: chunk] where row.isShown && items.count < range.count {
                if skipped == start.offset { items.append(row.item) } else { skipped += 1 }
            }
        }
        return items
    }
}
