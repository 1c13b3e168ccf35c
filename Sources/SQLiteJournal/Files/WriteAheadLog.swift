internal import Glibc
internal import ListStore

/// Reads SQLite's write-ahead log by SQLite's own rules, before SQLite does.
///
/// SQLite silently drops everything behind the last whole commit. This type finds out how much that is, and which pages
/// come before it.
///
/// Source: "WAL File Format" in SQLite's file format page. After a header of 32 bytes come frames, each a header of 24
/// bytes and a page. Numbers are big-endian. The checksum runs over all frames, in the byte order that the magic number
/// names.
enum WriteAheadLog {
    struct Contents: Sendable {
        /// The bytes behind the last whole commit that belong to the log's present run.
        ///
        /// SQLite overwrites the log from its start in each run. Frames that an earlier run has left have other salts,
        /// and are not included.
        var bytesAfterLastCommit = 0
        /// For each page in the log, the offset of the page as the last commit left it.
        var frames: [Int: Int] = [:]
        /// The number of pages of the database after the last commit; nil if the log has no commit.
        var pageCount: Int?
        /// The number of bytes of a page; 0 if there is no log.
        var pageSize = 0
    }

    static func contents(_ path: String, on disk: any Disk) throws(JournalError) -> Contents {
        guard disk.exists(path) else { return Contents() }
        let file = try disk.open(path, O_RDONLY)
        let size = try file.size()
        let header = try file.read(headerLength, at: 0)
        guard header.count == headerLength, let sum = Checksum(magic: word(header, 0)) else {
            return Contents(bytesAfterLastCommit: size)
        }
        var checksum = sum
        checksum.add(header[0..<24])
        let pageSize = Int(word(header, 8))
        guard checksum.matches(header, at: 24), (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
            return Contents(bytesAfterLastCommit: size)
        }
        return try Scan(file: file, size: size, salts: header[16..<24], pageSize: pageSize).run(checksum)
    }

    /// The pages in the log's present run. Nothing is checked, so only the process that writes the log may use this.
    static func pages(_ path: String, on disk: any Disk) throws(JournalError) -> (numbers: Set<Int>, count: Int) {
        let file = try disk.open(path, O_RDONLY)
        let header = try file.read(headerLength, at: 0)
        guard header.count == headerLength else { return ([], 0) }
        var (numbers, count) = (Set<Int>(), 0)
        var offset = headerLength
        while case let frame = try file.read(frameHeaderLength, at: offset), frame.count == frameHeaderLength,
            frame[8..<16].elementsEqual(header[16..<24])
        {
            numbers.insert(Int(word(frame, 0)))
            if word(frame, 4) != 0 { count = Int(word(frame, 4)) }
            offset += frameHeaderLength + Int(word(header, 8))
        }
        return (numbers, count)
    }

    private static let headerLength = 32
    private static let frameHeaderLength = 24

    private struct Scan {
        let file: any DiskFile
        let size: Int
        let salts: ArraySlice<UInt8>
        let pageSize: Int

        func run(_ start: Checksum) throws(JournalError) -> Contents {
            var contents = Contents(pageSize: pageSize)
            var checksum = start
            // The frames of the commit that is being read.
            var frames: [Int: Int] = [:]
            var isWhole = true
            var committed = headerLength
            var offset = headerLength
            while offset < size {
                let frame = try file.read(frameHeaderLength + pageSize, at: offset)
                guard frame.count < 16 || frame[8..<16].elementsEqual(salts) else { break }
                if frame.count < frameHeaderLength + pageSize { isWhole = false }
                offset += frame.count
                guard isWhole else { continue }
                checksum.add(frame[0..<8])
                checksum.add(frame[frameHeaderLength...])
                isWhole = checksum.matches(frame, at: 16) && word(frame, 0) != 0
                guard isWhole else { continue }
                frames[Int(word(frame, 0))] = offset - pageSize
                guard word(frame, 4) != 0 else { continue }
                committed = offset
                contents.pageCount = Int(word(frame, 4))
                contents.frames.merge(frames) { _, newer in newer }
                frames.removeAll(keepingCapacity: true)
            }
            contents.bytesAfterLastCommit = offset - committed
            return contents
        }
    }

    private struct Checksum {
        private var first: UInt32 = 0
        private var second: UInt32 = 0
        private let isBigEndian: Bool

        /// Nil if the file is no write-ahead log.
        init?(magic: UInt32) {
            guard magic & ~1 == 0x377F_0682 else { return nil }
            isBigEndian = magic & 1 == 1
        }

        /// Adds bytes, a multiple of eight.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { buffer in
                for offset in stride(from: 0, to: buffer.count, by: 8) {
                    first &+= native(buffer, offset) &+ second
                    second &+= native(buffer, offset + 4) &+ first
                }
            }
        }

        private func native(_ buffer: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
            let word = buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }

        func matches(_ bytes: [UInt8], at offset: Int) -> Bool {
            word(bytes, offset) == first && word(bytes, offset + 4) == second
        }
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
