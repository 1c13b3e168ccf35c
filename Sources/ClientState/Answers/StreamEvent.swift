import ListDiff
public import ListModel
public import Texts

/// An event of a stream (docs/contract.md section 9).
public enum StreamEvent: Sendable {
    /// A change set or a reset of a list, or of a part of it.
    case rows(ListID, ToldRows)
    /// The list was deleted.
    case gone(ListID)
    /// The stream ends. `retryAfter` is the number of seconds to wait, `code` that of a problem.
    case bye(code: ByteText, retryAfter: Int)

    /// Reads the data of an event.
    ///
    /// - Parameter isPart: Whether the stream tells of the rows of a query, and not of whole lists.
    /// - Returns: Nil for an event of a later server.
    /// - Throws: The member that is missing or wrong.
    public init?(name: ByteText, data: [UInt8], isPart: Bool) throws(AnswerError) {
        switch name {
        case "change", "reset":
            let answer = try AnswerObject(data)
            let told: ToldRows = isPart ? .part(try PartCatchup(answer)) : .list(try Catchup(answer))
            self = .rows(try answer.list("list"), told)
        case "gone": self = .gone(try AnswerObject(data).list("list"))
        case "bye":
            let answer = try AnswerObject(data)
            self = .bye(code: try answer.text("code") ?? "", retryAfter: try answer.number("retryAfter") ?? 0)
        default: return nil
        }
    }
}
