import Glibc
import ListModel
import ListStore
import TestSupport
import Testing

@testable import SQLiteJournal

/// A folder that was put back from a copy continues in new epochs. A folder that is unchanged does not.
@Suite struct CopiedFolderTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let journal = try folder.journal()
        try journal.append([JournalEntry("a", .create, "a1", receipt: Receipt(1))])
        journal.close()
    }

    /// Opens the folder, settles the doubt, and returns why commits may be missing.
    private func doubt(_ place: TemporaryFolder? = nil) throws -> SQLiteJournal.Doubt? {
        let journal = try SQLiteJournal(directory: (place ?? folder).path)
        defer { journal.close() }
        #expect(try journal.replayed().entries == [JournalEntry("a", .create, "a1")])
        try journal.settleRecovery()
        return journal.recovery.doubt
    }

    /// The files that are replaced may have other inode numbers and birth times than the mark says. A copied mark that
    /// is older than its log stands for a write-ahead log that was put back.
    @Test(arguments: [["liststate.db", "acknowledged"], ["liststate.db"], ["acknowledged"]])
    func aCopyIsInDoubtOnce(copied: [String]) throws {
        for name in copied {
            let bytes = try folder.read(name)
            unlink(folder.file(name))
            try folder.write(name, bytes)
        }
        #expect(try doubt() == .copy)
        #expect(try doubt() == nil)
    }

    @Test func aCopyInAnotherFolderIsInDoubt() throws {
        let other = try TemporaryFolder()
        try other.fill(folder.contents())
        #expect(try doubt(other) == .copy)
        #expect(try doubt() == nil)
    }

    /// If a server on a copy is killed before its lists have new epochs, the next start finds the doubt too.
    @Test func aCopyStaysInDoubtUntilThatIsSettled() throws {
        try folder.fill(folder.contents())
        for expected: SQLiteJournal.Doubt in [.copy, .notSettled] {
            let journal = try folder.journal()
            #expect(journal.recovery.doubt == expected)
            journal.close()
        }
    }

    /// A copy that was made while the server wrote may have a mark that is ahead of its log.
    @Test func aCopyThatMissesAcknowledgedCommitsIsRefused() throws {
        let before = try folder.contents()
        let journal = try folder.journal()
        try journal.append([JournalEntry("a", .append, "a2")])
        let mark = try folder.read("acknowledged")
        journal.close()
        try folder.fill(before)
        try folder.write("acknowledged", mark)
        #expect(journalError { _ = try SQLiteJournal(directory: folder.path) }?.isCorrupt == true)
        #expect(try Maintenance.examine(folder: folder.path, contents: false).findings.count == 1)
    }

    @Test func whatStaysTheSameFileIsNoCopy() throws {
        #expect(try doubt() == nil)
        let journal = try folder.journal()
        try journal.shrink()
        journal.close()
        #expect(try doubt() == nil)
        // As after a crash, no file is in its last place.
        try SQLiteJournal(directory: folder.path).close()
        #expect(try doubt() == nil)
        let moved = try TemporaryFolder()
        for name in try folder.names() { rename(folder.file(name), moved.file(name)) }
        #expect(try doubt(moved) == nil)
    }

    /// A mark in the format of older programs.
    @Test func anOlderMarkIsReadAndGetsTheIdentities() throws {
        try folder.write("acknowledged", Self.older(log: 1, receipt: 1))
        #expect(try doubt() == nil)
        try folder.fill(folder.contents())
        #expect(try doubt() == .copy)
        try folder.write("acknowledged", Self.older(log: 2, receipt: 1))
        #expect(journalError { _ = try SQLiteJournal(directory: folder.path) }?.isCorrupt == true)
    }

    static func older(log: Int, receipt: Int) -> [UInt8] {
        var checksum = CRC32C()
        checksum.add(log)
        checksum.add(receipt)
        func padded(_ text: String, _ width: Int) -> String { String(repeating: "0", count: width - text.count) + text }
        let sum = padded(String(checksum.value, radix: 16), 8)
        return Array("\(padded("\(log)", 20)) \(padded("\(receipt)", 20)) \(sum)\n".utf8)
    }

    /// A damaged mark costs a new epoch and nothing else. It is reported and written anew.
    @Test func aDamagedMarkIsNoReasonNotToGoOn() throws {
        let mark = try folder.read("acknowledged")
        let flipped = mark.indices.map { offset in
            var bytes = mark
            bytes[offset] ^= 1
            return bytes
        }
        let cut = mark.indices.map { Array(mark.prefix($0)) }
        let others = [mark + mark, Array("garbage\n".utf8), [UInt8](repeating: 0, count: 4096)]
        for (number, bytes) in (flipped + cut + others).enumerated() {
            try folder.write("acknowledged", bytes)
            let findings = try Maintenance.examine(folder: folder.path, contents: false).findings
            try #require(findings.count == 1 && findings[0].contains("acknowledged is damaged"), "\(number)")
            if number.isMultiple(of: 16) {
                try #require(try Maintenance.repair(folder: folder.path, contents: false) == nil)
                try #require(try Maintenance.removeDamagedMark(folder: folder.path))
                try #require(try Maintenance.examine(folder: folder.path, contents: false).findings == [])
                try #require(try Maintenance.removeDamagedMark(folder: folder.path) == false)
            }
            try #require(try doubt() == .noMark, "\(number)")
            try #require(try doubt() == nil, "\(number)")
        }
    }
}
