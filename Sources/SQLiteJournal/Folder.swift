internal import Glibc
internal import ListStore

/// The folder of a journal: its files by name, and the checks that come before SQLite opens one.
struct Folder: Sendable {
    let path: String
    let database: String

    init(path: String) {
        self.path = path
        database = path + "/liststate.db"
    }

    /// A copy, which is alone.
    init(copy: String) {
        path = copy
        database = copy
    }

    var log: String { database + "-wal" }
    var rollbackJournal: String { database + "-journal" }
    var mark: String { path + "/acknowledged" }
    /// There while commits that were acknowledged may be missing: while they are not waited for, and until every list
    /// has a new epoch after a start without a mark.
    var doubt: String { path + "/may-miss-commits" }
    private var lock: String { path + "/lock" }
    private var unfinished: String { database + ".new" }

    /// Makes the folder where missing, and takes its lock.
    ///
    /// - Throws: `.locked` if another process has it.
    func takeLock() throws(JournalError) -> File {
        try File.makeDirectory(path)
        let file = try File(lock, O_RDWR | O_CREAT)
        try file.lockAlone()
        return file
    }

    /// Makes an empty database, unless there is one.
    ///
    /// It gets its name once it is complete and durable, so a database with that name is never a half-made one.
    ///
    /// - Throws: `.corrupt` if there is none, but other files tell that there was one.
    func createDatabase(pageSize: Int) throws(JournalError) {
        guard !File.exists(database) else { return }
        let mark = try AcknowledgedMark.read(mark) ?? .init(log: 0, receipt: 0)
        guard mark == .init(log: 0, receipt: 0), !File.exists(log) else {
            throw .corrupt("\(database) is missing, but there are files that belong to it")
        }
        for suffix in ["", "-wal", "-journal"] { try File.remove(unfinished + suffix) }
        // SQLite would make it readable for everyone; its log takes the permissions over.
        _ = try File(unfinished, O_RDWR | O_CREAT)
        try Schema.create(unfinished, pageSize: pageSize)
        guard !File.exists(unfinished + "-wal") else { throw .io("\(unfinished): could not be completed") }
        _ = try AcknowledgedMark(self.mark, mark)
        try File.rename(unfinished, to: database)
        try File(path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Notes durably that acknowledged commits may be missing.
    func raiseDoubt() throws(JournalError) {
        guard !File.exists(doubt) else { return }
        let file = try File(doubt, O_RDWR | O_CREAT)
        try file.write(
            Array("Delete this and the server will not notice that acknowledged changes are missing.\n".utf8))
        try file.synchronize()
        try File(path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Takes that back.
    func settleDoubt() throws(JournalError) {
        guard File.exists(doubt) else { return }
        try File.remove(doubt)
        try File(path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Checks what SQLite would otherwise mend or delete on its own when it opens the database.
    ///
    /// It deletes a log beside an empty database, and plays back a rollback journal; ours never has either.
    func checkHeader() throws(JournalError) {
        let header = try File(database, O_RDONLY).read(100, at: 0)
        guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)), header[18] == 2,
            header[19] == 2
        else { throw .corrupt("\(database) is not a database of this program") }
        guard !File.exists(rollbackJournal) else { throw .corrupt("\(rollbackJournal) does not belong here") }
    }
}
