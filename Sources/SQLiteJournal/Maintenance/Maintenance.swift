internal import ListModel
public import ListStore

/// Examines and repairs a folder that nobody has open.
public enum Maintenance {
    /// The seconds to wait while a command has the folder open for a moment.
    public static let patience = 10

    /// The result of an examination.
    public struct Report: Sendable {
        /// The faults, each in a sentence; empty if there is none.
        public let findings: [String]
        public let listCount: Int
        public let rowCount: Int
    }

    /// Reads everything in a folder. Checks every checksum, and that log, snapshots and mark agree.
    ///
    /// - Parameter contents: Whether the records are decoded as well. To the journal itself they are only bytes.
    /// - Throws: `.locked` if a process has the folder open, `.corrupt` if the file is no database of this program.
    public static func examine(folder path: String, contents: Bool = true) throws(JournalError) -> Report {
        let folder = Folder(path: path)
        guard File.exists(folder.database) else { throw .io("\(folder.database) is not there") }
        let lock = try folder.takeLock(patience: Self.patience)
        defer { withExtendedLifetime(lock) {} }
        let damage = try folder.damageOfMark()
        let examination = try examination(of: folder)
        return try report(examination, in: folder, contents: contents, others: damage.map { [$0] } ?? [])
    }

    /// Examines a copy, as `examine(folder:contents:)` does a folder.
    public static func examine(copy path: String, contents: Bool = true) throws(JournalError) -> Report {
        guard File.exists(path) else { throw .io("\(path) is not there") }
        return try report(try Examination(copy: path), in: Folder(copy: path), contents: contents)
    }

    static func examination(of folder: Folder) throws(JournalError) -> Examination {
        try folder.checkHeader()
        var examination = try Examination(copy: folder.database)
        if let mark = try folder.readableMark()?.position { examination.compare(with: mark) }
        return examination
    }

    /// The faults in the database; if it has none, the faults in the records of its lists.
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

    /// The lists whose records cannot be decoded, in the order of their ids. One list is in memory at a time.
    static func faults(in folder: Folder) throws(JournalError) -> [ListCheck.Fault] {
        let journal = try SQLiteJournal(reading: folder, lock: nil)
        defer { journal.close() }
        var faults: [ListCheck.Fault] = []
        for list in try journal.checkedLists() {
            if let fault = try ListCheck.fault(of: list, in: journal) { faults.append(fault) }
        }
        return faults
    }

    /// Removes a mark of acknowledged commits that cannot be read. Every list then gets a new epoch at the next start.
    ///
    /// - Returns: Whether there was such a mark.
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
}
