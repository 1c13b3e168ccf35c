internal import ListModel

/// Checks the chunks of all snapshots. The chunks must come in the order of their numbers.
struct ChunkScan {
    /// A snapshot has a chunk that is missing or damaged, or one too many.
    struct Damage: Error {
        let list: ListID
        /// The number of entries that the snapshot stands for.
        let position: Int
        /// The number of the chunk, from 0.
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

    /// The snapshots that are being read, by their numbers.
    private var readings: [Int: Reading] = [:]
    /// The chunks that no snapshot needs.
    private(set) var others: [ClosedRange<Int>] = []
    /// The lowest number that is greater than that of every snapshot with chunks.
    private(set) var nextSnapshot = 1

    init(_ headers: some Sequence<(key: ListID, value: LogIndex.Header)>) {
        for (list, header) in headers where header.chunks > 0 {
            readings[header.id] = Reading(list: list, header: header)
        }
    }

    mutating func take(_ chunk: SnapshotChunk.InPlace) throws(Damage) {
        let snapshot = chunk.id / SnapshotChunk.countMax
        // An unneeded chunk may have a damaged number, from which the count must not go on.
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

    /// The snapshots whose chunks have not all come.
    var missing: [Damage] { readings.values.filter { !$0.isComplete }.map(\.damage) }
}
