internal import ListModel

extension LogIndex {
    /// A row of `snapshots`. It says which rows of its list are no longer needed.
    struct Header: Equatable {
        var id: Int
        /// Rows of the list before this one belong to an earlier life.
        var since: Int
        /// The number of entries of the present life that the snapshot stands for.
        var position: Int
        /// The number of chunks; 0 if there is no snapshot and the row only marks the end of an earlier life.
        var chunks: Int
        /// The checksum over the checksums of the chunks.
        var content: Int
    }
}

extension LogIndex.Header {
    /// Whether the checksum is right, and no number is so large that calculations with it could overflow.
    func isWhole(list: ListID, checksum: Int) -> Bool {
        (1...SnapshotChunk.snapshotMax).contains(id) && (0...1 << 53).contains(since)
            && (0...1 << 52).contains(position) && (0...SnapshotChunk.countMax).contains(chunks)
            && self.checksum(list: list) == checksum
    }

    /// The checksum over a row of `snapshots`.
    func checksum(list: ListID) -> Int {
        let name = Array(list.rawValue.utf8)
        var checksum = CRC32C()
        for number in [id, -3, since, position, chunks, content, name.count] { checksum.add(number) }
        checksum.add(name)
        return Int(checksum.value)
    }
}

/// The row numbers of chunks. Those of one snapshot follow one another.
enum SnapshotChunk {
    /// The most chunks of a snapshot.
    static let countMax = 1 << 24
    /// The greatest number of a snapshot. With it, the numbers of chunks are still valid row numbers.
    static let snapshotMax = 1 << 38

    static func id(_ snapshot: Int, _ number: Int) -> Int { snapshot * countMax + number }

    /// The checksum over a chunk and its number.
    static func checksum(_ bytes: Span<UInt8>, id: Int) -> Int {
        var checksum = CRC32C()
        checksum.add(id)
        checksum.add(-2)
        checksum.add(bytes)
        return Int(checksum.value)
    }
}
