internal import ListModel
internal import ListStore
internal import Texts

/// Everything in a database read and checked, going on after each finding.
///
/// It tells in words what is wrong, and keeps what is good: of each list what comes before its first bad row.
struct Examination {
    /// What is wrong, in words; empty if nothing is.
    private(set) var findings: [String] = []
    /// What is wrong and is of no list: it is lost when the rest is kept.
    private(set) var losses: [String] = []
    /// What is good of a list.
    struct Good {
        var header: LogIndex.Header?
        /// A snapshot that is not whole.
        var damagedHeader: LogIndex.Header?
        /// Rows before this one belong to an earlier life.
        var since = 0
        /// Rows, oldest first, that follow one another from the snapshot or the list's first entry on.
        var rows: [LogIndex.Place] = []
        /// The last entry that is kept.
        var position = 0
        /// Whether a row was bad, so that what follows has nothing to stand on.
        var isCut = false
        /// Whether a row was bad that the snapshot may stand for.
        var mayMissRow = false

        /// Whether there is something to go on from.
        var isKept: Bool { (header?.chunks ?? 0) > 0 || !rows.isEmpty }

        /// Whether the damaged snapshot stands for more than the rows do.
        var isShort: Bool { damagedHeader.map { position < $0.position } ?? false }

        /// Meets a bad row of the list. It cuts the list, unless the snapshot may stand for it: if not, the next row
        /// will not follow. A second one always does, for the list may have ended and begun anew between the two.
        mutating func meetBadRow(_ seq: Int) {
            guard seq >= since else { return }
            isCut = isCut || mayMissRow || !rows.isEmpty || (header?.chunks ?? 0) == 0
            mayMissRow = true
        }
    }
    private(set) var lists: [ListID: Good] = [:]
    private(set) var receipts: [Int] = []
    private(set) var end = AcknowledgedMark.Position(log: 0, receipt: 0)
    private(set) var receiptsTrimmed = 0
    let connection: SQLiteConnection
    private let path: String

