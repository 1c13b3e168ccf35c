import Glibc
import ListStore
import Threads
import TestSupport
import Testing

@testable import SQLiteJournal

/// The amount that is read of a file whose pages are wanted in order, or in any order.
@Suite struct PageReaderTests {
    /// A database of many pages. All but its header are empty.
    private final class CountingFile: DiskFile {
        static let pages = 4_096
        private let counts = Locked((calls: 0, bytes: 0))

        var calls: Int { counts.withLock { $0.calls } }
        var bytes: Int { counts.withLock { $0.bytes } }

        func size() throws(JournalError) -> Int { 512 * Self.pages }
        func identity() throws(JournalError) -> FileIdentity { FileIdentity(inode: 1, birth: 0) }
        func read(_ count: Int, at offset: Int) throws(JournalError) -> [UInt8] {
            let end = min(offset + count, 512 * Self.pages)
            counts.withLock { $0 = ($0.calls + 1, $0.bytes + end - offset) }
            var bytes = [UInt8](repeating: 0, count: end - offset)
            if offset == 0 { (bytes[16], bytes[30]) = (2, UInt8(Self.pages >> 8)) }
            return bytes
        }
        func write(_ bytes: [UInt8], at offset: Int) throws(JournalError) {}
        func synchronize() throws(JournalError) {}
        func lockAlone() throws(JournalError) {}
    }

    private func read(_ pages: some Sequence<Int>) throws -> CountingFile {
        let file = CountingFile()
        var reader = try PageReader(file, nil, WriteAheadLog.Contents(), pagesAtOnceMax: 64)
        for page in pages { #expect(try reader.withPage(page) { $0.count } == 512) }
        return file
    }

    @Test func pagesInARowTakeFewCalls() throws {
        let all = try read(1...CountingFile.pages)
        #expect(all.calls < CountingFile.pages / 64 + 10)
        #expect(all.bytes <= 512 * CountingFile.pages + 100)
        let everyThird = try read(stride(from: 1, through: CountingFile.pages, by: 3))
        #expect(everyThird.calls < CountingFile.pages / 64 + 10)
    }

    /// Pages come in any order once free pages have been used again.
    @Test func pagesInAnyOrderAreNotReadManyTimes() throws {
        var random = SeededGenerator(seed: 3)
        let file = try read((1...CountingFile.pages).shuffled(using: &random))
        #expect(file.bytes < 4 * 512 * CountingFile.pages, "\(file.bytes)")
    }
}
