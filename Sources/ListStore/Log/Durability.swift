import Threads

/// The outcome of a commit: durable or lost. It becomes known later, and others can wait for it.
///
/// All of them share one lock. One is made for each write, and a lock of its own would cost more than the write.
///
/// - Safety: `@unchecked` is sound because everything that changes is reached only under `lock`.
public final class Durability: @unchecked Sendable {
    public typealias Outcome = Result<Void, JournalError>

    private static let lock = Lock()
    private var outcome: Outcome?
    /// Whether the waiting bodies are being called. The catalogue waits first, and whoever asks meanwhile must not hear the
    /// outcome before it: a client could come back with the answer, and find its list as it was.
    private var isTelling = false
    /// The bodies stay here until this object is freed, so that they are freed on the thread that made them.
    private var waiting: Body?
    private var othersWaiting: [Body] = []

    private typealias Body = @Sendable (Outcome) -> Void

    public init() {}

    /// Calls `body` once with the outcome, after the bodies that came before: at once if all of them have returned, otherwise
    /// later, on the thread that settles it.
    public func whenDone(_ body: @escaping @Sendable (Outcome) -> Void) {
        let known: Outcome? = Self.lock.withLock {
            guard outcome == nil || isTelling else { return outcome }
            wait(body)
            return nil
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
        var next: Body? = Self.lock.withLock {
            guard self.outcome == nil else { return nil }
            self.outcome = outcome
            isTelling = waiting != nil
            return waiting
        }
        var told = 0
        while let body = next {
            body(outcome)
            next = Self.lock.withLock {
                isTelling = told < othersWaiting.count
                defer { told += 1 }
                return isTelling ? othersWaiting[told] : nil
            }
        }
    }
}
