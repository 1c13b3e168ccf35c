import ListModel
import Threads

/// Hands the summaries of lists to the journal, in pieces that the journal places between commits. No write waits for
/// its summary.
///
/// Summaries gather until there are many of them, or the store stops. Those that were not kept when the process is
/// killed are made anew when somebody asks for a page with their lists.
final class SummaryKeeper: Sendable {
    private struct State: Sendable {
        /// Whether a thread writes.
        var isWriting = false
        var isStopping = false
    }

    private let catalogue: Locked<Catalogue>
    private let queue: CommitQueue
    /// Whether there are no threads, so that summaries are written at once.
    private let isStepped: Bool
    private let state = Locked(State())

    /// How many summaries gather before they are written, and the most that a piece writes. Nobody waits for the pieces
    /// of a stop.
    private static let pieceCount = 512
    private static let pieceCountAtStop = 8_192

    init(_ catalogue: Locked<Catalogue>, queue: CommitQueue, isStepped: Bool) {
        (self.catalogue, self.queue, self.isStepped) = (catalogue, queue, isStepped)
    }

    /// Writes the summaries that wait, if there are many. Returns at once.
    func writeIfMany() {
        if catalogue.withLock({ $0.summaryCount >= Self.pieceCount }) { write() }
    }

    /// Writes the summaries that wait. Returns at once.
    func write() {
        guard !isStepped else { return writeAll() }
        let isDue = state.change { state in
            guard !state.isWriting, !state.isStopping else { return false }
            state.isWriting = true
            return true
        }
        guard isDue else { return }
        do throws(ThreadError) {
            try Thread { [self] in
                writeAll { self.state.withLock { $0.isStopping } }
                state.change { $0.isWriting = false }
            }.detach()
        } catch {
            // The summaries are written with those that follow.
            state.change { $0.isWriting = false }
        }
    }

    private func writeAll(_ limit: Int = pieceCount, _ isStopping: () -> Bool = { false }) {
        while !isStopping(), writeSome(limit) {}
    }

    /// Returns whether there may be more. Summaries that cannot be written are given up: on a full disk they are made
    /// anew when they are needed, and after any other error nothing is written any more.
    private func writeSome(_ limit: Int) -> Bool {
        let some = catalogue.withLock { $0.someSummaries(limit) }
        guard !some.isEmpty else { return false }
        let isWritten: Bool
        do throws(JournalError) {
            try queue.journal.write { journal throws(JournalError) in try journal.keep(some.map(\.stored)) }
            isWritten = true
        } catch {
            isWritten = false
        }
        catalogue.withLock { $0.remove(some) }
        return isWritten
    }

    /// Waits until no thread writes.
    func waitUntilIdle() { state.wait(until: { !$0.isWriting }) { _ in } }

    /// Lets no more summaries be written. Does not wait.
    func cancel() { state.change { $0.isStopping = true } }

    /// Writes the summaries of all lists in memory. None can be written afterwards. The queue has stopped.
    func stop() {
        let isFirst = state.change { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
        // The queue's thread may have entered a list, for which it cannot wait.
        guard isFirst, isStepped || !queue.isCurrent else { return }
        waitUntilIdle()
        guard !queue.isPoisoned else { return }
        var last: ListID?
        while true {
            let after = last
            let (ids, lists) = catalogue.withLock { catalogue in
                let ids = catalogue.ids(after: after, limit: Self.pieceCountAtStop)
                return (ids, catalogue.listsInMemory(ids))
            }
            for list in lists where list.isReadable { note(list) }
            writeAll(Self.pieceCountAtStop)
            guard let end = ids.last, !queue.isPoisoned else { return }
            last = end
        }
    }

    /// Lets the summary of a list wait to be kept.
    func note(_ list: ListActor) {
        guard let summary = list.read(body: { $0.placedSummary() }) else { return }
        catalogue.withLock { $0.note(summary, of: list) }
    }
}
