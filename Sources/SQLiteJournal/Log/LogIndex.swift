internal import ListModel
internal import ListStore

/// Where the entries of each list are in the log, and what of the files is no longer needed.
///
/// It is made when the log is read and kept up to date in memory: an index on the disk would cost every commit.
struct LogIndex {
    /// A row, and the place of its last entry in the life of its list.
    struct Place {
        var seq: Int
        var last: Int
    }

    /// A list from its first entry to its deletion.
    final class Life {
        /// The first row of this life, still there or not.
        let start: Int
        /// The entries that a snapshot stands for.
        var covered: Int
        /// Entries so far.
        var position: Int
        /// Rows that are needed, oldest first.
        var rows: [Place] = []
        /// The row that has deleted the list, if it is the last one.
        var retired: Int?

        /// - Parameter position: Nil if there are no entries but those.
        init(start: Int, covered: Int, position: Int? = nil, rows: [Place] = []) {
            self.start = start
            self.covered = covered
            self.position = position ?? covered
            self.rows = rows
        }
    }

    /// Lives that are over, of which the disk does not yet say so in one place.
    struct Ended {
        /// The row after the last one of them.
        var end: Int
        var rows: [Int]
    }

    var lives: [ListID: Life] = [:]
    var headers: [ListID: Header] = [:]
    var ended: [ListID: Ended] = [:]
    /// Rows of the log that are to be removed, the next one last.
    var removableRows: [Int] = []
    /// Rows that snapshots of present lives stand for, by their lists; they wait for `sweep()`.
    private(set) var coveredRows: [ListID: [Int]] = [:]
    private(set) var coveredCount = 0
    /// Needed rows that have pages of their own.
    private var longRows: Set<Int> = []
    /// Chunks that may be removed.
    var removableChunks: [ClosedRange<Int>] = []

    init() {}

    /// Numbers the entries of a batch, which is not yet in the log.
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

    /// Notes a row that is in the log.
    mutating func add(_ row: LogRow, seq: Int) {
        let life = life(of: row, seq: seq)
        life.rows.append(Place(seq: seq, last: row.last))
        if Self.isLong(row.bytes.count) { longRows.insert(seq) }
        life.position = row.last
        life.retired = row.kind == .retire ? seq : nil
        if row.kind == .delete { end(row.list, at: seq + 1) }
    }

    /// The life that a row belongs to, made if the row begins one.
    mutating func life(of row: LogRow, seq: Int) -> Life {
        if let life = lives[row.list] {
            guard row.kind == .create, life.start != seq else { return life }
            end(row.list, at: seq)
        }
        let life = Life(start: seq, covered: 0)
        lives[row.list] = life
        return life
    }

    /// Ends the present life of a list before a row.
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

    /// Notes rows, none of them long, that the snapshot of their list's present life stands for.
    mutating func cover(_ rows: [Int], of list: ListID) {
        guard !rows.isEmpty else { return }
        coveredRows[list, default: []] += rows
        coveredCount += rows.count
    }

    /// Whether a row of so many bytes has pages of its own: then to remove it alone costs about what it frees.
    static func isLong(_ bytes: Int) -> Bool { bytes >= 4096 }

    mutating func noteLong(_ seq: Int) { longRows.insert(seq) }

    /// Lets all rows that snapshots stand for be removed, in their order.
    ///
    /// The rows of lists that change at the same time lie side by side: to remove those of one list by themselves would
    /// write nearly every page of the log again, and once for each list.
    mutating func sweep() {
        guard coveredCount > 0 else { return }
        removableRows += coveredRows.values.joined()
        removableRows.sort(by: >)
        coveredRows = [:]
        coveredCount = 0
    }

    /// Lets a header take the place of the one before, and what it makes superfluous be removed.
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
        // They alone do not wait: a list may begin with a row as long as all of it.
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
