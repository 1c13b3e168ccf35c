public import ClientState
public import ListModel
import Texts

/// What became of an edit.
public enum EditOutcome: Sendable {
    /// Done as asked.
    case applied
    /// Others have changed the list meanwhile. The outcomes say what was done elsewhere, or left out.
    case adjusted([OperationOutcome])
    /// Others have deleted everything that it is about: nothing was left to do.
    case dropped([OperationOutcome])
    /// Nothing was done, and the edit no longer shows.
    case refused(ServerProblem)
    /// The client was closed before there was an answer. The edit waits in the store, and the next client of that store
    /// sends it.
    case unanswered

    init(_ outcomes: some Sequence<OperationOutcome>) {
        let outcomes = Array(outcomes)
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
    let answer: Promise<EditOutcome>
    let keeping: Promise<Bool>

    /// The outcome, once the server has answered.
    public var settled: EditOutcome { get async { await answer.value } }

    /// Whether the store has the edit, once that is known. From then on it is done once, whatever becomes of the
    /// process. An edit that the store cannot take is taken back, and refused with the code `not_kept`.
    public var isKept: Bool { get async { await keeping.value } }
}

extension SentEdit {
    /// An edit that has its outcome without being sent.
    @MainActor init(_ outcome: EditOutcome) {
        self.init(answer: Promise(outcome), keeping: Promise(false))
    }
}

/// An edit that was refused or dropped, for its author.
public struct RefusedEdit: Sendable {
    /// The id of the list.
    public let list: ListID
    /// The text about the edit.
    public let label: String?
    /// What it was to do; nothing for an undo.
    public let operations: [ListModel.Operation]
}

/// A value that comes once.
@MainActor final class Promise<Value: Sendable> {
    private var known: Value?
    private var waiting: [CheckedContinuation<Value, Never>] = []

    init(_ value: Value? = nil) { known = value }

    /// Does nothing if there is a value.
    func fulfil(_ value: Value) {
        guard known == nil else { return }
        known = value
        for one in waiting { one.resume(returning: value) }
        waiting = []
    }

    var value: Value {
        get async {
            if let known { return known }
            return await withCheckedContinuation { waiting.append($0) }
        }
    }
}

extension ServerProblem {
    /// The client itself has refused the edit.
    enum Own: String {
        case closed, notKept = "not_kept", notReorderable = "not_reorderable", nothingToUndo = "nothing_to_undo"
    }

    init(_ own: Own, _ detail: String) { self.init(code: ByteText(own.rawValue), detail: ByteText(detail)) }
}
