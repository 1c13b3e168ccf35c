internal import ListModel
internal import ListStore
internal import Texts

// Everything in the files, read and checked once, before the first write: page by page, as fast as the file can be read.
// What that cannot vouch for SQLite reads again, row by row, to say what is wrong with it.

extension Database {
    /// Makes the index, and hands over the receipts.
    func open(receipt: (Receipt) throws -> Void, receiptsMax: Int, since: Int) throws -> [ListID] {
        let first = max(receiptsTrimmed, end.receipt - max(0, receiptsMax)) + 1
        let wanted = { (seq: Int, time: Int) in seq >= first && time >= since }
        try readHeaders()
        do {
            let receipts = try skim(wanted)
            isSkimmed = true
            for each in receipts { try receipt(each) }
        } catch is PageReader.Unsure {
            try readHeaders()
            try readChunks()
            try readLog()
            try readReceipts(receipt, wanted)
            try checkStructure()
        }
        log = WriteAheadLog.Contents()
        try becomeWritable()
        return Array(index.lives.keys)
    }

    private func readHeaders() throws {
        index = LogIndex()
        var (count, sum) = (0, 0)
        try connection.prepare(LogIndex.Header.selectAll).read([]) { row in
            let (header, name, list) = LogIndex.Header.read(row)
            guard let list else {
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

    /// Whether so many rows with this sum of their numbers are all that were not removed.
    private func isWhole(_ count: Int, _ sum: Int) -> Bool {
        end.log &- count == numbers[.logRemovedCount]
            && (end.log &* (end.log &+ 1) / 2) &- sum == numbers[.logRemovedSum]
    }

    /// How many rows the log should have, and a damaged number makes no more of them than a file can hold.
    private var rowCountAtMost: Int { max(0, min(rowCount, 1 << 24)) }

    private func take(_ chunks: consuming ChunkScan) {
        nextSnapshot = max(nextSnapshot, chunks.nextSnapshot)
        index.removableChunks += chunks.others
    }

    // MARK: Page by page

    /// Checks everything without SQLite, and makes the index.
    ///
    /// - Parameter isWanted: By number and time, whether to return a receipt.
    /// - Throws: `PageReader.Unsure` if it cannot vouch for something; then the index is of no use.
    private func skim(_ isWanted: (Int, Int) -> Bool) throws -> [Receipt] {
        let logFile = log.frames.isEmpty ? nil : try folder.disk.open(folder.log, 0)
        var walk = try TableWalk(file, logFile, log)
        var roots: [ByteText: Int] = [:]
        for row in try connection.run("SELECT name, rootpage FROM sqlite_schema") {
            if let name = row.first??.text { roots[name] = row.last??.integer }
        }
        guard let chunks = roots["chunks"], let rows = roots["log"], let meta = roots["meta"],
            let receipts = roots["receipts"], let snapshots = roots["snapshots"]
        else { throw PageReader.Unsure() }
        // SQLite has read these, and they have checksums.
        try walk.forEachRow(of: 1) { _, _ in }
        try walk.forEachRow(of: snapshots) { _, _ in }
        try walk.checkIndex(meta)
        // Each has a checksum, and nothing depends on them.
        if let subscriptions = roots["subscriptions"] { try walk.forEachRow(of: subscriptions) { _, _ in } }
        try skimChunks(&walk, chunks)
        try skimLog(&walk, rows)
        let wanted = try skimReceipts(&walk, receipts, isWanted)
        try walk.finish()
        return wanted
    }

    private func skimChunks(_ walk: inout TableWalk, _ root: Int) throws {
        var scan = ChunkScan(index.headers)
        try walk.forEachRow(of: root) { id, bytes in
            guard let row = StoredRow(bytes, columns: 3), let content = row.blob(1),
                let checksum = row.integer(2, in: bytes),
                (try? scan.take(id: id, bytes.extracting(content), checksum)) != nil
            else { throw PageReader.Unsure() }
        }
        guard scan.missing == nil else { throw PageReader.Unsure() }
        take(scan)
    }

    private func skimLog(_ walk: inout TableWalk, _ root: Int) throws {
        var scan = LogScan(index, rowCount: rowCountAtMost)
        try walk.forEachRow(of: root) { seq, bytes in
            guard let row = StoredRow(bytes, columns: 7), let name = row.text(1),
                let number = row.integer(2, in: bytes), let position = row.integer(3, in: bytes),
                let count = row.integer(4, in: bytes), let content = row.blob(5),
                let checksum = row.integer(6, in: bytes), let kind = LogRow.Kind(rawValue: number),
                LogRow.isPlace(position, count),
                checksum
                    == LogRow.checksum(
                        [seq, number, position, count, name.count], bytes.extracting(name), bytes.extracting(content)),
                let list = scan.number(of: bytes.extracting(name)),
                (try? scan.take(
                    seq, list: list, kind, position: position, last: position + count - 1, bytes: content.count)) != nil
            else { throw PageReader.Unsure() }
        }
        guard isWhole(scan.count, scan.sum) else { throw PageReader.Unsure() }
        index = scan.finish()
    }

    private func skimReceipts(
        _ walk: inout TableWalk, _ root: Int, _ isWanted: (Int, Int) -> Bool
    ) throws -> [Receipt] {
        var wanted: [Receipt] = []
        var last = receiptsTrimmed
        try walk.forEachRow(of: root) { seq, bytes in
            guard let row = StoredRow(bytes, columns: 5), let key = row.blob(1), let time = row.integer(2, in: bytes),
                let content = row.blob(3), let checksum = row.integer(4, in: bytes), seq == last + 1,
                checksum == Receipt.checksum(seq: seq, bytes.extracting(key), time, bytes.extracting(content))
            else { throw PageReader.Unsure() }
            last = seq
            guard isWanted(seq, time) else { return }
            wanted.append(
                Receipt(key: Array(bytes.extracting(key)), time: time, bytes: Array(bytes.extracting(content))))
        }
        guard last == end.receipt else { throw PageReader.Unsure() }
        return wanted
    }

    // MARK: Row by row

    private func readChunks() throws {
        var scan = ChunkScan(index.headers)
        do {
            try connection.prepare("SELECT id, bytes, checksum FROM chunks ORDER BY id").read([]) { row in
                try scan.take(id: row.integer(0), row.bytes(1).span, row.integer(2))
            }
            if let missing = scan.missing { throw missing }
        } catch let damage as ChunkScan.Damage {
            throw JournalError.corrupt(
                "\(folder.database): the snapshot of list \(damage.list.rawValue) at version \(damage.position) "
                    + "is damaged in chunk \(damage.chunk + 1) of \(damage.chunkCount)")
        }
        take(scan)
    }

    private func readLog() throws {
        var scan = LogScan(index, rowCount: rowCountAtMost)
        let sql = "SELECT seq, list, kind, position, count, bytes, checksum FROM log ORDER BY seq"
        try connection.prepare(sql).read([]) { row in
            let seq = row.integer(0)
            let content = try row.content(folder.database)
            guard content.entries() != nil, let list = scan.number(of: Array(content.list.rawValue.utf8).span) else {
                throw row.damaged(folder.database)
            }
            do throws(LogScan.Gap) {
                try scan.take(
                    seq, list: list, content.kind, position: content.position, last: content.last,
                    bytes: content.bytes.count)
            } catch {
                throw JournalError.corrupt(
                    "\(folder.database): version \(error.version) of list \(error.list.rawValue) is missing before row "
                        + "\(seq) of log, which has version \(content.position)")
            }
        }
        guard isWhole(scan.count, scan.sum) else {
            throw JournalError.corrupt(
                "\(folder.database): rows of log are missing; there are \(scan.count) up to row \(end.log), and "
                    + "\(numbers[.logRemovedCount] ?? 0) were removed")
        }
        index = scan.finish()
    }

    private func readReceipts(_ body: (Receipt) throws -> Void, _ isWanted: (Int, Int) -> Bool) throws {
        var last = receiptsTrimmed
        try connection.prepare("SELECT seq, key, time, bytes, checksum FROM receipts ORDER BY seq").read([]) { row in
            let seq = row.integer(0)
            try check(seq == last + 1, "receipts", last + 1)
            let receipt = Receipt(key: row.bytes(1), time: row.integer(2), bytes: row.bytes(3))
            try check(receipt.checksum(seq: seq) == row.integer(4), "receipts", seq)
            last = seq
            if isWanted(seq, receipt.time) { try body(receipt) }
        }
        try check(last == end.receipt, "receipts", last + 1)
    }

    private func check(_ isWhole: Bool, _ table: String, _ seq: Int) throws(JournalError) {
        guard isWhole else { throw .corrupt("\(folder.database): row \(seq) of \(table) is damaged or missing") }
    }

    /// Checks what holds no content, such as the list of free pages: damage there would harm later commits.
    private func checkStructure() throws(JournalError) {
        let finding = try connection.run("PRAGMA quick_check(1)").first?.first??.text
        guard finding != "ok" else { return }
        let text = "\(folder.database): \(finding ?? "unreadable")"
        // So it tells of a page that the disk did not give: nothing says that it is damaged.
        let isUnread = ["failed to get page", "unable to get the page"].contains(where: text.contains)
        throw isUnread ? .io(text) : .corrupt(text)
    }
}

extension [UInt8] {
    fileprivate init(_ bytes: Span<UInt8>) { self = bytes.withUnsafeBytes { Array($0) } }
}
