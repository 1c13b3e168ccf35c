internal import ListModel
internal import ListStore

/// The places of each list's entries in the log, and the parts of the files that are no longer needed.
///
/// It is built when the log is read, and then kept up to date in memory. An index on the disk would cost every commit
/// something.
struct LogIndex {
    /// A row, and the place of its last entry in the life of its list.
    struct Place {
        var seq: Int
        var last: Int
    }

    /// A list from its first entry to its deletion. Most lists have one row, which takes no memory of its own.
    struct Life {
        /// The row that began this life. It may have been removed since.
        let start: Int
        /// The number of entries that the stored snapshot stands for.
        var covered = 0
        /// The number of entries so far.
        private(set) var position = 0
        /// The newest row that is needed; 0 if there is none. Its last entry is at `position`.
        private var newest = 0
        /// The needed rows before the newest one, oldest first.
        private var earlier: [Place] = []
        /// Whether the newest row deleted the list.
        private var isRetired = false

        /// A life that begins with a row, which is not among its rows yet.
        init(start: Int) { self.start = start }

        /// A life of which a snapshot stands for all entries so far.
        init(start: Int, covered: Int) { (self.start, self.covered, position) = (start, covered, covered) }

        /// The rows that are needed, oldest first.
        var rows: [Place] { newest == 0 ? earlier : earlier + [Place(seq: newest, last: position)] }

        /// The row that deleted the list, if it is the list's last one.
        var retired: Int? { isRetired ? newest : nil }

        /// Adds a row.
        mutating func append(_ row: Place, retires: Bool) {
            if newest != 0 { earlier.append(Place(seq: newest, last: position)) }
            note(row.last, retires: retires)
            newest = row.seq
        }

        /// Notes the last entry of a row, which `put(_:)` adds later.
        mutating func note(_ last: Int, retires: Bool) { (position, isRetired) = (last, retires) }

        /// Adds a row that was noted. All of them have been noted, and come in their order.
        mutating func put(_ row: Place) {
            if row.last == position { newest = row.seq } else { earlier.append(row) }
        }

        mutating func reserve(rows: Int) {
            if rows > 1 { earlier.reserveCapacity(rows - 1) }
        }

        /// Removes the rows that a snapshot of the first `position` entries stands for, and returns their numbers.
        mutating func cover(_ position: Int) -> [Int] {
            covered = position
            let count = earlier.firstIndex { $0.last > position } ?? earlier.endIndex
            var rows = earlier[..<count].map(\.seq)
            earlier.removeFirst(count)
            if newest != 0, self.position <= position {
                rows.append(newest)
                newest = 0
            }
            return rows
        }

        /// The place behind the last entry.
        var end: LogPlace { LogPlace(life: start, position: position) }
    }

    /// Lives of a list that are over, while no header on the disk says so.
    struct Ended {
        /// The first row behind all of them.
        var end: Int
        var rows: [Int]
    }

    var lives = ListTable<Life>()
    var headers = ListTable<Header>()
    var ended: [ListID: Ended] = [:]
    /// The rows of the log to be removed. The next one is at the end.
    var removableRows: [Int] = []
    /// For each list, the rows that the snapshot of its present life stands for. They wait for `sweep()`.
    private(set) var coveredRows: [ListID: [Int]] = [:]
    private(set) var coveredCount = 0
    /// The needed rows that are long; see `isLong(_:)`.
    private var longRows: Set<Int> = []
    /// The records that were written ahead, by their rows. A record may be removed once a header says that its row is not
    /// needed.
    var aheadRows: [Int: AheadRecord] = [:]
    /// The chunks that may be removed.
    var removableChunks: [ClosedRange<Int>] = []

    init() {}

    /// Adds a row that is in the log now.
    mutating func add(_ row: LogRow, seq: Int) {
        let life = life(of: row, seq: seq)
        lives[at: life].append(Place(seq: seq, last: row.last), retires: row.kind == .retire)
        if Self.isLong(row.byteCount) { longRows.insert(seq) }
        if row.isAhead { aheadRows[seq] = row.ahead }
        if row.kind == .delete { end(row.list, at: seq + 1) }
    }

    /// The index of the life that a row belongs to. The life is made if the row begins it.
    private mutating func life(of row: LogRow, seq: Int) -> Int {
        guard let index = lives.index(of: row.list) else {
            lives.add(Life(start: seq), of: row.list)
            return lives.count - 1
        }
        guard row.kind == .create, lives[at: index].start != seq else { return index }
        note(lives[at: index].rows, of: row.list, endedBefore: seq)
        lives[at: index] = Life(start: seq)
        return index
    }

    /// Ends the present life of a list. Its rows are those before the row `end`.
    private mutating func end(_ list: ListID, at end: Int) {
        guard let life = lives[list] else { return }
        lives.remove(list)
        note(life.rows, of: list, endedBefore: end)
    }

    mutating func note(_ rows: [Place], of list: ListID, endedBefore end: Int) {
        let covered = coveredRows.removeValue(forKey: list) ?? []
        coveredCount -= covered.count
        ended[list, default: Ended(end: end, rows: [])].rows += covered + rows.map(\.seq)
        ended[list]?.end = end
        guard !longRows.isEmpty else { return }
        for row in rows { longRows.remove(row.seq) }
    }

    /// Notes rows that the snapshot of the list's present life stands for. None of them is long.
    mutating func cover(_ rows: [Int], of list: ListID) {
        guard !rows.isEmpty else { return }
        coveredRows[list, default: []] += rows
        coveredCount += rows.count
    }

    /// Whether a row of so many bytes has pages of its own. Removing such a row alone costs about as much as it frees.
    static func isLong(_ bytes: Int) -> Bool { bytes >= 4096 }

    mutating func noteLong(_ seq: Int) { longRows.insert(seq) }

    /// Allows all rows that snapshots stand for to be removed, in their order.
    ///
    /// Lists that change at the same time have rows side by side. Removing the rows of one list alone would write
    /// nearly every page of the log again, and once for each list.
    mutating func sweep() {
        guard coveredCount > 0 else { return }
        removableRows += coveredRows.values.joined()
        removableRows.sort(by: >)
        coveredRows = [:]
        coveredCount = 0
    }

    /// Replaces the header of a list, and allows everything that it makes superfluous to be removed.
    mutating func replaceHeader(of list: ListID, with header: Header) {
        if let old = headers[list] { removeChunks(of: old.id, count: old.chunks) }
        headers[list] = header
        if let past = ended[list], past.end <= header.since {
            removableRows += past.rows
            removeRecords(of: past.rows)
            ended[list] = nil
        }
        guard header.chunks > 0, let life = lives.index(of: list) else { return }
        var rows = lives[at: life].cover(header.position)
        removeRecords(of: rows)
        // Long rows do not wait for `sweep()`, because a list may begin with a row that is as long as the whole list.
        let half = rows.partition { longRows.remove($0) != nil }
        removableRows += rows[half...]
        rows.removeSubrange(half...)
        cover(rows, of: list)
    }

    /// Allows the records to be removed that rows name. No row is needed any more.
    private mutating func removeRecords(of rows: [Int]) {
        guard !aheadRows.isEmpty else { return }
        for seq in rows {
            guard let record = aheadRows.removeValue(forKey: seq) else { continue }
            removeChunks(of: record.number, count: record.chunks)
        }
    }

    mutating func removeChunks(of snapshot: Int, count: Int) {
        guard count > 0 else { return }
        removableChunks.append(SnapshotChunk.id(snapshot, 0)...SnapshotChunk.id(snapshot, count - 1))
    }
}
