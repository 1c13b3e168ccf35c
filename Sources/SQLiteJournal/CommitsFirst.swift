internal import Synchronization
internal import Threads

/// A value that one thread at a time uses: for a commit, or for a piece of other work.
///
/// A commit that waits goes before the next piece. So it waits for one piece at most, although a POSIX lock lets a thread
/// have it again and again. A piece that has waited for a commit goes before the next commit, so commits that follow one
/// another do not keep it away.
///
/// - Safety: `@unchecked` is sound because `value` and `isPieceDue` are reached only between `lock()` and `unlock()`, and
///   everything that goes in or comes out is `Sendable`.
final class CommitsFirst<Value: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var value: Value
    /// Whether a piece goes next. It is true only while one waits.
    private var isPieceDue = false
    /// The numbers of commits and of pieces that wait. A thread counts itself before it takes the lock.
    private let commits = Atomic(0)
    private let pieces = Atomic(0)

    init(_ value: Value) { self.value = value }

    func commit<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        commits.add(1, ordering: .relaxed)
        lock.lock()
        while isPieceDue { lock.wait() }
        commits.subtract(1, ordering: .relaxed)
        defer {
            isPieceDue = pieces.load(ordering: .relaxed) > 0
            end()
        }
        return try body(&value)
    }

    func piece<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pieces.add(1, ordering: .relaxed)
        lock.lock()
        while !isPieceDue, commits.load(ordering: .relaxed) > 0 { lock.wait() }
        pieces.subtract(1, ordering: .relaxed)
        isPieceDue = false
        defer { end() }
        return try body(&value)
    }

    /// The numbers of commits and of pieces that wait.
    var waiting: (commits: Int, pieces: Int) {
        (commits.load(ordering: .relaxed), pieces.load(ordering: .relaxed))
    }

    private func end() {
        let (commits, pieces) = waiting
        if commits + pieces > 0 { lock.wakeAll() }
        lock.unlock()
    }
}
