/// Checks all chunks. Those of a snapshot, or of a record that was written ahead, must come in the order of their numbers.
///
/// It does not know beforehand which chunks are needed.
struct ChunkScan {
    /// Chunks of one snapshot or record that follow one another.
    private struct Run {
        let first: Int
        var count = 0
        var byteCount = 0
        var content = CRC32C()
        /// The place in the run of the first damaged chunk; nil if there is none.
        var damaged: Int?
    }

    private var runs: [Run] = []
    /// For each snapshot or record, the index of its first run, and the number of its runs.
    private var places: [Int: (first: Int, count: Int)] = [:]
    /// The lowest number that is greater than that of every snapshot with chunks.
    private(set) var nextSnapshot = 1

    mutating func take(_ chunk: SnapshotChunk.InPlace) {
        let number = chunk.id / SnapshotChunk.countMax
        // An unneeded chunk may have a damaged number, from which the count must not go on.
        if number <= SnapshotChunk.snapshotMax { nextSnapshot = max(nextSnapshot, number + 1) }
        let isNext = runs.last.map { $0.first &+ $0.count == chunk.id && $0.first / SnapshotChunk.countMax == number }
        if isNext != true {
            let place = places[number]
            places[number] = (place?.first ?? runs.count, (place?.count ?? 0) + 1)
            runs.append(Run(first: chunk.id))
        }
        var run = runs[runs.count - 1]
        if run.damaged == nil, !chunk.isWhole { run.damaged = run.count }
        run.count += 1
        run.byteCount += chunk.bytes.count
        run.content.add(chunk.checksum)
        runs[runs.count - 1] = run
    }

    /// The first chunk of a snapshot, from 0, that is missing or damaged; nil if all are whole. It is the number of
    /// chunks if there are too many.
    func damage(of header: LogIndex.Header) -> Int? { damage(header.id, header.chunks, header.content) }

    /// As `damage(of:)`, for a record that was written ahead.
    func damage(of record: AheadRecord) -> Int? {
        if let damage = damage(record.number, record.chunks, record.content) { return damage }
        let bytes = places[record.number].map { runs[$0.first].byteCount }
        return bytes == record.byteCount ? nil : record.chunks - 1
    }

    private func damage(_ number: Int, _ count: Int, _ content: Int) -> Int? {
        guard let place = places[number], runs[place.first].first == SnapshotChunk.id(number, 0) else { return 0 }
        let run = runs[place.first]
        if let damaged = run.damaged, damaged < count { return damaged }
        guard run.count == count, place.count == 1 else { return min(run.count, count) }
        return Int(run.content.value) == content ? nil : count - 1
    }

    /// The chunks that belong neither to a snapshot nor to a record of these numbers.
    func others(than numbers: Set<Int>) -> [ClosedRange<Int>] {
        runs.compactMap { run in
            numbers.contains(run.first / SnapshotChunk.countMax) ? nil : run.first...run.first + (run.count - 1)
        }
    }
}
