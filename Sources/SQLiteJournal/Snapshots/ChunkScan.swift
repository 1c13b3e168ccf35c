internal import ListModel
internal import ListStore

/// Checks the chunks of all snapshots, which are read in the order of their numbers.
struct ChunkScan {
    /// A snapshot with a chunk that is missing, damaged, or of another snapshot.
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

        var isComplete: Bool { count == header.chunks }

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

    mutating func take(_ chunk: SnapshotChunk.InPlace) throws(Damage) {
        let snapshot = chunk.id / SnapshotChunk.countMax
        // A damaged number of a chunk that nobody needs must not be gone on from.
        if snapshot <= SnapshotChunk.snapshotMax { nextSnapshot = max(nextSnapshot, snapshot + 1) }
        guard var reading = readings[snapshot] else { return others.append(chunk.id...chunk.id) }
        guard !reading.isComplete, chunk.id == SnapshotChunk.id(snapshot, reading.count), chunk.isWhole else {
            throw reading.damage
        }
        let damage = reading.damage
        reading.content.add(chunk.checksum)
        reading.count += 1
        guard !reading.isComplete || Int(reading.content.value) == reading.header.content else { throw damage }
        readings[snapshot] = reading
    }

    /// The snapshots of which not all chunks have come.
    var missing: [Damage] { readings.values.filter { !$0.isComplete }.map(\.damage) }
}
