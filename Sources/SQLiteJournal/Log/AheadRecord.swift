internal import ListStore

/// The parts of a record that was written ahead. They are chunks with the number of a snapshot that there is not, and the
/// row of the entry names them.
///
/// Old programs do not know such rows, so the first part that is written gives the database another format.
struct AheadRecord: Sendable, Equatable {
    /// The number of the snapshot that the chunks have.
    var number: Int
    var chunks = 0
    /// The bytes of all chunks.
    var byteCount = 0
    /// The checksum over the checksums of the chunks.
    var content = 0

    init(number: Int) { self.number = number }

    /// - Returns: Nil if the bytes are no name.
    init?(name: some Collection<UInt8>) {
        guard name.count == 32 else { return nil }
        let numbers = (0..<4).map { place in
            name.dropFirst(8 * place).prefix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        }
        guard numbers.allSatisfy({ $0 <= 1 << 53 }) else { return nil }
        (number, chunks) = (Int(numbers[0]), Int(numbers[1]))
        (byteCount, content) = (Int(numbers[2]), Int(numbers[3]))
        guard (1...SnapshotChunk.snapshotMax).contains(number), (1...SnapshotChunk.countMax).contains(chunks) else {
            return nil
        }
    }

    /// The bytes that the entry has in the place of the record: four numbers of eight bytes, little-endian.
    var name: [UInt8] {
        [number, chunks, byteCount, content].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }
}

extension Database {
    /// A record of which the entry has not been written yet.
    struct RunningRecord: Sendable {
        var record: AheadRecord
        var content = CRC32C()
    }

    /// Runs a checkpoint before commits would have to, so that none of them waits for the pages of a long record.
    func checkpointEarly() throws(JournalError) {
        _ = try writableMark()
        try poisoningUnlessHarmless { () throws(JournalError) in try checkpointIfDue(share: 2) }
    }

    /// Writes the next part of a record.
    ///
    /// - Parameter running: The parts before; nil if this is the first.
    func write(ahead part: [UInt8], behind running: RunningRecord?) throws(JournalError) -> RunningRecord {
        _ = try writableMark()
        var next = running ?? RunningRecord(record: AheadRecord(number: nextSnapshot))
        if running == nil { nextSnapshot += 1 }
        try piece { () throws(JournalError) in
            let id = SnapshotChunk.id(next.record.number, next.record.chunks)
            next.content.add(try statements.insert(chunk: part, id: id))
        }
        next.record.chunks += 1
        next.record.byteCount += part.count
        next.record.content = Int(next.content.value)
        ahead[next.record.number] = next.record
        return next
    }

    /// Allows a record to be removed that no entry will name.
    func forget(_ record: AheadRecord) {
        guard let gone = ahead.removeValue(forKey: record.number) else { return }
        index.removeChunks(of: gone.number, count: gone.chunks)
    }
}
