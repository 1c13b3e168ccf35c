internal import Synchronization
internal import Threads

/// A value that one thread at a time uses: for a commit, or for a piece of other work.
///
/// A commit that waits goes before the next piece. So it waits for one piece at most, although a POSIX lock lets a thread
/// have it again and again. A piece that has waited for a commit goes before the next commit, so commits that follow one
/// another do not keep it away. Pieces go in the order in which they came, so a thread with many pieces keeps no other
/// one away.
///
/// - Safety: `@unchecked` is sound because `value` and `isPieceDue` are reached only between `lock()` and `unlock()`, and
///   everything that goes in or comes out is `Sendable`.
final class CommitsFirst<Value: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var value: Value
    /// Whether a piece goes next. It is true only while one waits.
    private var isPieceDue = false
    /// The number of commits that wait. A thread counts itself before it takes the lock.
    private let commits = Atomic(0)
    /// The next ticket for a piece. A thread takes it before the lock, which the piece before holds until it has ended.
    private let nextTicket = Atomic(0)
    /// The ticket of the piece that goes next. It is written under the lock only.
    private let serving = Atomic(0)

    init(_ value: Value) { self.value = value }

    func commit<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        commits.add(1, ordering: .relaxed)
        lock.lock()
        while isPieceDue { lock.wait() }
        commits.subtract(1, ordering: .relaxed)
        defer {
            isPieceDue = waiting.pieces > 0
            end()
        }
        return try body(&value)
    }

    func piece<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let ticket = nextTicket.add(1, ordering: .relaxed).oldValue
        lock.lock()
        while ticket != serving.load(ordering: .relaxed) || !isPieceDue && commits.load(ordering: .relaxed) > 0 {
            lock.wait()
        }
        serving.store(ticket + 1, ordering: .releasing)
        isPieceDue = false
        defer { end() }
        return try body(&value)
    }

    /// The numbers of commits and of pieces that wait.
    var waiting: (commits: Int, pieces: Int) {
        // In this order, because a ticket is served after it was taken.
        let served = serving.load(ordering: .acquiring)
        return (commits.load(ordering: .relaxed), nextTicket.load(ordering: .relaxed) - served)
    }

    private func end() {
        let (commits, pieces) = waiting
        if commits + pieces > 0 { lock.wakeAll() }
        lock.unlock()
    }
}
