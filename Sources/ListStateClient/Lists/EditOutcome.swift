public import ClientState

/// What became of an edit.
public enum EditOutcome: Sendable {
    /// Done as asked.
    case applied
    /// Others have changed the list meanwhile. The outcomes say what was done elsewhere, or left out.
    case adjusted([OperationOutcome])
    /// Nothing was left to do.
    case dropped([OperationOutcome])
    /// Nothing was done, and the edit no longer shows.
    case refused(ServerProblem)

    init(_ outcomes: [OperationOutcome]) {
        if outcomes.allSatisfy({ $0.status == .applied }) {
            self = .applied
        } else if outcomes.allSatisfy({ $0.status == .dropped }) {
            self = .dropped(outcomes)
        } else {
            self = .adjusted(outcomes)
        }
    }
}

/// An edit that shows already. `settled` says what became of it at the server.
public struct SentEdit: Sendable {
    private let task: Task<EditOutcome, Never>

    init(_ task: Task<EditOutcome, Never>) { self.task = task }

    /// The outcome, once the server has answered.
    public var settled: EditOutcome { get async { await task.value } }
}
