import Glibc
import ListModel
import ListStore
import Threads
import TestSupport
@testable import SQLiteJournal

/// A new folder for one test. It is removed with everything in it when this object goes.
final class TemporaryFolder: Sendable {
    let path: String

    /// - Parameter isInMemory: True for tests of thousands of small stores, which need no disk that syncs.
    init(isInMemory: Bool = false) throws {
        let parent = isInMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/liststate-journal-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw JournalError.io("mkdtemp") }
        path = String(cString: made)
    }

    deinit { try? empty(removingFolder: true) }

    func file(_ name: String) -> String { path + "/" + name }

    func names() throws -> [String] {
        guard let stream = opendir(path) else { throw JournalError.io("opendir") }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The bytes of all files, by name.
    func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in try names() { contents[name] = try read(name) }
        return contents
    }

    func read(_ name: String) throws -> [UInt8] {
        let file = try File(file(name), O_RDONLY)
        return try file.read(try file.size(), at: 0)
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try File(file(name), O_RDWR | O_CREAT | O_TRUNC).write(bytes)
    }

    /// Makes the folder hold exactly these files.
    func fill(_ contents: [String: [UInt8]]) throws {
        try empty(removingFolder: false)
        for (name, bytes) in contents { try write(name, bytes) }
    }

    /// Changes the database without the journal.
    func change(_ sql: String) throws {
        let connection = try SQLiteConnection(path: file("liststate.db"), create: false)
        try connection.run("PRAGMA locking_mode=EXCLUSIVE")
        try connection.run(sql)
        try connection.setCloseKeepsLog(false)
    }

    private func empty(removingFolder: Bool) throws {
        for name in try names() { unlink(file(name)) }
        if removingFolder { rmdir(path) }
    }
}

extension [JournalEntry] {
    /// The entries as a replay gives them: list by list in the order of ids, those of the present life only, without
    /// receipts.
    var living: [JournalEntry] {
        var lives: [String: [JournalEntry]] = [:]
        for var entry in self {
            entry.receipt = nil
            switch entry.kind {
            case .create: lives[entry.list.rawValue.string] = [entry]
            case .append, .retire, .revive:
                // A replay gives a revival as an append: the entries before it show that the list continues.
                if entry.kind == .revive { entry.kind = .append }
                lives[entry.list.rawValue.string, default: []].append(entry)
            case .delete: lives[entry.list.rawValue.string] = nil
            case .receiptOnly: break
            }
        }
        return lives.sorted { $0.key < $1.key }.flatMap(\.value)
    }
}

extension TemporaryFolder {
    /// An open journal with pages of 512 bytes, which give many pages with few bytes.
    func journal() throws -> SQLiteJournal {
        let journal = try SQLiteJournal(directory: path, pageSize: 512)
        _ = try journal.replayed()
        return journal
    }
}

/// Everything that can be read, list by list.
struct Replayed: Equatable {
    var snapshots: [SnapshotPart] = []
    var entries: [JournalEntry] = []
    var receipts: [Receipt] = []
}

extension SQLiteJournal {
    func replayed(receiptsMax: Int = .max, since: Int = 0) throws -> Replayed {
        var result = Replayed()
        try open(receipt: { result.receipts.append($0) }, receiptsMax: receiptsMax, since: since)
        for list in try lists(after: nil, limit: .max) {
            try read(list, snapshot: { result.snapshots.append($0) }, entry: { result.entries.append($0) })
        }
        return result
    }

    /// Writes entries after whatever is there, as one batch.
    func append(_ batch: [JournalEntry]) throws(JournalError) { _ = try commit(batch.commits) }

    /// Writes a record ahead. Returns its entry.
    func writeAhead(
        _ parts: [String], of list: String, _ kind: JournalEntry.Kind = .append
    ) throws(JournalError) -> JournalEntry {
        var entry = JournalEntry(list, kind, "")
        entry.bytes = try write(ahead: parts.map { Array($0.utf8) })
        entry.isAhead = true
        return entry
    }

    /// Reads a whole list.
    func read(
        _ list: ListID, snapshot: (SnapshotPart) throws -> Void, entry: (JournalEntry) throws -> Void
    ) throws {
        _ = try load(list, after: nil, snapshot: snapshot, entry: entry)
    }
}

extension Database {
    func append(_ batch: [JournalEntry]) throws(JournalError) { _ = try commit(batch.commits) }
}

extension [JournalEntry] {
    /// The entries as commits without conditions. Those of one list are one commit.
    fileprivate var commits: [Commit] {
        var commits: [Commit] = []
        for entry in self {
            if let index = commits.firstIndex(where: { $0.list == entry.list }) {
                commits[index].entries.append(entry)
            } else {
                commits.append(Commit(entry, .unconditional))
            }
        }
        return commits
    }
}

extension JournalEntry {
    init(_ list: String, _ kind: Kind, _ text: String, receipt: Receipt? = nil) {
        self.init(list: ListID(list)!, kind: kind, bytes: Array(text.utf8), receipt: receipt)
    }
}

extension Receipt {
    init(_ number: Int, time: Int? = nil) {
        self.init(key: Array("key \(number)".utf8), time: time ?? number, bytes: Array("answer \(number)".utf8))
    }
}

/// Opens the journal in `folder`, reads everything, and closes it again.
func reopened(_ folder: TemporaryFolder, mayNeedSecondLook: Bool = false) throws -> Replayed {
    let journal = try SQLiteJournal(directory: folder.path)
    defer { journal.close() }
    let all = try journal.replayed()
    // An undamaged file is read only once. A file that is read twice must still give the right result.
    if !mayNeedSecondLook, !journal.isSkimmed { throw JournalError.io("was read twice") }
    return all
}

/// The error that `body` throws; nil if it throws none.
func journalError(_ body: () throws -> Void) -> JournalError? {
    do { try body() } catch { return error as? JournalError }
    return nil
}

extension JournalError {
    var isCorrupt: Bool {
        if case .corrupt = self { return true }
        return false
    }
}

/// An outcome that a test can wait for.
final class Outcomes: Sendable {
    private let outcome = Locked<Durability.Outcome?>(nil)

    func settle(_ result: Durability.Outcome) { outcome.change { $0 = result } }
    func wait() -> Durability.Outcome { outcome.wait(until: { $0 != nil }, then: { $0 ?? .failure(.closed) }) }
}
