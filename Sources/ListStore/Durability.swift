import Locks

/// The promise that a commit will be durable, or that it was lost.
///
/// One lock serves all promises: each is made for one write, and a lock of its own would cost more than the write.
///
/// - Safety: `@unchecked` is sound because `outcome` and `waiting` are touched only under `lock`.
public final class Durability: @unchecked Sendable {
    public typealias Outcome = Result<Void, JournalError>

    private static let lock = Lock()
    private var outcome: Outcome?
    /// Kept until the promise itself goes, so that it is freed where it was made.
    private var waiting: [@Sendable (Outcome) -> Void] = []

    public init() {}

    /// Calls `body` with the outcome, once: at once if it is known, otherwise on the thread that settles it.
    public func whenDone(_ body: @escaping @Sendable (Outcome) -> Void) {
        let known: Outcome? = Self.lock.withLock {
            if outcome == nil { waiting.append(body) }
            return outcome
        }
        if let known { body(known) }
    }

    var isSettled: Bool { Self.lock.withLock { outcome != nil } }

    func settle(_ outcome: Outcome) {
        let bodies: [@Sendable (Outcome) -> Void] = Self.lock.withLock {
            guard self.outcome == nil else { return [] }
            self.outcome = outcome
            return waiting
        }
        for body in bodies { body(outcome) }
    }
}
