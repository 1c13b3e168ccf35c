/// In which chunk of its section each row stands, by item.
typealias ChunkNames = PagedArray<Int32>

/// The rows of a section, depth first, hidden ones too: a counted sequence in chunks.
///
/// Between an index and a chunk stand the counts of the chunks, between an item and its chunk the chunk's name, so
/// that rows are found, put and taken at the cost of one chunk. Copies share the chunks that neither has changed.
package struct RowList: Sendable {
    /// Rows of a chunk at most, and when many are put at once.
    private static let full = 512
    private static let filled = 384
    /// A chunk with fewer joins a neighbour that has the room.
    private static let few = 128

    /// By name, so that copies share them however the order of chunks changes; empty for a name that is free.
    private var chunks = PagedArray<[Row]>()
    private var counts: [Int32] = []
    private var shownCounts: [Int32] = []
    /// By position. A chunk keeps its name while others come and go.
    private var names: [Int32] = []
    /// By name.
    private var positions: [Int32] = []
    private var freeNames: [Int32] = []
    package private(set) var count = 0
    /// How many rows are shown.
    package private(set) var shownCount = 0

    package init() {}

    /// How many chunks there are: what a change pays for besides the one it falls in.
    var chunkCount: Int { names.count }
    package var isEmpty: Bool { count == 0 }
    package var hidesRows: Bool { shownCount < count }
}

// MARK: - Reading

extension RowList {
    private struct Place {
        var chunk: Int
        var offset: Int
    }

