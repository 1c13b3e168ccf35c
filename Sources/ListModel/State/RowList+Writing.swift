extension RowList {
    /// Puts rows before the one at `index`.
    package mutating func insert(_ rows: [Row], at index: Int, _ chunkNames: inout ChunkNames) {
        guard !rows.isEmpty else { return }
        Steps.add(rows.count)
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
            // Rows that come at the end of a full chunk get a chunk of their own, so a list that grows has full chunks.
            addChunks(rows[...], at: place.chunk + 1, &chunkNames)
        } else {
            let tail = self[chunk: place.chunk][place.offset...]
            self[chunk: place.chunk].removeSubrange(place.offset...)
            refill(place.chunk, with: rows + tail, &chunkNames)
        }
    }

    /// The gap for new rows at an index.
    ///
    /// This is the start of the next chunk if the chunk before is too full and the next one has the room. Otherwise
    /// rows that are put behind a full chunk one by one would each get a chunk of their own.
    private func gap(at index: Int, for number: Int) -> Place {
        let place = place(at: index)
        let next = place.chunk + 1
        guard place.offset == counts[place.chunk], place.offset + number > Self.full else { return place }
        guard next < names.count, Int(counts[next]) + number <= Self.full else { return place }
        return Place(chunk: next, offset: 0)
    }

    /// Spreads the rows of a chunk and `rest` evenly over as many chunks as they need.
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

    /// Appends a chunk of rows, and returns its name, which the caller notes.
    mutating func append(chunk rows: [Row]) -> Int32 {
        let name = newName()
        let shown = Self.shownCount(rows)
        chunks[Int(name)] = rows
        positions[Int(name)] = Int32(truncatingIfNeeded: names.count)
        names.append(name)
        counts.append(Int32(truncatingIfNeeded: rows.count))
        shownCounts.append(Int32(truncatingIfNeeded: shown))
        count += rows.count
        shownCount += shown
        return name
    }

    private mutating func newName() -> Int32 {
        if let name = freeNames.popLast() { return name }
        positions.append(0)
        chunks.append([])
        return Int32(truncatingIfNeeded: positions.count - 1)
    }

    private mutating func renumber(from position: Int) {
        Steps.add(names.count - position)
        for position in position..<names.count { positions[Int(names[position])] = Int32(position) }
    }

    private mutating func recount(_ chunk: Int) {
        counts[chunk] = Int32(self[chunk: chunk].count)
        shownCounts[chunk] = hidesRows ? Int32(Self.shownCount(self[chunk: chunk])) : counts[chunk]
    }

    private static func shownCount(_ rows: some Sequence<Row>) -> Int { rows.count(where: \.isShown) }

    /// Writes only the names that change, because a page that is not written stays shared.
    private static func note(_ name: Int32, of rows: ArraySlice<Row>, _ chunkNames: inout ChunkNames) {
        for row in rows where chunkNames[row.item.index] != name { chunkNames[row.item.index] = name }
    }

    /// Takes the rows of a range out.
    package mutating func remove(_ range: Range<Int>, _ chunkNames: inout ChunkNames) -> [Row] {
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

    /// Shows or hides the rows of a range.
    mutating func setShown(_ isShown: Bool, _ range: Range<Int>) {
        Steps.add(range.count)
        var place = place(at: range.lowerBound)
        var left = range.count
        while left > 0 {
            let end = min(self[chunk: place.chunk].count, place.offset + left)
            left -= end - place.offset
            for offset in place.offset..<end {
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
