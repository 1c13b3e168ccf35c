import Threads

/// The journal of a store, for all threads of the store that write. An error after which it takes no further writes
/// ends the writes of all of them.
final class WorkingJournal: Sendable {
    private let journal: any Journal
    private let failure = Locked<JournalError?>(nil)

    init(_ journal: any Journal) { self.journal = journal }

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
            if error.consequence == .failed { failure.withLock { $0 = $0 ?? error } }
            throw error
        }
    }
}
