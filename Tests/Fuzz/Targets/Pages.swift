import Glibc
import ListModel
import ListStore
import TestSupport
import Texts

@testable import SQLiteJournal

/// A damaged database is refused, or what is read without SQLite is what SQLite's own check finds whole. Its lists are
/// read, or refused.
///
/// The input has patches for a database that is whole: three bytes for the place, one for the length, and the bytes.
func tryPages(_ input: [UInt8]) throws -> Bool {
    let folder = try SmallFolder()
    defer { folder.remove() }
    try folder.write(patched(try Template.made.get(), with: input))
    guard let journal = try? SQLiteJournal(reading: folder.path) else { return false }
    defer { journal.close() }
    guard (try? journal.open(receipt: { _ in }, receiptsMax: .max, since: 0)) != nil else { return false }
    for list in try journal.lists(after: nil, limit: .max) {
        do { _ = try journal.load(list, after: nil, snapshot: { _ in }, entry: { _ in }) } catch {
            try require(error is JournalError, "a list is refused with \(error)")
        }
    }
    let isVouchedFor = journal.isSkimmed
    journal.close()
    guard isVouchedFor else { return true }
    let report = try Maintenance.examine(folder: folder.path, contents: false)
    try require(report.findings.isEmpty, "a file that was vouched for has \(report.findings)")
    return true
}

private func patched(_ whole: [UInt8], with input: [UInt8]) -> [UInt8] {
    var bytes = whole
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
    return bytes
}

private enum Template {
    /// A database with trees of several levels, overflow pages, free pages, a stored snapshot and keyed records.
    static let made = Result { () throws -> [UInt8] in
        let folder = try SmallFolder()
        defer { folder.remove() }
        let journal = try SQLiteJournal(directory: folder.path, pageSize: 512)
        try journal.open(receipt: { _ in }, receiptsMax: .max, since: 0)
        for number in 0..<40 {
            let length = number % 7 == 0 ? 2_000 : number * 3
            let kind: JournalEntry.Kind = number < 4 ? .create : .append
            let bytes = [UInt8](repeating: UInt8(number), count: length)
            let receipt = Receipt(key: Array("key \(number)".utf8), time: number, bytes: bytes)
            let entry = JournalEntry(list: list(number % 4), kind: kind, bytes: bytes, receipt: receipt)
            _ = try journal.commit([Commit(entry, .unconditional)])
        }
        let chunks = [[UInt8]](repeating: Array("chunk".utf8), count: 6)
        try journal.write(SnapshotPart(list: list(1), position: 8, first: 0, chunks: chunks, isLast: true))
        let records = (0..<12).map { number in
            RecordWrite(
                KeyedRecord.Key(.subscription, [UInt8(number)]), .unconditional,
                KeyedRecord.Content(used: number, value: [UInt8](repeating: 1, count: number * 20)))
        }
        _ = try journal.keep(records)
        while try !journal.removeSome(all: true) {}
        journal.close()
        return try folder.read()
    }

    private static func list(_ number: Int) -> ListID { ListID(ByteText("l\(number)"))! }
}

/// A folder in memory, for one database.
private struct SmallFolder {
    let path: String

    init() throws {
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/liststate-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw JournalError.io("mkdtemp") }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    func read() throws -> [UInt8] {
        let file = try File(path + "/liststate.db", O_RDONLY)
        return try file.read(try file.size(), at: 0)
    }

    func write(_ bytes: [UInt8]) throws {
        try File(path + "/liststate.db", O_RDWR | O_CREAT | O_TRUNC).write(bytes)
    }

    func remove() {
        for name in ["liststate.db", "liststate.db-wal", "liststate.db-shm", "acknowledged", "lock"] {
            unlink(path + "/" + name)
        }
        rmdir(path)
    }
}
