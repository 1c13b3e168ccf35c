internal import ListModel
internal import ListStore

/// Reads and checks everything in a database, and goes on after each fault.
///
/// It describes the faults, and keeps the good part of each list: everything before its first bad row.
struct Examination {
    /// The faults, each in a sentence; empty if there is none.
    private(set) var findings: [String] = []
    /// The faults that belong to no list. What they name is lost when the good parts are kept.
    private(set) var losses: [String] = []
    /// The good part of a list.
    struct Good {
        var header: LogIndex.Header?
        /// The header of a damaged snapshot.
        var damagedHeader: LogIndex.Header?
        /// Rows before this one belong to an earlier life.
        var since = 0
        /// The good rows, oldest first. Each follows the one before, and the first follows the snapshot or begins the
        /// list.
        var rows: [LogIndex.Place] = []
        /// The position of the last entry that is kept.
        var position = 0
        /// Whether a row was bad. Later rows then have nothing to build on.
        var isCut = false
        /// Whether a bad row was met that the snapshot may stand for.
        var mayMissRow = false

        /// Whether the list has a good part.
        var isKept: Bool { (header?.chunks ?? 0) > 0 || !rows.isEmpty }

        /// Whether the damaged snapshot stands for more entries than the good rows have.
        var isShort: Bool { damagedHeader.map { position < $0.position } ?? false }

        /// Notes a bad row of the list. It cuts the list, unless the snapshot may stand for that row: if it does not,
        /// the next row will not follow. A second bad row always cuts the list, because the list may have ended and
        /// begun anew between the two.
        mutating func meetBadRow(_ seq: Int) {
            guard seq >= since else { return }
            isCut = isCut || mayMissRow || !rows.isEmpty || (header?.chunks ?? 0) == 0
            mayMissRow = true
        }
    }
    private(set) var lists: [ListID: Good] = [:]
    /// The records that were written ahead, by their rows.
    private(set) var aheadRows: [Int: AheadRecord] = [:]
    private var chunks = ChunkScan()
    private(set) var receipts: [Int] = []
    private(set) var end = AcknowledgedMark.Position(log: 0, receipt: 0)
    private(set) var receiptsTrimmed = 0
    /// Whether the database has a table of records. Older ones have not.
    let hasRecords: Bool
    /// Whether there are fewer good records than were written.
    private(set) var hasLostRecords = false
    /// The rows of the good records.
    private(set) var records: Set<Int> = []
    let connection: SQLiteConnection
    /// The numbers in `meta`, without damaged ones.
    private var numbers: [Schema.Name: Int] = [:]

    /// Reads a database that nobody writes.
    ///
    /// - Throws: If the file cannot be read at all, or is not a database of this program.
    init(copy path: String) throws(JournalError) {
        connection = try SQLiteConnection(reading: path)
        let format = try Schema.verify(connection, path)
        hasRecords = Schema.hasRecords(format)
        for name in Schema.Name.all(of: format) {
            numbers[name] = try? Schema.value(name, in: connection, path)
            if numbers[name] == nil { note("The number \(name.rawValue) is damaged.") }
        }
        readHeaders()
        readLog()
        readReceipts()
        if hasRecords { readRecords() }
        let structure = Result { () throws(JournalError) in try connection.run("PRAGMA quick_check(20)") }
        switch structure {
        case .success(let rows):
            for row in rows where row.first??.text != "ok" { note(row.first??.text?.description ?? "unreadable") }
        case .failure(let error): note("\(error)")
        }
    }

    private mutating func note(_ text: String) { findings.append(text) }

    private mutating func lose(_ text: String) {
        note(text)
        losses.append(text)
    }

    /// Reads a table to its end, or as far as SQLite can read it.
    private mutating func read<Row: RowInPlace>(_: Row.Type, _ body: (Row) -> Void) {
        do { try connection.read(Row.self, body) } catch {
            lose("The table \(Row.table) cannot be read to its end: \(error).")
        }
    }

    // MARK: Snapshots

    private mutating func readHeaders() {
        var headers: [ListID: LogIndex.Header] = [:]
        var (count, sum) = (0, 0)
        var bad: [String] = []
        var twice: [ListID] = []
        var lists: [ListID: Good] = [:]
        read(LogIndex.Header.InPlace.self) { row in
            sum &+= row.header.id
            guard let list = row.list else {
                bad.append("The snapshot of the list \(row.name) is damaged.")
                if let claimed = ListID(row.name) { lists[claimed] = Good(isCut: true) }
                return
            }
            if headers.updateValue(row.header, forKey: list) != nil { twice.append(list) }
            count += 1
        }
        findings += bad
        if count + bad.count != numbers[.snapshotCount] {
            note("There are \(count) snapshots, but \(numbers[.snapshotCount] ?? 0) were written.")
        } else if let written = numbers[.snapshotSum], sum != written {
            note("There are other snapshots than those that were written.")
        }
        for list in twice { note("The list \(list.rawValue) has two snapshots.") }
        let damaged = damagedSnapshots(headers)
        for (list, header) in headers.sorted(by: { $0.value.id < $1.value.id }) {
            guard damaged.contains(list) else {
                lists[list] = Good(header: header, since: header.since, position: header.position)
                continue
            }
            note("The snapshot of the list \(list.rawValue) at version \(header.position) is damaged.")
            // The rows that the snapshot stands for may still be there.
            lists[list] = Good(damagedHeader: header, since: header.since)
        }
        self.lists = lists
    }

    /// The lists whose snapshots have a missing or damaged chunk.
    private mutating func damagedSnapshots(_ headers: [ListID: LogIndex.Header]) -> Set<ListID> {
        var scan = ChunkScan()
        read(SnapshotChunk.InPlace.self) { row in scan.take(row) }
        chunks = scan
        return Set(headers.filter { $0.value.chunks > 0 && scan.damage(of: $0.value) != nil }.keys)
    }

