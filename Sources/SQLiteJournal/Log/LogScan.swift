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

    /// A list and its present life.
    private struct Slot {
        let list: ListID
        /// Rows before this one belong to an earlier life, and are no longer needed.
        let since: Int
        /// The index of the present life in `lives`; -1 if there is none.
        var life = -1
        var start = 0
        var covered = 0
        var position = 0
        /// The rows that the snapshot stands for, without long ones.
        var coveredRows: [Int] = []
        /// The row that deleted the list, if it is the list's last one.
        var retired: Int?

        mutating func begin(_ life: Int, at seq: Int) {
            (self.life, start, covered, position, retired) = (life, seq, 0, 0, nil)
        }
    }

    /// A list from its first entry to its deletion.
    private struct Life {
        let slot: Int
        var rowCount = 0
        /// The first row behind this life; nil if the life goes on.
        var end: Int?
    }

    /// A row that is needed.
    private struct Taken {
        let life: Int
        let place: LogIndex.Place
    }

    private(set) var count = 0
    private(set) var sum = 0
    private var index: LogIndex
    /// The index in `slots` of each list.
    private var numbers: [ByteText: Int] = [:]
    /// The index in `slots` of the last list whose name has this checksum, or -1. It saves making a text of the name in
    /// each row, which took a quarter of a start. Other names with the same checksum are found in `numbers`.
    private var recent = [Int32](repeating: -1, count: 1 << 16)
    private var slots: [Slot] = []
    private var lives: [Life] = []
    /// The needed rows in the order of the log. They are sorted by life only at the end, because there are many lists,
    /// each with a row here and there.
    private var taken: [Taken] = []

    /// - Parameters:
    ///   - index: An index with the headers of the snapshots.
    ///   - rowCount: An estimate of the number of rows.
    init(_ index: LogIndex, rowCount: Int) {
        self.index = index
        taken.reserveCapacity(rowCount)
    }

    /// The number by which `take` knows a list; nil if the name is not the id of a list.
    mutating func number(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        var checksum = CRC32C()
        checksum.add(name.span)
        let place = Int(checksum.value) & (recent.count - 1)
        let last = Int(recent[place])
        if last >= 0, slots[last].list.rawValue.withBytes({ $0.elementsEqual(name) }) { return last }
        guard let number = number(of: ByteText(decoding: name)) else { return nil }
        recent[place] = Int32(truncatingIfNeeded: number)
        return number
    }

    private mutating func number(of name: ByteText) -> Int? {
        if let known = numbers[name] { return known }
        guard let list = ListID(name) else { return nil }
        numbers[name] = slots.count
        addSlot(list)
        return slots.count - 1
    }

    private mutating func addSlot(_ list: ListID) {
        var slot = Slot(list: list, since: index.headers[list]?.since ?? 0)
        if let life = index.lives[list] {
            (slot.life, slot.start, slot.covered, slot.position) = (
                lives.count, life.start, life.covered, life.position
            )
            lives.append(Life(slot: slots.count))
        }
        slots.append(slot)
    }

    /// Adds a row whose checksum is right.
    ///
    /// - Parameter number: The number of its list.
    /// - Throws: `Gap` if versions are missing before it.
    mutating func take(_ row: LogRow.InPlace, _ kind: LogRow.Kind, of number: Int) throws(Gap) {
        let (seq, first, last) = (row.seq, row.position, row.position + row.count - 1)
        count += 1
        sum &+= seq
        guard seq >= slots[number].since else { return index.removableRows.append(seq) }
        var (life, covered, position) = (slots[number].life, slots[number].covered, slots[number].position)
        if life < 0 || (kind == .create && slots[number].start != seq) {
            if life >= 0 { lives[life].end = seq }
            (life, covered, position) = (lives.count, 0, 0)
            slots[number].begin(life, at: seq)
            lives.append(Life(slot: number))
        }
        let isLong = LogIndex.isLong(row.bytes.count)
        guard last > covered else {
            return isLong ? index.removableRows.append(seq) : slots[number].coveredRows.append(seq)
        }
        guard first == position + 1 || (position == covered && first <= position) else {
            throw Gap(list: slots[number].list, version: position + 1)
        }
        taken.append(Taken(life: life, place: LogIndex.Place(seq: seq, last: last)))
        if isLong { index.noteLong(seq) }
        slots[number].position = last
        slots[number].retired = kind == .retire ? seq : nil
        guard kind == .delete else { return }
        lives[life].end = seq + 1
        slots[number].life = -1
    }

    /// The index of all rows that were added.
    consuming func finish() -> LogIndex {
        for row in taken { lives[row.life].rowCount += 1 }
        var rows = lives.map { life in
            var rows: [LogIndex.Place] = []
            rows.reserveCapacity(life.rowCount)
            return rows
        }
        for row in taken { rows[row.life].append(row.place) }
        for slot in slots { index.cover(slot.coveredRows, of: slot.list) }
        for (number, life) in lives.enumerated() {
            let slot = slots[life.slot]
            if let end = life.end {
                index.note(rows[number], of: slot.list, endedBefore: end)
                if slot.life < 0 { index.lives[slot.list] = nil }
            } else {
                index.lives[slot.list] = LogIndex.Life(
                    start: slot.start, covered: slot.covered, position: slot.position, rows: rows[number])
                index.lives[slot.list]?.retired = slot.retired
            }
        }
        return index
    }
}
