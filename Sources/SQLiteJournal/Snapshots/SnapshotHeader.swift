internal import ListModel

extension LogIndex {
    /// What a row of `snapshots` says: of which rows of the list nothing is needed any more.
    struct Header: Equatable {
        var id: Int
        /// Rows of the list before this one belong to an earlier life.
        var since: Int
        /// The entries of the present life that the snapshot stands for.
        var position: Int
        /// 0 if there is nothing to be read, but only an earlier life to be left out.
        var chunks: Int
        /// The checksum over the checksums of the chunks.
        var content: Int
    }
}

extension LogIndex.Header {
    /// Whether that is its checksum, and no number in it so far beyond the others that what follows would overflow.
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

/// The numbers of chunks: those of one snapshot follow one another.
enum SnapshotChunk {
    /// Chunks of a snapshot at most.
    static let countMax = 1 << 24
    /// The greatest number of a snapshot, so that those of its chunks are numbers of rows.
    static let snapshotMax = 1 << 38

    static func id(_ snapshot: Int, _ number: Int) -> Int { snapshot * countMax + number }

    /// The checksum over a chunk and its place.
    static func checksum(_ bytes: Span<UInt8>, id: Int) -> Int {
        var checksum = CRC32C()
        checksum.add(id)
        checksum.add(-2)
        checksum.add(bytes)
        return Int(checksum.value)
    }
}
