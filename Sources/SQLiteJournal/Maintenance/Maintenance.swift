internal import ListModel
public import ListStore

/// A folder that nobody has open, examined, and mended if that is wanted.
public enum Maintenance {
    /// Seconds to wait for another process that has the folder open for a moment.
    public static let patience = 10

    /// The result of an examination.
    public struct Report: Sendable {
        /// Each fault in words; empty if there is none.
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

    static func examination(of folder: Folder) throws(JournalError) -> Examination {
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
    static func faults(in folder: Folder) throws(JournalError) -> [ListCheck.Fault] {
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
}