    // MARK: The log

    private mutating func readLog() {
        var (count, sum, last) = (0, 0, 0)
        var found: [String] = []
        var lists = lists
        var strays = 0
        var aheadRows: [Int: AheadRecord] = [:]
        let chunks = chunks
        read(LogRow.InPlace.self) { row in
            (count, sum) = (count + 1, sum &+ row.seq)
            if Database.rows.contains(row.seq) { last = max(last, row.seq) }
            guard let content = row.copy, content.entries() != nil else {
                found.append("Row \(row.seq) of the log (list \(row.list), version \(row.position)) is damaged.")
                if let list = ListID(row.list) { lists[list, default: Good()].meetBadRow(row.seq) } else { strays += 1 }
                return
            }
            if let record = row.ahead {
                aheadRows[row.seq] = record
                var good = lists[content.list] ?? Good()
                let isBeginning = content.kind == .create && good.since != row.seq
                // A row that is not needed may have lost its record already.
                let isNeeded = row.seq >= good.since && (isBeginning || content.last > good.header?.position ?? 0)
                if isNeeded, let part = chunks.damage(of: record) {
                    found.append(
                        "Row \(row.seq) of the log (list \(row.list), version \(row.position)) is damaged in part "
                            + "\(part + 1) of \(record.chunks).")
                    if isBeginning { good = Good(since: row.seq) }
                    good.isCut = true
                    lists[content.list] = good
                    return
                }
            }
            if let finding = Self.take(content, seq: row.seq, &lists) { found.append(finding) }
        }
        findings += found
        self.aheadRows = aheadRows
        end.log = max(last, numbers[.logRemovedLast] ?? 0)
        if let missing = numbers.missingRows(upTo: end.log, count: count, sum: sum) {
            lose("\(missing) rows of the log are missing, or others are there.")
        }
        if strays > 0 { losses.append("\(strays) rows of the log are of lists that cannot be told.") }
        self.lists = lists.mapValues { good in
            var good = good
            good.isCut = good.isCut || good.isShort
            return good
        }
    }

    /// Adds a good row to its list. Returns a sentence if versions are missing before it.
    private static func take(_ row: LogRow, seq: Int, _ lists: inout [ListID: Good]) -> String? {
        var good = lists[row.list] ?? Good()
        guard seq >= good.since else { return nil }
        if row.kind == .create, good.since != seq { good = Good(since: seq) }
        defer { lists[row.list] = row.kind == .delete ? nil : good }
        guard !good.isCut, row.last > good.header?.position ?? 0 else { return nil }
        guard row.position <= good.position + 1, good.rows.isEmpty || row.position == good.position + 1 else {
            good.isCut = true
            guard good.damagedHeader == nil else { return nil }
            return "Version \(good.position + 1) of the list \(row.list.rawValue) is missing."
        }
        good.rows.append(LogIndex.Place(seq: seq, last: row.last))
        good.position = row.last
        return nil
    }

    /// Drops the entries of a list behind a position.
    ///
    /// - Parameter position: The position of the last entry that is kept.
    mutating func cut(_ list: ListID, after position: Int) {
        guard var good = lists[list] else { return }
        (good.isCut, good.position) = (true, position)
        while good.rows.count > 1, good.rows[good.rows.count - 2].last >= position { good.rows.removeLast() }
        if position <= good.header?.position ?? 0 { good.rows = [] }
        lists[list] = good
    }

    /// Drops the snapshot of a list, and with it all rows that build on it.
    mutating func dropSnapshot(of list: ListID) {
        guard var good = lists[list] else { return }
        (good.damagedHeader, good.header) = (good.header, nil)
        lists[list] = good
        cut(list, after: 0)
    }

    // MARK: Receipts

    private mutating func readReceipts() {
        receiptsTrimmed = numbers[.receiptsTrimmed] ?? 0
        var expected = receiptsTrimmed
        var found: [String] = []
        var good: [Int] = []
        read(Receipt.InPlace.self) { row in
            if row.seq != expected + 1 { found.append("Receipts are missing before number \(row.seq).") }
            expected = row.seq
            if row.isWhole { good.append(row.seq) } else { found.append("Receipt \(row.seq) is damaged.") }
        }
        for finding in found { lose(finding) }
        receipts = good
        end.receipt = max(expected, receiptsTrimmed)
    }

    // MARK: Records

    private mutating func readRecords() {
        var (count, sum) = (0, 0)
        var keys: [KeyedRecord.Key: Int] = [:]
        var found: [String] = []
        read(KeyedRecord.InPlace.self) { row in
            count += 1
            guard let key = row.key else { return found.append("Record \(row.id) (kind \(row.kind)) is damaged.") }
            sum &+= row.checksum
            if let other = keys.updateValue(row.id, forKey: key) {
                found.append("The records \(other) and \(row.id) have one key.")
            }
        }
        records = Set(keys.values)
        for finding in found { lose(finding) }
        hasLostRecords = !found.isEmpty || numbers[.recordCount].map { $0 != count } ?? true
        // A number that is damaged has been noted already.
        if let written = numbers[.recordCount], count != written {
            lose("There are \(count) records, but \(written) were written.")
        } else if found.isEmpty, let written = numbers[.recordSum], sum != written {
            lose("There are other records than those that were written.")
        }
    }

    /// Notes a fault if the database ends before the last acknowledged commit.
    mutating func compare(with mark: AcknowledgedMark.Position) {
        guard !end.covers(mark) else { return }
        lose("Acknowledged commits are missing: row \(mark.log) was acknowledged, and row \(end.log) is the last.")
    }
}
