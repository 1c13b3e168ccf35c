internal import ListModel
internal import ListStore

// Lists of another journal.

/// A list that is taken over, as the tables get it.
private struct PlannedList {
    struct Row {
        let life: Int
        let row: LogRow
    }

    struct Chunk {
        let life: Int
        let snapshot: Int
        let number: Int
        let bytes: [UInt8]
    }

    let list: ListID
    let end: LogPlace
    let covered: Int
    /// The number of the snapshot; 0 if there is none.
    let snapshot: Int
    /// As in `Schema`: 0 is open, 1 deleted and restorable.
    let stage: Int
    let rows: [Row]
    let chunks: [Chunk]
    let holding: ListHolding?

    /// The bytes after which the entries of a list go on in another row.
    private static let rowBytesMax = 1 << 20

    init(_ whole: WholeList, life: Int, generation: Int, snapshot number: Int) {
        list = whole.list
        holding = whole.holding
        end = LogPlace(life: life, position: whole.position, generation: generation)
        covered = whole.covered
        let snapshot = whole.chunks.isEmpty ? 0 : number
        self.snapshot = snapshot
        stage = whole.entries.last?.kind == .retire ? 1 : 0
        chunks = whole.chunks.enumerated().map { number, bytes in
            Chunk(life: life, snapshot: snapshot, number: number, bytes: bytes)
        }
        var rows: [Row] = []
        var (first, pending, bytes): (Int, [JournalEntry], Int) = (whole.covered, [], 0)
        for entry in whole.entries {
            pending.append(entry)
            bytes += entry.bytes.count
            guard bytes >= Self.rowBytesMax else { continue }
            rows.append(Row(life: life, row: LogRow(pending, after: first, of: life)))
            (first, pending, bytes) = (first + pending.count, [], 0)
        }
        if !pending.isEmpty { rows.append(Row(life: life, row: LogRow(pending, after: first, of: life))) }
        self.rows = rows
    }
}

extension Upkeep {
    /// The most bytes of a statement with several rows.
    private static let bytesMax = 8 << 20

    /// Writes lists as one transaction. Returns the outcome of each.
    func write(_ lists: [WholeList]) throws(JournalError) -> [CommitOutcome] {
        let generation = connector.generation
        let planned = lists.map {
            PlannedList($0, life: newNumber(), generation: generation, snapshot: newNumber())
        }
        for one in planned.flatMap(\.rows) where one.row.bytes.count > CommitPart.commitBytesMax {
            throw .tooLarge("a record of \(one.row.bytes.count) bytes")
        }
        let begun = try transaction { session throws(Session.Failure) -> Set<Int> in
            let begun = try begin(planned, session)
            let kept = planned.filter { begun.contains($0.end.life) }
            for rows in Self.pieces(of: kept.flatMap(\.rows), bytes: { $0.row.bytes.count }) {
                try add(rows, session)
            }
            for chunks in Self.pieces(of: kept.flatMap(\.chunks), bytes: { $0.bytes.count }) {
                try add(chunks, session)
            }
            return begun
        }
        return planned.map { begun.contains($0.end.life) ? .written($0.end) : .moved }
    }

    /// Begins the lives of lists. Returns the numbers of those that begin.
    private func begin(_ lists: [PlannedList], _ session: Session) throws(Session.Failure) -> Set<Int> {
        func numbers(_ value: (PlannedList) -> Int) -> Parameter { .integers(lists.map(value)) }
        let rows = try session.run(
            .beginWhole,
            [
                numbers(\.end.life), .texts(lists.map { Array($0.list.rawValue.utf8) }), numbers(\.end.position),
                numbers(\.covered), numbers(\.snapshot), numbers(\.chunks.count), numbers(\.stage),
                .integer(newNumber()), .texts(lists.map { Array(($0.holding?.creator ?? "").utf8) }),
                numbers { $0.holding?.items ?? 0 }, numbers { $0.holding?.bytes ?? 0 },
            ])
        return Set(rows.compactMap { $0[0].integer })
    }

    private func add(_ rows: [PlannedList.Row], _ session: Session) throws(Session.Failure) {
        try session.run(
            .addRowsOfMany,
            [
                .integers(rows.map(\.life)), .integers(rows.map(\.row.first)), .integers(rows.map(\.row.count)),
                .integers(rows.map(\.row.checksum)), .byteArrays(rows.map(\.row.bytes)), .integer(newNumber()),
            ])
    }

    private func add(_ chunks: [PlannedList.Chunk], _ session: Session) throws(Session.Failure) {
        try session.run(
            .addChunksOfMany,
            [
                .integers(chunks.map(\.life)), .integers(chunks.map(\.snapshot)), .integers(chunks.map(\.number)),
                .integers(chunks.map { Checksum.of([$0.life, $0.snapshot, $0.number], $0.bytes) }),
                .byteArrays(chunks.map(\.bytes)),
            ])
    }

    /// Pieces of at most `bytesMax` bytes. A value that is longer is alone.
    private static func pieces<Value>(of values: [Value], bytes: (Value) -> Int) -> [[Value]] {
        var pieces: [[Value]] = []
        var sum = 0
        for value in values {
            sum += bytes(value)
            if pieces.isEmpty || sum > bytesMax {
                pieces.append([])
                sum = bytes(value)
            }
            pieces[pieces.count - 1].append(value)
        }
        return pieces
    }

    /// A number above 0 that nobody else has.
    private func newNumber() -> Int { Int(random() >> 2) + 1 }
}
