internal import Glibc
internal import ListStore

/// The folder of a journal: the names of its files, and the checks that are made before SQLite opens them.
struct Folder: Sendable {
    let path: String
    let database: String
    let disk: any Disk

    init(path: String, disk: any Disk = SystemDisk()) {
        self.path = path
        self.disk = disk
        database = path + "/liststate.db"
    }

    /// Stands for a single copy, which has no folder of its own.
    init(copy: String) {
        path = copy
        // SQLite looks for the log beside the file itself, and not beside a symbolic link to it.
        database = File.resolved(copy)
        disk = SystemDisk()
    }

    var log: String { database + "-wal" }
    var rollbackJournal: String { database + "-journal" }
    var mark: String { path + "/acknowledged" }
    /// The file that exists while acknowledged commits may be missing: while the server does not wait for the disk, and
    /// after a start with a doubt until the doubt is settled.
    var doubt: String { path + "/may-miss-commits" }
    private var lock: String { path + "/lock" }
    /// A database that is being made.
    var unfinished: Unfinished { Unfinished(database: database + ".new", on: disk) }
    /// The database that a repair is making.
    var mended: Unfinished { Unfinished(database: database + ".mended", on: disk) }
    /// The database that a repair has made. It is complete and durable, and is about to replace the database and its
    /// log.
    var repaired: String { database + ".repaired" }

    /// Makes the folder if it is missing, takes its lock, and finishes a repair that was interrupted.
    ///
    /// - Parameters:
    ///   - opener: The kind of program that others are told has the lock.
    ///   - patience: Seconds to wait while a process other than a server has the lock.
    /// - Throws: `.locked` if another process has it, `.io` if the database is a symbolic link.
    func takeLock(_ opener: SQLiteJournal.Opener = .command, patience: Int = 0) throws(JournalError) -> any DiskFile {
        try disk.makeDirectory(path)
        let file = try openLock()
        try FolderLock(file: file, path: lock).take(for: opener, patience: patience)
        try finishRepair()
        // SQLite would have the log beside the file that the link names. None of our checks would find it there.
        guard !disk.isLink(database) else {
            throw .io("\(database) is a symbolic link: move the file here, or let the folder be the link")
        }
        return file
    }

    /// Opens the lock file. In a folder that cannot be written, it opens it for reading, which suffices for the lock.
    private func openLock() throws(JournalError) -> any DiskFile {
        do { return try disk.open(lock, O_RDWR | O_CREAT) } catch {
            guard case .readOnly = error, disk.exists(lock) else { throw error }
            return try disk.open(lock, O_RDONLY)
        }
    }

    /// Finishes a repair that was interrupted after it had made its database. Does nothing if there is none.
    ///
    /// The old log is removed first, because SQLite would take it for the log of the new database.
    func finishRepair() throws(JournalError) {
        guard disk.exists(repaired) else { return }
        let folder = try disk.open(path, O_RDONLY | O_DIRECTORY)
        try folder.synchronize()
        try disk.remove(mark)
        try disk.remove(log)
        try folder.synchronize()
        try disk.rename(repaired, to: database)
        try folder.synchronize()
    }

    /// Makes an empty database, unless there is one.
    ///
    /// The file gets its name once it is complete and durable, so a database of that name is never half made.
    ///
    /// - Throws: `.corrupt` if the database is missing, but other files show that there was one.
    func createDatabase(pageSize: Int) throws(JournalError) {
        guard !disk.exists(database) else { return }
        let nothing = AcknowledgedMark.Position(log: 0, receipt: 0)
        let known = try AcknowledgedMark.read(mark, beside: database, on: disk)?.position ?? nothing
        guard known == nothing, !disk.exists(log) else {
            throw .corrupt("\(database) is missing, but there are files that belong to it")
        }
        try unfinished.make { () throws(JournalError) in
            let new = unfinished.path
            // SQLite would let everyone read the file. The log gets the permissions of the database.
            _ = try disk.open(new, O_RDWR | O_CREAT)
            try Schema.create(new, pageSize: pageSize, on: disk)
            guard !disk.exists(new + "-wal") else { throw JournalError.io("\(new): could not be completed") }
            let made = try disk.open(new, O_RDONLY).identity()
            _ = try AcknowledgedMark(mark, nothing, beside: made, on: disk)
            try disk.rename(new, to: database)
        }
        try disk.open(path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// The position up to which commits were acknowledged, if it is known, and the reason why some of them may be
    /// missing.
    ///
    /// A mark that cannot be read is treated as no mark: every list gets a new epoch, and nothing else is lost.
    func acknowledged() throws(JournalError) -> (AcknowledgedMark.Position?, SQLiteJournal.Doubt?) {
        guard let mark = try readableMark() else { return (nil, .noMark) }
        guard !disk.exists(doubt) else { return (nil, .notSettled) }
        return (mark.position, mark.isCopy ? .copy : nil)
    }

    /// The mark of acknowledged commits; nil if it is missing or damaged.
    func readableMark() throws(JournalError) -> (position: AcknowledgedMark.Position, isCopy: Bool)? {
        do { return try AcknowledgedMark.read(mark, beside: database, on: disk) } catch {
            guard case .corrupt = error else { throw error }
            return nil
        }
    }

    /// A sentence about a damaged mark; nil if the mark can be read, or there is none.
    func damageOfMark() throws(JournalError) -> String? {
        guard disk.exists(mark), try readableMark() == nil else { return nil }
        return "\(mark) is damaged: whether acknowledged commits are missing is unknown."
    }

    /// Makes the write-ahead log durable before SQLite reads it.
    ///
    /// A killed process, or one whose sync failed, leaves commits that are in the system's memory and not on the disk.
    /// SQLite takes them for durable, and so would everyone who reads them. After a failed sync, the system does not
    /// try again to write those bytes, so they are written once more here.
    func synchronizeLog() throws(JournalError) {
        guard disk.exists(log) else { return }
        let file = try disk.open(log, O_RDWR)
        var offset = 0
        while case let bytes = try file.read(1 << 20, at: offset), !bytes.isEmpty {
            try file.write(bytes, at: offset)
            offset += bytes.count
        }
        try file.synchronize()
        try disk.open(path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Makes the file `doubt` durably, because acknowledged commits may be missing.
    func raiseDoubt() throws(JournalError) {
        if !disk.exists(doubt) {
            let file = try disk.open(doubt, O_RDWR | O_CREAT)
            try file.write(
                Array("Delete this and the server will not notice that acknowledged changes are missing.\n".utf8),
                at: 0)
            try file.synchronize()
        }
        // The folder is synchronized even if the file was there. Its maker may have been killed before the disk had its
        // name.
        try disk.open(path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Removes the file `doubt` durably.
    func settleDoubt() throws(JournalError) {
        guard disk.exists(doubt) else { return }
        try disk.remove(doubt)
        try disk.open(path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Finds files that SQLite would change or delete on its own when it opens the database.
    ///
    /// SQLite deletes a log beside an empty database, and plays back a rollback journal. A database of this program is
    /// never empty, and never has a rollback journal.
    func checkHeader() throws(JournalError) {
        let header = try disk.open(database, O_RDONLY).read(100, at: 0)
        guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)), header[18] == 2,
            header[19] == 2
        else { throw .corrupt("\(database) is not a database of this program") }
        guard !disk.exists(rollbackJournal) else { throw .corrupt("\(rollbackJournal) does not belong here") }
    }
}
