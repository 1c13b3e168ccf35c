internal import CSQLite
public import ListStore
internal import Locks

/// A copy of a journal that is made while it is written, in steps between the writes; what is written meanwhile is in
/// it as well.
///
/// Source: `sqlite3_backup_init` in SQLite's C interface. Changes by the connection that is copied from go into both,
/// so the copy never starts over.
public final class SQLiteBackup: Sendable {
    private let journal: SQLiteJournal
    private let path: String
    private let copy: Locked<Copy?>

    /// - Safety: `@unchecked` is sound because it is reached under the lock around it only, and that of the journal.
    final class Copy: @unchecked Sendable {
        let target: SQLiteConnection
        let handle: OpaquePointer

        init(from source: SQLiteConnection, to path: String) throws(JournalError) {
            target = try SQLiteConnection(path: path, create: true)
            // It is checked and synchronized as a whole, at the end.
            try target.run("PRAGMA synchronous=OFF")
            try target.run("PRAGMA locking_mode=EXCLUSIVE")
            guard let handle = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
                throw SQLiteConnection.failure(sqlite3_errcode(target.handle), target.handle, path)
            }
            self.handle = handle
        }

        deinit { sqlite3_backup_finish(handle) }

        /// Copies some pages; returns how many are left.
        func step(_ pages: Int32) throws(JournalError) -> Int {
            let code = sqlite3_backup_step(handle, pages)
            guard code == SQLITE_OK || code == SQLITE_DONE else {
                throw SQLiteConnection.failure(code, nil, target.path)
            }
            return Int(sqlite3_backup_remaining(handle))
        }

        var pageCount: Int { Int(sqlite3_backup_pagecount(handle)) }
    }

    /// How far a copy is, in pages.
    public struct Progress: Sendable {
        public let done: Int
        public let all: Int
        public var isDone: Bool { done == all }
    }

    /// - Parameter path: A file that is not there yet; it gets its name when `finish()` has checked it.
    /// - Throws: `.readOnly` or `.io` if there is such a file, or none can be made.
    init(_ journal: SQLiteJournal, _ source: SQLiteConnection, to path: String) throws(JournalError) {
        self.journal = journal
        self.path = path
        guard !File.exists(path) else { throw .io("\(path) is there already") }
        try Self.remove(path + ".new")
        // SQLite would make it readable for everyone.
        _ = try File(path + ".new", File.createFlags)
        copy = Locked(try Copy(from: source, to: path + ".new"))
    }

    /// Copies the next pages, some milliseconds of work.
    ///
    /// - Throws: `.full` if there is no room for the copy, `.closed` after `finish()`; otherwise as the journal. The
    ///   journal is as it was whenever this throws.
    public func step() throws(JournalError) -> Progress {
        try journal.alone { () throws(JournalError) in
            try copy.withLock { copy throws(JournalError) in
                guard let copy else { throw .closed }
                let left = try copy.step(256)
                return Progress(done: copy.pageCount - left, all: copy.pageCount)
            }
        }
    }

    /// Closes the copy, reads all of it to check it, and gives it its name; it is durable when this returns.
    ///
    /// - Throws: `.corrupt` if the copy is not whole; there is no file then.
    public func finish() throws(JournalError) {
        journal.alone { copy.withLock { $0 = nil } }
        let unfinished = path + ".new"
        do throws(JournalError) {
            let findings = try Examination(copy: unfinished).findings
            guard findings.isEmpty else { throw JournalError.corrupt(findings.joined(separator: "\n")) }
            try File(unfinished, 0).synchronize()
            try File.rename(unfinished, to: path)
            try File.synchronizeParent(path)
        } catch {
            cancel()
            throw error
        }
    }

    /// Removes what there is of the copy.
    public func cancel() {
        journal.alone { copy.withLock { $0 = nil } }
        try? Self.remove(path + ".new")
    }

    private static func remove(_ path: String) throws(JournalError) {
        for suffix in ["", "-journal", "-wal"] { try File.remove(path + suffix) }
    }
}
