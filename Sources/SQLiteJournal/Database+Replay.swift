internal import ListModel
internal import ListStore

// Everything in the files, read and checked once, before the first write.

extension Database {
    func replay(
        snapshot: (SnapshotPart) throws -> Void, entry: (JournalEntry) throws -> Void,
        receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int
    ) throws {
        index = LogIndex()
        try readHeaders()
        try readChunks(snapshot)
        try readLog(entry)
        try readReceipts(receipt, receiptsMax: receiptsMax, since: since)
        try checkStructure()
        try becomeWritable()
    }

    // MARK: Snapshots

    private func readHeaders() throws {
        var (count, sum) = (0, 0)
        let sql = "SELECT id, list, since, position, chunks, content, checksum FROM snapshots ORDER BY id"
        try connection.prepare(sql).read([]) { row in
            let name = String(decoding: row.bytes(1), as: UTF8.self)
            let header = LogIndex.Header(
                id: row.integer(0), since: row.integer(2), position: row.integer(3), chunks: row.integer(4),
                content: row.integer(5))
            guard let list = ListID(name), header.checksum(list: list) == row.integer(6) else {
                throw JournalError.corrupt("\(folder.database): snapshot \(header.id) (list \(name)) is damaged")
            }
            index.headers[list] = header
            if header.chunks > 0 { index.lives[list] = LogIndex.Life(start: header.since, covered: header.position) }
            nextSnapshot = max(nextSnapshot, header.id + 1)
            count += 1
            sum &+= header.id
        }
        guard count == index.headers.count, count == numbers[.snapshotCount], sum == numbers[.snapshotSum] else {
            throw JournalError.corrupt(
                "\(folder.database): there are \(count) snapshots, but \(numbers[.snapshotCount] ?? 0) were written")
        }
    }

    /// What is read of a snapshot, chunk by chunk.
    private struct Reading {
        let list: ListID
        let header: LogIndex.Header
        var count = 0
        var content = CRC32C()
    }

    private func readChunks(_ body: (SnapshotPart) throws -> Void) throws {
        var readings: [Int: Reading] = [:]
        for (list, header) in index.headers where header.chunks > 0 {
            readings[header.id] = Reading(list: list, header: header)
        }
        try connection.prepare("SELECT id, bytes, checksum FROM chunks ORDER BY id").read([]) { row in
            let id = row.integer(0)
            let snapshot = id / SnapshotChunk.countMax
            nextSnapshot = max(nextSnapshot, snapshot + 1)
            guard var reading = readings[snapshot] else { return index.removableChunks.append(id...id) }
            let bytes = row.bytes(1)
            let checksum = row.integer(2)
            guard id == SnapshotChunk.id(snapshot, reading.count), reading.count < reading.header.chunks,
                SnapshotChunk.checksum(bytes, id: id) == checksum
            else { throw damaged(reading) }
            reading.content.add(checksum)
            reading.count += 1
            readings[snapshot] = reading
            let isLast = reading.count == reading.header.chunks
            if isLast, Int(reading.content.value) != reading.header.content { throw damaged(reading) }
            try body(
                SnapshotPart(
                    list: reading.list, position: reading.header.position, first: reading.count - 1, chunks: [bytes],
                    isLast: isLast))
        }
        if let missing = readings.values.first(where: { $0.count < $0.header.chunks }) { throw damaged(missing) }
    }

    private func damaged(_ reading: Reading) -> JournalError {
        .corrupt(
            "\(folder.database): the snapshot of list \(reading.list.rawValue) at version \(reading.header.position) "
                + "is damaged in chunk \(reading.count + 1) of \(reading.header.chunks)")
    }

    // MARK: The log

    private func readLog(_ body: (JournalEntry) throws -> Void) throws {
        var (count, sum) = (0, 0)
        let sql = "SELECT seq, list, kind, position, count, bytes, checksum FROM log ORDER BY seq"
        try connection.prepare(sql).read([]) { row in
            let seq = row.integer(0)
            let content = try self.content(row)
            for each in try self.take(content, seq: seq) { try body(each) }
            count += 1
            sum &+= seq
        }
        let isWhole = end.log &- count == numbers[.logRemovedCount]
        guard isWhole, (end.log &* (end.log &+ 1) / 2) &- sum == numbers[.logRemovedSum] else {
            throw JournalError.corrupt(
                "\(folder.database): rows of log are missing; there are \(count) up to row \(end.log), and "
                    + "\(numbers[.logRemovedCount] ?? 0) were removed")
        }
    }

    private func content(_ row: SQLiteConnection.Statement.Row) throws(JournalError) -> LogRow {
        let seq = row.integer(0)
        let name = String(decoding: row.bytes(1), as: UTF8.self)
        guard let list = ListID(name), let kind = LogRow.Kind(rawValue: row.integer(2)),
            case let content = LogRow(
                list: list, kind: kind, position: row.integer(3), count: row.integer(4), bytes: row.bytes(5)),
            content.checksum(seq: seq) == row.integer(6)
        else {
            throw .corrupt(
                "\(folder.database): row \(seq) of log (list \(name), version \(row.integer(3))) is damaged")
        }
        return content
    }

    /// Notes a row in the index, and returns what of it the snapshots do not hold.
    private func take(_ row: LogRow, seq: Int) throws(JournalError) -> ArraySlice<JournalEntry> {
        if let header = index.headers[row.list], seq < header.since {
            index.removableRows.append(seq)
            return []
        }
        let life = index.life(of: row, seq: seq)
        guard row.last > life.covered else {
            index.removableRows.append(seq)
            return []
        }
        let known = life.position
        guard row.position == known + 1 || (known == life.covered && row.position <= known) else {
            throw .corrupt(
                "\(folder.database): version \(known + 1) of list \(row.list.rawValue) is missing before row \(seq) "
                    + "of log, which has version \(row.position)")
        }
        guard let entries = row.entries() else {
            throw .corrupt(
                "\(folder.database): row \(seq) of log (list \(row.list.rawValue), version \(row.position)) is damaged")
        }
        index.add(row, seq: seq)
        return entries.dropFirst(known + 1 - row.position)
    }

    // MARK: Receipts

    private func readReceipts(_ body: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws {
        var last = max(receiptsTrimmed, end.receipt - max(0, receiptsMax))
        let sql = "SELECT seq, key, time, bytes, checksum FROM receipts WHERE seq > ? ORDER BY seq"
        try connection.prepare(sql).read([last]) { row in
            let each = try self.receipt(row, after: last)
            last += 1
            if each.time >= since { try body(each) }
        }
        try check(last == end.receipt, "receipts", last + 1)
    }

    private func receipt(_ row: SQLiteConnection.Statement.Row, after last: Int) throws(JournalError) -> Receipt {
        let seq = row.integer(0)
        try check(seq == last + 1, "receipts", last + 1)
        let receipt = Receipt(key: row.bytes(1), time: row.integer(2), bytes: row.bytes(3))
        try check(receipt.checksum(seq: seq) == row.integer(4), "receipts", seq)
        return receipt
    }

    private func check(_ isWhole: Bool, _ table: String, _ seq: Int) throws(JournalError) {
        guard isWhole else { throw .corrupt("\(folder.database): row \(seq) of \(table) is damaged or missing") }
    }

    /// Checks what holds no content, such as the list of free pages: damage there would harm later commits.
    private func checkStructure() throws(JournalError) {
        let finding = try connection.run("PRAGMA quick_check(1)").first?.first??.text
        guard finding == "ok" else { throw .corrupt("\(folder.database): \(finding ?? "unreadable")") }
    }
}
