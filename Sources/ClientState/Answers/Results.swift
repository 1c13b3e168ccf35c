public import ListDiff
public import ListModel
public import Texts

/// The answer to a write (docs/contract.md section 2), as far as a client needs it.
public struct WriteAnswer: Sendable {
    /// The version after the write.
    public let version: Version
    /// Whether the write made a version.
    public let hasChanged: Bool
    /// The outcome of each operation, in their order.
    public let outcomes: [OperationOutcome]
    /// The changes between the client's base and the write; nil if there are none, or if this is a kept answer.
    public let missed: Catchup?
    /// The changes that the write made; nil if the server does not tell them.
    public let changes: Catchup?
    /// The codes of what the server passed over.
    public let warnings: [ByteText]

    /// Reads the body of an answer to a write.
    ///
    /// - Throws: The member that is missing or wrong.
    public init(answer bytes: [UInt8]) throws(AnswerError) {
        let answer = try AnswerObject(bytes)
        version = try answer.version("version")
        hasChanged = try answer.flag("changed", orMissing: true)
        outcomes = try answer.objects("operations") { outcome throws(AnswerError) in try OperationOutcome(outcome) }
        missed = try answer.object("missed").map { missed throws(AnswerError) in try Catchup(missed) }
        changes = try answer.object("changes").map { changes throws(AnswerError) in try Catchup(changes) }
        warnings = try answer.objects("warnings") { warning throws(AnswerError) in
            guard let code = try warning.text("code") else { throw AnswerError("code") }
            return code
        }
    }

    /// The answer whose body was left out, because all was done as asked (`Prefer: return=minimal`).
    public init(asAskedAt version: Version) {
        self.version = version
        (hasChanged, outcomes, missed, changes, warnings) = (true, [], nil, nil, [])
    }
}

/// What became of one operation (docs/contract.md section 4).
public struct OperationOutcome: Sendable, Equatable {
    /// The status of an operation.
    public enum Status: Sendable, Equatable {
        /// Done as asked.
        case applied
        /// Done at another place.
        case adjusted
        /// Done, but not to all items and sections.
        case partial
        /// Not done.
        case dropped
        /// A word of a later server.
        case other(ByteText)

        init(_ word: ByteText) {
            switch word {
            case "applied": self = .applied
            case "adjusted": self = .adjusted
            case "partial": self = .partial
            case "dropped": self = .dropped
            default: self = .other(word)
            }
        }
    }

    public let status: Status
    /// A word for the loss of the list that is the reason, such as `item_deleted`; nil if all was done as asked.
    public let reason: ByteText?
    /// The items to which the operation was not done.
    public let items: [ItemID]
    /// The sections to which the operation was not done.
    public let sections: [SectionID]

    init(_ answer: AnswerObject) throws(AnswerError) {
        guard let word = try answer.text("status") else { throw AnswerError("status") }
        status = Status(word)
        reason = try answer.text("reason")
        items = try answer.ids("items")
        sections = try answer.ids("sections")
    }
}

/// The reason for which a server has refused a request (docs/contract.md section 7, Errors).
public struct ServerProblem: Error, Sendable, Equatable {
    /// The word on which a program may decide.
    public let code: ByteText
    /// The status of HTTP; 0 if no server has answered.
    public let status: Int
    /// The same for every problem of a code, for a person.
    public let title: ByteText
    /// What is wrong with this request, for a person.
    public let detail: ByteText
    /// The index of the operation that was refused.
    public let operation: Int?
    /// The number with which the sequence goes on, if the problem is a gap in it.
    public let expected: Int?

    /// Reads a problem.
    ///
    /// - Throws: The member that is missing or wrong.
    public init(answer bytes: [UInt8]) throws(AnswerError) {
        let answer = try AnswerObject(bytes)
        guard let code = try answer.text("code") else { throw AnswerError("code") }
        self.code = code
        status = try answer.index("status")
        title = try answer.text("title") ?? code
        detail = try answer.text("detail") ?? ""
        operation = try answer.number("op")
        expected = try answer.number("expected")
    }

    /// A problem that the client itself has found. Its status is 0.
    public init(code: ByteText, detail: ByteText) {
        (self.code, self.title, self.detail) = (code, detail, detail)
        (status, operation, expected) = (0, nil, nil)
    }

    /// A problem of which nothing but its status is known, because something between client and server has answered.
    public init(status: Int) {
        self.status = status
        (code, title, detail, operation, expected) = ("", ByteText("HTTP \(status)"), "", nil, nil)
    }
}
