internal import ListModel
internal import ListStore
internal import Texts

// Before the first write, everything in the files is read and checked once. `TableWalk` reads the pages itself, which
// is faster than SQLite. If it is not sure that everything is right, SQLite reads everything again and names the fault.

extension Database {
    /// Reads and checks everything, builds the index, calls `receipt` with the wanted receipts, and allows writes.
    func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws {
        let first = max(receiptsTrimmed, end.receipt - max(0, receiptsMax)) + 1
        let isWanted = { (row: Receipt.InPlace) in row.seq >= first && row.time >= since }
        var receipts: [Receipt] = []
        do {
            var walk = try walk()
            receipts = try readAll(from: &walk, isWanted)
            try walk.finish()
            isSkimmed = true
        } catch let error where Self.needsSecondLook(error) {
            var connection = connection
            receipts = try readAll(from: &connection, isWanted)
            try checkStructure()
        }
        for each in receipts { try receipt(each) }
        log = WriteAheadLog.Contents()
        try becomeWritable()
        try migrate()
        if try !isReadOnly && connection.hasSummaries { summaryStatements = try SummaryStatements(connection) }
    }

    private func walk() throws -> TableWalk {
        let logFile = log.frames.isEmpty ? nil : try folder.disk.open(folder.log, 0)
        var roots: [ByteText: Int] = [:]
        for row in try connection.run("SELECT name, rootpage FROM sqlite_schema") {
            if let name = row.first??.text { roots[name] = row.last??.integer }
        }
        return try TableWalk(file, logFile, log, roots: roots)
    }

    /// Whether SQLite must read everything again: it may find nothing wrong, or know more about the fault.
    private static func needsSecondLook(_ error: any Error) -> Bool {
        if case .corrupt? = error as? JournalError { return true }
        return error is PageReader.Unsure
    }

    /// Builds the index, and returns the receipts for which `isWanted` is true.
    private func readAll(
        from source: inout some RowSource, _ isWanted: (Receipt.InPlace) -> Bool
    ) throws -> [Receipt] {
        try readHeaders(from: &source)
        let chunks = try readChunks(from: &source)
        try readLog(from: &source)
        try checkAhead(chunks)
        try readRecords(from: &source)
        return try readReceipts(from: &source, isWanted)
    }

    private func readHeaders(from source: inout some RowSource) throws {
        index = LogIndex()
        var (count, sum) = (0, 0)
        try source.read(LogIndex.Header.InPlace.self) { row in
            let header = row.header
            guard let list = row.list else {
                throw JournalError.corrupt("\(folder.database): snapshot \(header.id) (list \(row.name)) is damaged")
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

    private func readChunks(from source: inout some RowSource) throws -> ChunkScan {
        var scan = ChunkScan()
        try source.read(SnapshotChunk.InPlace.self) { row in scan.take(row) }
        for (list, header) in index.headers where header.chunks > 0 {
            guard let chunk = scan.damage(of: header) else { continue }
            throw JournalError.corrupt(
                "\(folder.database): the snapshot of list \(list.rawValue) at version \(header.position) "
                    + "is damaged in chunk \(chunk + 1) of \(header.chunks)")
        }
        nextSnapshot = max(nextSnapshot, scan.nextSnapshot)
        return scan
    }

    /// Checks the records that were written ahead. Chunks that nobody needs may be removed: of those, a process that was
    /// killed may have left records without entries.
    private func checkAhead(_ chunks: ChunkScan) throws {
        for (seq, record) in index.aheadRows {
            guard let part = chunks.damage(of: record) else { continue }
            throw JournalError.corrupt(
                "\(folder.database): row \(seq) of log is damaged in part \(part + 1) of \(record.chunks)")
        }
        let snapshots = index.headers.lazy.filter { $0.value.chunks > 0 }.map(\.value.id)
        let records = index.aheadRows.values.lazy.map(\.number)
        index.removableChunks += chunks.others(than: Set(snapshots).union(records))
    }

    private func readLog(from source: inout some RowSource) throws {
        // The scan has the only reference to the index, which it changes.
        let begun = index
        index = LogIndex()
        // The row count may be damaged, so it reserves no more room than 2^24 rows need.
        var scan = LogScan(consume begun, rowCount: max(0, min(rowCount, 1 << 24)))
        try source.read(LogRow.InPlace.self) { row in
            guard let kind = row.kind, let list = scan.number(of: row.name) else {
                throw row.damaged(folder.database)
            }
            do throws(LogScan.Gap) { try scan.take(row, kind, of: list) } catch {
                throw JournalError.corrupt(
                    "\(folder.database): version \(error.version) of list \(error.list.rawValue) is missing before row "
                        + "\(row.seq) of log, which has version \(row.position)")
            }
        }
        guard numbers.missingRows(upTo: end.log, count: scan.count, sum: scan.sum) == nil else {
            throw JournalError.corrupt(
                "\(folder.database): rows of log are missing; there are \(scan.count) up to row \(end.log), and "
                    + "\(numbers[.logRemovedCount] ?? 0) were removed")
        }
        index = scan.finish()
    }

    private func readReceipts(
        from source: inout some RowSource, _ isWanted: (Receipt.InPlace) -> Bool
    ) throws -> [Receipt] {
        var receipts: [Receipt] = []
        var last = receiptsTrimmed
        try source.read(Receipt.InPlace.self) { row in
            try check(row.seq == last + 1, "receipts", last + 1)
            try check(row.isWhole, "receipts", row.seq)
            last = row.seq
            if isWanted(row) { receipts.append(row.copy) }
        }
        try check(last == end.receipt, "receipts", last + 1)
        return receipts
    }

    private func check(_ isWhole: Bool, _ table: String, _ seq: Int) throws(JournalError) {
        guard isWhole else { throw .corrupt("\(folder.database): row \(seq) of \(table) is damaged or missing") }
    }

    /// Checks the parts of the file that hold no content, such as the list of free pages. Damage there would harm later
    /// commits.
    private func checkStructure() throws(JournalError) {
        let finding = try connection.run("PRAGMA quick_check(1)").first?.first??.text
        guard finding != "ok" else { return }
        let text = "\(folder.database): \(finding ?? "unreadable")"
        // SQLite reports a page that it could not read in the same way. That is a failure of the disk, and no proof of
        // damage.
        let isUnread = ["failed to get page", "unable to get the page"].contains(where: text.contains)
        throw isUnread ? .io(text) : .corrupt(text)
    }
}
