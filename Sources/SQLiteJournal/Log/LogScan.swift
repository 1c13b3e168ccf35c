internal import ListModel
internal import ListStore
internal import Texts

/// Builds the index of a log from its rows, which come one after another, the oldest first.
struct LogScan {
    /// Versions of a list are missing before a row.
    struct Gap: Error {
        let list: ListID
        let version: Int
    }

    /// The mark of a list of the index, at the same place as in `index.lives`, which gets its present life at the end. A
    /// mark has numbers alone, because each row looks at one.
    private struct Mark {
        /// Rows before this one belong to an earlier life, and are no longer needed.
        let since: Int
        /// The index of the present life in `lives`; -1 if there is none.
        var life = -1
        /// The row that began it.
        var start: Int
        /// The number of its entries that the snapshot stands for.
        var covered = 0
        /// The number of its entries so far.
        var position = 0
        var isRetired = false

        /// A list of which no row has come.
        init(since: Int) { (self.since, start) = (since, 0) }

        /// A list with a snapshot.
        init(_ snapshot: LogIndex.Life, life: Int) {
            (since, start, self.life) = (snapshot.start, snapshot.start, life)
            (covered, position) = (snapshot.covered, snapshot.position)
        }
    }

    /// A list from its first entry to its deletion.
    private struct Life {
        /// The index of the list.
        let list: Int32
        var rowCount: Int32 = 0
        /// The first row behind this life; 0 if the life goes on.
        var end = 0
    }

    /// A row that is needed.
    private struct Taken {
        /// The index of its life.
        let life: Int
        let place: LogIndex.Place
    }

    private(set) var count = 0
    private(set) var sum = 0
    private var index: LogIndex
    /// The index of the last list whose name has this checksum, or -1. It saves making a text of the name in each row,
    /// which took a quarter of a start. Other names with the same checksum are found in `index`.
    private var recent = [Int32](repeating: -1, count: 1 << 16)
    private var marks: [Mark] = []
    /// For each list, the rows that the snapshot stands for, without long ones.
    private var coveredRows: [[Int]] = []
    private var lives: [Life] = []
    /// The needed rows in the order of the log. They are sorted by life only at the end, because there are many lists,
    /// each with a row here and there.
    private var taken: [Taken] = []

    /// - Parameters:
    ///   - index: An index with the headers of the snapshots, and with the lives of lists that have one.
    ///   - rowCount: An estimate of the number of rows.
    init(_ index: consuming LogIndex, rowCount: Int) {
        self.index = index
        taken.reserveCapacity(rowCount)
        for (number, (_, life)) in index.lives.enumerated() {
            marks.append(Mark(life, life: number))
            lives.append(Life(list: Int32(number)))
        }
        coveredRows = Array(repeating: [], count: marks.count)
    }

    /// The number by which `take` knows a list; nil if the name is not the id of a list.
    mutating func number(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        var checksum = CRC32C()
        checksum.add(name.span)
        let place = Int(checksum.value) & (recent.count - 1)
        let last = Int(recent[place])
        if last >= 0, index.lives.lists[last].rawValue.withBytes({ $0.elementsEqual(name) }) { return last }
        guard let number = number(of: ByteText(decoding: name)) else { return nil }
        recent[place] = Int32(truncatingIfNeeded: number)
        return number
    }

    private mutating func number(of name: ByteText) -> Int? {
        guard let list = ListID(name) else { return nil }
        if let known = index.lives.index(of: list) { return known }
        index.lives.add(LogIndex.Life(start: 0), of: list)
        marks.append(Mark(since: index.headers[list]?.since ?? 0))
        coveredRows.append([])
        return marks.count - 1
    }

    /// Adds a row whose checksum is right.
    ///
    /// - Parameter number: The number of its list.
    /// - Throws: `Gap` if versions are missing before it.
    mutating func take(_ row: LogRow.InPlace, _ kind: LogRow.Kind, of number: Int) throws(Gap) {
        let (seq, first, last) = (row.seq, row.position, row.position + row.count - 1)
        count += 1
        sum &+= seq
        guard seq >= marks[number].since else { return index.removableRows.append(seq) }
        if marks[number].life < 0 || (kind == .create && marks[number].start != seq) { begin(number, at: seq) }
        let (life, covered, position) = (marks[number].life, marks[number].covered, marks[number].position)
        let isLong = LogIndex.isLong(row.bytes.count)
        guard last > covered else {
            return isLong ? index.removableRows.append(seq) : coveredRows[number].append(seq)
        }
        guard first == position + 1 || (position == covered && first <= position) else {
            throw Gap(list: index.lives.lists[number], version: position + 1)
        }
        taken.append(Taken(life: life, place: LogIndex.Place(seq: seq, last: last)))
        lives[life].rowCount += 1
        if isLong { index.noteLong(seq) }
        if let record = row.ahead { index.aheadRows[seq] = record }
        (marks[number].position, marks[number].isRetired) = (last, kind == .retire)
        guard kind == .delete else { return }
        lives[life].end = seq + 1
        marks[number].life = -1
    }

    /// Begins a life of a list in the place of the one before.
    private mutating func begin(_ number: Int, at seq: Int) {
        if marks[number].life >= 0 { lives[marks[number].life].end = seq }
        marks[number].life = lives.count
        lives.append(Life(list: Int32(number)))
        (marks[number].start, marks[number].covered, marks[number].position) = (seq, 0, 0)
        marks[number].isRetired = false
    }

    /// The index of all rows that were added.
    consuming func finish() -> LogIndex {
        for (number, mark) in marks.enumerated() where mark.life >= 0 {
            let isNew = index.lives[at: number].start != mark.start
            if isNew { index.lives[at: number] = LogIndex.Life(start: mark.start) }
            index.lives[at: number].note(mark.position, retires: mark.isRetired)
        }
        for (rows, list) in zip(coveredRows, index.lives.lists) { index.cover(rows, of: list) }
        for life in lives where life.end == 0 { index.lives[at: Int(life.list)].reserve(rows: Int(life.rowCount)) }
        var ended: [Int: [LogIndex.Place]] = [:]
        for row in taken {
            let life = lives[row.life]
            guard life.end == 0 else {
                ended[row.life, default: []].append(row.place)
                continue
            }
            index.lives[at: Int(life.list)].put(row.place)
        }
        for (number, life) in lives.enumerated() where life.end > 0 {
            index.note(ended[number] ?? [], of: index.lives.lists[Int(life.list)], endedBefore: life.end)
        }
        for (mark, list) in zip(marks, index.lives.lists) where mark.life < 0 { index.lives.remove(list) }
        return index
    }
}
