internal import Glibc
internal import ListModel
public import ListStore

/// A folder that nobody has open, examined, and mended if that is wanted.
public enum Maintenance {
    /// Seconds to wait for another process that has the folder open for a moment.
    public static let patience = 10

    /// What an examination found.
    public struct Report: Sendable {
        /// What is wrong, in words; empty if nothing is.
        public let findings: [String]
        public let listCount: Int
        public let rowCount: Int
    }

    /// Reads everything in a folder, and checks every checksum and that log, snapshots and mark agree.
    ///
    /// - Throws: `.locked` if a process has the folder open, `.corrupt` if the file is no database of this program.
    public static func examine(folder path: String) throws(JournalError) -> Report {
        let folder = Folder(path: path)
        guard File.exists(folder.database) else { throw .io("\(folder.database) is not there") }
        let lock = try folder.takeLock(patience: Self.patience)
        defer { withExtendedLifetime(lock) {} }
        let damage = try folder.damageOfMark()
        return report(try examination(of: folder), others: damage.map { [$0] } ?? [])
    }

    /// As `examine(folder:)`, of a copy.
    public static func examine(copy path: String) throws(JournalError) -> Report {
        guard File.exists(path) else { throw .io("\(path) is not there") }
        return report(try Examination(copy: path))
    }

    private static func examination(of folder: Folder) throws(JournalError) -> Examination {
        try folder.checkHeader()
        var examination = try Examination(copy: folder.database)
        if let mark = try folder.readableMark()?.position { examination.compare(with: mark) }
        return examination
    }

    private static func report(_ examination: Examination, others: [String] = []) -> Report {
        let rows = examination.lists.values.reduce(0) { $0 + $1.rows.count }
        return Report(findings: others + examination.findings, listCount: examination.lists.count, rowCount: rows)
    }

    /// Removes a mark of acknowledged commits that cannot be read, so that every list gets a new epoch at the next
    /// start.
    ///
    /// - Returns: Whether there was one.
    public static func removeDamagedMark(folder path: String) throws(JournalError) -> Bool {
        let folder = Folder(path: path)
        let lock = try folder.takeLock(patience: Self.patience)
        defer { withExtendedLifetime(lock) {} }
        guard try folder.damageOfMark() != nil else { return false }
        try folder.raiseDoubt()
        try File.remove(folder.mark)
        try File.synchronizeParent(folder.mark)
        return true
    }

    /// Makes a database of what is good, and lets it take the place of the damaged one, which is kept.
    ///
    /// Of each list what comes before its first bad row stays; without a good snapshot to stand on, nothing. The mark
    /// goes, so that every list gets a new epoch at the next start.
    ///
    /// - Returns: Where the damaged database is now; nil if there was nothing to mend.
    /// - Throws: As `examine(folder:)`. The folder is as it was.
    public static func repair(folder path: String) throws(JournalError) -> String? {
        let folder = Folder(path: path)
        let lock = try folder.takeLock(patience: Self.patience)
        defer { withExtendedLifetime(lock) {} }
        let examination = try examination(of: folder)
        guard !examination.findings.isEmpty else { return nil }
        let mended = folder.database + ".mended"
        do throws(JournalError) {
            try make(mended, of: examination)
            return try exchange(folder, mended)
        } catch {
            try? removeAll(mended)
            throw error
        }
    }

    private static func removeAll(_ database: String) throws(JournalError) {
        for suffix in ["", "-wal", "-journal"] { try File.remove(database + suffix) }
    }

    private static func make(_ mended: String, of examination: Examination) throws(JournalError) {
        try removeAll(mended)
        _ = try File(mended, File.createFlags)
        try Schema.create(mended, pageSize: 4096)
        try copy(examination, to: mended)
        try File(mended, 0).synchronize()
        let rest = try Examination(copy: mended).findings
        guard rest.isEmpty else { throw .corrupt("It cannot be mended: " + rest.joined(separator: " ")) }
    }

