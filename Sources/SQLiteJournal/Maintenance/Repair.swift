internal import ListModel
public import ListStore

extension Maintenance {
    /// The result of a repair.
    public struct Repaired: Sendable {
        /// The path at which the damaged database is kept.
        public fileprivate(set) var keptAs = ""
        /// The losses, each in a sentence: first those of single lists, in the order of their ids, then the others.
        public fileprivate(set) var losses: [String] = []
        /// Whether keyed records are lost, such as subscriptions, tickets or the access book.
        public fileprivate(set) var hasLostRecords = false
        /// The number of lists that have lost nothing.
        public fileprivate(set) var wholeCount = 0
    }

    /// Makes a database of all that is good, and puts it in the place of the damaged one, which is kept.
    ///
    /// Each list keeps everything before its first bad record. Of a damaged snapshot, the readable chunks are kept,
    /// unless the records that it stands for are still there. The mark is removed, so that every list gets a new epoch
    /// at the next start. If the repair is interrupted, either nothing has changed, or the next program that opens the
    /// folder finishes it.
    ///
    /// - Parameter contents: As for `examine(folder:contents:)`.
    /// - Returns: Nil if there was nothing to repair.
    /// - Throws: As `examine(folder:contents:)`. The database is then unchanged, or the repair is finished at the next
    ///   opening.
    public static func repair(folder path: String, contents: Bool = true) throws(JournalError) -> Repaired? {
        let folder = Folder(path: path)
        let lock = try folder.takeLock(patience: Self.patience)
        defer { withExtendedLifetime(lock) {} }
        let examination = try examination(of: folder)
        guard try !findings(examination, in: folder, contents: contents).isEmpty else { return nil }
        let mended = folder.mended
        do throws(JournalError) {
            return try mended.make { () throws(JournalError) in
                var repaired = try make(mended, of: examination, contents: contents)
                repaired.keptAs = try exchange(folder, mended)
                return repaired
            }
        } catch {
            // Once the log may be gone, there is no way back, so the repair goes on.
            try? folder.finishRepair()
            throw error
        }
    }

    static func make(
        _ mended: Unfinished, of damaged: Examination, contents: Bool
    ) throws(JournalError) -> Repaired {
        var examination = damaged
        var salvaged: [ListID: Salvaged] = [:]
        for (list, good) in damaged.lists {
            if let header = good.damagedHeader, good.isCut { salvaged[list] = salvage(list, header, damaged) }
        }
        // The records of a list that was cut can be decoded up to the cut. A salvaged snapshot that cannot is dropped.
        while true {
            try write(mended, examination, salvaged)
            let faults = contents ? try faults(in: Folder(copy: mended.path)) : []
            guard !faults.isEmpty else { return outcome(examination, salvaged) }
            for fault in faults {
                let header = salvaged[fault.list]?.header ?? examination.lists[fault.list]?.header
                if let entries = fault.entriesBefore {
                    examination.cut(fault.list, after: (header?.position ?? 0) + entries)
                } else if salvaged[fault.list] == nil, let header {
                    salvaged[fault.list] = salvage(fault.list, header, examination)
                    examination.dropSnapshot(of: fault.list)
                } else {
                    salvaged[fault.list] = nil
                }
            }
        }
    }

    /// A snapshot that was made of the readable chunks of a damaged one.
    private struct Salvaged {
        var header: LogIndex.Header
        let chunks: [[UInt8]]
        let itemCount: Int
        let lost: Int
        let all: Int
    }

    private static func salvage(
        _ list: ListID, _ header: LogIndex.Header, _ examination: Examination
    ) -> Salvaged? {
        let made = ListCheck.salvage(list, position: header.position, count: header.chunks) { number in
            let id = SnapshotChunk.id(header.id, number)
            var chunk: [UInt8]?
            try? NumberedRows<SnapshotChunk.InPlace>(examination.connection).read(id...id) { row in
                if row.isWhole { chunk = Array(row.bytes) }
            }
            return chunk
        }
        guard let made else { return nil }
        var (header, content) = (header, CRC32C())
        for (number, chunk) in made.chunks.enumerated() {
            content.add(SnapshotChunk.checksum(chunk.span, id: SnapshotChunk.id(header.id, number)))
        }
        let all = header.chunks
        (header.chunks, header.content) = (made.chunks.count, Int(content.value))
        return Salvaged(
            header: header, chunks: made.chunks, itemCount: made.itemCount, lost: made.lost, all: all)
    }

