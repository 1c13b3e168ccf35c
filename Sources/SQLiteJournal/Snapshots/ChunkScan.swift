internal import ListModel
internal import ListStore

/// Checks the chunks of all snapshots, which are read in the order of their numbers.
struct ChunkScan {
    /// A chunk that should be there and is not, or is another.
    struct Damage: Error {
        let list: ListID
        /// The entries that the snapshot stands for.
        let position: Int
        /// From 0.
        let chunk: Int
        let chunkCount: Int
    }

    private struct Reading {
        let list: ListID
        let header: LogIndex.Header
        var count = 0
        var content = CRC32C()

        var damage: Damage {
            Damage(list: list, position: header.position, chunk: count, chunkCount: header.chunks)
        }
    }

    /// By the numbers of snapshots.
    private var readings: [Int: Reading] = [:]
    /// Chunks that no snapshot needs.
    private(set) var others: [ClosedRange<Int>] = []
    /// The lowest number that no snapshot with chunks has.
    private(set) var nextSnapshot = 1

    init(_ headers: [ListID: LogIndex.Header]) {
        for (list, header) in headers where header.chunks > 0 {
            readings[header.id] = Reading(list: list, header: header)
        }
    }

    mutating func take(id: Int, _ bytes: Span<UInt8>, _ checksum: Int) throws(Damage) {
        let snapshot = id / SnapshotChunk.countMax
        // A damaged number of a chunk that nobody needs must not be gone on from.
        if snapshot <= SnapshotChunk.snapshotMax { nextSnapshot = max(nextSnapshot, snapshot + 1) }
        guard var reading = readings[snapshot] else { return others.append(id...id) }
        guard id == SnapshotChunk.id(snapshot, reading.count), reading.count < reading.header.chunks,
            SnapshotChunk.checksum(bytes, id: id) == checksum
        else { throw reading.damage }
        reading.content.add(checksum)
        let isLast = reading.count + 1 == reading.header.chunks
        if isLast, Int(reading.content.value) != reading.header.content { throw reading.damage }
        reading.count += 1
        readings[snapshot] = reading
    }

    /// The first chunk that has not come; nil if all have.
    var missing: Damage? { readings.values.first { $0.count < $0.header.chunks }?.damage }
}
