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
        try examine(folder: path, contents: true)
    }

    /// - Parameter contents: Whether the records are looked at, which are opaque to the engine itself.
    static func examine(folder path: String, contents: Bool) throws(JournalError) -> Report {
        let folder = Folder(path: path)
        guard File.exists(folder.database) else { throw .io("\(folder.database) is not there") }
        let lock = try folder.takeLock(patience: Self.patience)
        defer { withExtendedLifetime(lock) {} }
        let damage = try folder.damageOfMark()
        let examination = try examination(of: folder)
        return try report(examination, in: folder, contents: contents, others: damage.map { [$0] } ?? [])
    }

    /// As `examine(folder:)`, of a copy.
    public static func examine(copy path: String) throws(JournalError) -> Report {
        try examine(copy: path, contents: true)
    }

    static func examine(copy path: String, contents: Bool) throws(JournalError) -> Report {
        guard File.exists(path) else { throw .io("\(path) is not there") }
        return try report(try Examination(copy: path), in: Folder(copy: path), contents: contents)
    }

    private static func examination(of folder: Folder) throws(JournalError) -> Examination {
        try folder.checkHeader()
        var examination = try Examination(copy: folder.database)
        if let mark = try folder.readableMark()?.position { examination.compare(with: mark) }
        return examination
    }

    /// What is wrong with the checksums of a database, or, if nothing is, with what its lists make of their contents.
    static func findings(
        _ examination: Examination, in folder: Folder, contents: Bool = true
    ) throws(JournalError) -> [String] {
        guard examination.findings.isEmpty, contents else { return examination.findings }
        return try faults(in: folder).map { fault in
            guard case .corrupt(let text) = fault.error else { return "\(fault.error)" }
            return "A checksum is right, but the content is not: \(text)."
        }
    }

    private static func report(
        _ examination: Examination, in folder: Folder, contents: Bool, others: [String] = []
    ) throws(JournalError) -> Report {
        let rows = examination.lists.values.reduce(0) { $0 + $1.rows.count }
        let findings = try findings(examination, in: folder, contents: contents)
        return Report(findings: others + findings, listCount: examination.lists.count, rowCount: rows)
    }

    /// Lists whose records make no sense, in the order of their ids; one list is in memory at a time.
    private static func faults(in folder: Folder) throws(JournalError) -> [ListCheck.Fault] {
        let journal = try SQLiteJournal(reading: folder, lock: nil)
        defer { journal.close() }
        var faults: [ListCheck.Fault] = []
        for list in try journal.lists().sorted(by: { $0.rawValue < $1.rawValue }) {
            if let fault = try ListCheck.fault(of: list, in: journal) { faults.append(fault) }
        }
        return faults
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

    /// What a repair has done.
    public struct Repaired: Sendable {
        /// Where the damaged database is now.
        public fileprivate(set) var keptAs = ""
        /// What is lost, in words: first of each list, in the order of their ids, then of all together.
        public fileprivate(set) var losses: [String] = []
        /// Lists that have lost nothing.
        public fileprivate(set) var wholeCount = 0
    }

    /// Makes a database of what is good, and lets it take the place of the damaged one, which is kept.
    ///
    /// Of each list what comes before its first bad record stays. Of a damaged snapshot the parts stay that can be read,
    /// unless the records that it stands for are still there. The mark goes, so that every list gets a new epoch at the
    /// next start. Ended at any moment, it has either not begun, or the next who opens the folder finishes it.
    ///
    /// - Returns: Nil if there was nothing to mend.
    /// - Throws: As `examine(folder:)`. The database is as it was, or the repair is about to be finished.
    public static func repair(folder path: String) throws(JournalError) -> Repaired? {
        try repair(folder: path, contents: true)
    }

    static func repair(folder path: String, contents: Bool) throws(JournalError) -> Repaired? {
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
            // Once the log may be gone there is no way back.
            try? folder.finishRepair()
            throw error
        }
    }

    private static func make(
        _ mended: Unfinished, of damaged: Examination, contents: Bool
    ) throws(JournalError) -> Repaired {
        var examination = damaged
        var salvaged: [ListID: Salvaged] = [:]
        for (list, good) in damaged.lists {
            if let header = good.damagedHeader, good.isCut { salvaged[list] = salvage(list, header, damaged) }
        }
        // What is cut once makes sense up to there, and a salvaged snapshot that does not is left out.
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

    /// A snapshot that was made of what is left of one.
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
            try? examination.connection.prepare("SELECT bytes, checksum FROM chunks WHERE id = ?").read([id]) { row in
                let bytes = row.bytes(0)
                if SnapshotChunk.checksum(bytes.span, id: id) == row.integer(1) { chunk = bytes }
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
        // Closing has moved the log into the database, and it is not on the way that the database takes from here.
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
        // Each with the last entry that is kept of it.
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
        // As the examination read them: by their numbers not all may be found.
        try each(source, "SELECT id, bytes FROM chunks ORDER BY id") { row throws(JournalError) in
            guard snapshots.contains(row.integer(0) / SnapshotChunk.countMax) else { return }
            _ = try statements.insert(chunk: row.bytes(1), id: row.integer(0))
        }
        try each(source, "SELECT seq, list, kind, position, count, bytes FROM log ORDER BY seq") {
            row throws(JournalError) in
            guard let last = rows[row.integer(0)], let content = LogRow(row)?.upTo(last) else { return }
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

    private static func exchange(_ folder: Folder, _ mended: Unfinished) throws(JournalError) -> String {
        var number = 1
        var kept: String { "\(folder.database).damaged-\(number)" }
        while File.exists(kept) || File.exists(kept + "-wal") { number += 1 }
        do throws(JournalError) {
            // Everything has its second name before the first one goes, and there is a database at every moment.
            if File.exists(folder.log) { try keep(folder.log, as: kept + "-wal") }
            try keep(folder.database, as: kept)
            try folder.raiseDoubt()
            try File.synchronizeParent(folder.database)
            // From here on whoever opens the folder goes on from here.
            try File.rename(mended.path, to: folder.repaired)
        } catch {
            // A network may say that it has failed to do what it has done.
            if !File.exists(folder.repaired) { Unfinished(database: kept).discard() }
            throw error
        }
        try folder.finishRepair()
        return kept
    }

    /// Gives a file a second name; not every file system has such.
    private static func keep(_ path: String, as name: String) throws(JournalError) {
        do { try File.link(path, to: name) } catch { try File.copy(path, to: name) }
    }

    /// Puts a copy, with the log beside it if there is one, where a store is to be; its lists get new epochs at the first
    /// start.
    ///
    /// - Parameter repairs: Whether of a copy that is not whole what is good is taken, as `repair(folder:)` does.
    /// - Returns: What is lost, if there was something to mend.
    /// - Throws: `.io` if there is a store, `.corrupt` if the copy is not whole.
    @discardableResult
    public static func restore(
        _ copy: String, folder path: String, repairs: Bool = false
    ) throws(JournalError) -> Repaired? {
        try restore(copy, folder: path, repairs: repairs, contents: true)
    }

    @discardableResult
    static func restore(
        _ copy: String, folder path: String, repairs: Bool = false, contents: Bool
    ) throws(JournalError) -> Repaired? {
        let folder = Folder(path: path)
        let lock = try folder.takeLock(patience: Self.patience)
        defer { withExtendedLifetime(lock) {} }
        guard !File.exists(folder.database) else { throw .io("\(folder.database) is there already") }
        let repaired = try folder.unfinished.make { () throws(JournalError) in
            let new = folder.unfinished.path
            try take(File.resolved(copy), to: new)
            let repaired = try mend(new, as: folder.mended, repairs: repairs, contents: contents)
            try folder.raiseDoubt()
            try File.remove(folder.mark)
            try File.remove(folder.log)
            try File.rename(new, to: folder.database)
            return repaired
        }
        try File.synchronizeParent(folder.database)
        return repaired
    }

    /// Puts what is good of a database in its place.
    ///
    /// - Returns: Nil if it is whole.
    private static func mend(
        _ path: String, as mended: Unfinished, repairs: Bool, contents: Bool
    ) throws(JournalError) -> Repaired? {
        let examination = try Examination(copy: path)
        let findings = try findings(examination, in: Folder(copy: path), contents: contents)
        guard !findings.isEmpty else { return nil }
        guard repairs else { throw .corrupt(findings.joined(separator: "\n")) }
        return try mended.make { () throws(JournalError) in
            let repaired = try make(mended, of: examination, contents: contents)
            try File.rename(mended.path, to: path)
            return repaired
        }
    }

    /// Makes one file of a copy and the log beside it.
    private static func take(_ copy: String, to path: String) throws(JournalError) {
        try File.copy(copy, to: path)
        guard File.exists(copy + "-wal") else { return }
        try File.copy(copy + "-wal", to: path + "-wal")
        try moveLog(path)
        guard !File.exists(path + "-wal") else { throw .io("\(path): could not be completed") }
    }

    private static func moveLog(_ path: String) throws(JournalError) {
        let connection = try SQLiteConnection(path: path, create: false)
        // SQLite looks for the log when it first reads.
        try connection.run("SELECT count(*) FROM sqlite_schema")
        try connection.setCloseKeepsLog(false)
    }
}
