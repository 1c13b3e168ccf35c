import ListStore
import Testing
import TestSupport
import Threads

@testable import SQLiteJournal

/// How much of a long file waits for a sync.
@Suite struct LongFileTests {
    /// A file that counts the bytes that its next sync writes out.
    private final class CountingFile: DiskFile {
        private struct Counts {
            var waiting = 0
            var most = 0
            var writes: [Range<Int>] = []
            var syncs = 0
        }

        private let counts = Locked(Counts())
        /// Whether a sync fails.
        let fails: Bool

        init(fails: Bool = false) { self.fails = fails }

        /// The most bytes that ever waited.
        var most: Int { counts.withLock { $0.most } }
        var writes: [Range<Int>] { counts.withLock { $0.writes } }
        var syncs: Int { counts.withLock { $0.syncs } }

        func size() throws(JournalError) -> Int { 0 }
        func identity() throws(JournalError) -> FileIdentity { FileIdentity(inode: 1, birth: 0) }
        func read(_ count: Int, at offset: Int) throws(JournalError) -> [UInt8] { [] }
        func write(_ bytes: [UInt8], at offset: Int) throws(JournalError) {
            counts.withLock { counts in
                counts.waiting += bytes.count
                counts.most = max(counts.most, counts.waiting)
                counts.writes.append(offset..<offset + bytes.count)
            }
        }
        func synchronize() throws(JournalError) {
            guard !fails else { throw .full }
            counts.withLock { ($0.waiting, $0.syncs) = (0, $0.syncs + 1) }
        }
        func lockAlone() throws(JournalError) {}
    }

    @Test(arguments: [1 << 12, 1 << 16, 300_000, 1 << 20])
    func atMostAPartWaits(length: Int) throws {
        let counting = CountingFile()
        let file = LongFile(counting)
        let offsets = Array(stride(from: 0, to: 5 << 20, by: length))
        for offset in offsets { try file.write([UInt8](repeating: 1, count: length), at: offset) }
        #expect(counting.most <= LongFile.partBytes)
        #expect(counting.writes == offsets.map { $0..<$0 + length })
        // A part is nearly full before it is synchronized.
        #expect(counting.syncs <= 6)
    }

    @Test func aWriteThatIsLongerThanAPartWaitsAlone() throws {
        let counting = CountingFile()
        let file = LongFile(counting)
        for _ in 0..<3 { try file.write([UInt8](repeating: 1, count: LongFile.partBytes + 1), at: 0) }
        #expect(counting.most == LongFile.partBytes + 1)
        #expect(counting.syncs == 2)
    }

    /// The copy ends at the first part that the disk has no room for.
    @Test func nothingIsWrittenBehindASyncThatFails() throws {
        let counting = CountingFile(fails: true)
        let file = LongFile(counting)
        try file.write([UInt8](repeating: 1, count: LongFile.partBytes), at: 0)
        #expect(throws: JournalError.full) { try file.write([1], at: LongFile.partBytes) }
        #expect(counting.writes == [0..<LongFile.partBytes])
    }
}
