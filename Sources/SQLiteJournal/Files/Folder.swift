internal import Glibc
internal import ListStore

/// The folder of a journal: its files by name, and the checks that come before SQLite opens one.
struct Folder: Sendable {
    let path: String
    let database: String
    let disk: any Disk

    init(path: String, disk: any Disk = SystemDisk()) {
        self.path = path
        self.disk = disk
        database = path + "/liststate.db"
    }

    /// A copy, which is alone.
    init(copy: String) {
        path = copy
        // SQLite looks for the log beside the file itself.
        database = File.resolved(copy)
        disk = SystemDisk()
    }

    var log: String { database + "-wal" }
    var rollbackJournal: String { database + "-journal" }
    var mark: String { path + "/acknowledged" }
    /// There while commits that were acknowledged may be missing: while they are not waited for, and until every list
    /// has a new epoch after a start without a mark.
    var doubt: String { path + "/may-miss-commits" }
    private var lock: String { path + "/lock" }
    /// A database that is being made.
    var unfinished: Unfinished { Unfinished(database: database + ".new", on: disk) }
    /// The database that a repair is making.
    var mended: Unfinished { Unfinished(database: database + ".mended", on: disk) }
    /// What a repair has made: whole, on the disk, and about to take the place of the database and its log.
    var repaired: String { database + ".repaired" }

    /// Makes the folder where missing, and takes its lock.
    ///
    /// - Parameters:
    ///   - opener: What the lock says to others.
    ///   - patience: Seconds to wait for a lock that no server has.
    /// - Throws: `.locked` if another process has it, `.io` if the database is a symbolic link.
    func takeLock(_ opener: SQLiteJournal.Opener = .command, patience: Int = 0) throws(JournalError) -> any DiskFile {
        try disk.makeDirectory(path)
        let file = try openLock()
        try FolderLock(file: file, path: lock).take(for: opener, patience: patience)
        try finishRepair()
        // SQLite has the log beside the file that the link names, where none of our checks would find it.
        guard !disk.isLink(database) else {
            throw .io("\(database) is a symbolic link: move the file here, or let the folder be the link")
        }
        return file
    }

    /// Also where nothing can be written, for those who only read.
    private func openLock() throws(JournalError) -> any DiskFile {
        do { return try disk.open(lock, O_RDWR | O_CREAT) } catch {
            guard case .readOnly = error, disk.exists(lock) else { throw error }
            return try disk.open(lock, O_RDONLY)
        }
    }

    /// Does what is left of a repair that was ended when it had made its database; nothing if there is none.
    ///
    /// The log goes first, for SQLite would take it for that of the new database.
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
    /// It gets its name once it is complete and durable, so a database with that name is never a half-made one.
    ///
    /// - Throws: `.corrupt` if there is none, but other files tell that there was one.
    func createDatabase(pageSize: Int) throws(JournalError) {
        guard !disk.exists(database) else { return }
        let nothing = AcknowledgedMark.Position(log: 0, receipt: 0)
        let known = try AcknowledgedMark.read(mark, beside: database, on: disk)?.position ?? nothing
        guard known == nothing, !disk.exists(log) else {
            throw .corrupt("\(database) is missing, but there are files that belong to it")
        }
        try unfinished.make { () throws(JournalError) in
            let new = unfinished.path
            // SQLite would make it readable for everyone; its log takes the permissions over.
            _ = try disk.open(new, O_RDWR | O_CREAT)
            try Schema.create(new, pageSize: pageSize, on: disk)
            guard !disk.exists(new + "-wal") else { throw JournalError.io("\(new): could not be completed") }
            let made = try disk.open(new, O_RDONLY).identity()
            _ = try AcknowledgedMark(mark, nothing, beside: made, on: disk)
            try disk.rename(new, to: database)
        }
        try disk.open(path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// How far commits were acknowledged, where that is known, and why some of them may be missing.
    ///
    /// A mark that cannot be read is as good as none: then every list gets a new epoch, and nothing else is lost.
    func acknowledged() throws(JournalError) -> (AcknowledgedMark.Position?, SQLiteJournal.Doubt?) {
        guard let mark = try readableMark() else { return (nil, .noMark) }
        guard !disk.exists(doubt) else { return (nil, .notSettled) }
        return (mark.position, mark.isCopy ? .copy : nil)
    }

    /// The mark of acknowledged commits; nil if there is none that can be read.
    func readableMark() throws(JournalError) -> (position: AcknowledgedMark.Position, isCopy: Bool)? {
        do { return try AcknowledgedMark.read(mark, beside: database, on: disk) } catch {
            guard case .corrupt = error else { throw error }
            return nil
        }
    }

    /// Says in words that the mark cannot be read; nil if it can, or there is none.
    func damageOfMark() throws(JournalError) -> String? {
        guard disk.exists(mark), try readableMark() == nil else { return nil }
        return "\(mark) is damaged: whether acknowledged commits are missing is unknown."
    }

    /// Makes durable what SQLite reads of its log.
    ///
    /// A process that was killed, or that failed to synchronize, leaves commits that are in the system's memory and
    /// not on the disk. SQLite takes them for durable, and so would everyone who reads them. After a failed sync the
    /// system does not try again what it could not write, so the bytes are written once more.
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

    /// Notes durably that acknowledged commits may be missing.
    func raiseDoubt() throws(JournalError) {
        if !disk.exists(doubt) {
            let file = try disk.open(doubt, O_RDWR | O_CREAT)
            try file.write(
                Array("Delete this and the server will not notice that acknowledged changes are missing.\n".utf8),
                at: 0)
            try file.synchronize()
        }
        // Also for a file that is there: who made it may have been killed before the disk had its name.
        try disk.open(path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Takes that back.
    func settleDoubt() throws(JournalError) {
        guard disk.exists(doubt) else { return }
        try disk.remove(doubt)
        try disk.open(path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Checks what SQLite would otherwise mend or delete on its own when it opens the database.
    ///
    /// It deletes a log beside an empty database, and plays back a rollback journal; ours never has either.
    func checkHeader() throws(JournalError) {
        let header = try disk.open(database, O_RDONLY).read(100, at: 0)
        guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)), header[18] == 2,
            header[19] == 2
        else { throw .corrupt("\(database) is not a database of this program") }
        guard !disk.exists(rollbackJournal) else { throw .corrupt("\(rollbackJournal) does not belong here") }
    }
}
