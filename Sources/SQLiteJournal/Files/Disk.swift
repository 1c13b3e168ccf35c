internal import ListStore

/// What a journal needs of a disk: the system's, or one in a test that loses power.
protocol Disk: Sendable {
    /// The name under which SQLite knows it.
    ///
    /// It keeps other processes from the files, and the index of a write-ahead log in memory, for all connections of
    /// this process.
    var vfs: String? { get }

    /// - Parameter flags: As for `open(2)`.
    func open(_ path: String, _ flags: Int32) throws(JournalError) -> any DiskFile
    func exists(_ path: String) -> Bool
    /// Whether the path is that of a symbolic link.
    func isLink(_ path: String) -> Bool
    /// Does nothing if there is no such file.
    func remove(_ path: String) throws(JournalError)
    func rename(_ path: String, to target: String) throws(JournalError)
    /// Makes a folder and those above it, where missing; what it made is durable once this returns.
    func makeDirectory(_ path: String) throws(JournalError)
}

/// An open file or folder, closed when nobody holds it any more.
protocol DiskFile: Sendable {
    func size() throws(JournalError) -> Int
    func identity() throws(JournalError) -> FileIdentity
    /// Reads up to `count` bytes from `offset`; fewer only at the end of the file.
    func read(_ count: Int, at offset: Int) throws(JournalError) -> [UInt8]
    func write(_ bytes: [UInt8], at offset: Int) throws(JournalError)
    /// Returns when the disk has the file, or the folder's names.
    func synchronize() throws(JournalError)
    /// - Throws: `.locked` if somebody else has the file's lock.
    func lockAlone() throws(JournalError)
}

/// Which file it is, whatever its name: a copy has the same bytes and another identity.
struct FileIdentity: Sendable, Equatable {
    var inode: Int
    /// Nanoseconds since 1970; 0 where the file system does not say it. A new file may get the inode of one that was
    /// removed, but not its birth.
    var birth: Int

    func isSame(as other: FileIdentity) -> Bool {
        inode == other.inode && (birth == other.birth || birth == 0 || other.birth == 0)
    }
}

extension File: DiskFile {}

/// The disk of the machine.
struct SystemDisk: Disk {
    /// SQLite's own way to the system, alone with each file: other processes cannot write behind our back, and the
    /// log's index needs no file.
    var vfs: String? { "unix-excl" }

    func open(_ path: String, _ flags: Int32) throws(JournalError) -> any DiskFile { try File(path, flags) }
    func exists(_ path: String) -> Bool { File.exists(path) }
    func isLink(_ path: String) -> Bool { File.isLink(path) }
    func remove(_ path: String) throws(JournalError) { try File.remove(path) }
    func rename(_ path: String, to target: String) throws(JournalError) { try File.rename(path, to: target) }
    func makeDirectory(_ path: String) throws(JournalError) { try File.makeDirectory(path) }
}
