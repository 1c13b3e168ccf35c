import Locks

/// The promise that a commit will be durable, or that it was lost.
public final class Durability: Sendable {
    private enum State {
        case pending([@Sendable (Result<Void, JournalError>) -> Void])
        case done(Result<Void, JournalError>)
    }

    private let state = Locked(State.pending([]))

    public init() {}

    /// Calls `body` with the outcome, once: at once if it is known, otherwise on the thread that settles it.
    public func whenDone(_ body: @escaping @Sendable (Result<Void, JournalError>) -> Void) {
        let known: Result<Void, JournalError>? = state.withLock { state in
            switch state {
            case .pending(let waiting):
                state = .pending(waiting + [body])
                return nil
            case .done(let outcome):
                return outcome
            }
        }
        if let known { body(known) }
    }

    func settle(_ outcome: Result<Void, JournalError>) {
        let waiting: [@Sendable (Result<Void, JournalError>) -> Void] = state.withLock { state in
            guard case .pending(let waiting) = state else { return [] }
            state = .done(outcome)
            return waiting
        }
        for body in waiting { body(outcome) }
    }
}
