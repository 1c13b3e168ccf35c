internal import Glibc
public import ListStore

/// A copy of a journal that is made while the journal is written.
///
/// The pages are read and written outside of all locks, so a slow target delays nobody. The disk gets the target in parts
/// (`LongFile`), so no commit waits behind one long sync. `CopiedPages` knows which pages have changed meanwhile. The
/// copy has everything that was acknowledged before it began, and everything that came later up to some moment.
public final class SQLiteBackup: Sendable {
    private let journal: SQLiteJournal
    private let path: String
    private let unfinished: Unfinished
    private let source: Source
    private let target: File
    private let pieces: LongFile

    /// The source of the copy.
    struct Source: Sendable {
        let pages: CopiedPages
        let pageSize: Int
        /// The journal keeps this open, because closing it would release SQLite's locks.
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

    /// The progress of a copy, in pages.
    public struct Progress: Sendable {
        public let done: Int
        public let all: Int
        public let isDone: Bool
    }

    /// The pages that are read at once, and the bytes that are written before a `cancel()` is noticed.
    private static let pagesAtOnce = 256
    private static let bytesAtOnce = 1 << 16

    /// - Parameter path: The path of the copy. The file gets this name when `finish()` has checked it.
    /// - Throws: `.io` if there is such a file, `.readOnly` or `.io` if it cannot be made.
    init(_ journal: SQLiteJournal, to path: String) throws(JournalError) {
        guard !File.exists(path) else { throw .io("\(path) is there already") }
        self.journal = journal
        self.path = path
        let unfinished = Unfinished(database: path + ".new")
        self.unfinished = unfinished
        (target, source) = try unfinished.make { () throws(JournalError) in
            (try File(unfinished.path, File.createFlags), try journal.beginCopy())
        }
        pieces = LongFile(target)
    }

    deinit { source.pages.end() }

    /// Copies the next pages.
    ///
    /// - Throws: `.full` if there is no room for the copy, `.closed` after `finish()` or `cancel()`, otherwise as the
    ///   journal does. The journal itself goes on unchanged.
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
            // Checkpoints are put off during the last round, so it must not wait for a slow disk. It is short.
            if source.pages.isLastRound {
                try target.write(Array(bytes[offset..<end]), at: start + offset)
            } else {
                try pieces.write(Array(bytes[offset..<end]), at: start + offset)
            }
        }
    }

    /// Reads and checks the whole copy, and gives it its name. The copy is durable when this returns.
    ///
    /// - Throws: `.corrupt` if the copy is damaged, `.closed` if it was cancelled. There is no copy then.
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

    /// Ends the copy, and removes its file. It may be called from any thread. A `step()` on another thread then throws
    /// `.closed`, at the latest after the piece that it is writing.
    public func cancel() {
        source.pages.end()
        unfinished.discard()
    }
}
