internal import Glibc
public import ListStore
internal import Threads

/// A copy of a journal that is made while it is written.
///
/// The pages of the file are read and written to the copy outside of every lock, so a slow target is in nobody's way;
/// `CopiedPages` knows which of them have changed meanwhile. What was acknowledged before the copy was begun is in it,
/// and of what came later everything up to some moment.
public final class SQLiteBackup: Sendable {
    private let journal: SQLiteJournal
    private let path: String
    private let unfinished: Unfinished
    private let source: Source
    private let target: File

    /// What is copied.
    struct Source: Sendable {
        let pages: CopiedPages
        let pageSize: Int
        /// Kept open by the journal, since closing it would take SQLite's locks.
        let file: any DiskFile
        let folder: Folder

        func read(_ batch: CopiedPages.Batch) throws(JournalError) -> [UInt8] {
            let count = batch.pages.count * pageSize
            guard let frame = batch.frame else {
                return try file.read(count, at: (batch.pages.lowerBound - 1) * pageSize)
            }
            return try folder.disk.open(folder.log, O_RDONLY).read(count, at: frame)
        }
    }

    /// How far a copy is, in pages.
    public struct Progress: Sendable {
        public let done: Int
        public let all: Int
        public let isDone: Bool
    }

    /// Pages that are read at once, and bytes that are written before somebody can end it.
    private static let pagesAtOnce = 256
    private static let bytesAtOnce = 1 << 16

    /// - Parameter path: A file that is not there yet; it gets its name when `finish()` has checked it.
    /// - Throws: `.readOnly` or `.io` if there is such a file, or none can be made.
    init(_ journal: SQLiteJournal, to path: String) throws(JournalError) {
        guard !File.exists(path) else { throw .io("\(path) is there already") }
        self.journal = journal
        self.path = path
        let unfinished = Unfinished(database: path + ".new")
        self.unfinished = unfinished
        (target, source) = try unfinished.make { () throws(JournalError) in
            (try File(unfinished.path, File.createFlags), try journal.beginCopy())
        }
    }

    deinit { source.pages.end() }

    /// Copies the next pages.
    ///
    /// - Throws: `.full` if there is no room for the copy, `.closed` after `finish()` or `cancel()`; otherwise as the
    ///   journal. The journal is as it was whenever this throws.
    public func step() throws(JournalError) -> Progress {
        guard !source.pages.isOver else { throw .closed }
        var isDone = false
        if let batch = source.pages.take(atMost: Self.pagesAtOnce) {
            try write(try source.read(batch), at: (batch.pages.lowerBound - 1) * source.pageSize)
        } else {
            isDone = try journal.standStill(source.pages)
        }
        let (all, left) = source.pages.counts
        return Progress(done: max(0, all - left), all: all, isDone: isDone)
    }

    private func write(_ bytes: [UInt8], at start: Int) throws(JournalError) {
        for offset in stride(from: 0, to: bytes.count, by: Self.bytesAtOnce) {
            guard !source.pages.isOver else { throw .closed }
            let end = min(bytes.count, offset + Self.bytesAtOnce)
            try target.write(Array(bytes[offset..<end]), at: start + offset)
        }
    }

    /// Reads all of the copy to check it, and gives it its name; it is durable when this returns.
    ///
    /// - Throws: `.corrupt` if the copy is not whole, `.closed` if it was cancelled; there is no file then.
    public func finish() throws(JournalError) {
        guard !source.pages.isOver else { throw .closed }
        defer { source.pages.end() }
        try unfinished.clean { () throws(JournalError) in
            try target.truncate(to: source.pages.counts.all * source.pageSize)
            let findings = try Examination(copy: unfinished.path).findings
            guard findings.isEmpty else { throw JournalError.corrupt(findings.joined(separator: "\n")) }
            try target.synchronize()
            guard !source.pages.isOver else { throw JournalError.closed }
            try File.rename(unfinished.path, to: path)
            try File.synchronizeParent(path)
        }
    }

    /// Ends the copy from any thread, and removes what there is of it; a `step()` that another thread is at fails when
    /// it has written what it is writing.
    public func cancel() {
        source.pages.end()
        unfinished.discard()
    }
}
