import Threads

/// The promise that a commit will be durable, or that it was lost.
///
/// One lock serves all promises: each is made for one write, and a lock of its own would cost more than the write.
///
/// - Safety: `@unchecked` is sound because `outcome` is touched only under `lock`, and those who wait only
///   under it until there is an outcome, after that only by the thread that settles.
public final class Durability: @unchecked Sendable {
    public typealias Outcome = Result<Void, JournalError>

    private static let lock = Lock()
    private var outcome: Outcome?
    /// Kept until the promise itself goes, so that they are freed where they were made.
    private var waiting: Body?
    private var othersWaiting: [Body] = []

    private typealias Body = @Sendable (Outcome) -> Void

    public init() {}

    /// Calls `body` with the outcome, once: at once if it is known, otherwise on the thread that settles it.
    public func whenDone(_ body: @escaping @Sendable (Outcome) -> Void) {
        let known: Outcome? = Self.lock.withLock {
            if outcome == nil { wait(body) }
            return outcome
        }
        if let known { body(known) }
    }

    /// Why the commit was lost; nil if it was not, or if that is not known yet.
    var failure: JournalError? {
        guard case .failure(let error) = Self.lock.withLock({ outcome }) else { return nil }
        return error
    }

    /// Nearly always one waits, and an array for it would be one more thing to allocate for each write.
    private func wait(_ body: @escaping Body) {
        if waiting == nil { waiting = body } else { othersWaiting.append(body) }
    }

    func settle(_ outcome: Outcome) {
        let isFirst = Self.lock.withLock {
            defer { self.outcome = self.outcome ?? outcome }
            return self.outcome == nil
        }
        // From here on nobody is added.
        guard isFirst else { return }
        waiting?(outcome)
        for body in othersWaiting { body(outcome) }
    }
}
