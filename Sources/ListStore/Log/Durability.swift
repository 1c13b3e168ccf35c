import Threads

/// The outcome of a commit: durable or lost. It becomes known later, and others can wait for it.
///
/// All of them share one lock. One is made for each write, and a lock of its own would cost more than the write.
///
/// - Safety: `@unchecked` is sound because `outcome` is reached only under `lock`. The waiting bodies are reached under
///   it until there is an outcome, and after that only by the thread that settles.
public final class Durability: @unchecked Sendable {
    public typealias Outcome = Result<Void, JournalError>

    private static let lock = Lock()
    private var outcome: Outcome?
    /// The bodies stay here until this object is freed, so that they are freed on the thread that made them.
    private var waiting: Body?
    private var othersWaiting: [Body] = []

    private typealias Body = @Sendable (Outcome) -> Void

    public init() {}

    /// Calls `body` once with the outcome: at once if it is known, otherwise later, on the thread that settles it.
    public func whenDone(_ body: @escaping @Sendable (Outcome) -> Void) {
        let known: Outcome? = Self.lock.withLock {
            if outcome == nil { wait(body) }
            return outcome
        }
        if let known { body(known) }
    }

    /// The error with which the commit was lost; nil if it was not lost, or if that is not known yet.
    var failure: JournalError? {
        guard case .failure(let error) = Self.lock.withLock({ outcome }) else { return nil }
        return error
    }

    /// Whether the outcome is not known yet.
    var isPending: Bool { Self.lock.withLock { outcome == nil } }

    /// Waits for the outcome. It must not be called on the thread that settles.
    ///
    /// - Parameter prepare: It is called before the wait, and may bring the outcome about.
    func wait(after prepare: () -> Void) {
        let isSettled = Locked(false)
        whenDone { _ in isSettled.change { $0 = true } }
        prepare()
        isSettled.wait(until: { $0 }) { _ in }
    }

    /// Nearly always one body waits. An array for it would be one more allocation for each write.
    private func wait(_ body: @escaping Body) {
        if waiting == nil { waiting = body } else { othersWaiting.append(body) }
    }

    func settle(_ outcome: Outcome) {
        let isFirst = Self.lock.withLock {
            defer { self.outcome = self.outcome ?? outcome }
            return self.outcome == nil
        }
        // From here on no body is added.
        guard isFirst else { return }
        waiting?(outcome)
        for body in othersWaiting { body(outcome) }
    }
}
