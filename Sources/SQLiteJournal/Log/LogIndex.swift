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

    /// A list from its first entry to its deletion.
    final class Life {
        /// The row that began this life. It may have been removed since.
        let start: Int
        /// The number of entries that the stored snapshot stands for.
        var covered: Int
        /// The number of entries so far.
        var position: Int
        /// The rows that are needed, oldest first.
        var rows: [Place] = []
        /// The row that deleted the list, if it is the list's last one.
        var retired: Int?

        /// - Parameter position: The number of entries; nil if the snapshot stands for all of them.
        init(start: Int, covered: Int, position: Int? = nil, rows: [Place] = []) {
            self.start = start
            self.covered = covered
            self.position = position ?? covered
            self.rows = rows
        }
    }

    /// Lives of a list that are over, while no header on the disk says so.
    struct Ended {
        /// The first row behind all of them.
        var end: Int
        var rows: [Int]
    }

    var lives: [ListID: Life] = [:]
    var headers: [ListID: Header] = [:]
    var ended: [ListID: Ended] = [:]
    /// The rows of the log to be removed. The next one is at the end.
    var removableRows: [Int] = []
    /// For each list, the rows that the snapshot of its present life stands for. They wait for `sweep()`.
    private(set) var coveredRows: [ListID: [Int]] = [:]
    private(set) var coveredCount = 0
    /// The needed rows that are long; see `isLong(_:)`.
    private var longRows: Set<Int> = []
    /// The chunks that may be removed.
    var removableChunks: [ClosedRange<Int>] = []

    init() {}

    /// Gives the entries of a batch, which is not in the log yet, their positions.
    func place(_ rows: inout [LogRow]) {
        var ends: [ListID: Int] = [:]
        for index in rows.indices {
            let list = rows[index].list
            let end = rows[index].kind == .create ? 0 : ends[list] ?? lives[list]?.position ?? 0
            rows[index].position = end + 1
            guard rows.count > 1 else { return }
            ends[list] = rows[index].kind == .delete ? 0 : rows[index].last
        }
    }

    /// Adds a row that is in the log now.
    mutating func add(_ row: LogRow, seq: Int) {
        let life = life(of: row, seq: seq)
        life.rows.append(Place(seq: seq, last: row.last))
        if Self.isLong(row.bytes.count) { longRows.insert(seq) }
        life.position = row.last
        life.retired = row.kind == .retire ? seq : nil
        if row.kind == .delete { end(row.list, at: seq + 1) }
    }

    /// The life that a row belongs to. It is made if the row begins it.
    mutating func life(of row: LogRow, seq: Int) -> Life {
        if let life = lives[row.list] {
            guard row.kind == .create, life.start != seq else { return life }
            end(row.list, at: seq)
        }
        let life = Life(start: seq, covered: 0)
        lives[row.list] = life
        return life
    }

    /// Ends the present life of a list. Its rows are those before the row `end`.
    mutating func end(_ list: ListID, at end: Int) {
        guard let life = lives.removeValue(forKey: list) else { return }
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
        if let old = headers.updateValue(header, forKey: list) { removeChunks(of: old.id, count: old.chunks) }
        if let past = ended[list], past.end <= header.since {
            removableRows += past.rows
            ended[list] = nil
        }
        guard header.chunks > 0, let life = lives[list] else { return }
        life.covered = header.position
        let count = life.rows.firstIndex { $0.last > header.position } ?? life.rows.endIndex
        var rows = life.rows[..<count].map(\.seq)
        // Long rows do not wait for `sweep()`, because a list may begin with a row that is as long as the whole list.
        let half = rows.partition { longRows.remove($0) != nil }
        removableRows += rows[half...]
        rows.removeSubrange(half...)
        cover(rows, of: list)
        life.rows.removeFirst(count)
    }

    mutating func removeChunks(of snapshot: Int, count: Int) {
        guard count > 0 else { return }
        removableChunks.append(SnapshotChunk.id(snapshot, 0)...SnapshotChunk.id(snapshot, count - 1))
    }
}