    /// The chunk at a position.
    private subscript(chunk position: Int) -> [Row] {
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
    private func place(at index: Int) -> Place { Self.place(behind: index, counts) }

    /// The chunk of the row that is the last of `number` rows, and how many of those it holds; the last chunk if there
    /// are fewer.
    private static func place(behind number: Int, _ counts: [Int32]) -> Place {
        var rest = Int32(truncatingIfNeeded: number)
        var chunk = 0
        let last = counts.count - 1
        // A stride is added up in vectors, which is quicker than to look at each count.
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
        return Place(chunk: chunk, offset: self[chunk: chunk].firstIndex { $0.item == item } ?? 0)
    }

    /// The index of an item that has a row in here.
    func index(of item: ItemHandle, _ chunkNames: borrowing ChunkNames) -> Int {
        let place = place(of: item, chunkNames)
        return Self.sum(counts, before: place.chunk) + place.offset
    }

    /// Whether the row of an item is shown.
    func isShown(_ item: ItemHandle, _ chunkNames: borrowing ChunkNames) -> Bool {
        guard hidesRows else { return true }
        let place = place(of: item, chunkNames)
        return self[chunk: place.chunk][place.offset].isShown
    }

    /// How many of the first `index` rows are shown: the index of the next shown row among those.
    package func shownCount(before index: Int) -> Int {
        guard hidesRows, index > 0 else { return index }
        let place = place(at: index)
        let here = self[chunk: place.chunk][..<place.offset].count(where: \.isShown)
        return Self.sum(shownCounts, before: place.chunk) + here
    }

    private static func sum(_ counts: [Int32], before end: Int) -> Int { Int(sum(counts[..<end])) }

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

// MARK: - Writing

extension RowList {
    /// Puts rows before the one at `index`.
    mutating func insert(_ rows: [Row], at index: Int, _ chunkNames: inout ChunkNames) {
        guard !rows.isEmpty else { return }
        count += rows.count
        shownCount += Self.shownCount(rows)
        guard !names.isEmpty else { return addChunks(rows[...], at: 0, &chunkNames) }
        let place = gap(at: index, for: rows.count)
        if self[chunk: place.chunk].count + rows.count <= Self.full {
            if self[chunk: place.chunk].capacity < Self.full, names.count > 1 {
                self[chunk: place.chunk].reserveCapacity(Self.full)
            }
            self[chunk: place.chunk].insert(contentsOf: rows, at: place.offset)
            recount(place.chunk)
            Self.note(names[place.chunk], of: rows[...], &chunkNames)
        } else if place.offset == self[chunk: place.chunk].count {
            // What grows at its end is left full behind.
            addChunks(rows[...], at: place.chunk + 1, &chunkNames)
        } else {
            let tail = self[chunk: place.chunk][place.offset...]
            self[chunk: place.chunk].removeSubrange(place.offset...)
            refill(place.chunk, with: rows + tail, &chunkNames)
        }
    }

    /// Where rows are put: at the start of the next chunk if only that one has the room, for what is put behind a full
    /// chunk one by one would get chunks of its own.
    private func gap(at index: Int, for number: Int) -> Place {
        let place = place(at: index)
        let next = place.chunk + 1
        guard place.offset == counts[place.chunk], place.offset + number > Self.full else { return place }
        guard next < names.count, Int(counts[next]) + number <= Self.full else { return place }
        return Place(chunk: next, offset: 0)
    }

    /// Spreads what a chunk has and `rest` over as many chunks as that needs.
    private mutating func refill(_ chunk: Int, with rest: [Row], _ chunkNames: inout ChunkNames) {
        let all = self[chunk: chunk] + rest
        let number = (all.count + Self.filled - 1) / Self.filled
        let size = (all.count + number - 1) / number
        self[chunk: chunk] = Array(all[..<size])
        recount(chunk)
        Self.note(names[chunk], of: all[..<size], &chunkNames)
        addChunks(all[size...], at: chunk + 1, &chunkNames)
    }

    private mutating func addChunks(_ rows: ArraySlice<Row>, at position: Int, _ chunkNames: inout ChunkNames) {
        guard !rows.isEmpty else { return }
        let number = (rows.count + Self.filled - 1) / Self.filled
        let size = (rows.count + number - 1) / number
        var added: [Int32] = []
        var rest = rows
        while !rest.isEmpty {
            let chunk = rest.prefix(size)
            rest = rest.dropFirst(size)
            let name = newName()
            Self.note(name, of: chunk, &chunkNames)
            chunks[Int(name)] = Array(chunk)
            added.append(name)
        }
        names.insert(contentsOf: added, at: position)
        counts.insert(contentsOf: added.map { Int32(chunks[Int($0)].count) }, at: position)
        shownCounts.insert(contentsOf: added.map { Int32(Self.shownCount(chunks[Int($0)])) }, at: position)
        renumber(from: position)
    }

    private mutating func newName() -> Int32 {
        if let name = freeNames.popLast() { return name }
        positions.append(0)
        chunks.append([])
        return Int32(truncatingIfNeeded: positions.count - 1)
    }

    private mutating func renumber(from position: Int) {
        for position in position..<names.count { positions[Int(names[position])] = Int32(position) }
    }

    private mutating func recount(_ chunk: Int) {
        counts[chunk] = Int32(self[chunk: chunk].count)
        shownCounts[chunk] = hidesRows ? Int32(Self.shownCount(self[chunk: chunk])) : counts[chunk]
    }

    private static func shownCount(_ rows: some Sequence<Row>) -> Int { rows.count(where: \.isShown) }

    /// Writes only what changes: a page that is not written stays shared.
    private static func note(_ name: Int32, of rows: ArraySlice<Row>, _ chunkNames: inout ChunkNames) {
        for row in rows where chunkNames[row.item.index] != name { chunkNames[row.item.index] = name }
    }

    /// Takes the rows of a range out.
    mutating func remove(_ range: Range<Int>, _ chunkNames: inout ChunkNames) -> [Row] {
        guard !range.isEmpty else { return [] }
        let removed = self[range]
        var place = place(at: range.lowerBound)
        let first = place.chunk
        var left = range.count
        while left > 0 {
            let end = min(self[chunk: place.chunk].count, place.offset + left)
            left -= end - place.offset
            self[chunk: place.chunk].removeSubrange(place.offset..<end)
            place = Place(chunk: place.chunk + 1, offset: 0)
        }
        count -= removed.count
        shownCount -= Self.shownCount(removed)
        for chunk in first..<place.chunk { recount(chunk) }
        removeEmpty(first..<place.chunk)
        if first < names.count { join(first, &chunkNames) }
        return removed
    }

    private mutating func removeEmpty(_ range: Range<Int>) {
        let start = range.first { self[chunk: $0].isEmpty } ?? range.upperBound
        let end = range.last { self[chunk: $0].isEmpty }.map { $0 + 1 } ?? start
        guard start < end else { return }
        freeNames += names[start..<end]
        counts.removeSubrange(start..<end)
        shownCounts.removeSubrange(start..<end)
        names.removeSubrange(start..<end)
        renumber(from: start)
    }

    /// Joins a small chunk with a neighbour.
    private mutating func join(_ chunk: Int, _ chunkNames: inout ChunkNames) {
        guard counts[chunk] < Self.few, names.count > 1 else { return }
        let left = chunk > 0 ? chunk - 1 : chunk
        guard Int(counts[left] + counts[left + 1]) <= Self.filled else { return }
        let moved = self[chunk: left + 1]
        self[chunk: left] += moved
        self[chunk: left + 1] = []
        Self.note(names[left], of: moved[...], &chunkNames)
        recount(left)
        removeEmpty(left + 1..<left + 2)
    }

    /// Shows or hides the rows of a range, one after the other.
    mutating func setShown(_ isShown: [Bool], from index: Int) {
        var place = place(at: index)
        var rest = isShown[...]
        while !rest.isEmpty {
            let end = min(self[chunk: place.chunk].count, place.offset + rest.count)
            for offset in place.offset..<end {
                guard let isShown = rest.popFirst() else { break }
                let row = self[chunk: place.chunk][offset]
                guard row.isShown != isShown else { continue }
                self[chunk: place.chunk][offset] = Row(row.item, isShown: isShown)
                shownCounts[place.chunk] += isShown ? 1 : -1
                shownCount += isShown ? 1 : -1
            }
            place = Place(chunk: place.chunk + 1, offset: 0)
        }
    }
}
