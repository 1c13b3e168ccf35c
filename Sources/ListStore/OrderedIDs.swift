import ListModel

/// Ids of lists in order. They stand in chunks, so that a new id moves only a few others.
struct OrderedIDs {
    /// No chunk is empty.
    private var chunks: [[ListID]] = []

    private static let chunkMax = 512

    init() {}

    /// - Parameter ids: Ids in any order, each once.
    init(_ ids: [ListID]) {
        let ids = ids.sorted { $0.rawValue < $1.rawValue }
        for start in stride(from: 0, to: ids.count, by: Self.chunkMax) {
            chunks.append(Array(ids[start..<min(start + Self.chunkMax, ids.count)]))
        }
    }

    var count: Int { chunks.reduce(0) { $0 + $1.count } }

    func contains(_ id: ListID) -> Bool {
        guard let chunk = chunk(for: id) else { return false }
        let place = place(of: id, in: chunk)
        return place < chunks[chunk].count && chunks[chunk][place] == id
    }

    /// Adds an id, unless it is there.
    mutating func insert(_ id: ListID) {
        guard let chunk = chunk(for: id) else { return chunks.insert([id], at: 0) }
        let place = place(of: id, in: chunk)
        guard place == chunks[chunk].count || chunks[chunk][place] != id else { return }
        // Ids that come in order leave full chunks behind.
        if place == Self.chunkMax { return chunks.insert([id], at: chunk + 1) }
        chunks[chunk].insert(id, at: place)
        guard chunks[chunk].count > Self.chunkMax else { return }
        chunks.insert(Array(chunks[chunk][(Self.chunkMax / 2)...]), at: chunk + 1)
        chunks[chunk] = Array(chunks[chunk][..<(Self.chunkMax / 2)])
    }

    /// Removes an id, if it is there.
    mutating func remove(_ id: ListID) {
        guard let chunk = chunk(for: id) else { return }
        let place = place(of: id, in: chunk)
        guard place < chunks[chunk].count, chunks[chunk][place] == id else { return }
        chunks[chunk].remove(at: place)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// The first ids behind one; nil stands for all.
    func ids(after id: ListID?, limit: Int) -> [ListID] {
        var (chunk, place) = (0, 0)
        if let id, let first = self.chunk(for: id) {
            chunk = first
            place = self.place(of: id, in: first)
            if place < chunks[first].count, chunks[first][place] == id { place += 1 }
        }
        var ids: [ListID] = []
        while chunk < chunks.count, ids.count < limit {
            ids += chunks[chunk][place...].prefix(limit - ids.count)
            (chunk, place) = (chunk + 1, 0)
        }
        return ids
    }

    /// The chunk that has an id, if it is there; nil if the id comes before all others.
    private func chunk(for id: ListID) -> Int? {
        let behind = Self.firstIndex(in: chunks) { id.rawValue < $0[0].rawValue }
        return behind > 0 ? behind - 1 : nil
    }

    /// The place of an id in a chunk: that of the first id that is not before it.
    private func place(of id: ListID, in chunk: Int) -> Int {
        Self.firstIndex(in: chunks[chunk]) { id.rawValue <= $0.rawValue }
    }

    /// The index of the first element for which `isBehind` is true, as for all elements behind it.
    private static func firstIndex<Element>(in elements: [Element], where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, elements.count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(elements[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
