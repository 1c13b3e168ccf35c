internal import CSQLite
internal import Glibc
internal import ListStore

/// One connection to one database file. No other type calls SQLite.
///
/// - Safety: `@unchecked` is sound because a connection and its statements are only reached under the lock of the
///   `SQLiteJournal` that owns them, so no two threads are ever inside SQLite with it.
final class SQLiteConnection: @unchecked Sendable {
    /// A value of a column or a parameter.
    enum Value: Sendable {
        case integer(Int)
        /// The UTF-8 of a text, so that it can be checksummed and bound without another copy.
        case text([UInt8])
        case blob([UInt8])
    }

    let handle: OpaquePointer
    let path: String
    /// Whether `errno` says why a write failed. It does not with a disk that a test makes.
    private let isOfSystem: Bool
    /// The number of pages in the write-ahead log. A hook in SQLite writes it after each commit.
    private let walPages: UnsafeMutablePointer<Int32>

    /// Opens the file for reading and writing. No other process can use it meanwhile.
    ///
    /// Nothing is written until a statement writes. Closing keeps the write-ahead log, and the index of that log is in
    /// memory.
    convenience init(path: String, create: Bool, on disk: any Disk = SystemDisk()) throws(JournalError) {
        // A relative path that begins with "file:" would be read as a URI.
        let name = path.hasPrefix("/") ? path : "./" + path
        try self.init(path, name, SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0), on: disk)
        try setOption(SQLITE_DBCONFIG_DEFENSIVE, 1)
        try setCloseKeepsLog(true)
        guard sqlite3_db_readonly(handle, "main") == 0 else { throw .readOnly("\(path) is read-only") }
    }

    /// Opens a file that nobody writes, only to read it.
    ///
    /// If no write-ahead log is beside it, no file is made, so the folder need not be writable. Otherwise SQLite must
    /// make the index of the log, and for that it keeps other processes from the file.
    ///
    /// Source: "URI Filenames" in SQLite's documentation, `immutable`.
    convenience init(reading path: String) throws(JournalError) {
        let isAlone = !File.exists(File.resolved(path) + "-wal")
        if isAlone {
            let name = "file:\(path.hasPrefix("/") ? "" : "./")\(Self.escaped(path))?immutable=1"
            try self.init(path, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, on: SystemDisk())
        } else {
            try self.init(path: path, create: false)
        }
        try run("PRAGMA cell_size_check=ON")
    }

    /// The path as it is written in a URI.
    private static func escaped(_ path: String) -> String {
        path.utf8.reduce(into: "") { text, byte in
            let isPlain = byte < 0x80 && !"%?#".utf8.contains(byte)
            text += isPlain ? String(Unicode.Scalar(byte)) : "%" + String(Int(byte) + 0x100, radix: 16).dropFirst()
        }
    }

    private init(_ path: String, _ name: String, _ flags: Int32, on disk: any Disk) throws(JournalError) {
        self.path = path
        isOfSystem = disk is SystemDisk
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, disk.vfs)
        guard code == SQLITE_OK, let opened else {
            defer { sqlite3_close_v2(opened) }
            throw Self.failure(code, opened, path)
        }
        handle = opened
        walPages = .allocate(capacity: 1)
        walPages.initialize(to: 0)
        // SQLite has a single hook of this kind. This one replaces its automatic checkpoint.
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, walPages)
        try setOption(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    }

    deinit {
        sqlite3_close_v2(handle)
        walPages.deallocate()
    }

    /// Sets whether closing keeps the write-ahead log instead of moving it into the database.
    func setCloseKeepsLog(_ keeps: Bool) throws(JournalError) {
        try setOption(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps ? 1 : 0)
    }

    private func setOption(_ option: Int32, _ value: Int32) throws(JournalError) {
        try check(liststate_sqlite3_set_option(handle, option, value))
    }

    /// The number of pages in the write-ahead log after the last commit; 0 after a checkpoint.
    var logPages: Int { Int(walPages.pointee) }

    func limitRows(to bytes: Int) { sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(bytes)) }

    /// Whether no transaction is open.
    var isIdle: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// Moves the content of the write-ahead log into the database, so that the log starts over.
    ///
    /// - Returns: Whether all of it was moved.
    @discardableResult
    func checkpoint() throws(JournalError) -> Bool {
        var (all, moved) = (Int32(0), Int32(0))
        try check(sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &all, &moved))
        walPages.pointee = 0
        return all == moved
    }

    /// Compiles and runs one statement, and returns its rows.
    @discardableResult
    func run(_ sql: String) throws(JournalError) -> [[Value?]] {
        try prepare(sql).rows([])
    }

    /// Compiles a statement that is used many times.
    func prepare(_ sql: String) throws(JournalError) -> Statement {
        var prepared: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
        guard let prepared else { throw .io("\(path): empty statement") }
        return Statement(prepared, of: self)
    }

    fileprivate func check(_ code: Int32) throws(JournalError) {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// The error for the call that has just returned `code`.
    ///
    /// SQLite reports only ENOSPC as a full disk, and other codes of `File.isFull` as `SQLITE_IOERR_WRITE`. It rolls
    /// such a write back in the same way, so both are `.full` here. A sync that fails with such a code cannot be rolled
    /// back, and stays `.io`.
    fileprivate func failure(_ code: Int32) -> JournalError {
        guard code == SQLITE_IOERR | 3 << 8, isOfSystem, File.isFull(errno) else {
            return Self.failure(code, handle, path)
        }
        return .full
    }

    private static func failure(_ code: Int32, _ handle: OpaquePointer?, _ path: String) -> JournalError {
        let message = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        let text = "\(path): \(message.map { String(cString: $0) } ?? "SQLite") (\(code))"
        switch code & 0xFF {
        case SQLITE_FULL: return .full
        case SQLITE_TOOBIG: return .tooLarge(text)
        // Our statements are right for our tables, so a statement that fails to compile means that the file is not
        // ours.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR: return .corrupt(text)
        case SQLITE_BUSY, SQLITE_LOCKED: return .locked(text)
        case SQLITE_READONLY, SQLITE_PERM: return .readOnly(text)
        default: return .io(text)
        }
    }
}

