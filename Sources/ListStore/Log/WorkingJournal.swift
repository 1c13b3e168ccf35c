import Threads

/// The journal of a store, for all threads of the store that write. An error after which it takes no further writes
/// ends the writes of all of them.
final class WorkingJournal: Sendable {
    private let journal: any Journal
    private let failure = Locked<JournalError?>(nil)
    /// The way in which the journal takes long records; nil if it takes every record whole.
    let ahead: (any WritesAhead)?

    init(_ journal: any Journal) {
        self.journal = journal
        ahead = journal.ahead
    }

    /// As `Journal.commitsAtOnce`.
    var commitsAtOnce: Int { journal.commitsAtOnce }

    /// The error that ended all writes; nil if there was none.
    var poison: JournalError? { failure.withLock { $0 } }

    /// Runs `body` on this thread. The journal decides when its work is done beside that of other threads.
    ///
    /// - Throws: The error of `body`, or the one that ended all writes before; `body` does not run then.
    func write<Result>(
        _ body: (any Journal) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        if let poison { throw poison }
        do { return try body(journal) } catch {
            note(error)
            throw error
        }
    }

    /// Is told of each batch; nil if nobody is.
    let watch = Locked<CommitWatch?>(nil)

    /// As `write`, for a batch of writes.
    func writeBatch<Result>(_ body: (any Journal) throws(JournalError) -> Result) throws(JournalError) -> Result {
        guard let watch = watch.withLock({ $0 }) else { return try write(body) }
        let began = watch.nanoseconds()
        var hasFailed = true
        defer { watch.note(watch.nanoseconds() - began, hasFailed) }
        let result = try write(body)
        hasFailed = false
        return result
    }

    /// As `WritesAhead.write(ahead:)`.
    func write(
        ahead parts: consuming [[UInt8]], by journal: any WritesAhead
    ) throws(JournalError) -> [UInt8] {
        if let poison { throw poison }
        do { return try journal.write(ahead: parts) } catch {
            note(error)
            throw error
        }
    }

    private func note(_ error: JournalError) {
        if error.consequence == .failed { failure.withLock { $0 = $0 ?? error } }
    }
}
