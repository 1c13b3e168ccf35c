internal import Glibc
internal import ListStore

/// How far the log had come when the last batch was acknowledged, in a file of its own.
///
/// A flipped byte in SQLite's write-ahead log silently drops the commits behind it. The mark tells that they are
/// missing. It is written after each batch without a sync: a killed process loses nothing of it, and after a power
/// loss it is behind the log, never ahead. It fits into a sector, which a disk writes whole or not at all.
struct AcknowledgedMark: Sendable {
    /// The last row of each table.
    struct Position: Sendable, Equatable {
        var log: Int
        var receipt: Int

        /// Whether everything up to `other` is there.
        func covers(_ other: Position) -> Bool { log >= other.log && receipt >= other.receipt }
    }

    private let file: any DiskFile

    /// Reads the mark in `path`.
    ///
    /// - Returns: Nil if there is no such file.
    /// - Throws: `.corrupt` if the file is not as it was written.
    static func read(_ path: String, on disk: any Disk = SystemDisk()) throws(JournalError) -> Position? {
        guard disk.exists(path) else { return nil }
        let bytes = try disk.open(path, O_RDONLY).read(length + 1, at: 0)
        let words = bytes.dropLast().split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard bytes.count == length, words.count == 3,
            let log = Int(String(decoding: words[0], as: UTF8.self)),
            let receipt = Int(String(decoding: words[1], as: UTF8.self)),
            case let position = Position(log: log, receipt: receipt), encoded(position) == bytes
        else { throw .corrupt("\(path) is not a mark of acknowledged commits") }
        return position
    }

    /// Opens the mark in `path` for writing, and writes it; what it says is durable once this returns.
    init(_ path: String, _ position: Position, on disk: any Disk = SystemDisk()) throws(JournalError) {
        guard !disk.exists(path) else {
            file = try disk.open(path, O_RDWR)
            try write(position)
            // What it said before may be ahead of the log, if commits are missing.
            try file.synchronize()
            return
        }
        // It gets its name once it is whole: a kill in between must not leave half a mark, which nothing would open.
        let unfinished = path + ".new"
        file = try disk.open(unfinished, O_RDWR | O_CREAT | O_TRUNC)
        try write(position)
        try file.synchronize()
        try disk.rename(unfinished, to: path)
    }

    /// Overwrites the mark; the system writes it to the disk when it likes.
    func write(_ position: Position) throws(JournalError) {
        try file.write(Self.encoded(position), at: 0)
    }

    /// Two decimals and their checksum, a text that people can read.
    private static func encoded(_ position: Position) -> [UInt8] {
        var checksum = CRC32C()
        checksum.add(position.log)
        checksum.add(position.receipt)
        return digits(position.log, 20, radix: 10) + [UInt8(ascii: " ")] + digits(position.receipt, 20, radix: 10)
            + [UInt8(ascii: " ")] + digits(Int(checksum.value), 8, radix: 16) + [UInt8(ascii: "\n")]
    }

    private static let length = 20 + 1 + 20 + 1 + 8 + 1

    private static func digits(_ number: Int, _ width: Int, radix: Int) -> [UInt8] {
        let digits = Array(String(number, radix: radix).utf8)
        return [UInt8](repeating: UInt8(ascii: "0"), count: max(0, width - digits.count)) + digits
    }
}
