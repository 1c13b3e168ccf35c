import CSQLite
import Glibc
import ListStore

@testable import SQLiteJournal

/// Makes SQLite use a simulated disk. It is registered under the disk's name while this object exists.
///
/// Source: "The OS Backend (VFS) To SQLite". It answers as SQLite's own backend for Unix does for a process that is
/// alone with its files: the index of a log is in memory.
final class SimulatedVFS {
    private let disk: SimulatedDisk
    private let vfs: UnsafeMutablePointer<sqlite3_vfs>
    private let name: UnsafeMutablePointer<CChar>

    init(_ disk: SimulatedDisk) {
        self.disk = disk
        name = strdup(disk.vfs ?? "")
        vfs = .allocate(capacity: 1)
        vfs.initialize(to: sqlite3_vfs())
        vfs.pointee.iVersion = 1
        vfs.pointee.szOsFile = Int32(MemoryLayout<SimulatedHandle>.size)
        vfs.pointee.mxPathname = 512
        vfs.pointee.zName = UnsafePointer(name)
        vfs.pointee.pAppData = Unmanaged.passUnretained(disk).toOpaque()
        vfs.pointee.xOpen = openFile
        vfs.pointee.xDelete = deleteFile
        vfs.pointee.xAccess = accessFile
        vfs.pointee.xFullPathname = { _, path, count, full in
            guard let path, let full, strlen(path) < Int(count) else { return SQLITE_CANTOPEN }
            strcpy(full, path)
            return SQLITE_OK
        }
        vfs.pointee.xRandomness = { _, count, bytes in
            if let bytes { memset(bytes, 7, Int(count)) }
            return count
        }
        vfs.pointee.xSleep = { _, microseconds in microseconds }
        vfs.pointee.xCurrentTime = { _, days in
            days?.pointee = 2_460_000.5
            return SQLITE_OK
        }
        vfs.pointee.xGetLastError = { _, _, _ in 0 }
        sqlite3_vfs_register(vfs, 0)
    }

    deinit {
        sqlite3_vfs_unregister(vfs)
        vfs.deallocate()
        free(name)
    }
}

/// `SQLITE_IOERR_DELETE_NOENT` and `SQLITE_IOERR_SHORT_READ`, which Swift cannot import.
private let missingName = SQLITE_IOERR | 23 << 8
private let shortRead = SQLITE_IOERR | 2 << 8

/// The memory that SQLite allocates for each open file.
private struct SimulatedHandle {
    var base: sqlite3_file
    /// The file, which `openFile` retains and `xClose` releases.
    var file: Unmanaged<OpenFile>
}

private final class OpenFile {
    let file: SimulatedFile
    let walIndex: SimulatedWalIndex?
    var held = SimulatedWalIndex.Held()
    /// Whether the file is a log that may be new. Its first sync makes its name durable too.
    var hasNewName: Bool

    init(_ file: SimulatedFile, _ walIndex: SimulatedWalIndex?, hasNewName: Bool) {
        self.file = file
        self.walIndex = walIndex
        self.hasNewName = hasNewName
    }

    func synchronize() throws(JournalError) {
        guard hasNewName else { return try file.synchronize() }
        try file.synchronizeWithName()
        hasNewName = false
    }
}

