internal import Glibc
internal import ListStore

/// The acknowledged mark: a file that says how far the log had come when the last batch was acknowledged.
///
/// A flipped byte in SQLite's write-ahead log silently drops the commits behind it. The mark shows that they are
/// missing. It is written after each batch without a sync: a killed process loses nothing of it, and after a power
/// failure it may be behind the log, but never ahead. It fits into a sector, which a disk writes whole or not at all.
///
/// If a copy of the whole folder is put back later, its mark agrees with its log, although commits came since. The mark
/// therefore also names the files that it and the database are. It does not name the device, whose number may change
/// with each boot or mount.
struct AcknowledgedMark: Sendable {
    /// The number of the last row of the log, and of the last receipt.
    struct Position: Sendable, Equatable {
        var log: Int
        var receipt: Int

        /// Whether the log and the receipts reach at least as far as in `other`.
        func covers(_ other: Position) -> Bool { log >= other.log && receipt >= other.receipt }
    }

    private struct Content: Equatable {
        var position: Position
        /// The identities of the database and of the mark; nil in marks of earlier programs, which had none.
        var files: [FileIdentity]?
    }

    private let file: any DiskFile
    private let files: [FileIdentity]

    /// Reads the mark at `path`.
    ///
    /// - Parameter database: The path of the database beside it.
    /// - Returns: Nil if there is no such file. `isCopy` is true if the mark or the database is not the file that it
    ///   was when the mark was written.
    /// - Throws: `.corrupt` if the mark is damaged.
    static func read(
        _ path: String, beside database: String, on disk: any Disk = SystemDisk()
    ) throws(JournalError) -> (position: Position, isCopy: Bool)? {
        guard disk.exists(path) else { return nil }
        let file = try disk.open(path, O_RDONLY)
        guard let content = content(try file.read(lengthMax + 1, at: 0)) else {
            throw .corrupt("\(path) is not a mark of acknowledged commits")
        }
        guard let files = content.files, disk.exists(database) else { return (content.position, false) }
        let found = [try disk.open(database, O_RDONLY).identity(), try file.identity()]
        return (content.position, !zip(files, found).allSatisfy { $0.isSame(as: $1) })
    }

    /// Opens the mark at `path`, or makes it, and writes `position`. The mark is durable once this returns.
    init(
        _ path: String, _ position: Position, beside database: FileIdentity, on disk: any Disk = SystemDisk()
    ) throws(JournalError) {
        if disk.exists(path), case let known = try disk.open(path, O_RDWR), try known.size() == Self.lengthMax {
            try self.init(known, beside: database)
            try write(position)
            // If commits are missing, the mark was ahead of the log. A later crash must not bring its old content back.
            try file.synchronize()
            return
        }
        // The file gets its name once it is complete, so that a kill in between leaves no half a mark.
        let unfinished = Unfinished(file: path + ".new", on: disk)
        self = try unfinished.make { () throws(JournalError) in
            let mark = try AcknowledgedMark(try disk.open(unfinished.path, O_RDWR | O_CREAT), beside: database)
            try mark.write(position)
            try mark.file.synchronize()
            try disk.rename(unfinished.path, to: path)
            return mark
        }
    }

    private init(_ file: any DiskFile, beside database: FileIdentity) throws(JournalError) {
        self.file = file
        files = [database, try file.identity()]
    }

    /// Overwrites the mark. The system writes it to the disk at a time of its own choice.
    func write(_ position: Position) throws(JournalError) {
        try file.write(Self.encoded(Content(position: position, files: files)), at: 0)
    }

    // MARK: The text

    private static func content(_ bytes: [UInt8]) -> Content? {
        let words = bytes.dropLast().split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let numbers = words.dropLast().compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == 2 || numbers.count == 6 else { return nil }
        let files = stride(from: 2, to: numbers.count, by: 2).map {
            FileIdentity(inode: numbers[$0], birth: numbers[$0 + 1])
        }
        let content = Content(
            position: Position(log: numbers[0], receipt: numbers[1]), files: files.isEmpty ? nil : files)
        return encoded(content) == bytes ? content : nil
    }

    /// The numbers in decimal and their checksum, as a line of text that people can read.
    private static func encoded(_ content: Content) -> [UInt8] {
        let identities = (content.files ?? []).flatMap { [$0.inode, $0.birth] }
        let numbers = [content.position.log, content.position.receipt] + identities
        var checksum = CRC32C()
        var line = [UInt8](repeating: UInt8(ascii: "0"), count: 21 * numbers.count + 9)
        for (index, number) in numbers.enumerated() {
            checksum.add(number)
            let end = 21 * index + 20
            write(UInt(bitPattern: number), radix: 10, to: &line, before: end)
            line[end] = UInt8(ascii: " ")
        }
        write(UInt(checksum.value), radix: 16, to: &line, before: line.count - 1)
        line[line.count - 1] = UInt8(ascii: "\n")
        return line
    }

    private static let lengthMax = 6 * (20 + 1) + 8 + 1

    /// Writes the digits of a number, the last one before `end`. The places of zeros in front are left as they are.
    private static func write(_ number: UInt, radix: UInt, to line: inout [UInt8], before end: Int) {
        var rest = number
        var place = end
        while rest > 0 {
            place -= 1
            let digit = UInt8(truncatingIfNeeded: rest % radix)
            line[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            rest /= radix
        }
    }
}
