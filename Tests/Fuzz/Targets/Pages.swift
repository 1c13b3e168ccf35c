import Glibc
import ListModel
import ListStore
import TestSupport
import Texts

@testable import SQLiteJournal

/// A damaged database is refused, or what is read without SQLite is what SQLite's own check finds whole.
///
/// The input has patches for a database that is whole: three bytes for the place, one for the length, and the bytes.
func tryPages(_ input: [UInt8]) -> Int32 {
    var bytes = Template.bytes
    var rest = input[...]
    while rest.count > 4 {
        let start = rest.startIndex
        let place = (Int(rest[start]) << 16 | Int(rest[start + 1]) << 8 | Int(rest[start + 2])) % (bytes.count + 1)
        let length = min(Int(rest[start + 3]), rest.count - 4)
        let patch = rest[(start + 4)..<(start + 4 + length)]
        // A patch without bytes cuts the file.
        if length == 0 { bytes.removeLast(min(bytes.count - place, 4_096)) }
        for (offset, byte) in patch.enumerated() where place + offset < bytes.count { bytes[place + offset] = byte }
        rest = rest.dropFirst(4 + length)
    }
    Template.write(bytes)
    guard let journal = try? SQLiteJournal(reading: Template.folder) else { return 0 }
    let isRead = (try? journal.open(receipt: { _ in }, receiptsMax: .max, since: 0)) != nil
    let isVouchedFor = journal.isSkimmed
    journal.close()
    guard isRead, isVouchedFor else { return 0 }
    guard let report = try? Maintenance.examine(folder: Template.folder, contents: false) else {
        fatalError("a file that was vouched for cannot be examined")
    }
    require(report.findings.isEmpty, "a file that was vouched for has \(report.findings)")
    return 0
}

private enum Template {
    static let folder = "/dev/shm/liststate-fuzz-\(getpid())"

    /// A database with trees of several levels, overflow pages and free pages.
    static let bytes: [UInt8] = {
        do {
            mkdir(folder, 0o700)
            let journal = try SQLiteJournal(directory: folder, pageSize: 512)
            try journal.open(receipt: { _ in }, receiptsMax: .max, since: 0)
            for number in 0..<40 {
                let length = number % 7 == 0 ? 2_000 : number * 3
                let kind: JournalEntry.Kind = number < 4 ? .create : .append
                let bytes = [UInt8](repeating: 0x78, count: length)
                let receipt = Receipt(key: Array("key \(number)".utf8), time: number, bytes: bytes)
                let list = ListID(ByteText("l\(number % 4)"))!
                let entry = JournalEntry(list: list, kind: kind, bytes: bytes, receipt: receipt)
                _ = try journal.commit([Commit(entry, .unconditional)])
            }
            journal.close()
            return try read()
        } catch {
            fatalError("\(error)")
        }
    }()

    static func read() throws -> [UInt8] {
        let file = try File(folder + "/liststate.db", O_RDONLY)
        return try file.read(try file.size(), at: 0)
    }

    static func write(_ bytes: [UInt8]) {
        unlink(folder + "/liststate.db-wal")
        unlink(folder + "/acknowledged")
        guard let file = try? File(folder + "/liststate.db", O_RDWR | O_CREAT | O_TRUNC),
            (try? file.write(bytes)) != nil
        else { fatalError("the file cannot be written") }
    }
}
