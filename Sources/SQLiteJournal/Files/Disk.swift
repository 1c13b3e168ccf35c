internal import ListStore

/// The functions that a journal needs of a disk. Tests have a disk of their own, which loses power.
protocol Disk: Sendable {
    /// The name of SQLite's file layer (VFS) for this disk; nil for SQLite's default.
    ///
    /// The layer keeps other processes from the files. It also keeps the index of the write-ahead log in memory, for
    /// all connections of this process.
    var vfs: String? { get }

    /// - Parameter flags: The flags of `open(2)`.
    func open(_ path: String, _ flags: Int32) throws(JournalError) -> any DiskFile
    func exists(_ path: String) -> Bool
    /// Whether the path names a symbolic link.
    func isLink(_ path: String) -> Bool
    /// Removes a file. Does nothing if there is no such file.
    func remove(_ path: String) throws(JournalError)
    func rename(_ path: String, to target: String) throws(JournalError)
    /// Makes a folder and the missing folders above it. What it made is durable once this returns.
    func makeDirectory(_ path: String) throws(JournalError)
}

/// An open file or folder. It is closed when nobody refers to it any more.
protocol DiskFile: Sendable {
    func size() throws(JournalError) -> Int
    func identity() throws(JournalError) -> FileIdentity
    /// Reads up to `count` bytes from `offset`. It returns fewer only at the end of the file.
    func read(_ count: Int, at offset: Int) throws(JournalError) -> [UInt8]
    func write(_ bytes: [UInt8], at offset: Int) throws(JournalError)
    /// Returns when the disk has the file's content, or the names in the folder.
    func synchronize() throws(JournalError)
    /// Takes the lock of the file, for as long as this object lives.
    ///
    /// - Throws: `.locked` if another process, or another object of this process, has it.
    func lockAlone() throws(JournalError)
}

/// The identity of a file, whatever its name. A copy has the same bytes and another identity.
struct FileIdentity: Sendable, Equatable {
    var inode: Int
    /// The time of its making in nanoseconds since 1970; 0 if the file system does not tell it. A new file may get the
    /// inode number of a removed one, but it has another time.
    var birth: Int

    func isSame(as other: FileIdentity) -> Bool {
        inode == other.inode && (birth == other.birth || birth == 0 || other.birth == 0)
    }
}

extension File: DiskFile {}

/// The disk of the machine.
struct SystemDisk: Disk {
    /// SQLite's own file layer that locks each file for this process alone. Other processes cannot write, and the index
    /// of the write-ahead log needs no file.
    var vfs: String? { "unix-excl" }

    func open(_ path: String, _ flags: Int32) throws(JournalError) -> any DiskFile { try File(path, flags) }
    func exists(_ path: String) -> Bool { File.exists(path) }
    func isLink(_ path: String) -> Bool { File.isLink(path) }
    func remove(_ path: String) throws(JournalError) { try File.remove(path) }
    func rename(_ path: String, to target: String) throws(JournalError) { try File.rename(path, to: target) }
    func makeDirectory(_ path: String) throws(JournalError) { try File.makeDirectory(path) }
}
