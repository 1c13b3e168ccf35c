public import ListStore

extension Maintenance {
    /// Makes a store of a copy and of the log beside it, if there is one. Its lists get new epochs at the first start.
    ///
    /// - Parameters:
    ///   - repairs: Whether the good parts of a damaged copy are taken, as `repair(folder:contents:)` does.
    ///   - contents: As for `examine(folder:contents:)`.
    /// - Returns: The losses; nil if there was nothing to repair.
    /// - Throws: `.io` if the folder has a store already, `.corrupt` if the copy is damaged and `repairs` is false.
    @discardableResult
    public static func restore(
        _ copy: String, folder path: String, repairs: Bool = false, contents: Bool = true
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

    /// Replaces a damaged database by one of its good parts.
    ///
    /// - Returns: Nil if it is not damaged.
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

    /// Copies the file, and moves the log beside it into the copy.
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