private func disk(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> SimulatedDisk? {
    vfs?.pointee.pAppData.map { Unmanaged<SimulatedDisk>.fromOpaque($0).takeUnretainedValue() }
}

private func open(_ handle: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile? {
    handle.map { UnsafeRawPointer($0).assumingMemoryBound(to: SimulatedHandle.self).pointee.file.takeUnretainedValue() }
}

/// The result code of SQLite for `body`.
private func code(_ failure: Int32, _ body: () throws(JournalError) -> Void) -> Int32 {
    do throws(JournalError) { try body() } catch { return error == .full ? SQLITE_FULL : failure }
    return SQLITE_OK
}

private func openFile(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
    _ handle: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let disk = disk(vfs), let handle else { return SQLITE_CANTOPEN }
    handle.pointee.pMethods = nil
    let path = name.map { String(cString: $0) }
    let mayBeNew = flags & SQLITE_OPEN_CREATE != 0 && flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) != 0
    return code(SQLITE_CANTOPEN) { () throws(JournalError) in
        let file = try disk.openFile(path, flags & SQLITE_OPEN_CREATE != 0 ? O_CREAT : 0)
        let walIndex = flags & SQLITE_OPEN_MAIN_DB != 0 ? path.map { disk.walIndex($0) } : nil
        let open = OpenFile(file, walIndex, hasNewName: mayBeNew)
        UnsafeMutableRawPointer(handle).initializeMemory(
            as: SimulatedHandle.self,
            to: SimulatedHandle(base: sqlite3_file(pMethods: Methods.shared.pointer), file: .passRetained(open)))
        outFlags?.pointee = flags
    }
}

private func deleteFile(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ mustSync: Int32
) -> Int32 {
    guard let disk = disk(vfs), let path = name.map({ String(cString: $0) }) else { return SQLITE_IOERR }
    guard disk.exists(path) else { return missingName }
    return code(SQLITE_IOERR) { () throws(JournalError) in
        try disk.remove(path)
        if mustSync != 0 { try disk.openFile(nil, O_DIRECTORY).synchronize() }
    }
}

private func accessFile(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ flags: Int32,
    _ result: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let disk = disk(vfs), let path = name.map({ String(cString: $0) }) else { return SQLITE_IOERR }
    result?.pointee = disk.exists(path) ? 1 : 0
    return SQLITE_OK
}

/// The functions that SQLite calls for an open file. They are made once and never freed.
private struct Methods: @unchecked Sendable {
    static let shared = Methods()
    let pointer: UnsafePointer<sqlite3_io_methods>

    private init() {
        var methods = sqlite3_io_methods()
        methods.iVersion = 2
        methods.xShmMap = { handle, number, size, isWanted, region in
            guard let index = open(handle)?.walIndex else { return SQLITE_IOERR }
            region?.pointee = index.region(Int(number), size: Int(size), isWanted: isWanted != 0)
            return SQLITE_OK
        }
        methods.xShmLock = { handle, first, count, flags in
            guard let file = open(handle), let index = file.walIndex else { return SQLITE_IOERR }
            return index.change(&file.held, first: Int(first), count: Int(count), flags)
        }
        methods.xShmBarrier = { handle in _ = open(handle)?.walIndex?.region(0, size: 0, isWanted: false) }
        methods.xShmUnmap = { handle, _ in
            if let file = open(handle) { file.walIndex?.releaseAll(&file.held) }
            return SQLITE_OK
        }
        methods.xClose = { handle in
            handle.map {
                UnsafeRawPointer($0).assumingMemoryBound(to: SimulatedHandle.self).pointee.file.release()
            }
            return SQLITE_OK
        }
        methods.xRead = read
        methods.xWrite = { handle, bytes, count, offset in
            guard let file = open(handle) else { return SQLITE_IOERR }
            let written = [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            return code(SQLITE_IOERR) { () throws(JournalError) in
                try file.file.write(written, at: Int(offset))
            }
        }
        methods.xTruncate = { handle, size in
            code(SQLITE_IOERR) { () throws(JournalError) in try open(handle)?.file.cut(to: Int(size)) }
        }
        methods.xSync = { handle, _ in
            code(SQLITE_IOERR) { () throws(JournalError) in try open(handle)?.synchronize() }
        }
        methods.xFileSize = { handle, size in
            code(SQLITE_IOERR) { () throws(JournalError) in
                size?.pointee = sqlite3_int64(try open(handle)?.file.size() ?? 0)
            }
        }
        methods.xLock = { _, _ in SQLITE_OK }
        methods.xUnlock = { _, _ in SQLITE_OK }
        methods.xCheckReservedLock = { _, isLocked in
            isLocked?.pointee = 0
            return SQLITE_OK
        }
        methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        methods.xSectorSize = { _ in 4096 }
        methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
        let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        pointer.initialize(to: methods)
        self.pointer = UnsafePointer(pointer)
    }
}

private func read(
    _ handle: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeMutableRawPointer?, _ count: Int32,
    _ offset: sqlite3_int64
) -> Int32 {
    guard let file = open(handle), let buffer else { return SQLITE_IOERR }
    guard let bytes = try? file.file.read(Int(count), at: Int(offset)) else { return SQLITE_IOERR }
    bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)).copyMemory(from: $0) }
    guard bytes.count < Int(count) else { return SQLITE_OK }
    memset(buffer + bytes.count, 0, Int(count) - bytes.count)
    return shortRead
}