extension SQLiteConnection {
    /// A compiled statement of the connection.
    ///
    /// - Safety: `@unchecked` is sound for the reason given at `SQLiteConnection`, which it keeps alive.
    final class Statement: @unchecked Sendable {
        private let handle: OpaquePointer
        private let connection: SQLiteConnection

        fileprivate init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
            self.handle = handle
            self.connection = connection
        }

        deinit { sqlite3_finalize(handle) }

        /// Runs a statement that returns no rows.
        func run(_ values: [Value]) throws(JournalError) {
            let code = bindAndStep(values, from: 0)
            guard code == SQLITE_DONE else {
                let failure = connection.failure(code)
                sqlite3_reset(handle)
                throw failure
            }
            sqlite3_reset(handle)
        }

        /// Runs a statement that returns few rows.
        func rows(_ values: [Int]) throws(JournalError) -> [[Value?]] {
            defer { sqlite3_reset(handle) }
            try bind(values)
            var rows: [[Value?]] = []
            while try step() {
                let row = Row(handle: handle)
                rows.append((0..<sqlite3_column_count(handle)).map(row.value))
            }
            return rows
        }

        /// Calls `body` with each row, which is valid until `body` returns.
        ///
        /// - Throws: `JournalError`, or what `body` throws.
        func read(_ values: [Int], _ body: (Row) throws -> Void) throws {
            defer { sqlite3_reset(handle) }
            try bind(values)
            while try step() { try body(Row(handle: handle)) }
        }

        private func bind(_ values: [Int]) throws(JournalError) {
            for (index, value) in values.enumerated() {
                try connection.check(sqlite3_bind_int64(handle, Int32(index + 1), Int64(value)))
            }
        }

        /// Moves to the next row. Returns false if there is none.
        private func step() throws(JournalError) -> Bool {
            let code = sqlite3_step(handle)
            guard code != SQLITE_ROW else { return true }
            guard code == SQLITE_DONE else { throw connection.failure(code) }
            return false
        }

        /// Binds the values without copying them, and then steps. A pointer is valid only inside its closure, so the
        /// next value is bound from in there.
        private func bindAndStep(_ values: [Value], from index: Int) -> Int32 {
            guard index < values.count else { return sqlite3_step(handle) }
            let parameter = Int32(index + 1)
            let goOn = { (code: Int32) in code == SQLITE_OK ? self.bindAndStep(values, from: index + 1) : code }
            switch values[index] {
            case .integer(let number):
                return goOn(sqlite3_bind_int64(handle, parameter, Int64(number)))
            case .text(let bytes):
                return bytes.withUnsafeBytes { buffer in
                    let text = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
                    return goOn(
                        sqlite3_bind_text64(handle, parameter, text, UInt64(buffer.count), nil, UInt8(SQLITE_UTF8)))
                }
            case .blob(let bytes) where bytes.isEmpty:
                return goOn(sqlite3_bind_zeroblob(handle, parameter, 0))
            case .blob(let bytes):
                return bytes.withUnsafeBytes { buffer in
                    goOn(sqlite3_bind_blob64(handle, parameter, buffer.baseAddress, UInt64(buffer.count), nil))
                }
            }
        }

        /// The present row of a statement. It is valid until the statement moves on.
        struct Row {
            fileprivate let handle: OpaquePointer

            func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

            /// The bytes of a text or blob in SQLite's memory. They are valid until the statement moves on.
            func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
                let start = sqlite3_column_blob(handle, column)?.assumingMemoryBound(to: UInt8.self)
                let count = Int(sqlite3_column_bytes(handle, column))
                return UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)
            }

            func value(_ column: Int32) -> Value? {
                switch sqlite3_column_type(handle, column) {
                case SQLITE_INTEGER: return .integer(integer(column))
                case SQLITE_TEXT: return .text(Array(bytes(column)))
                case SQLITE_BLOB: return .blob(Array(bytes(column)))
                default: return nil
                }
            }
        }
    }
}
