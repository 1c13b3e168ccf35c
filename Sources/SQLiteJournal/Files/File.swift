internal import CBirth
internal import Glibc
internal import ListStore

/// An open file or folder, closed by `deinit`: see `DiskFile`. Each error names the failed call and the path.
final class File: Sendable {
    private let descriptor: Int32
    let path: String

    /// Opens a file or folder.
    ///
    /// - Parameter flags: The flags of `open(2)`. New files get mode 0600, because lists may be private.
    /// - Throws: `.readOnly` if the system forbids it, `.full` if there is no room, otherwise `.io`.
    init(_ path: String, _ flags: Int32) throws(JournalError) {
        self.path = path
        let opened = open(path, flags | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw Self.failure("open", path) }
        descriptor = opened
    }

    deinit {
        // Closing alone would leave the lock with a forked child that has not started its program yet.
        flock(descriptor, LOCK_UN)
        Glibc.close(descriptor)
    }

    /// The length in bytes.
    func size() throws(JournalError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("stat", path) }
        return Int(status.st_size)
    }

    func identity() throws(JournalError) -> FileIdentity {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("stat", path) }
        return FileIdentity(inode: Int(status.st_ino & UInt(Int.max)), birth: Int(liststate_birth(descriptor)))
    }

    func read(_ count: Int, at offset: Int) throws(JournalError) -> [UInt8] {
        // With room for nothing, this initializer writes into the empty array that all threads share.
        guard count > 0 else { return [] }
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let got = pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
                if got < 0 && errno == EINTR { continue }
                if got < 0 { code = errno }
                guard got > 0 else { return }
                done += got
            }
        }
        guard code == 0 else {
            errno = code
            throw Self.failure("read", path)
        }
        return bytes
    }

    /// Writes all bytes, from `offset` on.
    func write(_ bytes: [UInt8], at offset: Int = 0) throws(JournalError) {
        var done = 0
        while done < bytes.count {
            let put = bytes.withUnsafeBytes { buffer in
                pwrite(descriptor, buffer.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            }
            if put < 0 && errno == EINTR { continue }
            guard put > 0 else { throw Self.failure("write", path) }
            done += put
        }
    }

    /// Makes the file `size` bytes long.
    func truncate(to size: Int) throws(JournalError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw Self.failure("truncate", path) }
    }

    /// The flags for a new file that is to be written.
    static let createFlags = O_RDWR | O_CREAT

    /// Copies a file, perhaps over one that is there. The content is durable once this returns; the name may not be.
    static func copy(_ path: String, to target: String) throws(JournalError) {
        let source = try File(path, O_RDONLY)
        let copy = LongFile(try File(target, O_RDWR | O_CREAT | O_TRUNC))
        var offset = 0
        while case let bytes = try source.read(LongFile.partBytes, at: offset), !bytes.isEmpty {
            try copy.write(bytes, at: offset)
            offset += bytes.count
        }
        try copy.synchronize()
    }

    func synchronize() throws(JournalError) {
        guard fsync(descriptor) == 0 else { throw Self.failure("fsync", path) }
    }

    func lockAlone() throws(JournalError) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        guard errno == EWOULDBLOCK else { throw Self.failure("flock", path) }
        throw .locked("\(path) is locked by another process")
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The path with symbolic links resolved; the path itself if there is no such file.
    static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    static func remove(_ path: String) throws(JournalError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
    }

    /// Gives a file a second name (a hard link).
    static func link(_ path: String, to name: String) throws(JournalError) {
        guard Glibc.link(path, name) == 0 else { throw failure("link", path) }
    }

    static func rename(_ path: String, to target: String) throws(JournalError) {
        guard Glibc.rename(path, target) == 0 else { throw failure("rename", path) }
    }

    /// Makes a folder and the missing folders above it. What it made is durable once this returns.
    static func makeDirectory(_ path: String) throws(JournalError) {
        guard mkdir(path, 0o700) != 0 else { return try synchronizeParent(path) }
        guard errno != EEXIST else { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw failure("mkdir", path)
        }
        try makeDirectory(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("mkdir", path) }
        try synchronizeParent(path)
    }

    /// Returns when the disk has the name of a file or folder.
    static func synchronizeParent(_ path: String) throws(JournalError) {
        let slash = path.lastIndex(of: "/")
        let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        try File(parent, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Whether an `errno` means that there is no room: on the disk, in the user's quota, or in a file of that size.
    static func isFull(_ code: Int32) -> Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }

    private static func failure(_ call: String, _ path: String) -> JournalError {
        let code = errno
        switch code {
        case EACCES, EPERM, EROFS: return .readOnly("\(path): \(String(cString: strerror(code)))")
        case _ where isFull(code): return .full
        default: return .io("\(call) \(path): \(String(cString: strerror(code)))")
        }
    }
}