    /// Reads a database that nobody writes.
    ///
    /// - Throws: If it cannot be read at all.
    init(copy path: String) throws(JournalError) {
        self.path = path
        connection = try SQLiteConnection(reading: path)
        try Schema.verify(connection, path)
        for name in Schema.Name.allCases where number(name) == nil { note("The number \(name.rawValue) is damaged.") }
        readHeaders()
        readLog()
        readReceipts()
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

    private func number(_ name: Schema.Name) -> Int? { try? Schema.value(name, in: connection, path) }

    /// Reads a table to its end, or to where SQLite can read no further.
    private mutating func read(_ table: String, _ sql: String, _ body: (SQLiteConnection.Statement.Row) -> Void) {
        do { try connection.prepare(sql).read([]) { body($0) } } catch {
            lose("The table \(table) cannot be read to its end: \(error).")
        }
    }

    // MARK: Snapshots

    private mutating func readHeaders() {
        var headers: [(ListID, LogIndex.Header)] = []
        var bad: [String] = []
        var lists: [ListID: Good] = [:]
        read("snapshots", LogIndex.Header.selectAll) { row in
            let (header, name, list) = LogIndex.Header.read(row)
            guard let list else {
                bad.append("The snapshot of the list \(name) is damaged.")
                if let claimed = ListID(name) { lists[claimed] = Good(isCut: true) }
                return
            }
            headers.append((list, header))
        }
        findings += bad
        if headers.count + bad.count != number(.snapshotCount) {
            note("There are \(headers.count) snapshots, but \(number(.snapshotCount) ?? 0) were written.")
        }
        let contents = readChunks()
        for (list, header) in headers {
            guard header.chunks > 0, contents[header.id] != Content(count: header.chunks, sum: header.content) else {
                lists[list] = Good(header: header, since: header.since, position: header.position)
                continue
            }
            note("The snapshot of the list \(list.rawValue) at version \(header.position) is damaged.")
            // The rows that it stands for may still be there.
            lists[list] = Good(damagedHeader: header, since: header.since)
        }
        self.lists = lists
    }

    private struct Content: Equatable {
        var count: Int
        var sum: Int
    }

    /// The chunks of each snapshot that are there and good, up to the first that is not.
    private mutating func readChunks() -> [Int: Content] {
        var sums: [Int: (count: Int, sum: CRC32C)] = [:]
        read("chunks", "SELECT id, bytes, checksum FROM chunks ORDER BY id") { row in
            let id = row.integer(0)
            let checksum = row.integer(2)
            var content = sums[id / SnapshotChunk.countMax] ?? (0, CRC32C())
            guard id % SnapshotChunk.countMax == content.count,
                SnapshotChunk.checksum(row.bytes(1).span, id: id) == checksum
            else { return }
            content.count += 1
            content.sum.add(checksum)
            sums[id / SnapshotChunk.countMax] = content
        }
        return sums.mapValues { Content(count: $0.count, sum: Int($0.sum.value)) }
    }

    // MARK: The log

    private mutating func readLog() {
        var (count, sum, last) = (0, 0, 0)
        var found: [String] = []
        var lists = lists
        var strays = 0
        let sql = "SELECT seq, list, kind, position, count, bytes, checksum FROM log ORDER BY seq"
        read("log", sql) { row in
            let seq = row.integer(0)
            (count, sum) = (count + 1, sum &+ seq)
            if Database.rows.contains(seq) { last = max(last, seq) }
            guard let content = LogRow(row), content.checksum(seq: seq) == row.integer(6), content.entries() != nil
            else {
                let name = ByteText(decoding: row.bytes(1))
                found.append("Row \(seq) of the log (list \(name), version \(row.integer(3))) is damaged.")
                if let list = ListID(name) { lists[list, default: Good()].meetBadRow(seq) } else { strays += 1 }
                return
            }
            if let finding = Self.take(content, seq: seq, &lists) { found.append(finding) }
        }
        findings += found
        end.log = max(last, number(.logRemovedLast) ?? 0)
        let missing = end.log &- count &- (number(.logRemovedCount) ?? 0)
        let isSumRight = (end.log &* (end.log &+ 1) / 2) &- sum == number(.logRemovedSum)
        if missing != 0 || !isSumRight { lose("\(missing) rows of the log are missing, or others are there.") }
        if strays > 0 { losses.append("\(strays) rows of the log are of lists that cannot be told.") }
        self.lists = lists.mapValues { good in
            var good = good
            good.isCut = good.isCut || good.isShort
            return good
        }
    }

    /// Returns what is wrong with the row's place.
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

    /// Leaves out the entries of a list from one on.
    ///
    /// - Parameter position: The last one that is kept.
    mutating func cut(_ list: ListID, after position: Int) {
        guard var good = lists[list] else { return }
        (good.isCut, good.position) = (true, position)
        while good.rows.count > 1, good.rows[good.rows.count - 2].last >= position { good.rows.removeLast() }
        if position <= good.header?.position ?? 0 { good.rows = [] }
        lists[list] = good
    }

    /// Leaves out the snapshot of a list, and with it what stands on it.
    mutating func dropSnapshot(of list: ListID) {
        guard var good = lists[list] else { return }
        (good.damagedHeader, good.header) = (good.header, nil)
        lists[list] = good
        cut(list, after: 0)
    }

    // MARK: Receipts

    private mutating func readReceipts() {
        receiptsTrimmed = number(.receiptsTrimmed) ?? 0
        var expected = receiptsTrimmed
        var found: [String] = []
        var good: [Int] = []
        read("receipts", "SELECT seq, key, time, bytes, checksum FROM receipts ORDER BY seq") { row in
            let seq = row.integer(0)
            let receipt = Receipt(key: row.bytes(1), time: row.integer(2), bytes: row.bytes(3))
            if seq != expected + 1 { found.append("Receipts are missing before number \(seq).") }
            expected = seq
            guard receipt.checksum(seq: seq) == row.integer(4) else {
                return found.append("Receipt \(seq) is damaged.")
            }
            good.append(seq)
        }
        for finding in found { lose(finding) }
        receipts = good
        end.receipt = max(expected, receiptsTrimmed)
    }

    /// Compares with how far commits were acknowledged.
    mutating func compare(with mark: AcknowledgedMark.Position) {
        guard !end.covers(mark) else { return }
        lose("Acknowledged commits are missing: row \(mark.log) was acknowledged, and row \(end.log) is the last.")
    }
}

extension LogRow {
    /// What a row of the table holds; nil if that is none of ours.
    init?(_ row: SQLiteConnection.Statement.Row) {
        guard let list = ListID(ByteText(decoding: row.bytes(1))),
            let kind = Kind(rawValue: row.integer(2)), Self.isPlace(row.integer(3), row.integer(4))
        else { return nil }
        self.init(list: list, kind: kind, position: row.integer(3), count: row.integer(4), bytes: row.bytes(5))
    }
}