    private static func outcome(_ examination: Examination, _ salvaged: [ListID: Salvaged]) -> Repaired {
        var repaired = Repaired()
        repaired.hasLostRecords = examination.hasLostRecords
        for (list, good) in examination.lists.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            if let salvaged = salvaged[list] {
                repaired.losses.append(
                    "The list \(list) keeps \(salvaged.itemCount) items; \(salvaged.lost) of the \(salvaged.all) parts of "
                        + "its snapshot are damaged, and what came after it is lost.")
            } else if !good.isCut {
                repaired.wholeCount += good.isKept ? 1 : 0
            } else if good.isKept {
                repaired.losses.append(
                    "The list \(list) keeps its versions up to \(good.position); later ones are lost.")
            } else {
                repaired.losses.append("The list \(list) is gone: nothing of it can be read.")
            }
        }
        repaired.losses += examination.losses
        return repaired
    }

    private static func write(
        _ mended: Unfinished, _ examination: Examination, _ salvaged: [ListID: Salvaged]
    ) throws(JournalError) {
        try mended.remove()
        let path = mended.path
        _ = try File(path, File.createFlags)
        try Schema.create(path, pageSize: 4096)
        try copy(examination, salvaged, to: path)
        // Closing has moved the log into the database. The log must not be left behind when the database is renamed.
        guard !File.exists(path + "-wal") else { throw .io("\(path): could not be completed") }
        try File(path, 0).synchronize()
        let rest = try Examination(copy: path).findings
        guard rest.isEmpty else { throw .corrupt("It cannot be mended: " + rest.joined(separator: " ")) }
    }

    private static func copy(
        _ examination: Examination, _ salvaged: [ListID: Salvaged], to path: String
    ) throws(JournalError) {
        let target = try SQLiteConnection(path: path, create: false)
        try target.run("PRAGMA locking_mode=EXCLUSIVE")
        let source = examination.connection
        let statements = try Statements(target)
        var (count, sum, headers, headerSum) = (0, 0, 0, 0)
        // For each row that is kept, the position of its last entry that is kept.
        var rows: [Int: Int] = [:]
        var snapshots: Set<Int> = []
        try statements.begin.run([])
        for (list, good) in examination.lists {
            let salvaged = salvaged[list]
            if salvaged == nil { for row in good.rows { rows[row.seq] = min(row.last, good.position) } }
            guard let header = salvaged?.header ?? good.header else { continue }
            try statements.insert(header, list: list)
            (headers, headerSum) = (headers + 1, headerSum &+ header.id)
            guard let salvaged else {
                snapshots.insert(header.id)
                continue
            }
            for (number, chunk) in salvaged.chunks.enumerated() {
                _ = try statements.insert(chunk: chunk, id: SnapshotChunk.id(header.id, number))
            }
        }
        snapshots.formUnion(rows.keys.compactMap { examination.aheadRows[$0]?.number })
        // All rows are read in their order, as the examination did, because a search by number may miss rows of a
        // damaged tree.
        try each(SnapshotChunk.InPlace.self, of: source) { row throws(JournalError) in
            guard snapshots.contains(row.id / SnapshotChunk.countMax) else { return }
            _ = try statements.insert(chunk: Array(row.bytes), id: row.id)
        }
        try each(LogRow.InPlace.self, of: source) { row throws(JournalError) in
            guard let last = rows[row.seq], let content = row.copy?.upTo(last) else { return }
            try statements.insert(content, seq: row.seq)
            (count, sum) = (count + 1, sum &+ row.seq)
        }
        // The receipts get new numbers, because there may be gaps.
        var receipt = examination.receiptsTrimmed
        let receipts = Set(examination.receipts)
        try each(Receipt.InPlace.self, of: source) { row throws(JournalError) in
            guard receipts.contains(row.seq) else { return }
            receipt += 1
            try statements.insert(row.copy, seq: receipt)
        }
        let isCut = examination.lists.values.contains(where: \.isCut)
        let isWhole = salvaged.isEmpty && examination.losses.isEmpty && !isCut
        let records = try copyRecords(examination, to: target) { isWhole || !$0.tellsOfLog }
        let end = examination.end.log
        let removed = Schema.removedRows(upTo: end, count: count, sum: sum)
        let numbers: [Schema.Name: Int] = [
            .receiptsTrimmed: examination.receiptsTrimmed, .logRemovedLast: end, .logRemovedCount: removed.count,
            .logRemovedSum: removed.sum, .snapshotCount: headers, .snapshotSum: headerSum,
            .recordCount: records.count, .recordSum: records.sum,
        ]
        for (name, value) in numbers { try Schema.set(name, value, in: target) }
        if let retention = try? Retention.read(source, path) { try retention.write(target) }
        try statements.commit.run([])
        try target.setCloseKeepsLog(false)
    }

    /// Copies the good records, and those of the subscriptions of an older format.
    ///
    /// - Parameter isKept: Whether records of a kind are copied.
    /// - Returns: Their count, and the sum of their checksums.
    private static func copyRecords(
        _ examination: Examination, to target: SQLiteConnection, _ isKept: (KeyedRecord.Kind) -> Bool
    ) throws(JournalError) -> (count: Int, sum: Int) {
        let statements = try RecordStatements(target)
        var (count, sum) = (0, 0)
        func copy(_ record: KeyedRecord, id: Int) throws(JournalError) {
            sum &+= try statements.insert(record, id: id)
            count += 1
        }
        guard examination.hasRecords else {
            let old = try StoredSubscription.all(in: examination.connection).map { ($0.record.key, $0.record) }
            for (index, record) in Dictionary(old, uniquingKeysWith: { $1 }).values.enumerated() {
                try copy(record, id: index + 1)
            }
            return (count, sum)
        }
        try each(KeyedRecord.InPlace.self, of: examination.connection) { row throws(JournalError) in
            guard examination.records.contains(row.id), let record = row.copy, isKept(record.key.kind) else { return }
            try copy(record, id: row.id)
        }
        return (count, sum)
    }

    /// Calls `body` with all rows up to the point where SQLite can read no further. The examination found no good row
    /// behind it.
    private static func each<Row: RowInPlace>(
        _: Row.Type, of connection: SQLiteConnection, _ body: (Row) throws(JournalError) -> Void
    ) throws(JournalError) {
        var failure: JournalError?
        try? connection.read(Row.self) { row in
            guard failure == nil else { return }
            do throws(JournalError) { try body(row) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private static func exchange(_ folder: Folder, _ mended: Unfinished) throws(JournalError) -> String {
        var number = 1
        var kept: String { "\(folder.database).damaged-\(number)" }
        while File.exists(kept) || File.exists(kept + "-wal") { number += 1 }
        do throws(JournalError) {
            // Both files have their second names before the first name goes, so there is a database at every moment.
            if File.exists(folder.log) { try keep(folder.log, as: kept + "-wal") }
            try keep(folder.database, as: kept)
            try folder.raiseDoubt()
            try File.synchronizeParent(folder.database)
            // From here on, whoever opens the folder next finishes the repair.
            try File.rename(mended.path, to: folder.repaired)
        } catch {
            // A network file system may report a failure although it has renamed the file.
            if !File.exists(folder.repaired) { Unfinished(database: kept).discard() }
            throw error
        }
        try folder.finishRepair()
        return kept
    }

    /// Gives a file a second name. If the file system has no hard links, the file is copied.
    private static func keep(_ path: String, as name: String) throws(JournalError) {
        do { try File.link(path, to: name) } catch { try File.copy(path, to: name) }
    }
}