    private static func copy(_ examination: Examination, to path: String) throws(JournalError) {
        let target = try SQLiteConnection(path: path, create: false)
        try target.run("PRAGMA locking_mode=EXCLUSIVE")
        let source = examination.connection
        let statements = try Statements(target)
        var (count, sum, headers, headerSum) = (0, 0, 0, 0)
        var rows: Set<Int> = []
        var snapshots: Set<Int> = []
        try statements.begin.run([])
        for (list, good) in examination.lists {
            rows.formUnion(good.rows)
            guard let header = good.header else { continue }
            try statements.insert(header, list: list)
            snapshots.insert(header.id)
            (headers, headerSum) = (headers + 1, headerSum &+ header.id)
        }
        // As the examination read them: by their numbers not all may be found.
        try each(source, "SELECT id, bytes FROM chunks ORDER BY id") { row throws(JournalError) in
            guard snapshots.contains(row.integer(0) / SnapshotChunk.countMax) else { return }
            _ = try statements.insert(chunk: row.bytes(1), id: row.integer(0))
        }
        try each(source, "SELECT seq, list, kind, position, count, bytes FROM log ORDER BY seq") {
            row throws(JournalError) in
            guard rows.contains(row.integer(0)), let content = LogRow(row) else { return }
            try statements.insert(content, seq: row.integer(0))
            (count, sum) = (count + 1, sum &+ row.integer(0))
        }
        // Numbered anew, for there may be gaps.
        var receipt = examination.receiptsTrimmed
        let receipts = Set(examination.receipts)
        try each(source, "SELECT seq, key, time, bytes FROM receipts ORDER BY seq") { row throws(JournalError) in
            guard receipts.contains(row.integer(0)) else { return }
            receipt += 1
            let content = Receipt(key: row.bytes(1), time: row.integer(2), bytes: row.bytes(3))
            try statements.insert(content, seq: receipt)
        }
        let end = examination.end.log
        let numbers: [Schema.Name: Int] = [
            .receiptsTrimmed: examination.receiptsTrimmed, .logRemovedLast: end, .logRemovedCount: end - count,
            .logRemovedSum: (end &* (end &+ 1) / 2) &- sum, .snapshotCount: headers, .snapshotSum: headerSum,
        ]
        for (name, value) in numbers { try Schema.set(name, value, in: target) }
        if let retention = try? Retention.read(source, path) { try retention.write(target) }
        try statements.commit.run([])
        try target.setCloseKeepsLog(false)
    }

    /// Hands over the rows up to where SQLite can read no further: what is behind that was not found good either.
    private static func each(
        _ connection: SQLiteConnection, _ sql: String,
        _ body: (SQLiteConnection.Statement.Row) throws(JournalError) -> Void
    ) throws(JournalError) {
        var failure: JournalError?
        try? connection.prepare(sql).read([]) { row in
            guard failure == nil else { return }
            do throws(JournalError) { try body(row) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private static func exchange(_ folder: Folder, _ mended: String) throws(JournalError) -> String {
        var number = 1
        var kept: String { "\(folder.database).damaged-\(number)" }
        while File.exists(kept) || File.exists(kept + "-wal") { number += 1 }
        // Everything has its second name before the first one goes, and there is a database at every moment.
        if File.exists(folder.log) { try keep(folder.log, as: kept + "-wal") }
        try keep(folder.database, as: kept)
        try folder.raiseDoubt()
        try File.synchronizeParent(folder.database)
        try File.remove(folder.log)
        try File.rename(mended, to: folder.database)
        try File.remove(folder.mark)
        try File.synchronizeParent(folder.database)
        return kept
    }

    /// Gives a file a second name; not every file system has such.
    private static func keep(_ path: String, as name: String) throws(JournalError) {
        do { try File.link(path, to: name) } catch { try File.copy(path, to: name) }
    }

    /// Puts a copy where a store is to be; its lists get new epochs at the first start.
    ///
    /// - Throws: `.io` if there is a store, `.corrupt` if the copy is not whole.
    public static func restore(_ copy: String, folder path: String) throws(JournalError) {
        let folder = Folder(path: path)
        let lock = try folder.takeLock(patience: Self.patience)
        defer { withExtendedLifetime(lock) {} }
        guard !File.exists(folder.database) else { throw .io("\(folder.database) is there already") }
        let unfinished = folder.database + ".new"
        guard !File.exists(File.resolved(copy) + "-wal") else {
            throw .io("\(copy) has a log beside it (-wal), so it is no copy by itself: make one with liststate backup")
        }
        try removeAll(unfinished)
        do throws(JournalError) {
            try File.copy(copy, to: unfinished)
            let report = report(try Examination(copy: unfinished))
            guard report.findings.isEmpty else { throw JournalError.corrupt(report.findings.joined(separator: "\n")) }
            try folder.raiseDoubt()
        } catch {
            try? File.remove(unfinished)
            throw error
        }
        try File.remove(folder.mark)
        try File.remove(folder.log)
        try File.rename(unfinished, to: folder.database)
        try File.synchronizeParent(folder.database)
    }
}
